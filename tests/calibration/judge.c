/* SPDX-License-Identifier: BSD-3-Clause */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "judge.h"

#include "measure/bench.h"
#include "model/model.h"
#include "model/profile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ON_SM_CYCLES 1.0 /* how near a latency inside the SM has to be */
#define OFF_SM_SHARE 0.02 /* of L2 and memory */
#define CAPACITY_SHARE 0.005

/* Every property whose confidence is judged, and where the model knows it. Lines and fetch granularities
 * stand on capacities, and so does the latency of constant L1.5. */
static const struct subject {
  enum gc_kind kind;
  enum gc_space space;
  unsigned level;
  enum judged property;
  int (*step)(struct gc_bench *bench, struct gc_element *element);
} subjects[] = {
  {GC_L1, GC_SPACE_CA, 0, JUDGED_CAPACITY, gc_step_capacity},
  {GC_L1, GC_SPACE_CA, 0, JUDGED_LATENCY, gc_step_latency},
  {GC_L1, GC_SPACE_CA, 0, JUDGED_FETCH, gc_step_fetch},
  {GC_L1, GC_SPACE_CA, 0, JUDGED_LINE, gc_step_line},
  {GC_TEXTURE, GC_SPACE_TEXTURE, 0, JUDGED_CAPACITY, gc_step_capacity},
  {GC_TEXTURE, GC_SPACE_TEXTURE, 0, JUDGED_LATENCY, gc_step_latency},
  {GC_TEXTURE, GC_SPACE_TEXTURE, 0, JUDGED_FETCH, gc_step_fetch},
  {GC_TEXTURE, GC_SPACE_TEXTURE, 0, JUDGED_LINE, gc_step_line},
  {GC_READ_ONLY, GC_SPACE_NC, 0, JUDGED_CAPACITY, gc_step_capacity},
  {GC_READ_ONLY, GC_SPACE_NC, 0, JUDGED_LATENCY, gc_step_latency},
  {GC_CONSTANT_L1, GC_SPACE_CONSTANT, 0, JUDGED_CAPACITY, gc_step_capacity},
  {GC_CONSTANT_L1, GC_SPACE_CONSTANT, 0, JUDGED_LATENCY, gc_step_latency},
  {GC_CONSTANT_L1, GC_SPACE_CONSTANT, 0, JUDGED_FETCH, gc_step_fetch},
  {GC_CONSTANT_L1, GC_SPACE_CONSTANT, 0, JUDGED_LINE, gc_step_line},
  {GC_CONSTANT_L15, GC_SPACE_CONSTANT, 1, JUDGED_CAPACITY, gc_step_capacity},
  {GC_CONSTANT_L15, GC_SPACE_CONSTANT, 1, JUDGED_LATENCY, gc_step_latency},
  {GC_CONSTANT_L15, GC_SPACE_CONSTANT, 1, JUDGED_FETCH, gc_step_fetch},
  {GC_CONSTANT_L15, GC_SPACE_CONSTANT, 1, JUDGED_LINE, gc_step_line},
  {GC_SHARED_MEMORY, GC_SPACE_SHARED, 0, JUDGED_LATENCY, gc_step_latency},
  {GC_L2, GC_SPACE_CG, 0, JUDGED_CAPACITY, gc_step_l2_capacity},
  {GC_L2, GC_SPACE_CG, 0, JUDGED_LATENCY, gc_step_l2_latency},
  {GC_L2, GC_SPACE_CG, 0, JUDGED_FETCH, gc_step_fetch},
  {GC_L2, GC_SPACE_CG, 0, JUDGED_LINE, gc_step_l2_line},
  {GC_DEVICE_MEMORY, GC_SPACE_CG, 1, JUDGED_LATENCY, gc_step_memory},
};
#define SUBJECTS (sizeof(subjects) / sizeof(*subjects))
_Static_assert(SUBJECTS <= VERDICTS_MAX, "one verdict a subject");

struct court {
  const struct drawn_gpu *gpu;
  struct gc_bench bench;
  struct gc_record *record;
  struct gc_model *model; /* a second one of the same profile: where the truth is asked */
  struct gc_profile profile;
};

static double number(const struct gc_element *element, const char *key)
{
  const char *value = gc_infos_get(&element->infos, key);

  return value ? strtod(value, NULL) : NAN;
}

static void put_why(struct verdict *v, const struct gc_element *element, const char *source)
{
  const char *why = gc_infos_get(&element->infos, source);

  if (why && !strncmp(why, HWLOC_GPUCACHE_SOURCE_ABSENT, strlen(HWLOC_GPUCACHE_SOURCE_ABSENT)))
    snprintf(v->why, sizeof(v->why), "%.95s", why + strlen(HWLOC_GPUCACHE_SOURCE_ABSENT));
}

