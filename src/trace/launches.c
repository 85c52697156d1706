/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/launches.h"

#include "trace/api.h"
#include "trace/gathered.h"
#include "trace/memsets.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A sample has several groups of neighboring blocks. By default each group fills the GPU, so that
 * each block has the neighbors in its SM and in L2 that it has without tracing. */
#define GROUPS 4
#define MOST_RESIDENT_THREADS 2048
#define MOST_RESIDENT_BLOCKS 32

/* What fills the GPU: no SM holds more threads or blocks. */
static uint64_t resident_blocks(unsigned threads, uint32_t sms)
{
  const unsigned of_sm = MOST_RESIDENT_THREADS / (threads ? threads : 1);

  return (uint64_t)sms * (of_sm < MOST_RESIDENT_BLOCKS ? of_sm ? of_sm : 1 : MOST_RESIDENT_BLOCKS);
}

/* Which blocks are recorded, and how many they are. */
static int choose_blocks(const Sanitizer_LaunchData *data, uint64_t wanted,
                         struct gc_recorded_launch *launch, struct gpu_trace *trace,
                         struct gc_error *err)
{
  const uint64_t grid = (uint64_t)data->gridDim_x * data->gridDim_y * data->gridDim_z;

  if (!grid || grid > UINT32_MAX)
    return gc_fail(err, -EOPNOTSUPP, "its grid has 0 or more than 2^32 blocks");
  launch->grid = grid;
  launch->threads = data->blockDim_x * data->blockDim_y * data->blockDim_z;
  if (!wanted)
    wanted = GROUPS * resident_blocks(launch->threads, trace->regions);
  /* period * GROUPS >= grid, so that there are no more groups. */
  trace->period = (uint32_t)((grid + GROUPS - 1) / GROUPS);
  trace->inverse = UINT32_MAX / trace->period;
  trace->group = wanted < grid ? (uint32_t)((wanted + GROUPS - 1) / GROUPS) : trace->period;
  launch->blocks = grid / trace->period * trace->group +
                   (grid % trace->period < trace->group ? grid % trace->period : trace->group);
  return 0;
}

static void *words_of(const struct gc_context_memory *memory, uint32_t sm)
{
  return memory->words + sm * memory->region_words;
}

/* Empties the regions. */
static int empty(struct gc_launches *launches, Sanitizer_StreamHandle stream, struct gc_error *err)
{
  const struct gc_context_memory *memory = &launches->memory;

  for (uint32_t i = 0; i < memory->sms; i++) {
    const uint64_t begin = (uintptr_t)words_of(memory, i);

    launches->places[i] =
        (struct gpu_trace_region){begin, begin + memory->region_words * sizeof(uint64_t)};
  }
  return GC_SANITIZER(
      sanitizerMemcpyHostToDeviceAsync,
      (memory->places, launches->places, memory->sms * sizeof *memory->places, stream), err);
}

/* No kernel of the graph is in the table. */
static int clear_table(struct gc_launches *launches, Sanitizer_StreamHandle stream,
                       struct gc_error *err)
{
  for (size_t i = 0; i < GPU_TRACE_MOST_LAUNCHES; i++)
    launches->table[i] = (struct gpu_trace){.of_graph = 1, .grid = UINT64_MAX};
  return GC_SANITIZER(sanitizerMemcpyHostToDeviceAsync,
                      (launches->memory.launches, launches->table, sizeof launches->table, stream),
                      err);
}

/* Before the first launch. */
static int begin(struct gc_launches *launches, const struct gc_context_memory *memory,
                 bool of_graph, Sanitizer_StreamHandle stream, struct gc_error *err)
{
  int status;

  launches->memory = *memory;
  status = empty(launches, stream, err);
  return status || !of_graph ? status : clear_table(launches, stream, err);
}

/* The number of a stream. A new stream with the handle of an old one has its number. */
static size_t number_stream(struct gc_launches *launches, Sanitizer_StreamHandle stream)
{
  size_t i = 0;

  while (i < launches->stream_count && launches->streams[i] != stream)
    i++;
  if (i == GC_TRACE_MOST_STREAMS)
    return 0;
  if (i == launches->stream_count)
    launches->streams[launches->stream_count++] = stream;
  return i + 1;
}

