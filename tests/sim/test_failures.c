/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * GPUs on which a kernel fails, or which are too small for a method. Every property is reported, or
 * absent with a reason. Values that do not depend on the failure are the same as without it.
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "open.h"

#define TEXT_MAX 16384
#define PROCESSES_MAX 8

#define NAME(name, ...) #name,
static const char *const kernels[] = {GPU_KERNELS(NAME)};
#undef NAME
#define KERNELS (sizeof(kernels) / sizeof(*kernels))

static void read_profile(const char *name, char text[TEXT_MAX])
{
  const char *source = getenv("top_srcdir");
  char path[512];

  snprintf(path, sizeof(path), "%s/%s", source ? source : ".", name);
  assert_true(snprintf(text, TEXT_MAX, "%s", text_of(path)) < TEXT_MAX);
}

/* Replaces the line that begins with the same key; if there is none, the new line comes first. */
static void change(char text[TEXT_MAX], const char *line)
{
  const size_t key = strcspn(line, "=") + 1;
  char changed[TEXT_MAX], *at = strstr(text, "\n"), *end;

  while (at && strncmp(at + 1, line, key))
    at = strstr(at + 1, "\n");
  at = at ? at + 1 : text;
  end = at == text ? at : at + strcspn(at, "\n") + 1;
  if (snprintf(changed, sizeof(changed), "%.*s%s\n%s", (int)(at - text), text, line, end) >= TEXT_MAX)
    fail_msg("the profile is too long");
  strcpy(text, changed);
}

struct run {
  struct opened o;
  int status;
  unsigned failures, devices; /* failed steps; devices that were opened */
};

static void note_failure(void *data, const char *why)
{
  struct run *run = data;

  run->failures += strstr(why, "; this is left out") != NULL;
}

/* Measures like the tool, which continues in another process after a failed launch. Here another
 * device is enough, because a failure of the simulator lasts only until its device is closed. */
static void measure(const char *text, struct run *run)
{
  struct gc_handover handover = {0};
  const struct gc_measure_options options = {.warn = note_failure, .data = run, .handover = &handover};
  struct opened *o = &run->o;

  *run = (struct run){0};
  open_profile(o, "%s", text);
  for (;;) {
    run->status = gc_measure(o->device, &options, o->record, &o->err);
    run->devices++;
    if (run->status || !handover.left || run->devices == PROCESSES_MAX)
      break;
    reopen_device(o); /* also starts a new record */
  }
  gc_handover_free(&handover);
}

static bool ends(const char *name, const char *tail)
{
  const size_t length = strlen(name);

  return length > strlen(tail) && !strcmp(name + length - strlen(tail), tail);
}

static bool is_absent(const char *source)
{
  const size_t length = strlen(HWLOC_GPUCACHE_SOURCE_ABSENT);

  return !strncmp(source, HWLOC_GPUCACHE_SOURCE_ABSENT, length) && source[length];
}

/* `other` has a source for every property that `whole` has one for. Returns the number of
 * properties that are absent only in `other`. */
static unsigned check_sources(const struct gc_record *whole, const struct gc_record *other,
                              const char *what)
{
  unsigned lost = 0;

  for (size_t e = 0; e < whole->count; e++) {
    const struct gc_element *element = &whole->elements[e];
    const struct gc_element *same = gc_record_find(other, element->kind);

    if (!same)
      fail_msg("%s: no %s", what, gc_kinds[element->kind].subtype);
    for (size_t i = 0; i < element->infos.count; i++) {
      const char *name = element->infos.array[i].name, *source = gc_infos_get(&same->infos, name);

      if (!ends(name, HWLOC_GPUCACHE_SOURCE_SUFFIX))
        continue;
      if (!source && !strcmp(name, HWLOC_GPUCACHE_CENSUS HWLOC_GPUCACHE_SOURCE_SUFFIX) &&
          !gc_infos_get(&same->infos, HWLOC_GPUCACHE_CAPACITY_BYTES))
        continue; /* without a capacity there is no census */
      if (!source)
        fail_msg("%s: no %s of %s", what, name, gc_kinds[element->kind].subtype);
      lost += is_absent(source) && !is_absent(element->infos.array[i].value);
    }
  }
  return lost;
}

