/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * GPUs on which something does not work, or is too small for a method: whatever it is, every
 * property is told or absent with a reason, and what does not depend on it is told as if nothing
 * had been.
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "device/device.h"
#include "measure/measure.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define TEXT_MAX 16384
#define PROCESSES_MAX 8

#define NAME(name, args) #name,
static const char *const kernels[] = {GPU_KERNELS(NAME)};
#undef NAME
#define KERNELS (sizeof(kernels) / sizeof(*kernels))

static void read_profile(const char *name, char text[TEXT_MAX])
{
  const char *source = getenv("top_srcdir");
  char path[512];
  size_t length;
  FILE *file;

  snprintf(path, sizeof(path), "%s/%s", source ? source : ".", name);
  file = fopen(path, "r");

  if (!file)
    fail_msg("cannot open %s", path);
  length = fread(text, 1, TEXT_MAX - 1, file);
  text[length] = '\0';
  fclose(file);
}

/* Puts this line in place of the one that begins with its key, or else in front. */
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

struct seen {
  struct gc_record *record;
  int status;
  unsigned failures, devices; /* steps that failed; processes it would have taken */
  char problem[512];
};

static void note_failure(void *data, const char *why)
{
  struct seen *seen = data;

  seen->failures += strstr(why, "; this is left out") != NULL;
}

/* As the tool does it, which takes another process for what is left; the simulator's failures end with
 * the device. */
static void measure(const char *text, struct seen *seen)
{
  char path[] = "/tmp/failing-XXXXXX";
  const int fd = mkstemp(path);
  struct gc_measure_rest rest = {0};
  const struct gc_measure_options options = {.complain = note_failure, .data = seen, .rest = &rest};
  struct gc_error err = {""};
  struct gc_gpus gpus;

  *seen = (struct seen){0};
  assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
  close(fd);
  assert_int_equal(gc_gpus_list("/nonexistent", path, &gpus), 0);
  if (*gpus.array[0].problem)
    fail_msg("%s", gpus.array[0].problem);
  assert_non_null(seen->record = gc_record_new(&gpus.array[0].identity));
  do {
    struct gc_device *device;

    if (gc_device_open(&gpus.array[0], &device, &err))
      fail_msg("%s", err.text);
    seen->status = gc_measure(device, &options, seen->record, &err);
    gc_ops(device)->close(device);
    seen->devices++;
  } while (!seen->status && rest.left && seen->devices < PROCESSES_MAX);
  snprintf(seen->problem, sizeof(seen->problem), "%s", err.text);
  gc_gpus_free(&gpus);
  unlink(path);
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

/* All properties that `whole` tells something about, `other` does too, if it has the element. Returns how
 * many are absent there only. */
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
        continue; /* there is none without a capacity */
      if (!source)
        fail_msg("%s: nothing told about %s of %s", what, name, gc_kinds[element->kind].subtype);
      lost += is_absent(source) && !is_absent(element->infos.array[i].value);
    }
  }
  return lost;
}

/* What varies with the noise: times, rates and samples, a little. */
static bool alike(const char *name, const char *a, const char *b)
{
  const double x = strtod(a, NULL), y = strtod(b, NULL);

  if (ends(name, HWLOC_GPUCACHE_CONFIDENCE_SUFFIX))
    return true;
  if (!strcmp(name, HWLOC_GPUCACHE_CENSUS_ERROR_BYTES))
    return true;
  if (!strcmp(name, HWLOC_GPUCACHE_CENSUS_BYTES) || ends(name, "Cycles") || ends(name, "Ns") || ends(name, "GBps") || ends(name, "PerCycle"))
    return fabs(x - y) <= fmax(0.02 * y, 1);
  return !strcmp(a, b);
}

/* Whatever is told, is told as in `whole`. */
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
      if (!value || !alike(info->name, info->value, value))
        fail_msg("%s: %s of %s is %s, not %s", what, info->name, gc_kinds[element->kind].subtype,
                 info->value, value ? value : "(absent)");
    }
  }
}


