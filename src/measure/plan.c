/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The plan: which element gets which property, in which order. Adding a property is one line here and
 * one file that finds it.
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "measure/agree.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define PATIENCE_MS 3000
#define FAILURES_MAX 6 /* a GPU on which more steps fail is one to record nothing of */

static const struct step {
  enum gc_kind kind;
  const char *property;
  int (*run)(struct gc_bench *bench, struct gc_element *element);
} plan[] = {
  {GC_DEVICE_MEMORY, "capacity", gc_step_api},
  {GC_DEVICE_MEMORY, "latency", gc_step_memory},
  {GC_DEVICE_MEMORY, "bandwidth", gc_step_memory_bandwidth},
  {GC_L2, "nominal capacity", gc_step_api},
  {GC_L2, "latency", gc_step_l2_latency},
  {GC_L2, "partitions", gc_step_partition},
  {GC_L2, "capacity", gc_step_l2_capacity},
  {GC_L2, "census", gc_step_l2_census},
  {GC_L2, "fetch", gc_step_fetch},
  {GC_L2, "line", gc_step_l2_line},
  {GC_L2, "miss penalty", gc_step_miss_penalty},
  {GC_L2, "bandwidth", gc_step_l2_bandwidth},
  {GC_L3, "capacity", gc_step_l3_capacity},
  {GC_L3, "census", gc_step_l3_census},
  {GC_L3, "latency", gc_step_l3_latency},
  {GC_L3, "miss penalty", gc_step_l3_penalty},
  {GC_L3, "bandwidth", gc_step_l3_bandwidth},
  {GC_L1, "capacity", gc_step_capacity},
  {GC_L1, "census", gc_step_census},
  {GC_L1, "latency", gc_step_latency},
  {GC_L1, "fetch", gc_step_fetch},
  {GC_L1, "line", gc_step_line},
  {GC_L1, "miss penalty", gc_step_miss_penalty},
  {GC_L1, "bandwidth", gc_step_bandwidth},
  {GC_L1, "carve-outs", gc_step_carveout},
  {GC_TEXTURE, "capacity", gc_step_capacity},
  {GC_TEXTURE, "census", gc_step_census},
  {GC_TEXTURE, "latency", gc_step_latency},
  {GC_TEXTURE, "fetch", gc_step_fetch},
  {GC_TEXTURE, "line", gc_step_line},
  {GC_TEXTURE, "miss penalty", gc_step_miss_penalty},
  {GC_TEXTURE, "bandwidth", gc_step_bandwidth},
  {GC_READ_ONLY, "capacity", gc_step_capacity},
  {GC_READ_ONLY, "census", gc_step_census},
  {GC_READ_ONLY, "latency", gc_step_latency},
  {GC_READ_ONLY, "fetch", gc_step_fetch},
  {GC_READ_ONLY, "line", gc_step_line},
  {GC_READ_ONLY, "miss penalty", gc_step_miss_penalty},
  {GC_READ_ONLY, "bandwidth", gc_step_bandwidth},
  {GC_CONSTANT_L1, "capacity", gc_step_capacity},
  {GC_CONSTANT_L1, "census", gc_step_census},
  {GC_CONSTANT_L1, "latency", gc_step_latency},
  {GC_CONSTANT_L1, "fetch", gc_step_fetch},
  {GC_CONSTANT_L1, "line", gc_step_line},
  {GC_CONSTANT_L1, "miss penalty", gc_step_miss_penalty},
  {GC_CONSTANT_L1, "bandwidth", gc_step_bandwidth},
  {GC_CONSTANT_L15, "capacity", gc_step_constant15},
  {GC_CONSTANT_L15, "census", gc_step_constant15_census},
  {GC_CONSTANT_L15, "latency", gc_step_latency},
  {GC_CONSTANT_L15, "fetch", gc_step_fetch},
  {GC_CONSTANT_L15, "line", gc_step_constant15_line},
  {GC_CONSTANT_L15, "miss penalty", gc_step_miss_penalty},
  {GC_CONSTANT_L15, "bandwidth", gc_step_bandwidth},
  {GC_SHARED_MEMORY, "capacity", gc_step_api},
  {GC_SHARED_MEMORY, "latency", gc_step_latency},
  {GC_SHARED_MEMORY, "bandwidth", gc_step_bandwidth},
  {GC_SCALAR_L1, "capacity", gc_step_capacity},
  {GC_SCALAR_L1, "census", gc_step_census},
  {GC_SCALAR_L1, "latency", gc_step_latency},
  {GC_SCALAR_L1, "fetch", gc_step_fetch},
  {GC_SCALAR_L1, "line", gc_step_line},
  {GC_SCALAR_L1, "miss penalty", gc_step_miss_penalty},
  {GC_SCALAR_L1, "bandwidth", gc_step_bandwidth},
  {GC_SCALAR_L1, "CUs that share it", gc_step_mates},
  {GC_LDS, "capacity", gc_step_api},
  {GC_LDS, "latency", gc_step_latency},
  {GC_LDS, "bandwidth", gc_step_bandwidth},
  /* these stand on capacities of several elements */
  {GC_L1, "sharing", gc_step_sharing},
  {GC_TEXTURE, "sharing", gc_step_sharing},
  {GC_READ_ONLY, "sharing", gc_step_sharing},
  {GC_CONSTANT_L1, "sharing", gc_step_sharing},
  {GC_CONSTANT_L15, "sharing", gc_step_code_sharing},
  {GC_SCALAR_L1, "sharing", gc_step_sharing},
  {GC_SHARED_MEMORY, "sharing", gc_step_sharing},
  {GC_LDS, "sharing", gc_step_sharing},
  {GC_L1, "instances", gc_step_amount},
  {GC_TEXTURE, "instances", gc_step_amount},
  {GC_READ_ONLY, "instances", gc_step_amount},
  {GC_CONSTANT_L1, "instances", gc_step_amount},
  {GC_CONSTANT_L15, "instances", gc_step_amount},
};
#define STEPS (sizeof(plan) / sizeof(*plan))

