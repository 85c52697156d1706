/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The records of simulated GPUs (tests/records). Every reported value is compared with the model,
 * which has the true values, and with what the papers found on the real GPUs (papers.h).
 *
 * Usage: test_tables [PROFILE]   without a profile: all of them but the recent ones
 */
#include "by_sm.h"
#include "papers.h"
#include "published.h"

#define BLOCKS_OF_ONE_WARP(facts)                                                                  \
  ((facts)->blocks_per_sm < (facts)->threads_per_sm / (facts)->warp                                \
     ? (facts)->blocks_per_sm                                                                      \
     : (facts)->threads_per_sm / (facts)->warp)

/* An element, and its space and level in the model. L2 is what one SM can keep in it: half of the
 * L2 on chips with two partitions. */
struct expectation {
  const char *gpu;
  enum gc_kind kind;
  enum gc_space space;
  unsigned level;
};

static const struct expectation expectations[] = {
  {"gtx560ti", GC_L1, GC_SPACE_CA, 0},
  {"gtx560ti", GC_TEXTURE, GC_SPACE_TEXTURE, 0},
  {"gtx560ti", GC_CONSTANT_L1, GC_SPACE_CONSTANT, 0},
  {"gtx560ti", GC_L2, GC_SPACE_CG, 0},
  {"gtx470", GC_L1, GC_SPACE_CA, 0},
  {"gtx470", GC_TEXTURE, GC_SPACE_TEXTURE, 0},
  {"gtx470", GC_CONSTANT_L1, GC_SPACE_CONSTANT, 0},
  {"gtx470", GC_L2, GC_SPACE_CG, 0},
  {"gtx780", GC_TEXTURE, GC_SPACE_TEXTURE, 0},
  {"gtx780", GC_READ_ONLY, GC_SPACE_NC, 0},
  {"gtx780", GC_CONSTANT_L1, GC_SPACE_CONSTANT, 0},
  {"gtx780", GC_L2, GC_SPACE_CG, 0},
  {"k20c", GC_L1, GC_SPACE_CA, 0},
  {"k20c", GC_TEXTURE, GC_SPACE_TEXTURE, 0},
  {"k20c", GC_READ_ONLY, GC_SPACE_NC, 0},
  {"k20c", GC_CONSTANT_L1, GC_SPACE_CONSTANT, 0},
  {"k20c", GC_CONSTANT_L15, GC_SPACE_CONSTANT, 1},
  {"k20c", GC_L2, GC_SPACE_CG, 0},
  {"gtx840m", GC_TEXTURE, GC_SPACE_TEXTURE, 0},
  {"gtx840m", GC_READ_ONLY, GC_SPACE_NC, 0},
  {"gtx840m", GC_CONSTANT_L1, GC_SPACE_CONSTANT, 0},
  {"gtx840m", GC_CONSTANT_L15, GC_SPACE_CONSTANT, 1},
  {"gtx840m", GC_L2, GC_SPACE_CG, 0},
  {"p100", GC_L1, GC_SPACE_CA, 0},
  {"p100", GC_TEXTURE, GC_SPACE_TEXTURE, 0},
  {"p100", GC_READ_ONLY, GC_SPACE_NC, 0},
  {"p100", GC_CONSTANT_L1, GC_SPACE_CONSTANT, 0},
  {"p100", GC_CONSTANT_L15, GC_SPACE_CONSTANT, 1},
  {"p100", GC_L2, GC_SPACE_CG, 0},
  {"p6000", GC_L1, GC_SPACE_CA, 0},
  {"p6000", GC_TEXTURE, GC_SPACE_TEXTURE, 0},
  {"p6000", GC_READ_ONLY, GC_SPACE_NC, 0},
  {"p6000", GC_CONSTANT_L1, GC_SPACE_CONSTANT, 0},
  {"p6000", GC_CONSTANT_L15, GC_SPACE_CONSTANT, 1},
  {"p6000", GC_L2, GC_SPACE_CG, 0},
  {"v100", GC_L1, GC_SPACE_CA, 0},
  {"v100", GC_TEXTURE, GC_SPACE_TEXTURE, 0},
  {"v100", GC_READ_ONLY, GC_SPACE_NC, 0},
  {"v100", GC_CONSTANT_L1, GC_SPACE_CONSTANT, 0},
  {"v100", GC_CONSTANT_L15, GC_SPACE_CONSTANT, 1},
  {"v100", GC_L2, GC_SPACE_CG, 0},
  {"rtx2080ti", GC_L1, GC_SPACE_CA, 0},
  {"rtx2080ti", GC_TEXTURE, GC_SPACE_TEXTURE, 0},
  {"rtx2080ti", GC_READ_ONLY, GC_SPACE_NC, 0},
  {"rtx2080ti", GC_CONSTANT_L1, GC_SPACE_CONSTANT, 0},
  {"rtx2080ti", GC_CONSTANT_L15, GC_SPACE_CONSTANT, 1},
  {"rtx2080ti", GC_L2, GC_SPACE_CG, 0},
  {"t1000", GC_L1, GC_SPACE_CA, 0},
  {"t1000", GC_TEXTURE, GC_SPACE_TEXTURE, 0},
  {"t1000", GC_READ_ONLY, GC_SPACE_NC, 0},
  {"t1000", GC_CONSTANT_L1, GC_SPACE_CONSTANT, 0},
  {"t1000", GC_L2, GC_SPACE_CG, 0},
  {"a100", GC_L1, GC_SPACE_CA, 0},
  {"a100", GC_TEXTURE, GC_SPACE_TEXTURE, 0},
  {"a100", GC_READ_ONLY, GC_SPACE_NC, 0},
  {"a100", GC_CONSTANT_L1, GC_SPACE_CONSTANT, 0},
  {"a100", GC_CONSTANT_L15, GC_SPACE_CONSTANT, 1},
  {"a100", GC_L2, GC_SPACE_CG, 0},
  {"h100", GC_L1, GC_SPACE_CA, 0},
  {"h100", GC_TEXTURE, GC_SPACE_TEXTURE, 0},
  {"h100", GC_READ_ONLY, GC_SPACE_NC, 0},
  {"h100", GC_CONSTANT_L1, GC_SPACE_CONSTANT, 0},
  {"h100", GC_CONSTANT_L15, GC_SPACE_CONSTANT, 1},
  {"h100", GC_L2, GC_SPACE_CG, 0},
  {"h200", GC_L1, GC_SPACE_CA, 0},
  {"h200", GC_TEXTURE, GC_SPACE_TEXTURE, 0},
  {"h200", GC_READ_ONLY, GC_SPACE_NC, 0},
  {"h200", GC_CONSTANT_L1, GC_SPACE_CONSTANT, 0},
  {"h200", GC_CONSTANT_L15, GC_SPACE_CONSTANT, 1},
  {"h200", GC_L2, GC_SPACE_CG, 0},
  {"rtx5090", GC_L1, GC_SPACE_CA, 0},
  {"rtx5090", GC_TEXTURE, GC_SPACE_TEXTURE, 0},
  {"rtx5090", GC_READ_ONLY, GC_SPACE_NC, 0},
  {"rtx5090", GC_CONSTANT_L1, GC_SPACE_CONSTANT, 0},
  {"rtx5090", GC_CONSTANT_L15, GC_SPACE_CONSTANT, 1},
  {"rtx5090", GC_L2, GC_SPACE_CG, 0},
  {"b200", GC_L1, GC_SPACE_CA, 0},
  {"b200", GC_TEXTURE, GC_SPACE_TEXTURE, 0},
  {"b200", GC_READ_ONLY, GC_SPACE_NC, 0},
  {"b200", GC_CONSTANT_L1, GC_SPACE_CONSTANT, 0},
  {"b200", GC_CONSTANT_L15, GC_SPACE_CONSTANT, 1},
  {"b200", GC_L2, GC_SPACE_CG, 0},
  {"gb10", GC_L1, GC_SPACE_CA, 0},
  {"gb10", GC_TEXTURE, GC_SPACE_TEXTURE, 0},
  {"gb10", GC_READ_ONLY, GC_SPACE_NC, 0},
  {"gb10", GC_CONSTANT_L1, GC_SPACE_CONSTANT, 0},
  {"gb10", GC_CONSTANT_L15, GC_SPACE_CONSTANT, 1},
  {"gb10", GC_L2, GC_SPACE_CG, 0},
  {"l40", GC_L1, GC_SPACE_CA, 0},
  {"l40", GC_TEXTURE, GC_SPACE_TEXTURE, 0},
  {"l40", GC_READ_ONLY, GC_SPACE_NC, 0},
  {"l40", GC_CONSTANT_L1, GC_SPACE_CONSTANT, 0},
  {"l40", GC_CONSTANT_L15, GC_SPACE_CONSTANT, 1},
  {"l40", GC_L2, GC_SPACE_CG, 0},
  {"gh200", GC_L1, GC_SPACE_CA, 0},
  {"gh200", GC_TEXTURE, GC_SPACE_TEXTURE, 0},
  {"gh200", GC_READ_ONLY, GC_SPACE_NC, 0},
  {"gh200", GC_CONSTANT_L1, GC_SPACE_CONSTANT, 0},
  {"gh200", GC_CONSTANT_L15, GC_SPACE_CONSTANT, 1},
  {"gh200", GC_L2, GC_SPACE_CG, 0},
  {"b300", GC_L1, GC_SPACE_CA, 0},
  {"b300", GC_TEXTURE, GC_SPACE_TEXTURE, 0},
  {"b300", GC_READ_ONLY, GC_SPACE_NC, 0},
  {"b300", GC_CONSTANT_L1, GC_SPACE_CONSTANT, 0},
  {"b300", GC_CONSTANT_L15, GC_SPACE_CONSTANT, 1},
  {"b300", GC_L2, GC_SPACE_CG, 0},
  {"rtx4090", GC_L1, GC_SPACE_CA, 0},
  {"rtx4090", GC_TEXTURE, GC_SPACE_TEXTURE, 0},
  {"rtx4090", GC_READ_ONLY, GC_SPACE_NC, 0},
  {"rtx4090", GC_CONSTANT_L1, GC_SPACE_CONSTANT, 0},
  {"rtx4090", GC_CONSTANT_L15, GC_SPACE_CONSTANT, 1},
  {"rtx4090", GC_L2, GC_SPACE_CG, 0},
  {"rtxpro6000", GC_L1, GC_SPACE_CA, 0},
  {"rtxpro6000", GC_TEXTURE, GC_SPACE_TEXTURE, 0},
  {"rtxpro6000", GC_READ_ONLY, GC_SPACE_NC, 0},
  {"rtxpro6000", GC_CONSTANT_L1, GC_SPACE_CONSTANT, 0},
  {"rtxpro6000", GC_CONSTANT_L15, GC_SPACE_CONSTANT, 1},
  {"rtxpro6000", GC_L2, GC_SPACE_CG, 0},
};
#define EXPECTATIONS (sizeof(expectations) / sizeof(*expectations))

