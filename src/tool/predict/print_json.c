/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/predict/print.h"

#include "predict/demangle.h"
#include "tool/predict/helps.h"
#include "tool/predict/reasons.h"
#include "tool/print/json.h"
#include "tool/print/messages.h"

#include <math.h>
#include <string.h>

static json_t *counts_of(const struct gc_cache_counts *counts)
{
  json_t *object = json_object();

  gc_json_set_whole(&object, "sectors", counts->accesses);
  gc_json_set_whole(&object, "hits", counts->hits);
  gc_json_set_whole(&object, "hits_on_miss", counts->hits_on_miss);
  gc_json_set_whole(&object, "misses", counts->misses);
  return object;
}

/* Names for people become names of members: "outstanding loads" -> "outstanding_loads". */
static void name_member(const char *name, char member[40])
{
  snprintf(member, 40, "%s", name);
  for (char *at = member; *at; at++)
    if (*at == ' ' || *at == '-')
      *at = '_';
}

static json_t *misses_of(const uint64_t misses[GC_MISS_COUNT])
{
  json_t *object = json_object();

  for (int i = 0; i < GC_MISS_COUNT; i++) {
    char member[40];

    name_member(gc_miss_names[i], member);
    gc_json_set_whole(&object, member, misses[i]);
  }
  return object;
}

static json_t *estimate_of(const struct gc_estimate *estimate)
{
  json_t *object;

  if (!isfinite(estimate->value))
    return json_null();
  object = json_object();
  gc_json_set(&object, "value", json_real(estimate->value));
  gc_json_set(&object, "low", json_real(estimate->low));
  gc_json_set(&object, "high", json_real(estimate->high));
  return object;
}

/* The hit rates of L1 with each remedy; null: it was not tried, or no load looks into L1. */
static json_t *remedies_of(const struct gc_kernel_prediction *kernel)
{
  const struct gc_helps helps = gc_helps_most(kernel);
  const double loads = (double)kernel->counts.l1_loads.accesses;
  json_t *object = json_object();
  char member[40];

  for (int i = 0; i < GC_REMEDY_COUNT; i++) {
    const struct gc_remedy_effect *effect = &kernel->remedies[i];

    name_member(gc_remedy_names[i], member);
    gc_json_set_real(&object, member,
                     effect->tried ? (loads - (double)effect->misses) / loads : NAN);
  }
  if (helps.remedy >= 0)
    name_member(gc_remedy_names[helps.remedy], member);
  gc_json_set(&object, "most", helps.remedy < 0 ? json_null() : gc_json_text(member));
  return object;
}

/* Null: this level is not modelled. */
static json_t *tlb_of(const struct gc_kernel_prediction *kernel, int level)
{
  const struct gc_tlb_counts *counts = &kernel->counts.tlbs[level];
  json_t *object;

  if (!kernel->gpu.tlb_entries[level])
    return json_null();
  object = json_object();
  gc_json_set_whole(&object, "lookups", counts->lookups);
  gc_json_set_whole(&object, "misses", counts->misses);
  return object;
}

/* Null: the trace does not have it. */
static json_t *source_of(const struct gc_load_prediction *load)
{
  json_t *object;

  if (!load->file)
    return json_null();
  object = json_object();
  gc_json_set_text(&object, "file", load->file);
  gc_json_set_whole(&object, "line", load->line);
  return object;
}

static json_t *load_of(const struct gc_load_prediction *load, bool reasons)
{
  json_t *object = json_object();

  gc_json_set(&object, "pc", load->pc == GC_TRACE_ELSEWHERE ? json_null() : json_integer(load->pc));
  gc_json_set(&object, "source", source_of(load));
  gc_json_set(&object, "l1", counts_of(&load->l1));
  gc_json_set(&object, "l1_hit_rate", estimate_of(&load->hit_rate));
  if (reasons)
    gc_json_set(&object, "l1_misses", misses_of(load->misses));
  return object;
}