static uint64_t range_end(const struct court *court, const struct gc_path *path)
{
  return path->kind == GC_L2 ? 2 * court->bench.properties.l2_bytes : path->max;
}

/* The search of one level begins where the level before it still hits: as good as flat. */
static bool hidden(const struct court *court, const struct subject *subject)
{
  const struct gc_path *path = gc_path_of(subject->kind);

  return path && subject->level &&
         gc_model_true_level(court->model, subject->space, subject->level - 1) >= path->min;
}

static void judge_capacity(const struct court *court, const struct subject *subject,
                           const struct gc_element *element, struct verdict *v)
{
  const struct gc_path *path = gc_path_of(subject->kind);
  const double at_least = number(element, HWLOC_GPUCACHE_CAPACITY_AT_LEAST_BYTES);
  const double step =
    path->kind == GC_L2 ? (double)court->bench.properties.l2_bytes / 512 : (double)path->step;

  v->truth = (double)gc_model_true_level(court->model, subject->space, subject->level);
  v->nothing_there = court->gpu->class == DRAWN_NOISE || hidden(court, subject) ||
                     v->truth >= (double)range_end(court, path);
  v->value = number(element, HWLOC_GPUCACHE_CAPACITY_BYTES);
  v->confidence = number(element, HWLOC_GPUCACHE_CAPACITY HWLOC_GPUCACHE_CONFIDENCE_SUFFIX);
  put_why(v, element, HWLOC_GPUCACHE_CAPACITY HWLOC_GPUCACHE_SOURCE_SUFFIX);
  if (v->value > 0) {
    v->claim = CLAIM_VALUE;
    v->right = !v->nothing_there &&
               fabs(v->value - v->truth) <= fmax(step, CAPACITY_SHARE * v->truth);
  } else if (at_least > 0) {
    v->claim = CLAIM_AT_LEAST;
    v->value = at_least;
    v->right = v->truth >= at_least * (1 - CAPACITY_SHARE);
  }
}

static void judge_latency(const struct court *court, const struct subject *subject,
                          const struct gc_element *element, struct verdict *v)
{
  const bool off_sm = subject->kind == GC_L2 || subject->kind == GC_DEVICE_MEMORY;
  const double drift = court->gpu->drift; /* meanwhile all latencies between its ends are true */
  double near;

  v->truth = gc_model_true_latency(court->model, subject->space, subject->level);
  v->nothing_there = hidden(court, subject);
  near = off_sm ? OFF_SM_SHARE * v->truth : ON_SM_CYCLES;
  v->value = number(element, HWLOC_GPUCACHE_LATENCY_CYCLES);
  v->confidence = number(element, HWLOC_GPUCACHE_LATENCY HWLOC_GPUCACHE_CONFIDENCE_SUFFIX);
  put_why(v, element, HWLOC_GPUCACHE_LATENCY HWLOC_GPUCACHE_SOURCE_SUFFIX);
  if (v->value > 0) {
    v->claim = CLAIM_VALUE;
    v->right = v->value >= v->truth - near && v->value <= v->truth + drift + near;
  }
}

static const struct gc_cache_shape *shape_of(const struct court *court, enum gc_space space,
                                             unsigned level)
{
  const struct gc_profile_path *path = &court->profile.paths[space];
  const int cache = level < path->count ? path->levels[level].cache : GC_PROFILE_MEMORY;

  return cache == GC_PROFILE_MEMORY ? NULL : &court->profile.caches[cache].shape;
}

/* What comes with a miss: no less than the level before asks for. */
static unsigned fetched(const struct court *court, const struct subject *subject)
{
  unsigned most = 0;

  for (unsigned level = 0; level <= subject->level; level++) {
    const struct gc_cache_shape *shape = shape_of(court, subject->space, level);

    most = shape && shape->sector > most ? shape->sector : most;
  }
  return most;
}

/* What is allocated or fetched at once. */
static void judge_unit(const struct court *court, const struct subject *subject,
                       const struct gc_element *element, struct verdict *v)
{
  const bool line = subject->property == JUDGED_LINE;
  const struct gc_cache_shape *shape = shape_of(court, subject->space, subject->level);
  const char *key = line ? HWLOC_GPUCACHE_LINE_BYTES : HWLOC_GPUCACHE_FETCH_BYTES;
  const char *property = line ? HWLOC_GPUCACHE_LINE : HWLOC_GPUCACHE_FETCH;
  char name[64];

  v->truth = !shape ? 0 : line ? shape->line : fetched(court, subject);
  v->nothing_there = !shape || court->gpu->class == DRAWN_NOISE;
  v->value = number(element, key);
  snprintf(name, sizeof(name), "%s" HWLOC_GPUCACHE_CONFIDENCE_SUFFIX, property);
  v->confidence = number(element, name);
  snprintf(name, sizeof(name), "%s" HWLOC_GPUCACHE_SOURCE_SUFFIX, property);
  put_why(v, element, name);
  if (v->value > 0) {
    v->claim = CLAIM_VALUE;
    v->right = !v->nothing_there && fabs(v->value - v->truth) < 0.5;
  }
}