static void open_launched(const char *name, struct opened *o)
{
  open_measured(o, name);
  gc_model_launch(o->model, 0, BLOCKS_OF_ONE_WARP(gc_model_facts(o->model)), 0);
}

static void check_latency(const char *gpu, const struct gc_element *element, double latency,
                          double within)
{
  const double cycles = number(element, "LatencyCycles");

  if (!(fabs(cycles - latency) <= within))
    fail_msg("%s: %s takes %.1f cycles, in the model %.0f", gpu, gc_kinds[element->kind].subtype,
             cycles, latency);
}

/* The capacity of an L2 is found in steps of 1/512 of its size. It must be exact if the true value
 * is a multiple of a step; else samples that leave out the same lines are wrong by one step. */
static double within_of_capacity(const struct opened *o, enum gc_kind kind, double bytes)
{
  const double step = (double)gc_model_facts(o->model)->l2_bytes / 512;

  return kind == GC_L2 && fmod(bytes, step) > 0 ? step : 0.0003 * bytes;
}

static double within_of_latency(enum gc_kind kind, double cycles)
{
  /* Inside the SM: a cycle. L2: 2 %, because each SM finds the lines it has read on its near side. */
  return kind == GC_L2 ? 0.02 * cycles : kind == GC_DEVICE_MEMORY ? 0.03 * cycles : 1;
}

