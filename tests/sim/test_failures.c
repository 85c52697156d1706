/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * GPUs on which something does not work, or is too small for a method: whatever it is, every
 * property is told or absent with a reason, and what does not depend on it is told as if nothing
 * had been.
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "open.h"

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

  snprintf(path, sizeof(path), "%s/%s", source ? source : ".", name);
  assert_true(snprintf(text, TEXT_MAX, "%s", text_of(path)) < TEXT_MAX);
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
  struct opened o;
  int status;
  unsigned failures, devices; /* steps that failed; processes it would have taken */
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
  struct gc_measure_rest rest = {0};
  const struct gc_measure_options options = {.complain = note_failure, .data = seen, .rest = &rest};
  struct opened *o = &seen->o;

  *seen = (struct seen){0};
  open_form(o, "%s", text);
  for (;;) {
    seen->status = gc_measure(o->device, &options, o->record, &o->err);
    seen->devices++;
    if (seen->status || !rest.left || seen->devices == PROCESSES_MAX)
      return;
    reopen_device(o);
  }
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
  if (!strcmp(name, HWLOC_GPUCACHE_CENSUS_BYTES) || ends(name, "Cycles") || ends(name, "Ns") ||
      ends(name, "GBps") || ends(name, "PerCycle"))
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
      assert_non_null(strstr(seen.o.err.text, kernels[k]));
    } else {
      const unsigned lost = check_sources(whole.o.record, seen.o.record, kernels[k]);

      /* after the last step there is nothing left to do */
      assert_in_range(seen.devices, seen.failures, 1 + seen.failures);
      assert_true(!seen.failures == !lost);
      survived += seen.failures > 0;
    }
    close_gpu(&seen.o);
  }
  if (survived < 12)
    fail_msg("only %u kernels may fail", survived);
  close_gpu(&whole.o);
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

    if (!i || strcmp(cases[i].kernel, cases[i - 1].kernel)) {
      if (i)
        close_gpu(&seen.o);
      snprintf(line, sizeof(line), "broken = %s", cases[i].kernel);
      strcpy(broken, text);
      change(broken, line);
      measure(broken, &seen);
      assert_int_equal(seen.status, 0);
      check_sources(whole.o.record, seen.o.record, cases[i].kernel);
      check_values(whole.o.record, seen.o.record, cases[i].kernel);
    }
    assert_non_null(element = gc_record_find(seen.o.record, cases[i].kind));
    if (!(source = gc_infos_get(&element->infos, cases[i].lost)))
      fail_msg("%s: no %s of %s", cases[i].kernel, cases[i].lost, gc_kinds[cases[i].kind].subtype);
    assert_memory_equal(source, cases[i].why, strlen(cases[i].why));
    assert_int_equal(gc_infos_get_u64(&seen.o.record->infos, "MeasuringFailures", &failures), 0);
    assert_int_equal(failures, seen.failures);
  }
  close_gpu(&seen.o);
  close_gpu(&whole.o);
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
  struct opened o;

  (void)state;
  open_gpu(&o, "h200");
  assert_int_equal(gc_measure(o.device, &options, o.record, &o.err), -EINVAL);
  close_gpu(&o);
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
  close_gpu(&seen.o);
}

/* Without anybody to go on, all or nothing. */
static void all_or_nothing(void **state)
{
  const struct gc_measure_options options = {0};
  char broken[TEXT_MAX];
  struct opened o;

  (void)state;
  read_profile("tests/tool/tiny", broken);
  change(broken, "broken = latency_texture");
  open_form(&o, "%s", broken);
  assert_int_equal(gc_measure(o.device, &options, o.record, &o.err), -EIO);
  assert_non_null(strstr(o.err.text, "TextureCache latency: cannot finish kernel latency_texture"));
  close_gpu(&o);
}

static void small_ones_tell_or_say_why(void **state)
{
  static const char *const changes[][2] = {
    {"sms = 1"}, {"memory = 112 MiB", "sms = 2"}, {"memory = 113 MiB", "sms = 1"}, {"blocks_per_sm = 1"},
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
        fail_msg("%s: %d, %u steps failed: %s", what, seen.status, seen.failures, seen.o.err.text);
      check_sources(whole.o.record, seen.o.record, what);
      close_gpu(&seen.o);
    }
    close_gpu(&whole.o);
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
