/*
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "paper_model.h"

#include "predict/model/block.h"
#include "predict/model/in_flight.h"
#include "predict/model/latency.h"
#include "predict/model/lines.h"
#include "predict/model/residency.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct paper_warp {
  struct paper_warp *next; /* in the FIFO */
  const struct gc_block *block;
  unsigned block_number, number;
  uint32_t instruction; /* the next one, or GC_NO_INSTRUCTION */
};

struct paper {
  struct gc_gpu_model gpu; /* lines without sectors, LRU */
  const struct gc_paper_options *options;
  struct gc_half_normal half_normal;
  struct gc_set_index index;
  struct gc_lines l1;
  struct gc_in_flight in_flight; /* one for each effect, hits too */
  struct gc_wheel effects, sleeping;
  struct paper_warp *ready, *last_ready; /* the FIFO */
  struct gc_loads loads;
  struct gc_counts counts;
  uint64_t random, time;
  unsigned outstanding; /* lines under way */
  unsigned residents;
  struct gc_block *blocks; /* of the current set */
  unsigned *block_numbers;
  struct paper_warp *warps;
  uint64_t blocks_read;
};

static void push(struct paper *paper, struct paper_warp *warp)
{
  warp->next = NULL;
  if (paper->ready)
    paper->last_ready->next = warp;
  else
    paper->ready = warp;
  paper->last_ready = warp;
}

static struct paper_warp *pop(struct paper *paper)
{
  struct paper_warp *warp = paper->ready;

  if (warp)
    paper->ready = warp->next;
  return warp;
}

static void watch(const struct paper *paper, const struct paper_warp *warp, uint64_t line,
                  enum gc_paper_status status, uint64_t effect_at)
{
  struct gc_paper_event event = {paper->time, warp->block_number, warp->number, line,
                                 status,      effect_at};

  if (paper->options->watch)
    paper->options->watch(&event, paper->options->data);
}

static void take_effect(struct paper *paper, uint32_t set, uint64_t number)
{
  struct gc_line *line = gc_lines_find(&paper->l1, set, number);

  if (line)
    gc_lines_use(&paper->l1, set, line);
  else
    gc_lines_add(&paper->l1, set, number); /* LRU: never NULL */
}

/* All accesses whose time has come take effect. sectors is 1 for a line that is under way. */
static void take_effects(struct paper *paper)
{
  const struct gc_event *event;

  while ((event = gc_wheel_take(&paper->effects, paper->time))) {
    take_effect(paper, event->set, event->line);
    paper->outstanding -= event->sectors;
    gc_flight_remove(&paper->in_flight, (uint32_t)(event - paper->effects.events),
                     gc_mix(event->line));
  }
}

/* The arrival of a line that is under way; false: it is not. */
static bool in_flight(struct paper *paper, uint64_t line, uint64_t *arrival)
{
  const uint32_t hash = gc_hash_of(line);
  uint32_t entry = 0;
  const struct gc_event *event;

  while ((event = gc_flight_next(&paper->in_flight, &paper->effects, line, hash, &entry))) {
    if (event->sectors) {
      *arrival = event->time;
      return true;
    }
  }
  return false;
}

static int add_effect(struct paper *paper, const struct gc_request *request, uint64_t time,
                      bool entry)
{
  struct gc_event *event;

  if (time <= paper->time) {
    take_effect(paper, request->set, request->line);
    return 0;
  }
  event = gc_wheel_add(&paper->effects, time);
  if (!event ||
      !gc_flight_add(&paper->in_flight, (uint32_t)(event - paper->effects.events), request->mix))
    return -ENOMEM;
  event->line = request->line;
  event->set = request->set;
  event->sectors = entry;
  paper->outstanding += entry;
  return 0;
}

static void count(struct paper *paper, uint32_t load, enum gc_paper_status status)
{
  struct gc_cache_counts *counts[] = {&paper->counts.l1_loads, &paper->loads.loads[load].l1};

  for (unsigned i = 0; i < 2; i++) {
    counts[i]->accesses++;
    counts[i]->hits += status == GC_PAPER_HIT;
    counts[i]->hits_on_miss += status == GC_PAPER_IN_FLIGHT;
    counts[i]->misses += status == GC_PAPER_MISS;
  }
}