static json_t *loads_of(const struct gc_kernel_prediction *kernel, bool reasons)
{
  json_t *array = json_array();

  for (size_t i = 0; i < kernel->load_count; i++)
    gc_json_add(&array, load_of(&kernel->loads[i], reasons));
  return array;
}

/* Null: the trace does not have it. */
static json_t *shape_of(const struct gc_trace_shape *shape)
{
  json_t *array;

  if (!shape->x)
    return json_null();
  array = json_array();
  gc_json_add(&array, json_integer(shape->x));
  gc_json_add(&array, json_integer(shape->y));
  gc_json_add(&array, json_integer(shape->z));
  return array;
}

static void set_names(json_t **object, const struct gc_trace_launch *launch)
{
  char name[GC_NAME];

  gc_demangle(launch->name, name, sizeof name);
  gc_json_set_text(object, "name", launch->name);
  gc_json_set_text(object, "demangled", name);
}

static json_t *launch_of(const struct gc_trace_launch *launch)
{
  json_t *object = json_object();

  gc_json_set_whole(&object, "number", launch->number);
  gc_json_set(&object, "in_program",
              launch->in_program ? json_integer((json_int_t)launch->in_program) : json_null());
  gc_json_set_whole(&object, "process", launch->process ? launch->process : 1);
  gc_json_set_whole(&object, "launches", gc_trace_stands(launch));
  set_names(&object, launch);
  gc_json_set_whole(&object, "blocks", launch->blocks);
  gc_json_set_whole(&object, "launched_blocks",
                    launch->launched_blocks ? launch->launched_blocks : launch->blocks);
  gc_json_set(&object, "grid", shape_of(&launch->grid));
  gc_json_set(&object, "block", shape_of(&launch->block));
  gc_json_set(&object, "cluster", shape_of(&launch->cluster));
  gc_json_set(&object, "stream",
              launch->stream ? json_integer((json_int_t)launch->stream) : json_null());
  gc_json_set_whole(&object, "threads_per_block", launch->threads_per_block);
  gc_json_set_whole(&object, "registers_per_thread", launch->registers_per_thread);
  gc_json_set_whole(&object, "shared_bytes", launch->shared_bytes);
  gc_json_set(&object, "preferred_carveout",
              launch->prefers_carveout ? json_integer(launch->carveout) : json_null());
  gc_json_set_whole(&object, "warp_threads", launch->warp_threads);
  gc_json_set_text(&object, "loads_wait_by",
                   launch->registers           ? "registers"
                   : launch->loads_at_once > 1 ? "loads-at-once"
                                               : "each");
  gc_json_set_whole(&object, "loads_at_once", launch->loads_at_once);
  gc_json_set_whole(&object, "tensor_copies", launch->tensor_copies);
  gc_json_set_whole(&object, "texture_accesses", launch->texture_accesses);
  gc_json_set_text(&object, "origin", launch->origin);
  return object;
}

static json_t *distances_of(const struct gc_kernel_prediction *kernel)
{
  const struct gc_reuse_bins *bins = &kernel->distances;
  json_t *object = json_object(), *array = json_array();

  for (unsigned i = 0; i < gc_reuse_bins_used(bins); i++) {
    json_t *bin = json_object();

    gc_json_set_whole(&bin, "from", gc_reuse_bin_low(i));
    gc_json_set_whole(&bin, "to", gc_reuse_bin_high(i));
    gc_json_set_whole(&bin, "loads", bins->loads[i]);
    gc_json_add(&array, bin);
  }
  gc_json_set_whole(&object, "line_bytes", kernel->gpu.l1_line_bytes);
  gc_json_set_whole(&object, "loads", gc_reuse_bins_loads(bins));
  gc_json_set_whole(&object, "first", bins->first);
  gc_json_set(&object, "bins", array);
  return object;
}