/* Times, rates and samples vary a little with the noise; everything else must be the same. */
static bool same_value(const char *name, const char *a, const char *b)
{
  const double x = strtod(a, NULL), y = strtod(b, NULL);

  if (ends(name, HWLOC_GPUCACHE_CONFIDENCE_SUFFIX))
    return true;
  if (!strcmp(name, HWLOC_GPUCACHE_CENSUS_ERROR_BYTES) ||
      !strcmp(name, HWLOC_GPUCACHE_SURVIVAL_CURVE) || !strcmp(name, HWLOC_GPUCACHE_VICTIM_SHARES) ||
      !strcmp(name, HWLOC_GPUCACHE_LATENCY_UNDER_LOAD))
    return true; /* of random lines, or at loads that are never the same twice */
  if (!strcmp(name, HWLOC_GPUCACHE_MISSES_PER_EXCESS_LINE))
    return fabs(x - y) <= fmax(0.25 * y, 0.5);
  if (!strcmp(name, HWLOC_GPUCACHE_CENSUS_BYTES) || ends(name, "Cycles") || ends(name, "Ns") ||
      ends(name, "GBps") || ends(name, "PerCycle"))
    return fabs(x - y) <= fmax(0.02 * y, 1);
  return !strcmp(a, b);
}

/* All values of `other` are those of `whole`. */
static void check_values(const struct gc_record *whole, const struct gc_record *other, const char *what)
{
  for (size_t e = 0; e < other->count; e++) {
    const struct gc_element *element = &other->elements[e];
    const struct gc_element *same = gc_record_find(whole, element->kind);

    assert_non_null(same);
    for (size_t i = 0; i < element->infos.count; i++) {
      const struct gc_info *info = &element->infos.array[i];
      const char *value = gc_infos_get(&same->infos, info->name);

      if (is_absent(info->value))
        continue;
      if (!value || !same_value(info->name, info->value, value))
        fail_msg("%s: %s of %s is %s, not %s", what, info->name, gc_kinds[element->kind].subtype,
                 info->value, value ? value : "(absent)");
    }
  }
}

/* One kernel after the other fails. The device does not work after that. */
static void only_dependent_values_are_lost(void **state)
{
  char tiny[TEXT_MAX], broken[TEXT_MAX], line[64];
  unsigned survived = 0;
  struct run whole;

  (void)state;
  read_profile("tests/tool/small", tiny);
  measure(tiny, &whole);
  assert_int_equal(whole.status, 0);
  assert_int_equal(whole.devices, 1);
  assert_int_equal(whole.failures, 0);
  for (size_t k = 0; k < KERNELS; k++) {
    struct run run;

    snprintf(line, sizeof(line), "broken = %s", kernels[k]);
    strcpy(broken, tiny);
    change(broken, line);
    measure(broken, &run);
    if (run.status) { /* almost nothing can be measured without this kernel */
      assert_int_equal(run.status, -EIO);
      assert_non_null(strstr(run.o.err.text, kernels[k]));
    } else {
      const unsigned lost = check_sources(whole.o.record, run.o.record, kernels[k]);

      /* after a failure of the last step no other device is needed; after the first failure, the
       * steps that one check covers run again */
      assert_in_range(run.devices, run.failures, 2 + run.failures);
      /* what a step would have reported may be absent without a failure, too */
      assert_true(run.failures || !lost);
      survived += run.failures > 0;
    }
    close_gpu(&run.o);
  }
  if (survived < 12)
    fail_msg("only %u kernels may fail without a failure of the measurement", survived);
  close_gpu(&whole.o);
}

struct loss {
  const char *kernel, *lost, *why;
  enum gc_kind kind;
};

/* Each broken kernel has the listed losses, and the other values are the same as without it. text:
 * a profile. */
static void check_losses(const char *text, const struct loss *cases, size_t n)
{
  char broken[TEXT_MAX], line[64];
  struct run whole, run;

  measure(text, &whole);
  for (size_t i = 0; i < n; i++) {
    const struct gc_element *element;
    const char *source;
    uint64_t failures;

    if (!i || strcmp(cases[i].kernel, cases[i - 1].kernel)) {
      if (i)
        close_gpu(&run.o);
      snprintf(line, sizeof(line), "broken = %s", cases[i].kernel);
      strcpy(broken, text);
      change(broken, line);
      measure(broken, &run);
      assert_int_equal(run.status, 0);
      check_sources(whole.o.record, run.o.record, cases[i].kernel);
      check_values(whole.o.record, run.o.record, cases[i].kernel);
    }
    assert_non_null(element = gc_record_find(run.o.record, cases[i].kind));
    if (!(source = gc_infos_get(&element->infos, cases[i].lost)))
      fail_msg("%s: no %s of %s", cases[i].kernel, cases[i].lost, gc_kinds[cases[i].kind].subtype);
    assert_memory_equal(source, cases[i].why, strlen(cases[i].why));
    assert_int_equal(gc_infos_get_u64(&run.o.record->infos, "MeasuringFailures", &failures), 0);
    assert_int_equal(failures, run.failures);
  }
  close_gpu(&run.o);
  close_gpu(&whole.o);
}

