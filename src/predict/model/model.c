/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * All SMs advance together, GC_QUANTUM cycles at a time, so that L2 sees requests nearly in order.
 * Blocks go to the SMs in turn at first, then to the SM in which a block has ended first. A block
 * is read from the trace when it starts: the memory is that of the resident blocks.
 */
#include "predict/model/model.h"

#include "predict/model/check.h"
#include "predict/model/placement.h"
#include "predict/model/random.h"
#include "predict/model/residency.h"
#include "predict/model/sm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Cycles. Requests of different SMs reach L2 out of order by at most this, and a block starts at
 * most so much late: the SMs of a real GPU do not start at the same time either. Compared with 16
 * cycles, hit rates of 13 launches change by at most 0.6 points in L1 and 2.6 in L2
 * (doc/results/predict-speed.md). Longer quanta are faster, because the state of an SM stays in the
 * caches of the host: random accesses take four fifths of the time that they take with 256. */
#define GC_QUANTUM 1024

struct room { /* of a block that has ended */
  uint64_t ended;
  unsigned sm, resident;
};

struct gc_cache_model {
  struct gc_gpu_model gpu;
  struct gc_model_options options;
  struct gc_half_normal half_normal;
  struct gc_set_index index; /* of L1 */
  struct gc_l2 l2;
  struct gc_sm *sms;
  /* The first SMs: those with tables for the present geometry of L1, and those that the present
   * kernel uses. A kernel of few blocks costs little, whatever the number of SMs. */
  unsigned made, used;
  unsigned modelled;          /* so many of the SMs, the first ones in `order` */
  uint16_t order[GC_PREDICT_SMS_MAX]; /* their numbers, as the blocks of the kernel go to them */
  struct gc_counts counts;
  struct gc_loads loads;
  struct room *rooms;
  size_t room_count, most_rooms;
  bool exhausted; /* the kernel has no more blocks */
  /* The trace may have only some blocks of a kernel. */
  uint64_t blocks;          /* that were read */
  uint64_t next_block;      /* the number of the next one, if none is left out */
  uint64_t left_out;        /* blocks for which L2 has not got lines yet */
  uint64_t may_be_left_out; /* blocks that are still missing */
  uint64_t unmodelled_blocks; /* that were read, of SMs that are not modelled */
  unsigned first_gpc;       /* with which the next kernel begins */
  uint64_t random;          /* draws it */
  bool registers; /* of the kernel: how its warps wait (struct gc_trace_launch) */
  unsigned loads_at_once;
};

static void free_tables(struct gc_cache_model *predict)
{
  for (unsigned i = 0; i < predict->made; i++)
    gc_sm_fini(&predict->sms[i]);
  predict->made = predict->used = 0;
}

static void choose_index(struct gc_cache_model *predict)
{
  const bool one_set =
      predict->options.fully_associative || predict->gpu.l1.policy == GC_POLICY_SURVIVAL;

  gc_set_index_init(&predict->index,
                    one_set ? &(struct gc_cache_geometry){.sets = 1} : &predict->gpu.l1);
}

/* Which SM gets this block of the kernel, if SMs take blocks in turn. */
static unsigned sm_of_block(const struct gc_cache_model *predict, uint64_t number)
{
  return (unsigned)(number % predict->gpu.sms);
}

/* Prepares the next SM for a kernel. 0 or -ENOMEM. */
static int use_sm(struct gc_cache_model *predict, unsigned residents)
{
  const unsigned i = predict->used;
  struct gc_sm *sm = &predict->sms[i];
  int status = 0;

  if (i == predict->made) {
    predict->made++;
    status = gc_sm_init(sm, &predict->gpu, &predict->options);
    sm->l2 = &predict->l2;
    sm->counts = &predict->counts;
    sm->loads = &predict->loads;
  }
  sm->number = predict->order[i];
  if (!status)
    status = gc_sm_begin(sm, residents);
  predict->used++;
  return status;
}

struct gc_cache_model *gc_cache_model_new(const struct gc_gpu_model *gpu,
                                          const struct gc_model_options *options)
{
  struct gc_cache_model *predict;
  int status;

  if (gc_gpu_model_check(gpu, NULL))
    return NULL;
  predict = calloc(1, sizeof *predict);
  if (!predict)
    return NULL;
  predict->gpu = *gpu;
  predict->options = *options;
  predict->modelled = options->sms && options->sms < gpu->sms ? options->sms : gpu->sms;
  predict->random = gc_draw_state(options->seed, GC_RANDOM_GPC);
  gc_half_normal_init(&predict->half_normal);
  choose_index(predict);
  status = gc_l2_init(&predict->l2, &predict->gpu, &predict->options, &predict->half_normal);
  predict->sms = calloc(gpu->sms, sizeof *predict->sms);
  predict->l2.counts = &predict->counts;
  if (status || !predict->sms) {
    gc_cache_model_free(predict);
    return NULL;
  }
  return predict;
}