int gc_launches_add(struct gc_launches *launches, const struct gc_context_memory *memory,
                    const struct gc_traced_module *module, uint64_t number, uint64_t wanted,
                    const Sanitizer_LaunchData *data, Sanitizer_StreamHandle graph,
                    struct gc_error *err)
{
  const Sanitizer_StreamHandle stream = graph ? graph : data->hStream;
  const size_t index = launches->count, place = graph ? data->gridId % GPU_TRACE_MOST_LAUNCHES : 0;
  struct gc_recorded_launch *launch = &launches->launches[index];
  struct gpu_trace *trace = &launches->table[place];
  int status = index ? 0 : begin(launches, memory, graph, stream, err);

  if (status)
    return status;
  if (index && memory->launches != launches->memory.launches)
    return gc_fail(err, -EXDEV, "a graph has kernels in several CUDA contexts");
  if (index && trace->grid != UINT64_MAX)
    return gc_fail(err, -E2BIG, "a graph has more than %d kernels", GPU_TRACE_MOST_LAUNCHES);
  *launch = (struct gc_recorded_launch){
      .number = number,
      .code = module->code,
      .place = place,
      .carveout = gc_contexts_carveout(data->function),
      .shapes = {{data->gridDim_x, data->gridDim_y, data->gridDim_z},
                 {data->blockDim_x, data->blockDim_y, data->blockDim_z},
                 {data->clusterDim_x, data->clusterDim_y, data->clusterDim_z}},
      .name = strdup(data->functionName)};
  *trace = (struct gpu_trace){.places = (uintptr_t)memory->places,
                              .grid = data->gridId,
                              .of_graph = graph != NULL,
                              .regions = memory->sms,
                              .launch = (uint32_t)index << GPU_TRACE_WARP_BITS};
  status = launch->name ? choose_blocks(data, wanted, launch, trace, err)
                        : gc_fail(err, -ENOMEM, "out of memory");
  if (!status)
    status = GC_SANITIZER(sanitizerGetFunctionPcAndSize,
                          (data->module, data->functionName, &trace->start, &trace->size), err);
  /* The copy comes last: other kernels of a graph may have set the pointer for this one, too. */
  if (!status)
    status = GC_SANITIZER(sanitizerSetLaunchCallbackData,
                          (data->hLaunch, data->function, data->hStream, memory->launches), err);
  if (!status)
    status = GC_SANITIZER(sanitizerMemcpyHostToDeviceAsync,
                          (memory->launches + place, trace, sizeof *trace, stream), err);
  if (!status) {
    launch->stream = number_stream(launches, stream);
    launches->count++;
    return 0;
  }
  free(launch->name);
  trace->grid = UINT64_MAX;
  return status;
}

void gc_launches_pass_over(const struct gc_launches *launches, const Sanitizer_LaunchData *data)
{
  struct gc_error err;

  /* All kernels in its stream get the pointer that is set last. */
  GC_SANITIZER(sanitizerSetLaunchCallbackData,
               (data->hLaunch, data->function, data->hStream,
                launches && launches->count ? launches->memory.launches : NULL),
               &err);
}

/* How many words each SM has written. */
static int count_words(struct gc_launches *launches, Sanitizer_StreamHandle stream,
                       struct gc_error *err)
{
  const struct gc_context_memory *memory = &launches->memory;
  size_t sum = 0;
  int status = GC_SANITIZER(
      sanitizerMemcpyDeviceToHost,
      (launches->places, memory->places, memory->sms * sizeof *launches->places, stream), err);

  for (uint32_t i = 0; i < memory->sms && !status; i++) {
    const uint64_t begin = (uintptr_t)words_of(memory, i), next = launches->places[i].next;

    if (next - begin > memory->region_words * sizeof(uint64_t))
      status = gc_fail(err, -EFBIG,
                       "the records of an SM do not fit into its share of %" PRIu64
                       " KiB of GPU memory: record fewer blocks (--blocks)",
                       memory->region_words * sizeof(uint64_t) >> 10);
    launches->ends[i] = sum += (next - begin) / sizeof(uint64_t);
  }
  return status;
}