/* The properties that a step tells, by its name in the plan; all rows that fit. */
static const struct told {
  const char *step, *property;
  uint32_t kinds; /* of these elements; 0: of all */
} told[] = {
  {"capacity", HWLOC_GPUCACHE_CAPACITY, 0},
  {"capacity", HWLOC_GPUCACHE_LINE, 1u << GC_L3},
  {"capacity", HWLOC_GPUCACHE_FETCH, 1u << GC_L3},
  {"nominal capacity", HWLOC_GPUCACHE_NOMINAL, 0},
  {"census", HWLOC_GPUCACHE_CENSUS, 0},
  {"latency", HWLOC_GPUCACHE_LATENCY, 0},
  {"partitions", HWLOC_GPUCACHE_PARTITIONS, 0},
  {"partitions", HWLOC_GPUCACHE_PARTITION_SMS, 0},
  {"partitions", HWLOC_GPUCACHE_INSTANCES, 0},
  {"partitions", HWLOC_GPUCACHE_NEAR_LATENCY, 0},
  {"partitions", HWLOC_GPUCACHE_FAR_LATENCY, 0},
  {"fetch", HWLOC_GPUCACHE_FETCH, 0},
  {"line", HWLOC_GPUCACHE_LINE, 0},
  {"miss penalty", HWLOC_GPUCACHE_MISS_PENALTY, 0},
  {"bandwidth", HWLOC_GPUCACHE_READ, 0},
  {"bandwidth", HWLOC_GPUCACHE_WRITE,
   1u << GC_DEVICE_MEMORY | 1u << GC_L2 | 1u << GC_L3 | 1u << GC_SHARED_MEMORY | 1u << GC_LDS},
  {"carve-outs", HWLOC_GPUCACHE_CARVEOUT_TABLE, 0},
  {"sharing", HWLOC_GPUCACHE_SHARED_WITH, 0},
  {"instances", HWLOC_GPUCACHE_PER_SM, 0},
  {"instances", HWLOC_GPUCACHE_INSTANCES, 0},
  {"CUs that share it", HWLOC_GPUCACHE_INSTANCES, 0},
  {"CUs that share it", HWLOC_GPUCACHE_PER_SM, 0},
  {"CUs that share it", HWLOC_GPUCACHE_SHARED_BY_CUS, 0},
  {"CUs that share it", HWLOC_GPUCACHE_CU_GROUPS, 0},
};