int gc_cache_model_change_sms(struct gc_cache_model *predict, const struct gc_gpu_model *gpu)
{
  struct gc_gpu_model changed = *gpu;

  if (gc_gpu_model_check(gpu, NULL) || gpu->sms != predict->gpu.sms)
    return -EINVAL;
  changed.l2 = predict->gpu.l2;
  memcpy(changed.tlb, predict->gpu.tlb, sizeof changed.tlb);
  /* most kernels of a trace have the same L1; its tables are not made again */
  if (!memcmp(&changed, &predict->gpu, sizeof changed))
    return 0;
  free_tables(predict);
  predict->gpu = changed;
  choose_index(predict);
  return 0;
}

void gc_cache_model_free(struct gc_cache_model *predict)
{
  if (!predict)
    return;
  free(predict->rooms);
  gc_loads_fini(&predict->loads);
  free_tables(predict);
  free(predict->sms);
  gc_l2_fini(&predict->l2);
  free(predict);
}

static struct gc_block_reader reader_of(struct gc_cache_model *predict)
{
  struct gc_block_reader reader = {.index = &predict->index,
                                   .l2_index = predict->l2.same_lines ? &predict->l2.index : NULL,
                                   .loads_in_l1 = predict->gpu.loads_in_l1,
                                   .loads = &predict->loads,
                                   .registers = predict->registers,
                                   .loads_at_once = predict->loads_at_once};

  gc_coalescer_init(&reader.coalescer, predict->gpu.l1.line_bytes, predict->gpu.l1.sector_bytes);
  return reader;
}

/* Before block `number` of a partial kernel, or its end: L2 gets as much for each block that was
 * left out as for one that was not, once it is known how much that is. 0 or -ENOMEM. */
static int pass_over(struct gc_cache_model *predict, uint64_t number)
{
  uint64_t gap = number > predict->next_block ? number - predict->next_block : 0;
  double times;

  gap = gap < predict->may_be_left_out ? gap : predict->may_be_left_out;
  predict->may_be_left_out -= gap;
  predict->left_out += gap;
  predict->next_block = number + 1;
  if (!predict->left_out || !gc_l2_has_added(&predict->l2))
    return 0;
  times = (double)predict->left_out / (double)predict->blocks;
  predict->left_out = 0;
  return gc_l2_pass_over(&predict->l2, times);
}

/* Reads the next block, of those that modelled SMs get. 1, 0 if there is none, or a negative errno.
 */
static int read_block(struct gc_cache_model *predict, struct gc_block *block,
                      struct gc_block_reader *reader, struct gc_trace *trace, struct gc_error *err)
{
  int status;

  while ((status = gc_block_read(block, reader, trace, err)) == 1 &&
         sm_of_block(predict, block->number) >= predict->modelled) {
    predict->may_be_left_out += block->instruction_count > 0;
    predict->unmodelled_blocks++;
  }
  predict->exhausted = status == 0;
  if (status != 1 || !block->instruction_count)
    return status;
  if (pass_over(predict, block->number))
    return gc_fail(err, -ENOMEM, "no memory for the lines of a cache");
  predict->blocks++;
  return 1;
}

/* Reads the next block that has instructions, and starts it. 0, or a negative errno. */
static int start_block(struct gc_cache_model *predict, struct gc_trace *trace,
                       const struct room *room, struct gc_error *err)
{
  struct gc_block_reader reader = reader_of(predict);
  struct gc_sm *sm = &predict->sms[room->sm];
  struct gc_resident *resident = &sm->residents[room->resident];

  while (!predict->exhausted && resident->live == 0) {
    int status = read_block(predict, &resident->block, &reader, trace, err);

    if (status < 0)
      return status;
    if (status && gc_sm_start(sm, room->resident, room->ended))
      return gc_fail(err, -ENOMEM, "no memory for the warps of a block");
  }
  return 0;
}

static int by_time(const void *a, const void *b)
{
  const struct room *x = a, *y = b;

  if (x->ended != y->ended)
    return x->ended < y->ended ? -1 : 1;
  if (x->sm != y->sm)
    return x->sm < y->sm ? -1 : 1;
  return x->resident < y->resident ? -1 : x->resident > y->resident;
}

/* Collects the rooms whose blocks have ended since the last call, the first one first. */
static void collect_rooms(struct gc_cache_model *predict)
{
  predict->room_count = 0;
  for (unsigned i = 0; i < predict->used; i++) {
    struct gc_sm *sm = &predict->sms[i];

    if (!sm->ended)
      continue;
    sm->ended = false;
    for (unsigned k = 0; k < sm->resident_count; k++)
      if (sm->residents[k].live == 0)
        predict->rooms[predict->room_count++] = (struct room){sm->residents[k].ended, i, k};
  }
  if (predict->room_count > 1)
    qsort(predict->rooms, predict->room_count, sizeof *predict->rooms, by_time);
}