/* Not elements that the GPU lacks, nor how near the L2 is, where that depends on the SM. */
static bool to_be_asked(const struct court *court, const struct subject *subject)
{
  const struct gc_path *path = gc_path_of(subject->kind);

  return (!path || path->present(&court->bench.properties)) &&
         !(subject->kind == GC_L2 && subject->property == JUDGED_LATENCY &&
           court->gpu->l2_partitions > 1);
}

/* Which a census follows, as in the plan: it must not withhold what is right. (That of L2 needs its
 * partitions.) */
static bool counted(const struct subject *subject)
{
  return subject->property == JUDGED_CAPACITY && subject->kind != GC_L2;
}

static int ask(struct court *court, uint64_t index, struct verdict verdicts[VERDICTS_MAX])
{
  static void (*const judges[JUDGED])(const struct court *, const struct subject *,
                                      const struct gc_element *, struct verdict *) = {
    judge_capacity, judge_latency, judge_unit, judge_unit};
  int n = 0;

  for (size_t i = 0; i < SUBJECTS; i++) {
    const struct subject *subject = &subjects[i];
    struct gc_element *element;

    if (!to_be_asked(court, subject))
      continue;
    element = gc_record_find(court->record, subject->kind);
    if (!element && !(element = gc_record_add(court->record, subject->kind)))
      return -1;
    if (subject->step(&court->bench, element) ||
        (counted(subject) && gc_step_census(&court->bench, element)))
      return -1;
    verdicts[n] = (struct verdict){.gpu = index, .class = court->gpu->class, .kind = subject->kind,
                                   .property = subject->property};
    judges[subject->property](court, subject, element, &verdicts[n]);
    n++;
  }
  return n;
}

/* L1 has what the carve-out leaves that the capacity step asks for. */
static void launch_as_measured(struct gc_model *model)
{
  const struct gc_model_facts *facts = gc_model_facts(model);
  const uint32_t warps = facts->threads_per_sm / facts->warp;

  gc_model_launch(model, 0, facts->blocks_per_sm < warps ? facts->blocks_per_sm : warps, 0);
}

/* A file for the simulator that needs no place and no removal. */
static int put_profile(const char *text, struct gc_gpu *gpu)
{
  const int fd = memfd_create("profile", MFD_CLOEXEC);

  snprintf(gpu->profile, sizeof(gpu->profile), "/proc/self/fd/%d", fd);
  if (fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text))
    return fd;
  if (fd >= 0)
    close(fd);
  return -1;
}

int judge_gpu(const struct drawn_gpu *gpu, uint64_t index, struct verdict verdicts[VERDICTS_MAX])
{
  struct gc_gpu described = {.vendor = GC_VENDOR_SIM, .name = "gpu0"};
  struct gc_error err = {""};
  struct gc_device *device = NULL;
  struct court court = {.gpu = gpu};
  const int fd = put_profile(gpu->text, &described);
  int n = -1;

  snprintf(described.identity.id, sizeof(described.identity.id), "sim-drawn");
  if (fd >= 0 && !gc_device_open(&described, &device, &err) &&
      !gc_model_new("drawn", gpu->text, strlen(gpu->text), &court.model, &err) &&
      !gc_profile_parse("drawn", gpu->text, strlen(gpu->text), &court.profile, &err) &&
      !gc_profile_check("drawn", &court.profile, &err) &&
      (court.record = gc_record_new(&described.identity)) &&
      !gc_bench_open(&court.bench, device, court.record, &err)) {
    launch_as_measured(court.model);
    if (!gc_warm_up(&court.bench) && !gc_calibrate_window(&court.bench))
      n = ask(&court, index, verdicts);
    gc_bench_close(&court.bench);
  }
  if (n < 0)
    fprintf(stderr, "drawn GPU %llu: %s\n", (unsigned long long)index, err.text);
  gc_record_free(court.record);
  gc_model_free(court.model);
  if (device)
    gc_ops(device)->close(device);
  if (fd >= 0)
    close(fd);
  return n;
}