/* Most loads take the latency of their level, so a twentieth of them takes 1.645 standard deviations
 * longer. Outliers are fewer than one in twenty. */
static void check_p95(const struct opened *o, const char *gpu, const struct gc_element *element,
                      enum gc_space space, unsigned level)
{
  const double truth = gc_model_true_latency(o->model, space, level) +
                       1.645 * gc_model_true_jitter(o->model, space, level);
  const double p95 = number(element, "LatencyP95Cycles");

  if (!(fabs(p95 - truth) <= fmax(2, 0.04 * truth)))
    fail_msg("%s: the 95th percentile of %s is %.1f cycles, in the model %.1f", gpu,
             gc_kinds[element->kind].subtype, p95, truth);
}

static void check(const struct expectation *e, const struct opened *o)
{
  const struct gc_element *element = gc_record_find(o->record, e->kind);
  const double truth = (double)gc_model_true_level(o->model, e->space, e->level);
  const double latency = gc_model_true_latency(o->model, e->space, e->level);
  const char *what = gc_kinds[e->kind].subtype, *source;
  double bytes;

  if (!element)
    fail_msg("%s: no %s in the record", e->gpu, what);
  bytes = number(element, "CapacityBytes");
  source = gc_infos_get(&element->infos, "CapacitySource");
  if (!(fabs(bytes - truth) <= within_of_capacity(o, e->kind, truth)))
    fail_msg("%s: %s has %.0f bytes (%s), the model %.0f", e->gpu, what, bytes, source ? source : "-",
             truth);
  if (!(number(element, "CapacityConfidence") >= earned("Capacity", 0.9)))
    fail_msg("%s: %s has a confidence of %.4f only", e->gpu, what,
             number(element, "CapacityConfidence"));
  check_latency(e->gpu, element, latency, within_of_latency(e->kind, latency));
  check_p95(o, e->gpu, element, e->space, e->level);
}