/* The cycle in which the next SM has something to do, or GC_NEVER. */
static uint64_t next_of_all(const struct gc_cache_model *predict)
{
  uint64_t next = GC_NEVER;

  for (unsigned i = 0; i < predict->used; i++) {
    uint64_t of_sm = gc_sm_next(&predict->sms[i]);

    next = of_sm < next ? of_sm : next;
  }
  return next;
}

static int run_blocks(struct gc_cache_model *predict, struct gc_trace *trace, struct gc_error *err)
{
  uint64_t next;

  while ((next = next_of_all(predict)) != GC_NEVER) {
    uint64_t until = (next / GC_QUANTUM + 1) * GC_QUANTUM;

    for (unsigned i = 0; i < predict->used; i++)
      if (gc_sm_advance(&predict->sms[i], until))
        return gc_fail(err, -ENOMEM, "no memory for the lines of a cache");
    if (predict->exhausted)
      continue;
    collect_rooms(predict);
    for (size_t i = 0; i < predict->room_count; i++) {
      int status = start_block(predict, trace, &predict->rooms[i], err);

      if (status)
        return status;
    }
  }
  return 0;
}

static int no_memory(unsigned residents, struct gc_error *err)
{
  return gc_fail(err, -ENOMEM, "no memory for %u blocks on each SM", residents);
}

/* For so many blocks on each SM. 0 or -ENOMEM. */
static int reserve_rooms(struct gc_cache_model *predict, unsigned residents)
{
  const size_t rooms = (size_t)predict->gpu.sms * residents;

  if (rooms <= predict->most_rooms)
    return 0;
  free(predict->rooms);
  predict->most_rooms = 0;
  predict->rooms = calloc(rooms, sizeof *predict->rooms);
  if (!predict->rooms)
    return -ENOMEM;
  predict->most_rooms = rooms;
  return 0;
}

static struct gc_resident *resident_of(struct gc_cache_model *predict, uint64_t slot)
{
  return &predict->sms[slot % predict->modelled].residents[slot / predict->modelled];
}

static bool is_free(struct gc_cache_model *predict, uint64_t slot)
{
  return slot % predict->modelled >= predict->used || !resident_of(predict, slot)->live;
}

/* The slot in which a block starts, if it is one of the first ones. */
static uint64_t slot_of_block(const struct gc_cache_model *predict, uint64_t number)
{
  return number / predict->gpu.sms * predict->modelled + sm_of_block(predict, number);
}

/* Starts a block in a slot: slot i is the first block of modelled SM i, slot i + modelled SMs
 * its second one. The block gets the memory of the one that was there. */
static int start_in(struct gc_cache_model *predict, uint64_t slot, unsigned residents,
                    struct gc_block *block)
{
  const unsigned sm = (unsigned)(slot % predict->modelled);
  struct gc_resident *resident;
  struct gc_block before;

  while (predict->used <= sm)
    if (use_sm(predict, residents))
      return -ENOMEM;
  resident = resident_of(predict, slot);
  before = resident->block;
  resident->block = *block;
  *block = before;
  return gc_sm_start(&predict->sms[sm], (unsigned)(slot / predict->modelled), 0);
}

/* The first blocks. Each has the slot of its number, so that those that a trace leaves out,
 * because they have no instructions, do not move the others; later blocks get the slots that are
 * left. A trace may not say how many threads a block has; then its first block shows that. */
static int start_kernel(struct gc_cache_model *predict, struct gc_trace *trace,
                        struct gc_trace_launch launch, unsigned *residents, struct gc_error *err)
{
  struct gc_block_reader reader = reader_of(predict);
  uint64_t slots = 0, started = 0, free_slot = 0;
  struct gc_block block = {0};
  int status;

  do {
    uint64_t slot;

    status = read_block(predict, &block, &reader, trace, err);
    if (status != 1)
      break;
    if (!slots) {
      if (!launch.threads_per_block)
        launch.threads_per_block = block.warp_count * predict->gpu.warp_threads;
      *residents = gc_residency(&predict->gpu, &launch);
      slots = (uint64_t)predict->modelled * *residents;
      status = reserve_rooms(predict, *residents);
    }
    slot = slot_of_block(predict, block.number);
    if (slot >= slots || !is_free(predict, slot)) {
      while (free_slot < slots && !is_free(predict, free_slot))
        free_slot++;
      slot = free_slot;
    }
    if (status < 0 || (slots && start_in(predict, slot, *residents, &block))) {
      gc_block_fini(&block);
      return no_memory(*residents, err);
    }
    started += slots && resident_of(predict, slot)->live;
  } while (started < slots);
  gc_block_fini(&block);
  return status < 0 ? status : 0;
}