/* One kernel after the other fails, and takes the device with it. */
static void a_failure_costs_what_depends_on_it(void **state)
{
  char tiny[TEXT_MAX], broken[TEXT_MAX], line[64];
  unsigned survived = 0;
  struct seen whole;

  (void)state;
  read_profile("tests/tool/tiny", tiny);
  measure(tiny, &whole);
  assert_int_equal(whole.status, 0);
  assert_int_equal(whole.devices, 1);
  assert_int_equal(whole.failures, 0);
  for (size_t k = 0; k < KERNELS; k++) {
    struct seen seen;

    snprintf(line, sizeof(line), "broken = %s", kernels[k]);
    strcpy(broken, tiny);
    change(broken, line);
    measure(broken, &seen);
    if (seen.status) { /* nothing can be done without it, or next to nothing */
      assert_int_equal(seen.status, -EIO);
      assert_non_null(strstr(seen.problem, kernels[k]));
    } else {
      const unsigned lost = check_sources(whole.record, seen.record, kernels[k]);

      /* after the last step there is nothing left to do */
      assert_in_range(seen.devices, seen.failures, 1 + seen.failures);
      assert_true(!seen.failures == !lost);
      survived += seen.failures > 0;
    }
    gc_record_free(seen.record);
  }
  if (survived < 12)
    fail_msg("only %u kernels may fail", survived);
  gc_record_free(whole.record);
}

struct loss {
  const char *kernel, *lost, *why;
  enum gc_kind kind;
};

/* Each kernel that is broken costs what it says, and the other values are as without. */
static void losses_are_told(const char *profile, const struct loss *cases, size_t n)
{
  char text[TEXT_MAX], broken[TEXT_MAX], line[64];
  struct seen whole, seen;

  read_profile(profile, text);
  measure(text, &whole);
  for (size_t i = 0; i < n; i++) {
    const struct gc_element *element;
    const char *source;
    uint64_t failures;

    snprintf(line, sizeof(line), "broken = %s", cases[i].kernel);
    strcpy(broken, text);
    change(broken, line);
    measure(broken, &seen);
    assert_int_equal(seen.status, 0);
    check_sources(whole.record, seen.record, cases[i].kernel);
    check_values(whole.record, seen.record, cases[i].kernel);
    assert_non_null(element = gc_record_find(seen.record, cases[i].kind));
    if (!(source = gc_infos_get(&element->infos, cases[i].lost)))
      fail_msg("%s: no %s of %s", cases[i].kernel, cases[i].lost, gc_kinds[cases[i].kind].subtype);
    assert_memory_equal(source, cases[i].why, strlen(cases[i].why));
    assert_int_equal(gc_infos_get_u64(&seen.record->infos, "MeasuringFailures", &failures), 0);
    assert_int_equal(failures, seen.failures);
    gc_record_free(seen.record);
  }
  gc_record_free(whole.record);
}

static void what_does_not_depend_on_it_is_the_same(void **state)
{
  static const struct loss cases[] = {
    {"latency_texture", "LatencySource", "absent:cannot finish kernel latency_texture", GC_TEXTURE},
    {"read_shared", "WriteSource", "absent:cannot finish kernel read_shared", GC_SHARED_MEMORY},
    {"read_cg", "ReadSource", "absent:cannot finish kernel read_cg", GC_L2},
  };

  (void)state;
  losses_are_told("data/sim/gtx840m", cases, sizeof(cases) / sizeof(*cases));
}

/* What only AMD's GPUs have. */
static void so_it_is_on_amd(void **state)
{
  static const char why[] = "absent:cannot finish kernel mates";
  static const struct loss cases[] = {
    {"write_shared", "WriteSource", "absent:cannot finish kernel write_shared", GC_LDS},
    {"mates", "InstancesSource", why, GC_SCALAR_L1},
    {"mates", "SharedByCUsSource", why, GC_SCALAR_L1},
  };

  (void)state;
  losses_are_told("data/sim/mi210", cases, sizeof(cases) / sizeof(*cases));
}