static void losses_on_nvidia_have_reasons(void **state)
{
  static const struct loss cases[] = {
    {"latency_texture", "LatencySource", "absent:cannot finish kernel latency_texture", GC_TEXTURE},
    {"read_shared", "WriteSource", "absent:cannot finish kernel read_shared", GC_SHARED_MEMORY},
    {"read_cg", "ReadSource", "absent:cannot finish kernel read_cg", GC_L2},
  };
  char text[TEXT_MAX];

  (void)state;
  read_profile("tests/tool/small", text);
  check_losses(text, cases, sizeof(cases) / sizeof(*cases));
}

/* Kernels that only AMD GPUs use. This one is an MI210 with nine CUs. */
static void losses_on_amd_have_reasons(void **state)
{
  static const char why[] = "absent:cannot finish kernel sharing_groups";
  static const struct loss cases[] = {
    {"write_shared", "WriteSource", "absent:cannot finish kernel write_shared", GC_LDS},
    {"sharing_groups", "InstancesSource", why, GC_SCALAR_L1},
    {"sharing_groups", "SharedByCUsSource", why, GC_SCALAR_L1},
  };
  char text[TEXT_MAX];

  (void)state;
  read_profile("data/sim/mi210", text);
  change(text, "sms = 9");
  change(text, "sm_ids = 0-1 3 4-5 6-7 8-9");
  replace(text, TEXT_MAX, "size = 8 MiB", "size = 1 MiB");
  check_losses(text, cases, sizeof(cases) / sizeof(*cases));
}

/* A handover that names a step after the end of the plan is refused. */
static void an_unknown_step_is_refused(void **state)
{
  struct gc_handover handover = {.next = gc_measure_steps()};
  const struct gc_measure_options options = {.handover = &handover};
  struct opened o;

  (void)state;
  open_gpu(&o, "h200");
  assert_int_equal(gc_measure(o.device, &options, o.record, &o.err), -EINVAL);
  close_gpu(&o);
}

static void too_many_failures_end_the_measurement(void **state)
{
  char broken[TEXT_MAX];
  struct run run;

  (void)state;
  read_profile("tests/tool/small", broken);
  change(broken, "broken = chase_ca");
  measure(broken, &run);
  assert_int_equal(run.status, -EIO);
  close_gpu(&run.o);
}

/* If no other process can continue, the first failure ends the measurement. */
static void without_handover_a_failure_ends_the_measurement(void **state)
{
  const struct gc_measure_options options = {0};
  char broken[TEXT_MAX];
  struct opened o;

  (void)state;
  read_profile("tests/tool/small", broken);
  change(broken, "broken = latency_texture");
  open_profile(&o, "%s", broken);
  assert_int_equal(gc_measure(o.device, &options, o.record, &o.err), -EIO);
  assert_non_null(strstr(o.err.text, "TextureCache latency: cannot finish kernel latency_texture"));
  close_gpu(&o);
}

static void small_gpus_have_values_or_reasons(void **state)
{
  static const char *const changes[][2] = {
    {"sms = 1"}, {"memory = 112 MiB", "sms = 2"}, {"memory = 113 MiB", "sms = 1"}, {"blocks_per_sm = 1"},
  };
  static const char *const names[] = {"tests/tool/small", "data/sim/k20c", "data/sim/p6000"};
  char text[TEXT_MAX], changed[TEXT_MAX];

  (void)state;
  for (size_t n = 0; n < sizeof(names) / sizeof(*names); n++) {
    struct run whole;

    read_profile(names[n], text);
    change(text, "sms = 4");
    measure(text, &whole);
    assert_int_equal(whole.status, 0);
    for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
      struct run run;
      char what[128];

      snprintf(what, sizeof(what), "%s with %s %s", names[n], changes[i][0],
               changes[i][1] ? changes[i][1] : "");
      strcpy(changed, text);
      for (size_t k = 0; k < 2 && changes[i][k]; k++)
        change(changed, changes[i][k]);
      measure(changed, &run);
      if (run.status || run.failures)
        fail_msg("%s: %d, %u steps failed: %s", what, run.status, run.failures, run.o.err.text);
      check_sources(whole.o.record, run.o.record, what);
      close_gpu(&run.o);
    }
    close_gpu(&whole.o);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(losses_on_nvidia_have_reasons),
    cmocka_unit_test(losses_on_amd_have_reasons),
    cmocka_unit_test(an_unknown_step_is_refused),
    cmocka_unit_test(only_dependent_values_are_lost),
    cmocka_unit_test(too_many_failures_end_the_measurement),
    cmocka_unit_test(without_handover_a_failure_ends_the_measurement),
    cmocka_unit_test(small_gpus_have_values_or_reasons),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