/* The interface states the capacities of memories; their latencies are measured. */
static void check_memories(const char *gpu, const struct opened *o)
{
  const struct gc_model_facts *facts = gc_model_facts(o->model);
  const struct gc_element *memory = gc_record_find(o->record, GC_DEVICE_MEMORY);
  const struct gc_element *shared = gc_record_find(o->record, GC_SHARED_MEMORY);
  const double latency = gc_model_true_latency(o->model, GC_SPACE_CG, 1);

  if (!memory || !shared)
    fail_msg("%s: no %s in the record", gpu, memory ? "shared memory" : "device memory");
  if (number(memory, "CapacityBytes") != (double)facts->memory_bytes)
    fail_msg("%s: %.0f bytes of memory, the model has %.0f", gpu, number(memory, "CapacityBytes"),
             (double)facts->memory_bytes);
  if (number(shared, "CapacityBytes") != (double)facts->shared_per_sm)
    fail_msg("%s: %.0f bytes of shared memory, the model has %.0f", gpu,
             number(shared, "CapacityBytes"), (double)facts->shared_per_sm);
  check_latency(gpu, memory, latency, within_of_latency(GC_DEVICE_MEMORY, latency));
  check_p95(o, gpu, memory, GC_SPACE_CG, 1);
  check_latency(gpu, shared, gc_model_true_latency(o->model, GC_SPACE_SHARED, 0), 1);
}

/* Bandwidths of L2 and device memory are those of the model. */
static void check_rates(const char *gpu, const struct opened *o)
{
  for (unsigned i = 0; i < 4; i++) {
    const bool memory = i / 2, write = i % 2;
    const enum gc_kind kind = memory ? GC_DEVICE_MEMORY : GC_L2;
    const struct gc_element *element = gc_record_find(o->record, kind);
    const double truth = gc_model_true_bandwidth(o->model, GC_SPACE_CG, memory, write);
    const double rate = number(element, write ? "WriteGBps" : "ReadGBps");
    const char *const source = text(element, write ? "WriteSource" : "ReadSource");

    if (!(fabs(rate - truth) <= 0.03 * truth) &&
        !(kind == GC_L2 && strstr(source, "more loads in flight")))
      fail_msg("%s: %s %s %.1f GB/s (%s), in the model %.1f", gpu, gc_kinds[kind].subtype,
               write ? "writes" : "reads", rate, source, truth);
  }
}

/* If constants cannot fill the constant L1.5, its capacity may be absent, with a lower bound and a
 * reason, but not wrong. Its latency is always reported. */
