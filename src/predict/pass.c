/* SPDX-License-Identifier: BSD-3-Clause */
#include "predict/pass.h"

#include "predict/model/check.h"
#include "predict/parameters/geometry.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* The results of a kernel take 5 to 8 KB in all passes together, so a small compressed trace could
 * take all memory. Traces of long runs have some ten thousand kernels. */
#define MOST_KERNELS 200000

/* The model frees its tables when the geometry of L1 changes, and allocates them again. A small
 * result that is allocated by itself takes a part of the freed space, in which a table then no
 * longer fits: the process grows by 200 KB for each such kernel. So results are parts of blocks. */
#define BLOCK_BYTES 65536

struct gc_pass_block {
  struct gc_pass_block *earlier;
  size_t used, size;
  max_align_t bytes[];
};

/* Memory until gc_pass_clear. NULL: no memory. */
static void *keep(struct gc_pass *pass, size_t bytes)
{
  struct gc_pass_block *block = pass->blocks;
  void *kept;

  bytes = (bytes + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
  if (!block || block->size - block->used < bytes) {
    const size_t size = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;

    block = malloc(sizeof *block + size);
    if (!block)
      return NULL;
    *block = (struct gc_pass_block){.earlier = pass->blocks, .size = size};
    pass->blocks = block;
  }
  kept = (char *)block->bytes + block->used;
  block->used += bytes;
  return kept;
}

/* The next kernel of the result, zero. NULL: no memory. */
static struct gc_pass_kernel *append(struct gc_pass *pass)
{
  if (!(pass->count & (pass->count - 1))) {
    const size_t room = pass->count ? 2 * pass->count : 1;
    struct gc_pass_kernel *longer = reallocarray(pass->kernels, room, sizeof *longer);

    if (!longer)
      return NULL;
    pass->kernels = longer;
  }
  return memset(&pass->kernels[pass->count++], 0, sizeof *pass->kernels);
}

/* The first kernel makes the model; L2 keeps its contents from kernel to kernel. */
static int prepare_model(struct gc_pass *pass, const struct gc_gpu_model *gpu,
                         struct gc_cache_model **model, struct gc_error *err)
{
  if (*model)
    return gc_cache_model_change_sms(*model, gpu) ? gc_fail(err, -ENOMEM, "out of memory") : 0;
  if (pass->reuse) {
    pass->options.observe = gc_reuse_observe;
    pass->options.observe_data = gc_reuse_new(gpu->sms);
    if (!pass->options.observe_data)
      return gc_fail(err, -ENOMEM, "out of memory");
  }
  *model = gc_cache_model_new(gpu, &pass->options);
  return *model ? 0 : gc_fail(err, -ENOMEM, "out of memory");
}

/* gpu: NULL if the launch cannot run. */
static int keep_detail(struct gc_pass *pass, struct gc_pass_kernel *kernel,
                       const struct gc_trace_launch *launch, const struct gc_gpu_model *gpu)
{
  kernel->detail = keep(pass, sizeof *kernel->detail);
  if (!kernel->detail)
    return -ENOMEM;
  *kernel->detail = (struct gc_pass_detail){.launch = *launch};
  if (!gpu)
    return 0;
  kernel->detail->gpu = (struct gc_gpu_summary){
      .loads_in_l1 = gpu->loads_in_l1,
      .l1_bytes = gc_geometry_bytes(&gpu->l1),
      .l1_wanted_bytes = gpu->l1.wanted_bytes,
      .l1_line_bytes = gpu->l1.line_bytes,
      .l1_sector_bytes = gpu->l1.sector_bytes,
      .l1_sets = gpu->l1.sets,
      .l1_ways = gpu->l1.ways,
      .outstanding = gpu->outstanding_per_sm,
      .tlb_entries = {gpu->tlb[0].entries, gpu->tlb[1].entries},
  };
  return 0;
}

static int keep_loads(struct gc_pass *pass, struct gc_kernel_run *run)
{
  const size_t bytes = run->load_count * sizeof *run->loads;
  struct gc_load_counts *loads = keep(pass, bytes);

  if (loads && bytes)
    memcpy(loads, run->loads, bytes);
  free(run->loads);
  run->loads = loads;
  return loads ? 0 : -ENOMEM;
}

/* Many loads of a kernel are of one file. */
static const char *keep_text(struct gc_pass *pass, const char *text, const char *last)
{
  const size_t size = strlen(text) + 1;
  char *kept;

  if (last && !strcmp(text, last))
    return last;
  kept = keep(pass, size);
  return kept ? memcpy(kept, text, size) : NULL;
}

static int keep_sources(struct gc_pass *pass, struct gc_pass_kernel *kernel,
                        const struct gc_trace *trace)
{
  const char *last = NULL;
  struct gc_source_line *sources =
      keep(pass, (kernel->run.load_count ? kernel->run.load_count : 1) * sizeof *sources);

  if (!sources)
    return -ENOMEM;
  for (size_t i = 0; i < kernel->run.load_count; i++) {
    const char *file;

    sources[i] = (struct gc_source_line){NULL, 0};
    file = gc_trace_source(trace, kernel->run.loads[i].pc, &sources[i].line);
    if (file && !(sources[i].file = last = keep_text(pass, file, last)))
      return -ENOMEM;
  }
  kernel->detail->sources = sources;
  return 0;
}

static int keep_reuse(struct gc_pass *pass, struct gc_pass_kernel *kernel)
{
  kernel->bins = keep(pass, sizeof *kernel->bins);
  kernel->reuse = gc_reuse_take(pass->options.observe_data);
  if (!kernel->bins || !kernel->reuse)
    return -ENOMEM;
  gc_reuse_histogram_bins(kernel->reuse, kernel->bins);
  if (pass->bins_only || (pass->histogram_of && (pass->count > pass->histograms ||
                                                 !pass->histogram_of[pass->count - 1]))) {
    gc_reuse_histogram_free(kernel->reuse);
    kernel->reuse = NULL;
  }
  return 0;
}

/* Keeps the kernel without a result. */
static int note_cannot_run(struct gc_pass *pass, struct gc_pass_kernel *kernel,
                           const struct gc_trace_launch *launch, const struct gc_error *why)
{
  const size_t size = strlen(why->text) + 1;
  char *text;

  if (!pass->detailed)
    return 0;
  text = keep(pass, size);
  if (!text || keep_detail(pass, kernel, launch, NULL))
    return -ENOMEM;
  kernel->detail->cannot_run = memcpy(text, why->text, size);
  return 0;
}

/* As if the trace had no blocks but those that were modelled. */
static void keep_modelled(struct gc_trace_launch *launch, uint64_t blocks)
{
  if (!launch->launched_blocks)
    launch->launched_blocks = launch->blocks;
  launch->blocks = blocks;
}

static int run_kernel(struct gc_pass *pass, struct gc_trace *trace,
                      const struct gc_trace_launch *launch, struct gc_cache_model **model,
                      struct gc_error *err)
{
  struct gc_pass_kernel *kernel = append(pass);
  struct gc_gpu_model gpu;
  struct gc_error why;
  int status;

  if (!kernel)
    return gc_fail(err, -ENOMEM, "out of memory");
  if (gc_parameters_check_block(&pass->parameters, launch, &why))
    return note_cannot_run(pass, kernel, launch, &why) ? gc_fail(err, -ENOMEM, "out of memory") : 0;
  status = gc_parameters_gpu(&pass->parameters, launch, &pass->changes,
                             pass->undrawn ? 0 : pass->options.seed, &gpu, err);
  if (!status && gc_gpu_model_check(&gpu, err))
    status = -ERANGE; /* the record is to blame, not the trace */
  if (!status)
    status = prepare_model(pass, &gpu, model, err);
  if (!status && pass->detailed)
    status = keep_detail(pass, kernel, launch, &gpu) ? gc_fail(err, -ENOMEM, "out of memory") : 0;
  if (!status)
    status = gc_cache_model_run(*model, trace, launch, &kernel->run, err);
  if (!status && pass->detailed && pass->options.sms)
    keep_modelled(&kernel->detail->launch, kernel->run.blocks);
  if (!status && keep_loads(pass, &kernel->run))
    status = gc_fail(err, -ENOMEM, "out of memory");
  if (!status && pass->detailed && keep_sources(pass, kernel, trace))
    status = gc_fail(err, -ENOMEM, "out of memory");
  if (!status && pass->reuse && keep_reuse(pass, kernel))
    status = gc_fail(err, -ENOMEM, "out of memory");
  return status;
}

/* Runs the kernel that gc_trace_next_kernel has begun, or passes over it. result is that of this
 * function. 1: go on; 0: the trace has no more kernels; or a negative errno with a sentence. */
static int take_kernel(struct gc_pass *pass, const char *path, struct gc_trace *trace, int result,
                       struct gc_trace_launch *launch, struct gc_cache_model **model,
                       struct gc_error *err)
{
  const size_t i = pass->seen++;
  int status;

  if (pass->selection && i >= pass->selection->count)
    return gc_fail(err, -EAGAIN, "%s: the trace changed while it was read", path);
  if (pass->selection && pass->selection->kernels[i] != GC_KERNEL_PREDICTED)
    return gc_trace_skip_kernel(trace) > 0;
  if (result < 0)
    return result;
  launch->number = i + 1;
  if (pass->count == MOST_KERNELS)
    return gc_fail(err, -E2BIG, "%s: more than %d kernels in all traces", path, MOST_KERNELS);
  status = run_kernel(pass, trace, launch, model, err);
  return status ? status : 1;
}

static int run_trace(struct gc_pass *pass, const char *path, struct gc_cache_model **model,
                     struct gc_error *err)
{
  struct gc_trace_ignored ignored;
  struct gc_trace_launch launch;
  struct gc_trace *trace;
  int status = gc_trace_open(path, &trace, err);

  if (status)
    return status;
  do {
    status = gc_trace_next_kernel(trace, &launch, err);
    if (status < 0 && pass->selection && gc_trace_has_ended(trace))
      status = 0; /* the selection has that */
    if (status)
      status = take_kernel(pass, path, trace, status, &launch, model, err);
  } while (status > 0);
  gc_trace_get_ignored(trace, &ignored);
  pass->ignored.textures += ignored.textures;
  pass->ignored.copies += ignored.copies;
  gc_trace_lacks_add(&pass->ignored.lacks, &ignored.lacks);
  gc_trace_close(trace);
  return status;
}

int gc_pass_run(struct gc_pass *pass, struct gc_error *err)
{
  struct gc_cache_model *model = NULL;
  int status = 0;

  for (size_t i = 0; i < pass->trace_count && !status; i++)
    status = run_trace(pass, pass->traces[i], &model, err);
  gc_cache_model_free(model);
  gc_reuse_free(pass->options.observe_data);
  pass->options.observe_data = NULL;
  if (pass->optional && status == -ERANGE) {
    gc_pass_clear(pass);
    return 0;
  }
  return status;
}

void gc_pass_clear(struct gc_pass *pass)
{
  for (size_t i = 0; i < pass->count; i++)
    gc_reuse_histogram_free(pass->kernels[i].reuse);
  while (pass->blocks) {
    struct gc_pass_block *block = pass->blocks;

    pass->blocks = block->earlier;
    free(block);
  }
  free(pass->kernels);
  pass->kernels = NULL;
  pass->count = 0;
}