int gc_launches_fetch(struct gc_launches *launches, Sanitizer_StreamHandle stream,
                      struct gc_error *err)
{
  const struct gc_context_memory *memory = &launches->memory;
  const size_t places = launches->table[0].of_graph ? GPU_TRACE_MOST_LAUNCHES : 1;
  int status = GC_SANITIZER(
      sanitizerMemcpyDeviceToHost,
      (launches->table, memory->launches, places * sizeof *launches->table, stream), err);

  for (size_t i = 0; i < launches->count && !status; i++)
    if (launches->table[launches->launches[i].place].shared > UINT32_MAX)
      status = gc_fail(err, -EBADMSG, "the program has overwritten its records");
  if (!status)
    status = count_words(launches, stream, err);
  if (status)
    return status;
  launches->words = malloc(launches->ends[memory->sms - 1] * sizeof(uint64_t) + 1);
  if (!launches->words)
    return gc_fail(err, -ENOMEM, "out of memory");
  for (uint32_t i = 0; i < memory->sms && !status; i++) {
    const size_t begin = i ? launches->ends[i - 1] : 0, count = launches->ends[i] - begin;

    if (count)
      status = GC_SANITIZER(
          sanitizerMemcpyDeviceToHost,
          (launches->words + begin, words_of(memory, i), count * sizeof(uint64_t), stream), err);
  }
  return status;
}

/* A cluster of one block is none. */
static void write_shapes(const struct gc_recorded_launch *launch, FILE *file)
{
  static const char *const names[] = {"grid", "block", "cluster"};
  const uint32_t *const cluster = launch->shapes[2];
  const bool clusters = (uint64_t)cluster[0] * cluster[1] * cluster[2] > 1;

  for (int i = 0; i < (clusters ? 3 : 2); i++)
    fprintf(file, "%s %" PRIu32 " %" PRIu32 " %" PRIu32 "\n", names[i], launch->shapes[i][0],
            launch->shapes[i][1], launch->shapes[i][2]);
}

static void write_header(struct gc_launches *launches, size_t number, double kernel_ms, FILE *file)
{
  struct gc_recorded_launch *launch = &launches->launches[number];

  fprintf(file, "kernel %s\nlaunch %" PRIu64 "\n", launch->name, launch->number);
  if (launch->code > 0)
    fprintf(file, "module %d\n", launch->code);
  else
    fprintf(file, "module it was not saved: %s\n", gc_module_why_not_saved(launch->code));
  if (launch->kind) {
    fputs("launches ", file);
    launch->stands_at = ftell(file);
    fprintf(file, GC_PART_NUMBER "\n", launch->stands);
  }
  if (!launches->table[0].of_graph)
    fprintf(file, "microseconds %.0f\n", kernel_ms * 1e3);
  fprintf(file,
          "blocks %" PRIu64 "\nlaunched-blocks %" PRIu64 "\nthreads %u\nwarp 32\nshared %" PRIu64
          "\n",
          launch->blocks, launch->grid, launch->threads, launches->table[launch->place].shared);
  write_shapes(launch, file);
  if (launch->stream)
    fprintf(file, "stream %zu\n", launch->stream);
  if (launch->carveout >= 0)
    fprintf(file, "carve-out %d\n", launch->carveout);
  gc_touched_write(&launch->touched, file);
}

int gc_launches_write(struct gc_launches *launches, double kernel_ms, FILE *file,
                      struct gc_error *err)
{
  const struct gc_gathered gathered = {launches->words, launches->ends, launches->memory.sms};
  struct gc_gathered_launch sizes[GPU_TRACE_MOST_LAUNCHES];
  struct gc_sorted *sorted;
  int status;

  for (size_t i = 0; i < launches->count; i++)
    sizes[i] = (struct gc_gathered_launch){launches->launches[i].blocks,
                                           (launches->launches[i].threads + 31) / 32};
  status = gc_gathered_sort(&gathered, sizes, launches->count, &sorted, err);
  for (size_t i = 0; i < launches->count && !status; i++) {
    write_header(launches, i, kernel_ms, file);
    status = gc_sorted_write(sorted, i, file, err);
    if (!status)
      fputs("complete\n", file);
  }
  gc_sorted_free(sorted);
  return status;
}

void gc_launches_forget(struct gc_launches *launches)
{
  for (size_t i = 0; i < launches->count; i++)
    free(launches->launches[i].name);
  free(launches->words);
  launches->words = NULL;
  launches->count = 0;
}