/* A step that the plan does not have is none that could be left. */
static void there_is_such_a_step(void **state)
{
  struct gc_measure_rest rest = {.next = gc_measure_steps()};
  const struct gc_measure_options options = {.rest = &rest};
  struct gc_error err = {""};
  struct gc_device *device;
  struct gc_record *record;
  struct gc_gpus gpus;

  (void)state;
  assert_int_equal(gc_gpus_list("/nonexistent", "h200", &gpus), 0);
  assert_int_equal(gc_device_open(&gpus.array[0], &device, &err), 0);
  assert_non_null(record = gc_record_new(&gpus.array[0].identity));
  assert_int_equal(gc_measure(device, &options, record, &err), -EINVAL);
  gc_record_free(record);
  gc_ops(device)->close(device);
  gc_gpus_free(&gpus);
}

static void too_many_failures_are_one(void **state)
{
  char broken[TEXT_MAX];
  struct seen seen;

  (void)state;
  read_profile("tests/tool/tiny", broken);
  change(broken, "broken = chase_ca");
  measure(broken, &seen);
  assert_int_equal(seen.status, -EIO);
  gc_record_free(seen.record);
}

/* Without anybody to go on, all or nothing. */
static void all_or_nothing(void **state)
{
  const struct gc_measure_options options = {0};
  char path[] = "/tmp/failing-XXXXXX", broken[TEXT_MAX];
  const int fd = mkstemp(path);
  struct gc_error err = {""};
  struct gc_device *device;
  struct gc_record *record;
  struct gc_gpus gpus;

  (void)state;
  read_profile("tests/tool/tiny", broken);
  change(broken, "broken = latency_texture");
  assert_true(write(fd, broken, strlen(broken)) == (ssize_t)strlen(broken));
  close(fd);
  assert_int_equal(gc_gpus_list("/nonexistent", path, &gpus), 0);
  assert_int_equal(gc_device_open(&gpus.array[0], &device, &err), 0);
  assert_non_null(record = gc_record_new(&gpus.array[0].identity));
  assert_int_equal(gc_measure(device, &options, record, &err), -EIO);
  assert_non_null(strstr(err.text, "TextureCache latency: cannot finish kernel latency_texture"));
  gc_record_free(record);
  gc_ops(device)->close(device);
  gc_gpus_free(&gpus);
  unlink(path);
}

static void small_ones_tell_or_say_why(void **state)
{
  static const char *const changes[][2] = {
    {"sms = 1"}, {"memory = 64 MiB", "sms = 2"}, {"memory = 65 MiB", "sms = 1"}, {"blocks_per_sm = 1"},
  };
  static const char *const names[] = {"tests/tool/tiny", "data/sim/k20c", "data/sim/p6000"};
  char text[TEXT_MAX], changed[TEXT_MAX];

  (void)state;
  for (size_t n = 0; n < sizeof(names) / sizeof(*names); n++) {
    struct seen whole;

    read_profile(names[n], text);
    measure(text, &whole);
    assert_int_equal(whole.status, 0);
    for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
      struct seen seen;
      char what[128];

      snprintf(what, sizeof(what), "%s with %s %s", names[n], changes[i][0],
               changes[i][1] ? changes[i][1] : "");
      strcpy(changed, text);
      for (size_t k = 0; k < 2 && changes[i][k]; k++)
        change(changed, changes[i][k]);
      measure(changed, &seen);
      if (seen.status || seen.failures)
        fail_msg("%s: %d, %u steps failed: %s", what, seen.status, seen.failures, seen.problem);
      check_sources(whole.record, seen.record, what);
      gc_record_free(seen.record);
    }
    gc_record_free(whole.record);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_does_not_depend_on_it_is_the_same),
    cmocka_unit_test(so_it_is_on_amd),
    cmocka_unit_test(there_is_such_a_step),
    cmocka_unit_test(a_failure_costs_what_depends_on_it),
    cmocka_unit_test(too_many_failures_are_one),
    cmocka_unit_test(all_or_nothing),
    cmocka_unit_test(small_ones_tell_or_say_why),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