/* The SMs count each load instruction of the kernel. */
static void sum_loads(struct gc_cache_model *predict)
{
  struct gc_cache_counts *sum = &predict->counts.l1_loads;

  for (uint32_t i = 0; i < predict->loads.count; i++) {
    struct gc_cache_counts *counts = &predict->loads.loads[i].l1;

    sum->accesses += counts->accesses;
    sum->hits += counts->hits;
    sum->hits_on_miss += counts->hits_on_miss;
    sum->misses += counts->misses;
    sum->compulsory += counts->compulsory;
    predict->counts.l1_load_instructions += predict->loads.loads[i].instructions;
    /* an estimate. The sum is a better one with what is cut here. */
    if (counts->compulsory > counts->misses)
      counts->compulsory = counts->misses;
  }
  if (sum->compulsory > sum->misses)
    sum->compulsory = sum->misses;
}

static uint64_t last_cycle(const struct gc_cache_model *predict)
{
  uint64_t last = 0;

  for (unsigned i = 0; i < predict->used; i++)
    last = predict->sms[i].now > last ? predict->sms[i].now : last;
  return last;
}

/* What the driver did before the kernel. */
static int touch(struct gc_cache_model *predict, const struct gc_trace_touched *touched)
{
  int status = 0;

  for (unsigned i = 0; i < touched->count && !status; i++)
    status = gc_l2_touch(&predict->l2, touched->ranges[i].stored ? GC_L2_STORE : GC_L2_LOAD,
                         touched->ranges[i].address, touched->ranges[i].bytes);
  return status;
}

static uint64_t launched_blocks(const struct gc_trace_launch *launch)
{
  return launch->launched_blocks ? launch->launched_blocks : launch->blocks;
}

/* The next kernel begins with the same GPC as this one; or with a random one, if this one has more
 * blocks than fit at once (doc/results/predict.md, "Where blocks go"). */
static void move_first_gpc(struct gc_cache_model *predict, const struct gc_trace_launch *launch,
                           unsigned blocks_per_sm)
{
  if (predict->gpu.gpcs && blocks_per_sm &&
      launched_blocks(launch) > (uint64_t)predict->gpu.sms * blocks_per_sm)
    predict->first_gpc = (unsigned)gc_draw_below(&predict->random, predict->gpu.gpcs);
}

/* How many blocks of the trace modelled SMs get. A trace may lack blocks without instructions. So
 * if it has the whole grid, they are counted by their numbers. */
static uint64_t blocks_of_modelled(const struct gc_cache_model *predict,
                                   const struct gc_trace_launch *launch)
{
  const uint64_t sms = predict->gpu.sms, modelled = predict->modelled, blocks = launch->blocks;
  const uint64_t others = predict->unmodelled_blocks, rest = blocks % sms;

  if (launched_blocks(launch) > blocks)
    return others < blocks ? blocks - others : 0;
  return blocks / sms * modelled + (rest < modelled ? rest : modelled);
}

int gc_cache_model_run(struct gc_cache_model *predict, struct gc_trace *trace,
                       const struct gc_trace_launch *launch, struct gc_kernel_run *run,
                       struct gc_error *err)
{
  int status;

  memset(run, 0, sizeof *run);
  memset(&predict->counts, 0, sizeof predict->counts);
  gc_loads_fini(&predict->loads);
  status = touch(predict, &launch->touched);
  if (status)
    return gc_fail(err, status, "no memory for the lines of a cache");
  gc_l2_begin(&predict->l2);
  gc_place_blocks(&predict->gpu, predict->first_gpc, launch->blocks, predict->order);
  predict->used = 0;
  predict->blocks = predict->next_block = predict->left_out = predict->unmodelled_blocks = 0;
  predict->may_be_left_out =
      launch->launched_blocks > launch->blocks ? launch->launched_blocks - launch->blocks : 0;
  predict->registers = launch->registers && !predict->options.each_load_waits;
  predict->loads_at_once = predict->options.each_load_waits ? 1 : launch->loads_at_once;
  status = start_kernel(predict, trace, *launch, &run->blocks_per_sm, err);
  if (!status && run->blocks_per_sm) {
    status = run_blocks(predict, trace, err);
    run->cycles = last_cycle(predict);
    if (!status && pass_over(predict, launched_blocks(launch)))
      status = gc_fail(err, -ENOMEM, "no memory for the lines of a cache");
  }
  if (status) {
    memset(run, 0, sizeof *run);
    return status;
  }
  sum_loads(predict);
  move_first_gpc(predict, launch, run->blocks_per_sm);
  run->counts = predict->counts;
  run->blocks = blocks_of_modelled(predict, launch);
  gc_loads_take(&predict->loads, &run->loads, &run->load_count);
  return 0;
}
