/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/predict/print.h"
#include "tool/messages.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* All functions return a new object, or NULL without memory; a member that is NULL is a failure. */

static json_t *done(json_t *object, int failed)
{
  if (!failed)
    return object;
  json_decref(object);
  return NULL;
}

static json_t *text_of(const char *text)
{
  json_t *string = json_string(text);

  return string ? string : json_string("(not UTF-8)");
}

/* Names of people become names of members: "outstanding loads" -> "outstanding_loads". */
static int set_count(json_t *object, const char *name, uint64_t count)
{
  char member[40];

  snprintf(member, sizeof member, "%s", name);
  for (char *blank = member; (blank = strchr(blank, ' '));)
    *blank = '_';
  return json_object_set_new(object, member, json_integer((json_int_t)count));
}

static json_t *counts_of(const struct gc_cache_counts *counts)
{
  json_t *object = json_object();

  return done(object, set_count(object, "sectors", counts->accesses) |
                          set_count(object, "hits", counts->hits) |
                          set_count(object, "hits_on_miss", counts->hits_on_miss) |
                          set_count(object, "misses", counts->misses));
}

static json_t *misses_of(const uint64_t misses[GC_MISS_COUNT])
{
  json_t *object = json_object();
  int failed = !object;

  for (int i = 0; i < GC_MISS_COUNT && !failed; i++)
    failed = set_count(object, gc_miss_names[i], misses[i]);
  return done(object, failed);
}

static json_t *estimate_of(const struct gc_estimate *estimate)
{
  json_t *object;

  if (!isfinite(estimate->value))
    return json_null();
  object = json_object();
  return done(object, json_object_set_new(object, "value", json_real(estimate->value)) |
                          json_object_set_new(object, "low", json_real(estimate->low)) |
                          json_object_set_new(object, "high", json_real(estimate->high)));
}

/* Null: this level is not modelled. */
static json_t *tlb_of(const struct gc_kernel_prediction *kernel, int level)
{
  const struct gc_tlb_counts *counts = &kernel->counts.tlbs[level];
  json_t *object;

  if (!kernel->gpu.tlb_entries[level])
    return json_null();
  object = json_object();
  return done(object, set_count(object, "lookups", counts->lookups) |
                          set_count(object, "misses", counts->misses));
}

static json_t *load_of(const struct gc_load_prediction *load, bool reasons)
{
  json_t *object = json_object();
  int failed = set_count(object, "pc", load->pc) |
               json_object_set_new(object, "l1", counts_of(&load->l1)) |
               json_object_set_new(object, "l1_hit_rate", estimate_of(&load->hit_rate));

  if (reasons)
    failed |= json_object_set_new(object, "l1_misses", misses_of(load->misses));
  return done(object, failed);
}

static json_t *loads_of(const struct gc_kernel_prediction *kernel, bool reasons)
{
  json_t *array = json_array();
  int failed = !array;

  for (size_t i = 0; i < kernel->load_count && !failed; i++)
    failed = json_array_append_new(array, load_of(&kernel->loads[i], reasons));
  return done(array, failed);
}

static json_t *launch_of(const struct gc_trace_launch *launch)
{
  json_t *object = json_object();

  return done(object, set_count(object, "number", launch->number) |
                          json_object_set_new(object, "name", text_of(launch->name)) |
                          set_count(object, "blocks", launch->blocks) |
                          set_count(object, "threads_per_block", launch->threads_per_block) |
                          set_count(object, "registers_per_thread", launch->registers_per_thread) |
                          set_count(object, "shared_bytes", launch->shared_bytes) |
                          set_count(object, "warp_threads", launch->warp_threads) |
                          json_object_set_new(object, "origin", text_of(launch->origin)));
}