#define SURE_ENOUGH 0.5 /* a latency that is less likely right than wrong is none */

int gc_put_source(struct gc_element *element, const char *property, const char *source)
{
  char name[80];

  snprintf(name, sizeof(name), "%s" HWLOC_GPUCACHE_SOURCE_SUFFIX, property);
  return gc_infos_set(&element->infos, name, source);
}

static int put_confidence(struct gc_element *element, const char *property, double confidence)
{
  char name[80];

  snprintf(name, sizeof(name), "%s" HWLOC_GPUCACHE_CONFIDENCE_SUFFIX, property);
  /* rounding must not turn "almost sure" into "sure" */
  return gc_infos_setf(&element->infos, name, "%.4f", confidence > 0.9999 ? 0.9999 : confidence);
}

int gc_put_measured(struct gc_element *element, const char *key, const char *property, uint64_t value,
                    double confidence)
{
  int status = gc_infos_set_u64(&element->infos, key, value);

  if (!status)
    status = gc_put_source(element, property, HWLOC_GPUCACHE_SOURCE_MEASURED);
  return status ? status : put_confidence(element, property, confidence);
}

int gc_put_rate(struct gc_element *element, const char *key, const char *property, double value,
                double confidence)
{
  const int decimals = value < 100 ? 2 : value < 1000 ? 1 : 0;
  int status = gc_infos_setf(&element->infos, key, "%.*f", decimals, value);

  if (!status)
    status = gc_put_source(element, property, HWLOC_GPUCACHE_SOURCE_MEASURED);
  return status ? status : put_confidence(element, property, confidence);
}

int gc_put_known(struct gc_element *element, const char *property, double confidence)
{
  int status = gc_put_source(element, property, HWLOC_GPUCACHE_SOURCE_MEASURED);

  return status ? status : put_confidence(element, property, confidence);
}

int gc_put_absent(struct gc_element *element, const char *property, const char *why)
{
  char source[256];

  snprintf(source, sizeof(source), HWLOC_GPUCACHE_SOURCE_ABSENT "%s", why);
  return gc_put_source(element, property, source);
}

int gc_put_text(struct gc_element *element, const char *key, const char *value, double confidence)
{
  int status = gc_infos_set(&element->infos, key, value);

  if (!status)
    status = gc_put_source(element, key, HWLOC_GPUCACHE_SOURCE_MEASURED);
  return status ? status : put_confidence(element, key, confidence);
}

int gc_put_latency_as(struct gc_bench *bench, struct gc_element *element, const char *prefix,
                      const struct gc_latency *latency)
{
  struct gc_infos *infos = &element->infos;
  char name[64];
  int status;

  if (latency->confidence < SURE_ENOUGH) {
    snprintf(name, sizeof(name), "%s" HWLOC_GPUCACHE_LATENCY, prefix);
    return gc_put_absent(element, name, "repetitions disagree");
  }
  snprintf(name, sizeof(name), "%s" HWLOC_GPUCACHE_LATENCY_CYCLES, prefix);
  status = gc_infos_setf(infos, name, "%.1f", latency->cycles);
  snprintf(name, sizeof(name), "%s" HWLOC_GPUCACHE_LATENCY_NS, prefix);
  if (!status && bench->mhz > 0)
    status = gc_infos_setf(infos, name, "%.1f", latency->cycles * 1e3 / bench->mhz);
  snprintf(name, sizeof(name), "%s" HWLOC_GPUCACHE_LATENCY, prefix);
  if (!status)
    status = gc_put_source(element, name, HWLOC_GPUCACHE_SOURCE_MEASURED);
  return status ? status : put_confidence(element, name, latency->confidence);
}

int gc_put_latency(struct gc_bench *bench, struct gc_element *element, const struct gc_latency *latency)
{
  return gc_put_latency_as(bench, element, "", latency);
}

/* Is this subtype in the comma list? NULL is a list of all. */
static bool wanted(const char *only, const char *subtype)
{
  const size_t length = strlen(subtype);

  if (!only)
    return true;
  for (const char *word = only; *word; word += strcspn(word, ","), word += *word == ',')
    if (strcspn(word, ",") == length && !strncmp(word, subtype, length))
      return true;
  return false;
}