static void check_constant_l15(const char *gpu, const struct opened *o)
{
  const struct gc_element *element = gc_record_find(o->record, GC_CONSTANT_L15);
  const double truth = (double)gc_model_true_level(o->model, GC_SPACE_CONSTANT, 1);
  const char *source;

  if (!element)
    fail_msg("%s: no constant L1.5 in the record", gpu);
  source = gc_infos_get(&element->infos, "CapacitySource");
  if (gc_infos_get(&element->infos, "CapacityBytes")) {
    if (!(fabs(number(element, "CapacityBytes") - truth) <= 0.005 * truth))
      fail_msg("%s: the constant L1.5 has %.0f bytes, in the model %.0f", gpu,
               number(element, "CapacityBytes"), truth);
  } else {
    assert_non_null(source);
    assert_memory_equal(source, "absent:", 7);
    assert_true(strlen(source) > 7);
    assert_null(gc_infos_get(&element->infos, "CapacityConfidence"));
    if (gc_infos_get(&element->infos, "CapacityAtLeastBytes"))
      assert_true(number(element, "CapacityAtLeastBytes") <= truth);
  }
  check_latency(gpu, element, gc_model_true_latency(o->model, GC_SPACE_CONSTANT, 1), 1);
}

/* The L1 in the table for a kernel that prefers so many percent; -1: that has no preference. */
static double left_by(const char *table, int percent)
{
  double left = NAN;

  for (const char *entry = table; *entry; entry += strcspn(entry, ","), entry += *entry == ',') {
    const char *bytes = strchr(entry, ':') + 1;

    if (percent < 0 ? !strncmp(entry, "default:", 8) : strtol(entry, NULL, 10) <= percent &&
                                                        strncmp(entry, "default:", 8))
      left = strtod(bytes, NULL);
  }
  return left;
}

/* If L1 and shared memory divide one storage: the L1 that each carve-out leaves, and that of a
 * kernel without a preference. */
static void check_carveouts(const char *gpu, const struct opened *o)
{
  const struct gc_model_facts *facts = gc_model_facts(o->model);
  const struct gc_element *l1 = gc_record_find(o->record, GC_L1);
  const char *table = l1 ? gc_infos_get(&l1->infos, "CarveoutTable") : NULL;

  if (facts->has_carveout != (table != NULL))
    fail_msg("%s: %s table of carve-outs", gpu, table ? "a" : "no");
  if (table && !(number(l1, "CarveoutTableConfidence") >= earned("CarveoutTable", 0.95)))
    fail_msg("%s: carve-outs have a confidence of %.4f", gpu, number(l1, "CarveoutTableConfidence"));
  for (int percent = -1; table && percent <= 100; percent++) {
    double truth;

    gc_model_launch(o->model, percent, BLOCKS_OF_ONE_WARP(facts), 0);
    truth = (double)gc_model_true_level(o->model, GC_SPACE_CA, 0);
    if (!(fabs(left_by(table, percent) - truth) <= 0.005 * truth))
      fail_msg("%s: %d %% leave %.0f bytes of L1 in %s, in the model %.0f", gpu, percent,
               left_by(table, percent), table, truth);
  }
}

/* The record has no element that the GPU does not have: no read-only path on Fermi, no global loads
 * in the L1 of GTX 780 and 840M. Memories, constant L1.5, instruction caches and TLBs have checks of
 * their own. */
static void check_only_those(const char *gpu, const struct opened *o)
{
  for (size_t i = 0; i < o->record->count; i++) {
    const enum gc_kind kind = o->record->elements[i].kind;
    size_t e = 0;

    while (e < EXPECTATIONS && (strcmp(expectations[e].gpu, gpu) || expectations[e].kind != kind))
      e++;
    if (e == EXPECTATIONS && kind != GC_DEVICE_MEMORY && kind != GC_SHARED_MEMORY && kind != GC_TENSOR_MEMORY &&
        kind != GC_CONSTANT_L15 && kind != GC_INSTRUCTION_CACHE && kind != GC_L1_TLB &&
        kind != GC_L2_TLB)
      fail_msg("%s has no %s", gpu, gc_kinds[kind].subtype);
  }
}

/* Each measured capacity agrees with its census. A missing census has a reason, and only an L2
 * whose near part cannot be distinguished from the far one may have none. */