/* One line of an instruction. 1: cancelled; 0; or -ENOMEM. *wake: when the warp may go on. */
static int access_line(struct paper *paper, const struct paper_warp *warp,
                       const struct gc_request *request, bool first, uint64_t *wake)
{
  const struct gc_gpu_model *gpu = &paper->gpu;
  const struct gc_paper_options *options = paper->options;
  bool there = gc_lines_find(&paper->l1, request->set, request->line);
  uint64_t arrival = 0, effect_at = paper->time;
  enum gc_paper_status status = GC_PAPER_HIT;

  if (!there)
    status = in_flight(paper, request->line, &arrival) ? GC_PAPER_IN_FLIGHT : GC_PAPER_MISS;
  if (status == GC_PAPER_MISS && first && gpu->outstanding_per_sm &&
      paper->outstanding >= gpu->outstanding_per_sm) {
    watch(paper, warp, request->line, GC_PAPER_CANCEL, 0);
    return 1;
  }
  if (there && !options->no_latency)
    effect_at += (uint64_t)(gpu->l1_cycles + 0.5);
  else if (status == GC_PAPER_IN_FLIGHT && !options->unclipped)
    effect_at = arrival;
  else if (!options->no_latency)
    effect_at += gc_latency_draw(&paper->half_normal, gpu->memory_cycles, gpu->memory_spread,
                                 &paper->random);
  watch(paper, warp, request->line, status, effect_at);
  if (effect_at > *wake)
    *wake = effect_at;
  count(paper, warp->block->instructions[warp->instruction].load, status);
  return add_effect(paper, request, effect_at, status == GC_PAPER_MISS);
}

/* Warps that may execute in the next time step go to the FIFO. */
static void wake_warps(struct paper *paper)
{
  const struct gc_event *event;

  while ((event = gc_wheel_take(&paper->sleeping, paper->time + 1)))
    push(paper, &paper->warps[event->warp]);
}

/* The first load from an instruction on, or GC_NO_INSTRUCTION. */
static uint32_t load_from(const struct gc_block *block, uint32_t instruction)
{
  while (instruction != GC_NO_INSTRUCTION && block->instructions[instruction].step != GC_STEP_LOAD)
    instruction = block->instructions[instruction].next;
  return instruction;
}

/* One time step of a warp. */
static int execute(struct paper *paper, struct paper_warp *warp)
{
  const struct gc_instruction *instruction = &warp->block->instructions[warp->instruction];
  const struct gc_request *requests = &warp->block->requests[instruction->first];
  struct gc_event *event;
  uint64_t wake = 0;
  int status = 0;

  for (uint32_t i = 0; i < instruction->requests && status == 0; i++) {
    struct gc_request request = requests[i];

    if (paper->options->fully_associative)
      request.set = 0;
    status = access_line(paper, warp, &request, i == 0, &wake);
  }
  if (status < 0)
    return status;
  if (status == 0)
    warp->instruction = load_from(warp->block, instruction->next);
  wake_warps(paper);
  if (status == 0 && warp->instruction == GC_NO_INSTRUCTION)
    return 0;
  if (status == 1 || paper->options->round_robin || wake <= paper->time + 1)
    push(paper, warp);
  else if ((event = gc_wheel_add(&paper->sleeping, wake)))
    event->warp = (uint32_t)(warp - paper->warps);
  else
    return -ENOMEM;
  return 0;
}

static int run_set(struct paper *paper)
{
  while (paper->ready || paper->sleeping.count) {
    struct paper_warp *warp;
    int status;

    take_effects(paper);
    warp = pop(paper);
    status = warp ? execute(paper, warp) : 0;
    if (status)
      return status;
    if (!warp) {
      paper->time = gc_wheel_next(&paper->sleeping) - 1;
      wake_warps(paper);
    }
    paper->time++;
  }
  return 0;
}

/* Reads the next block of SM 0. 1: there was one; 0; or a negative errno. */
static int read_block(struct paper *paper, struct gc_trace *trace, struct gc_block *block,
                      unsigned *number, struct gc_error *err)
{
  struct gc_block_reader reader = {
      .index = &paper->index, .loads_in_l1 = true, .loads = &paper->loads};

  gc_coalescer_init(&reader.coalescer, paper->gpu.l1.line_bytes, paper->gpu.l1.line_bytes);
  while (paper->blocks_read % paper->gpu.sms) {
    int status = gc_trace_next_block(trace, NULL, NULL, NULL, err);

    if (status <= 0)
      return status;
    paper->blocks_read++;
  }
  *number = (unsigned)paper->blocks_read++;
  return gc_block_read(block, &reader, trace, err);
}