/* Members that launches and sums of launches have. */
static void set_counts(json_t **object, const struct gc_kernel_prediction *kernel, bool reasons)
{
  const struct gc_counts *counts = &kernel->counts;

  gc_json_set(object, "l1_loads", counts_of(&counts->l1_loads));
  gc_json_set(object, "l2_loads", counts_of(&counts->l2_loads));
  gc_json_set_whole(object, "l2_loads_far", counts->l2_loads_far);
  gc_json_set_whole(object, "l1_load_instructions", counts->l1_load_instructions);
  gc_json_set_whole(object, "l2_read_bytes", kernel->l2_read_bytes);
  gc_json_set_whole(object, "memory_read_bytes", counts->memory_read_bytes);
  gc_json_set(object, "l2_stores", counts_of(&counts->l2_stores));
  gc_json_set_whole(object, "l1_stores", counts->l1_stores);
  gc_json_set_whole(object, "l1_bypassing", counts->l1_bypassing);
  gc_json_set_whole(object, "atomics", counts->atomics);
  gc_json_set(object, "l1_tlb", tlb_of(kernel, 0));
  gc_json_set(object, "l2_tlb", tlb_of(kernel, 1));
  gc_json_set(object, "l1_hit_rate", estimate_of(&kernel->rates[GC_RATE_L1]));
  gc_json_set(object, "l2_hit_rate", estimate_of(&kernel->rates[GC_RATE_L2]));
  gc_json_set(object, "l2_near_hit_rate", estimate_of(&kernel->l2_near_rate));
  if (reasons) {
    gc_json_set(object, "l1_misses", misses_of(kernel->misses));
    gc_json_set(object, "l1_hit_rate_with", remedies_of(kernel));
  }
  if (kernel->has_distances && reasons)
    gc_json_set(object, "reuse_distances", distances_of(kernel));
}

static json_t *kernel_of(const struct gc_kernel_prediction *kernel, bool reasons)
{
  json_t *object = json_object();

  gc_json_set(&object, "launch", launch_of(&kernel->launch));
  if (kernel->cannot_run) {
    gc_json_set_text(&object, "absent", kernel->cannot_run);
    return object;
  }
  gc_json_set_whole(&object, "blocks_per_sm", kernel->blocks_per_sm);
  gc_json_set_whole(&object, "l1_bytes", kernel->gpu.l1_bytes);
  gc_json_set_whole(&object, "l1_wanted_bytes", kernel->gpu.l1_wanted_bytes);
  gc_json_set_whole(&object, "l1_line_bytes", kernel->gpu.l1_line_bytes);
  gc_json_set_whole(&object, "l1_sets", kernel->gpu.l1_sets);
  gc_json_set_whole(&object, "l1_ways", kernel->gpu.l1_ways);
  gc_json_set(&object, "l1_outstanding",
              kernel->gpu.outstanding ? json_integer(kernel->gpu.outstanding) : json_null());
  set_counts(&object, kernel, reasons);
  gc_json_set(&object, "loads", loads_of(kernel, reasons));
  return object;
}

/* The launches of one name. */
static json_t *sum_of(const struct gc_kernel_prediction *sum)
{
  json_t *object = json_object();

  set_names(&object, &sum->launch);
  gc_json_set_whole(&object, "launches", gc_trace_stands(&sum->launch));
  gc_json_set(&object, "estimated", json_boolean(sum->estimated));
  if (sum->cannot_run)
    gc_json_set_text(&object, "absent", sum->cannot_run);
  else
    set_counts(&object, sum, true);
  return object;
}

static json_t *sums_of(const struct gc_prediction *prediction)
{
  json_t *array = json_array();

  for (size_t i = 0; i < prediction->sum_count; i++)
    gc_json_add(&array, sum_of(&prediction->sums[i]));
  return array;
}

static json_t *kernels_of(const struct gc_prediction *prediction, bool reasons)
{
  json_t *array = json_array();

  for (size_t i = 0; i < prediction->count; i++)
    gc_json_add(&array, kernel_of(&prediction->kernels[i], reasons));
  return array;
}