static void check_counted(const struct opened *o)
{
  unsigned counted = 0;

  for (size_t i = 0; i < o->record->count; i++) {
    const struct gc_element *element = &o->record->elements[i];
    const double capacity = number(element, "CapacityBytes"), census = number(element, "CensusBytes");
    const double error = number(element, "CensusErrorBytes");
    const char *what = gc_kinds[element->kind].subtype;

    if (strstr(text(element, "CapacitySource"), "misses begin after"))
      fail_msg("%s: %s is withheld: %s", o->name, what, text(element, "CapacitySource"));
    if (strcmp(text(element, "CapacitySource"), "measured")) {
      assert_true(isnan(capacity) || isnan(census));
      continue;
    }
    if (isnan(census)) {
      if (element->kind == GC_INSTRUCTION_CACHE) /* there is no second method */
        continue;
      if (element->kind != GC_L2 || !isnan(number(element, "Partitions")))
        fail_msg("%s: %s: no census: %s", o->name, what, text(element, "CensusSource"));
      assert_memory_equal(text(element, "CensusSource"), "absent:", 7);
      continue;
    }
    assert_string_equal(text(element, "CensusSource"), "measured");
    if (!(fabs(census - capacity) <= 0.01 * capacity + 2 * error))
      fail_msg("%s: %s: misses begin after %.0f bytes, the census is %.0f +- %.0f", o->name, what, capacity,
               census, error);
    if (!(error <= 0.04 * capacity))
      fail_msg("%s: %s: the error of a census of %.0f +- %.0f bytes is too large", o->name, what, census, error);
    assert_true(number(element, "CensusConfidence") >= earned("Census", 0.95));
    counted++;
  }
  assert_true(counted >= 3);
}

/* `why` must be set if and only if the value of the paper differs, and the measured value must be
 * the expected one. */
static void check_cell(const struct opened *o, const struct paper_row *row, const char *key, double measured,
                       const struct cell *cell, double within)
{
  if (!cell->paper)
    return;
  if ((cell->why != NULL) != (cell->paper != cell->measured))
    fail_msg("%s, %s: %s of %s %s", o->name, row->paper, key, gc_kinds[row->kind].subtype,
             cell->why ? "is the same, but has a reason" : "differs without a reason");
  if (!(fabs(measured - cell->measured) <= within))
    fail_msg("%s: %s of %s is %.10g, not %.10g; %s has %.10g%s%s", o->name, key, gc_kinds[row->kind].subtype,
             measured, cell->measured, row->paper, cell->paper, cell->why ? ": " : "", cell->why ? cell->why : "");
}

/* Ignores shared memory, which the papers' programs do not test. */
static void check_words(const struct opened *o, const struct paper_row *row, const struct gc_element *element)
{
  const struct words *with = &row->with;
  char others[128];
  char *shared;

  if (!with->paper)
    return;
  if ((with->why != NULL) != (strcmp(with->paper, with->measured) != 0))
    fail_msg("%s, %s: SharedWith of %s %s", o->name, row->paper, gc_kinds[row->kind].subtype,
             with->why ? "is the same, but has a reason" : "differs without a reason");
  snprintf(others, sizeof(others), "%s", text(element, "SharedWith"));
  if ((shared = strstr(others, "SharedMemory")))
    shared[shared > others ? -1 : 0] = '\0';
  if (strcmp(others, with->measured) || strcmp(text(element, "SharedWithSource"), "measured"))
    fail_msg("%s: %s is shared with '%s' (%s), in %s '%s'", o->name, gc_kinds[row->kind].subtype,
             text(element, "SharedWith"), text(element, "SharedWithSource"), row->paper, with->paper);
}

/* The capacity with the paper's carve-out. On GPUs with carve-outs, L1, texture and read-only cache
 * are one storage. Our table holds for as many blocks as fit. */
static double capacity_of(const struct opened *o, const struct paper_row *row, const struct gc_element *element)
{
  const struct gc_element *l1 = gc_record_find(o->record, GC_L1);

  if (!row->shared_kib)
    return number(element, "CapacityBytes");
  return left_by(text(l1, "CarveoutTable"),
                 (int)(100 * KIB(row->shared_kib) / (double)gc_model_facts(o->model)->shared_per_sm));
}

/* The L1 that the carve-out leaves a single block. */
static void check_single_block(const struct opened *o, const struct paper_row *row)
{
  const double shared = (double)gc_model_facts(o->model)->shared_per_sm;

  if (!row->single_kib)
    return;
  gc_model_launch(o->model, (int)(100 * KIB(row->shared_kib) / shared), 1, 0);
  assert_int_equal(gc_model_true_level(o->model, GC_SPACE_CA, 0), row->single_kib << 10);
}