/* Puts the warps of a set of blocks into the FIFO. 0 or -ENOMEM. */
static int start_set(struct paper *paper, unsigned blocks)
{
  struct paper_warp *warps;
  size_t count = 0;

  for (unsigned i = 0; i < blocks; i++)
    count += paper->blocks[i].warp_count;
  warps = realloc(paper->warps, (count + 1) * sizeof *warps);
  if (!warps)
    return -ENOMEM;
  paper->warps = warps;
  for (unsigned i = 0; i < blocks; i++) {
    const struct gc_block *block = &paper->blocks[i];

    for (uint32_t k = 0; k < block->warp_count; k++) {
      const uint32_t first = load_from(block, block->warps[k].first);

      if (first == GC_NO_INSTRUCTION)
        continue;
      *warps = (struct paper_warp){.block = block,
                                   .block_number = paper->block_numbers[i],
                                   .number = k,
                                   .instruction = first};
      push(paper, warps++);
    }
  }
  return 0;
}

static int run_kernel(struct paper *paper, struct gc_trace *trace, struct gc_error *err)
{
  int status = 1;

  while (status == 1) {
    unsigned blocks = 0;

    while (blocks < paper->residents && status == 1) {
      status = read_block(paper, trace, &paper->blocks[blocks], &paper->block_numbers[blocks], err);
      blocks += status == 1;
    }
    if (status < 0)
      return status;
    if (start_set(paper, blocks) || run_set(paper))
      return gc_fail(err, -ENOMEM, "no memory for a set of %u blocks", blocks);
  }
  return 0;
}

static int init(struct paper *paper, const struct gc_gpu_model *gpu,
                const struct gc_trace_launch *launch)
{
  const struct gc_paper_options *options = paper->options;

  paper->gpu = *gpu;
  paper->gpu.l1.sector_bytes = gpu->l1.line_bytes;
  paper->gpu.l1.policy = GC_POLICY_LRU;
  paper->random = gc_draw_state(options->seed, GC_RANDOM_PAPER);
  paper->residents = gc_residency(gpu, launch);
  gc_half_normal_init(&paper->half_normal);
  gc_set_index_init(&paper->index, &paper->gpu.l1);
  paper->blocks = calloc(paper->residents, sizeof *paper->blocks);
  paper->block_numbers = calloc(paper->residents, sizeof *paper->block_numbers);
  if (!paper->blocks || !paper->block_numbers)
    return -ENOMEM;
  return gc_lines_init(&paper->l1, &paper->gpu.l1, options->fully_associative, 0);
}

static void fini(struct paper *paper)
{
  for (unsigned i = 0; paper->blocks && i < paper->residents; i++)
    gc_block_fini(&paper->blocks[i]);
  free(paper->blocks);
  free(paper->block_numbers);
  free(paper->warps);
  gc_loads_fini(&paper->loads);
  gc_in_flight_fini(&paper->in_flight);
  gc_wheel_fini(&paper->effects);
  gc_wheel_fini(&paper->sleeping);
  gc_lines_fini(&paper->l1);
  free(paper);
}

int gc_paper_run(const struct gc_gpu_model *gpu, const struct gc_paper_options *options,
                 struct gc_trace *trace, const struct gc_trace_launch *launch,
                 struct gc_kernel_run *run, struct gc_error *err)
{
  struct paper *paper = calloc(1, sizeof *paper);
  int status;

  memset(run, 0, sizeof *run);
  if (!paper)
    return gc_fail(err, -ENOMEM, "no memory for the model");
  paper->options = options;
  status = init(paper, gpu, launch);
  if (status)
    gc_fail(err, status, "no memory for a cache");
  else
    status = run_kernel(paper, trace, err);
  if (!status) {
    run->counts = paper->counts;
    run->cycles = paper->time;
    run->blocks_per_sm = paper->residents;
    gc_loads_take(&paper->loads, &run->loads, &run->load_count);
  }
  fini(paper);
  return status;
}