static json_t *assumptions_of(const struct gc_assumptions *assumptions)
{
  json_t *object = json_object();

  for (size_t i = 0; i < assumptions->count; i++)
    gc_json_set_text(&object, assumptions->array[i].what, assumptions->array[i].assumed);
  return object;
}

/* Kernels that cannot be read. */
static json_t *left_out_of(const struct gc_selection *selection)
{
  json_t *array = json_array();

  for (size_t i = 0; i < selection->unreadable_count && i < GC_REASONS_MOST; i++) {
    json_t *object = json_object();

    if (selection->unreadable[i].number)
      gc_json_set_whole(&object, "number", selection->unreadable[i].number);
    else
      gc_json_set(&object, "number", json_null());
    gc_json_set_text(&object, "why", selection->unreadable[i].why.text);
    gc_json_add(&array, object);
  }
  return array;
}

static json_t *gpu_of(const struct gc_source *source)
{
  json_t *object = json_object();

  gc_json_set_text(&object, "name", source->name);
  gc_json_set_text(&object, "id", source->record->identity.id);
  gc_json_set_text(&object, "model", source->record->identity.model);
  return object;
}

static json_t *point_of(const struct gc_sweep_point *point)
{
  json_t *object = json_object();

  gc_json_set_text(&object, "value", point->label);
  if (point->prediction)
    gc_json_set(&object, "kernels", kernels_of(point->prediction, false));
  else
    gc_json_set_text(&object, "absent", point->why.text);
  return object;
}

static json_t *sweep_of(const struct gc_sweep *sweep)
{
  json_t *object = json_object(), *points = json_array();

  for (size_t i = 0; i < sweep->count; i++)
    gc_json_add(&points, point_of(&sweep->points[i]));
  gc_json_set_text(&object, "varied", sweep->title);
  gc_json_set(&object, "points", points);
  return object;
}

/* Null: the traces lack no launches, as far as they say. */
static json_t *lacks_of(const struct gc_trace_lacks *lacks)
{
  json_t *object;

  if (!*lacks->why.text)
    return json_null();
  object = json_object();
  gc_json_set_whole(&object, "launches", lacks->launches);
  gc_json_set(&object, "more", json_boolean(lacks->more));
  gc_json_set_text(&object, "why", lacks->why.text);
  return object;
}

static json_t *predicted_of(const struct gc_predicted *predicted)
{
  const struct gc_prediction *any;
  json_t *object = json_object();

  gc_json_set(&object, "gpu", gpu_of(predicted->source));
  if (predicted->failed) {
    gc_json_set_text(&object, "absent", predicted->why.text);
    return object;
  }
  any = gc_predicted_any(predicted);
  gc_json_set_whole(&object, "ignored_texture_instructions", any->ignored.textures);
  gc_json_set_whole(&object, "ignored_copies", any->ignored.copies);
  gc_json_set(&object, "not_recorded", lacks_of(&any->ignored.lacks));
  gc_json_set(&object, "left_out", left_out_of(&any->selection));
  gc_json_set(&object, "assumptions", assumptions_of(&any->assumptions));
  if (predicted->prediction) {
    gc_json_set(&object, "sums", sums_of(predicted->prediction));
    gc_json_set(&object, "kernels", kernels_of(predicted->prediction, true));
  } else {
    gc_json_set(&object, "sweep", sweep_of(&predicted->sweep));
  }
  return object;
}

int gc_predict_print_json(const struct gc_predicted *predicted, size_t count)
{
  json_t *all = NULL;

  if (count == 1) {
    all = predicted_of(predicted);
  } else {
    all = json_array();
    for (size_t i = 0; i < count; i++)
      gc_json_add(&all, predicted_of(&predicted[i]));
  }
  return gc_json_print(all, 9) ? gc_no_memory() : GC_EXIT_DONE;
}