static void check_row(const struct opened *o, const struct paper_row *row)
{
  const struct gc_element *element = gc_record_find(o->record, row->kind);
  const double cycles = row->latency.measured, penalty = row->penalty.measured;
  /* carve-out tables are right within half a percent (doc/results/calibration.md) */
  const double within =
    fmax(row->shared_kib ? 0.005 * row->capacity.measured : 0,
         within_of_capacity(o, row->kind, row->capacity.measured));

  if (!element)
    fail_msg("%s: no %s, which %s has", o->name, gc_kinds[row->kind].subtype, row->paper);
  check_cell(o, row, "CapacityBytes", capacity_of(o, row, element), &row->capacity, within);
  check_cell(o, row, "LineBytes", number(element, "LineBytes"), &row->line, 0);
  check_cell(o, row, "FetchBytes", number(element, "FetchBytes"), &row->fetch, 0);
  check_cell(o, row, "LatencyCycles", number(element, "LatencyCycles"), &row->latency,
             within_of_latency(row->kind, cycles));
  check_cell(o, row, "FarLatencyCycles", number(element, "FarLatencyCycles"), &row->far,
             within_of_latency(row->kind, row->far.measured));
  check_cell(o, row, "MissPenaltyCycles", number(element, "MissPenaltyCycles"), &row->penalty, 0.03 * penalty);
  check_cell(o, row, "PerSM", number(element, "PerSM"), &row->per_sm, 0);
  check_words(o, row, element);
  check_single_block(o, row);
}

/* All values of the papers are found, except those that have a reason to differ. */
static void check_papers(const char *gpu, const struct opened *o)
{
  const bool t1000 = !strcmp(gpu, "t1000"); /* no paper has values of it */
  const char *measured = t1000 ? "rtx2080ti" : gpu;
  unsigned rows = 0;

  for (size_t i = 0; i < PAPER_ROWS; i++) {
    const struct paper_row *row = &paper_rows[i];

    if (strcmp(row->gpu, measured) || (t1000 && (row->kind == GC_L2 || row->kind == GC_DEVICE_MEMORY)))
      continue;
    check_row(o, row);
    rows++;
  }
  assert_true(rows > 1 || !strcmp(gpu, "p100")); /* test_sets has what the paper says of it */
}

/* A reason from the search for partitions stands for all that it reports. */
static void check_l2_by_sm(const struct opened *o)
{
  const struct gc_element *l2 = gc_record_find(o->record, GC_L2);

  if (isnan(number(l2, "Partitions")))
    assert_memory_equal(text(l2, "LatencyBySMSource"), "absent:", 7);
  else
    check_by_sm(o, l2);
}

static void profile(void **state)
{
  const char *name = *state;
  struct opened o;

  open_launched(name, &o);
  for (size_t i = 0; i < EXPECTATIONS; i++)
    if (!strcmp(expectations[i].gpu, name))
      check(&expectations[i], &o);
  check_only_those(name, &o);
  check_counted(&o);
  check_memories(name, &o);
  check_rates(name, &o);
  check_constant_l15(name, &o);
  check_carveouts(name, &o);
  check_l2_by_sm(&o);
  check_papers(name, &o);
  check_published(&o);
  check_curve(&o);
  close_gpu(&o);
}

static const char *const all[] = {"gtx560ti", "gtx470", "gtx780", "k20c", "gtx840m", "p6000", "p100",
                                  "v100", "rtx2080ti", "t1000", "a100", "h100", "h200",
                                  "rtx5090", "b200", "gb10", "l40", "gh200", "b300", "rtx4090",
                                  "rtxpro6000"};

static void check_listed(struct opened *o)
{
  size_t i = 0;

  while (i < sizeof(all) / sizeof(*all) && strcmp(all[i], o->name))
    i++;
  if (i == sizeof(all) / sizeof(*all) && gc_model_facts(o->model)->has_constant)
    fail_msg("%s is not measured here", o->name);
}

/* test_amd measures AMD GPUs, which have no constant caches. */
static void every_profile_is_tested(void **state)
{
  (void)state;
  each_profile(check_listed);
}

int main(int argc, char **argv)
{
  struct CMUnitTest tests[1 + sizeof(all) / sizeof(*all)];
  size_t n = 0;

  for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
    if (argc < 2 ? !is_recent(all[i]) : !strcmp(argv[1], all[i]))
      tests[n++] = (struct CMUnitTest){all[i], profile, NULL, NULL, (void *)(uintptr_t)all[i]};
  tests[n++] = (struct CMUnitTest)cmocka_unit_test(every_profile_is_tested);
  return _cmocka_run_group_tests("simulated GPUs", tests, n, NULL, NULL);
}