/* An element is there when the GPU has the path that leads to it. Device memory always is. */
static bool exists(const struct gc_bench *bench, enum gc_kind kind)
{
  const struct gc_path *path = gc_path_of(kind);

  return !path || path->present(&bench->properties);
}

unsigned gc_measure_steps(void)
{
  return STEPS;
}

/* Whether no step before this one is of the same element. */
static bool is_first(size_t step)
{
  size_t first = 0;

  while (plan[first].kind != plan[step].kind)
    first++;
  return first == step;
}

static void list_word(char *list, size_t size, const char *word)
{
  snprintf(list + strlen(list), size - strlen(list), "%s%s", *list ? ", " : "", word);
}

/* Says which of the elements that were asked for this GPU does not have. Fails when it has none. */
static int check_present(struct gc_bench *bench, const struct gc_measure_options *options)
{
  char lacking[256] = "";
  bool any = false;

  for (size_t i = 0; i < STEPS; i++) {
    if (!is_first(i) || !wanted(options->only, gc_kinds[plan[i].kind].subtype))
      continue;
    if (exists(bench, plan[i].kind))
      any = true;
    else
      list_word(lacking, sizeof(lacking), gc_kinds[plan[i].kind].subtype);
  }
  if (!*lacking || !options->only)
    return 0;
  gc_fail(bench->err, 0, "this GPU has no %s", lacking);
  if (!any)
    return -ENOENT;
  if (options->complain)
    options->complain(options->data, bench->err->text);
  return 0;
}

int gc_measure_check_only(const char *only, struct gc_error *err)
{
  char known[256] = "";

  for (size_t i = 0; i < STEPS; i++)
    if (is_first(i))
      list_word(known, sizeof(known), gc_kinds[plan[i].kind].subtype);
  for (const char *word = only; word && *word; word += strcspn(word, ","), word += *word == ',') {
    bool found = false;

    for (size_t i = 0; i < STEPS && !found; i++)
      found = strlen(gc_kinds[plan[i].kind].subtype) == strcspn(word, ",") &&
              !strncmp(word, gc_kinds[plan[i].kind].subtype, strcspn(word, ","));
    if (!found)
      return gc_fail(err, -EINVAL, "nothing named '%.*s' can be measured; known: %s",
                     (int)strcspn(word, ","), word, known);
  }
  return 0;
}

static void name_step(const struct step *step, char *name, size_t size)
{
  snprintf(name, size, "%s %s", gc_kinds[step->kind].subtype, step->property);
}

static int run_step(struct gc_bench *bench, const struct step *step)
{
  struct gc_element *element = gc_record_find(bench->record, step->kind);

  if (!element && !(element = gc_record_add(bench->record, step->kind)))
    return gc_fail(bench->err, -ENOMEM, "out of memory");
  gc_raw_begin(bench->raw, step->kind, step->property);
  return step->run(bench, element);
}

static bool has_source(const struct gc_element *element, const char *property)
{
  char name[80];

  snprintf(name, sizeof(name), "%s" HWLOC_GPUCACHE_SOURCE_SUFFIX, property);
  return gc_infos_get(&element->infos, name);
}

/* What a step would have told, and nobody has, is absent for the reason in bench->err. */
static int put_failure(struct gc_bench *bench, const struct step *step)
{
  struct gc_element *element = gc_record_find(bench->record, step->kind);

  if (!element && !(element = gc_record_add(bench->record, step->kind)))
    return gc_fail(bench->err, -ENOMEM, "out of memory");
  for (size_t i = 0; i < sizeof(told) / sizeof(*told); i++)
    if (!strcmp(told[i].step, step->property) &&
        (!told[i].kinds || told[i].kinds & 1u << step->kind) &&
        !has_source(element, told[i].property) &&
        gc_put_absent(element, told[i].property, bench->err->text))
      return gc_fail(bench->err, -ENOMEM, "out of memory");
  return 0;
}