static json_t *kernel_of(const struct gc_kernel_prediction *kernel, bool reasons)
{
  const struct gc_counts *counts = &kernel->counts;
  json_t *object = json_object();
  int failed = json_object_set_new(object, "launch", launch_of(&kernel->launch)) |
               set_count(object, "blocks_per_sm", kernel->blocks_per_sm) |
               set_count(object, "l1_bytes", kernel->gpu.l1_bytes) |
               json_object_set_new(object, "l1_loads", counts_of(&counts->l1_loads)) |
               json_object_set_new(object, "l2_loads", counts_of(&counts->l2_loads)) |
               set_count(object, "l2_loads_far", counts->l2_loads_far) |
               json_object_set_new(object, "l2_stores", counts_of(&counts->l2_stores)) |
               set_count(object, "l1_stores", counts->l1_stores) |
               set_count(object, "l1_bypassing", counts->l1_bypassing) |
               set_count(object, "atomics", counts->atomics) |
               json_object_set_new(object, "l1_tlb", tlb_of(kernel, 0)) |
               json_object_set_new(object, "l2_tlb", tlb_of(kernel, 1)) |
               json_object_set_new(object, "l1_hit_rate", estimate_of(&kernel->rates[GC_RATE_L1])) |
               json_object_set_new(object, "l2_hit_rate", estimate_of(&kernel->rates[GC_RATE_L2])) |
               json_object_set_new(object, "l2_near_hit_rate", estimate_of(&kernel->l2_near_rate)) |
               json_object_set_new(object, "loads", loads_of(kernel, reasons));

  if (reasons)
    failed |= json_object_set_new(object, "l1_misses", misses_of(kernel->misses));
  return done(object, failed);
}

static json_t *kernels_of(const struct gc_prediction *prediction, bool reasons)
{
  json_t *array = json_array();
  int failed = !array;

  for (size_t i = 0; i < prediction->count && !failed; i++)
    failed = json_array_append_new(array, kernel_of(&prediction->kernels[i], reasons));
  return done(array, failed);
}

static json_t *assumptions_of(const struct gc_assumptions *assumptions)
{
  json_t *object = json_object();
  int failed = !object;

  for (size_t i = 0; i < assumptions->count && !failed; i++)
    failed = json_object_set_new(object, assumptions->array[i].what,
                                 text_of(assumptions->array[i].assumed));
  return done(object, failed);
}

static json_t *gpu_of(const struct gc_source *source)
{
  json_t *object = json_object();

  return done(object,
              json_object_set_new(object, "name", text_of(source->name)) |
                  json_object_set_new(object, "id", text_of(source->record->identity.id)) |
                  json_object_set_new(object, "model", text_of(source->record->identity.model)));
}

static json_t *point_of(const struct gc_sweep_point *point)
{
  json_t *object = json_object();
  int failed = json_object_set_new(object, "value", text_of(point->label));

  if (point->prediction)
    failed |= json_object_set_new(object, "kernels", kernels_of(point->prediction, false));
  else
    failed |= json_object_set_new(object, "absent", text_of(point->why.text));
  return done(object, failed);
}

static json_t *sweep_of(const struct gc_sweep *sweep)
{
  json_t *object = json_object(), *points = json_array();
  int failed = !points;

  for (size_t i = 0; i < sweep->count && !failed; i++)
    failed = json_array_append_new(points, point_of(&sweep->points[i]));
  return done(object, failed | json_object_set_new(object, "varied", text_of(sweep->title)) |
                          json_object_set_new(object, "points", points));
}

int gc_predict_print_json(const struct gc_source *source, const struct gc_prediction *prediction,
                          const struct gc_sweep *sweep)
{
  const struct gc_prediction *any = prediction ? prediction : gc_sweep_any(sweep);
  json_t *object = json_object();
  int failed = json_object_set_new(object, "gpu", gpu_of(source)) |
               set_count(object, "ignored_texture_instructions", any->ignored.textures) |
               set_count(object, "ignored_copies", any->ignored.copies) |
               json_object_set_new(object, "assumptions", assumptions_of(&any->assumptions));

  if (prediction)
    failed |= json_object_set_new(object, "kernels", kernels_of(prediction, true));
  else
    failed |= json_object_set_new(object, "sweep", sweep_of(sweep));
  if (!failed) {
    json_dumpf(object, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    putchar('\n');
  }
  json_decref(object);
  if (!failed)
    return GC_EXIT_DONE;
  gc_say(NULL, "out of memory");
  return GC_EXIT_FAILED;
}