/* A failure costs what its step would have told, and nothing else: unless there are too many. */
static int bear_failure(struct gc_bench *bench, const struct gc_measure_options *options,
                        const struct step *step, bool is_told)
{
  struct gc_error sentence;
  char what[96];
  int status = is_told ? 0 : put_failure(bench, step);

  name_step(step, what, sizeof(what));
  gc_fail_in(bench->err, 0, what);
  if (!status && ++bench->failures > FAILURES_MAX)
    return gc_fail_in(bench->err, -EIO, "too much fails");
  if (!status && options->complain) {
    gc_fail(&sentence, 0, "%.480s; this is left out", bench->err->text);
    options->complain(options->data, sentence.text);
  }
  return status;
}

/* Once more, until nothing disturbed it. What was found while something did is forgotten; what failed may
 * have failed for that reason. A step that failed in peace is over. The look after it tells whether the
 * device still works; if not, *broken, and nothing more can be done with it. */
static int run_undisturbed(struct gc_bench *bench, const struct gc_measure_options *options,
                           const struct step *step, enum gc_peace *peace, bool *broken)
{
  const size_t complaints = strlen(bench->complaints);
  int status;

  do {
    struct gc_record *before = gc_record_copy(bench->record);
    struct gc_error failure;
    int failed;

    if (!before)
      return gc_fail(bench->err, -ENOMEM, "out of memory");
    failed = run_step(bench, step);
    failure = *bench->err;
    status = gc_await_peace(bench, peace);
    *broken = status && status != -EBUSY;
    if (failed && status != -EBUSY)
      *bench->err = failure;
    if (!status && *peace != GC_PEACE) {
      gc_record_swap(bench->record, before);
      bench->complaints[complaints] = '\0';
      bench->repeats++;
    } else if (*broken || (failed && !status)) {
      if (failed)
        gc_record_swap(bench->record, before);
      status = bear_failure(bench, options, step, !failed);
    }
    gc_record_free(before);
  } while (!status && !*broken && *peace == GC_DISTURBED);
  return status;
}

/* A number of the record's, 0 where it has none. */
static uint64_t so_far(const struct gc_bench *bench, const char *name)
{
  uint64_t value = 0;

  return gc_infos_get_u64(&bench->record->infos, name, &value) ? 0 : value;
}

/* What measuring cost, for those who want to know (make bench prints it), with what it had cost before
 * another process went on. */
static int record_cost(struct gc_bench *bench, double milliseconds)
{
  const struct gc_device_counts *counts = bench->ops->counts(bench->device);
  const uint64_t peak = so_far(bench, "MeasuringDeviceBytes");
  struct gc_infos *infos = &bench->record->infos;

  if (gc_infos_setf(infos, "MeasuringMilliseconds", "%.0f",
                    (double)so_far(bench, "MeasuringMilliseconds") + milliseconds) ||
      gc_infos_set_u64(infos, "MeasuringLaunches",
                       so_far(bench, "MeasuringLaunches") + counts->launches) ||
      gc_infos_set_u64(infos, "MeasuringDeviceBytes",
                       peak > counts->device_bytes_peak ? peak : counts->device_bytes_peak) ||
      gc_infos_set_u64(infos, "MeasuringRepeats",
                       so_far(bench, "MeasuringRepeats") + bench->repeats) ||
      (bench->failures && gc_infos_set_u64(infos, "MeasuringFailures", bench->failures)))
    return gc_fail(bench->err, -ENOMEM, "out of memory");
  return 0;
}

/* The clock is steady and the GPU is ours: facts and what timing costs. */
static int prepare(struct gc_bench *bench)
{
  enum gc_peace peace;
  int status;

  bench->peace_at = gc_milliseconds();
  if ((status = gc_warm_up(bench)) || (status = gc_await_peace(bench, &peace)))
    return status;
  do
    if ((status = gc_calibrate_window(bench)) || (status = gc_await_peace(bench, &peace)))
      return status;
  while (peace != GC_PEACE);
  gc_raw_note(bench->raw, "timing", bench->window_cycles);
  return gc_record_facts(bench);
}

struct spent {
  double since;
  uint64_t launches;
};

static struct spent so_long(const struct gc_bench *bench)
{
  return (struct spent){gc_milliseconds(), bench->ops->counts(bench->device)->launches};
}

static void tell_spent(const struct gc_bench *bench, const struct gc_measure_options *options,
                       const char *what, const struct spent *before)
{
  const struct spent now = so_long(bench);

  if (options->spent)
    options->spent(options->data, what, now.since - before->since, now.launches - before->launches);
}

/* The rest of it from step *next on, at one clock: GC_OTHER_CLOCK, nothing of it counts. Ends early
 * when a step breaks the device. */
static int run_plan(struct gc_bench *bench, const struct gc_measure_options *options,
                    unsigned *next, enum gc_peace *peace)
{
  const uint64_t mhz = *next ? so_far(bench, "MeasuredSMClockMHz") : 0;
  struct spent before = so_long(bench);
  bool broken = false;
  int status;

  *peace = GC_PEACE;
  if (options->progress)
    options->progress(options->data, *next, STEPS, "warming up");
  status = prepare(bench);
  tell_spent(bench, options, "warming up", &before);
  if (!status && mhz && fabs(bench->mhz - (double)mhz) > GC_OTHER_CLOCK_SHARE * (double)mhz)
    *peace = GC_OTHER_CLOCK;
  while (*next < STEPS && !status && !broken && *peace != GC_OTHER_CLOCK) {
    const struct step *step = &plan[(*next)++];
    char what[96];

    if (!wanted(options->only, gc_kinds[step->kind].subtype) || !exists(bench, step->kind))
      continue;
    name_step(step, what, sizeof(what));
    if (options->progress)
      options->progress(options->data, *next - 1, STEPS, what);
    before = so_long(bench);
    status = run_undisturbed(bench, options, step, peace, &broken);
    tell_spent(bench, options, what, &before);
  }
  if (!status && *next == STEPS && *peace != GC_OTHER_CLOCK &&
      !(status = gc_record_nominal(bench)) && !(status = gc_agree(bench)))
    status = gc_crosscheck(bench);
  return status;
}

static void complain(struct gc_bench *bench, const struct gc_measure_options *options)
{
  char *rest = NULL;

  for (char *line = strtok_r(bench->complaints, "\n", &rest); line && options->complain;
       line = strtok_r(NULL, "\n", &rest))
    options->complain(options->data, line);
}

/* Forgets all that was found. */
static int start_again(struct gc_bench *bench, double since)
{
  struct gc_record *empty = gc_record_new(&bench->record->identity);

  if (!empty)
    return gc_fail(bench->err, -ENOMEM, "out of memory");
  gc_record_swap(bench->record, empty);
  gc_record_free(empty);
  bench->complaints[0] = '\0';
  bench->lost_ms += gc_milliseconds() - since;
  return 0;
}

int gc_measure(struct gc_device *device, const struct gc_measure_options *options,
               struct gc_record *record, struct gc_error *err)
{
  const double start = gc_milliseconds();
  unsigned next = options->rest ? options->rest->next : 0;
  enum gc_peace peace = GC_PEACE;
  struct gc_bench bench;
  bool again;
  int status;

  if (next >= STEPS)
    return gc_fail(err, -EINVAL, "the plan has no step %u", next);
  if ((status = gc_measure_check_only(options->only, err)) ||
      (status = gc_bench_open_known(&bench, device, options->known, record, err)))
    return status;
  bench.raw = options->raw;
  bench.patience_ms = options->patience > 0 ? options->patience * 1e3 : PATIENCE_MS;
  bench.failures = (unsigned)so_far(&bench, "MeasuringFailures");
  /* who began has said it already */
  status = next ? 0 : check_present(&bench, options);
  for (again = !status; again;) {
    const double since = gc_milliseconds();

    status = run_plan(&bench, options, &next, &peace);
    again = !status && peace == GC_OTHER_CLOCK;
    if (again) {
      status = start_again(&bench, since);
      next = 0;
      again = !status;
    }
  }
  if (!status && next < STEPS && !options->rest)
    status = -EIO;
  if (!status && next == STEPS && gc_record_explain_per_sm(record))
    status = gc_fail(err, -ENOMEM, "out of memory");
  if (!status)
    complain(&bench, options);
  if (!status)
    status = record_cost(&bench, gc_milliseconds() - start);
  if (options->rest)
    *options->rest = (struct gc_measure_rest){.next = next, .left = !status && next < STEPS};
  if (options->progress)
    options->progress(options->data, STEPS, STEPS, "done");
  gc_bench_close(&bench);
  return status;
}
