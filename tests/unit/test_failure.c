/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Notes of failed measurements: when they are valid.
 */
#include "store.h"

#define NOTE "records/" ID ".failed"
#define SENTENCE "libamdhip64.so cannot be found"

static int remember(const char *why, enum gc_failure_kind kind)
{
  err.text[0] = '\0';
  return gc_store_remember_failure(&h200, gc_store_environment(), why, kind, &err);
}

static int find_failure(struct gc_failure *failure)
{
  return gc_store_find_failure(&h200, gc_store_environment(), failure);
}

/* Replaces the first `from` in the note. */
static void edit_note(const char *from, const char *to)
{
  char *text = get(NOTE), *edited = replaced(text, from, to);

  put(NOTE, edited);
  free(edited);
  free(text);
}

/* Makes the note older by so many seconds. */
static void age_note(long seconds)
{
  struct gc_failure failure;
  char then[64];
  time_t when;
  struct tm tm;

  assert_int_equal(find_failure(&failure), 0);
  when = failure.when - seconds;
  strftime(then, sizeof(then), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&when, &tm));
  edit_note(failure.since, then);
}

static void a_failure_is_remembered_until_it_is_over(void **state)
{
  struct gc_failure failure;
  struct stat st;

  (void)state;
  assert_int_equal(find_failure(&failure), -ENOENT);
  assert_int_equal(remember(SENTENCE, GC_FAILURE_LASTS), 0);
  assert_int_equal(find_failure(&failure), 0);
  assert_string_equal(failure.why, SENTENCE);
  assert_true(failure.kind == GC_FAILURE_LASTS);
  assert_true(labs((long)(time(NULL) - failure.when)) < 100);
  assert_int_equal(strlen(failure.since), strlen("2026-11-21T04:07:16Z"));
  assert_int_equal(stat(NOTE, &st), 0);
  assert_int_equal(st.st_mode & 07777, 0600);
  assert_int_equal(files("records", "", NULL), 1); /* nothing else was left */
  /* the last one is valid */
  assert_int_equal(remember("the GPU is busy", GC_FAILURE_PASSES), 0);
  assert_int_equal(find_failure(&failure), 0);
  assert_string_equal(failure.why, "the GPU is busy");
  assert_true(failure.kind == GC_FAILURE_PASSES);
  /* it is not a record */
  expect_find(-ENOENT, "no record");
  /* a record removes it */
  assert_int_equal(write_good(), 0);
  assert_int_equal(find_failure(&failure), -ENOENT);
  assert_int_equal(files("records", ".failed", NULL), 0);
  assert_int_equal(gc_store_remove(ID, &err), 0);
  assert_int_equal(remember(SENTENCE, GC_FAILURE_LASTS), 0);
  assert_int_equal(gc_store_forget_failure(ID, &err), 0);
  assert_int_equal(gc_store_forget_failure(ID, &err), -ENOENT);
  assert_int_equal(find_failure(&failure), -ENOENT);
}

static void a_failure_counts_for_what_it_was_seen_with(void **state)
{
  static const char *const variables[] = { "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES",
                                           "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES",
                                           "GPU_DEVICE_ORDINAL", "HSA_OVERRIDE_GFX_VERSION",
                                           "HWLOC_GPUCACHE_TIMEOUT" };
  struct gc_failure failure;
  struct gc_identity other;
  uint64_t environment;

  (void)state;
  for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++)
    unsetenv(variables[i]);
  environment = gc_store_environment();
  assert_int_equal(remember(SENTENCE, GC_FAILURE_LASTS), 0);
#define DIFFERS(member)                                                                            \
  other = h200;                                                                                    \
  strcpy(other.member, "x");                                                                       \
  assert_int_equal(gc_store_find_failure(&other, environment, &failure), -ENOENT)
  DIFFERS(id);
  DIFFERS(driver);
  DIFFERS(vbios);
  DIFFERS(mig);
#undef DIFFERS
  other = h200;
  strcpy(other.model, "what it is called does not matter");
  assert_int_equal(gc_store_find_failure(&other, environment, &failure), 0);
  for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++) {
    setenv(variables[i], "", 1);
    assert_int_equal(find_failure(&failure), -ENOENT);
    setenv(variables[i], "1", 1);
    assert_int_equal(find_failure(&failure), -ENOENT);
    unsetenv(variables[i]);
    assert_int_equal(find_failure(&failure), 0);
  }
  edit_note("\nmethod: ", "\nmethod: 0");
  assert_int_equal(find_failure(&failure), -ENOENT);
  assert_int_equal(remember(SENTENCE, GC_FAILURE_LASTS), 0);
  edit_note("\nprogram: ", "\nprogram: 0");
  assert_int_equal(find_failure(&failure), -ENOENT);
}

/* Another root directory means another container; access to a device may be granted or refused. */
/* Ranks of a job see different GPUs: their notes do not replace each other. */
static void each_set_of_conditions_has_its_note(void **state)
{
  struct gc_failure failure;
  struct stat st;

  (void)state;
  for (uint64_t i = 0; i < 12; i++)
    assert_int_equal(gc_store_remember_failure(&h200, i, i % 2 ? "odd" : "even",
                                               GC_FAILURE_PASSES, &err), 0);
  for (uint64_t i = 0; i < 12; i++) {
    assert_int_equal(gc_store_find_failure(&h200, i, &failure), 0);
    assert_string_equal(failure.why, i % 2 ? "odd" : "even");
  }
  /* one that is written again replaces its own */
  assert_int_equal(gc_store_remember_failure(&h200, 3, "again", GC_FAILURE_PASSES, &err), 0);
  assert_int_equal(gc_store_find_failure(&h200, 3, &failure), 0);
  assert_string_equal(failure.why, "again");
  assert_int_equal(gc_store_find_failure(&h200, 4, &failure), 0);
  /* bounded: the oldest are dropped */
  for (uint64_t i = 100; i < 200; i++)
    assert_int_equal(gc_store_remember_failure(&h200, i, "many", GC_FAILURE_PASSES, &err), 0);
  assert_int_equal(gc_store_find_failure(&h200, 4, &failure), -ENOENT);
  assert_int_equal(gc_store_find_failure(&h200, 185, &failure), 0);
  assert_int_equal(gc_store_find_failure(&h200, 199, &failure), 0);
  assert_int_equal(stat(NOTE, &st), 0);
  assert_true(st.st_size < 64 * 1024);
}

static void a_failure_counts_for_where_it_was_seen(void **state)
{
  const uint64_t refused = gc_store_hash_place(1, ".", "device");
  uint64_t granted;

  (void)state;
  put("device", "");
  granted = gc_store_hash_place(1, ".", "device");
  assert_true(granted != refused);
  assert_true(granted == gc_store_hash_place(1, ".", "device"));
  assert_int_equal(mkdir("other", 0700), 0);
  assert_true(granted != gc_store_hash_place(1, "other", "device"));
  assert_true(granted != gc_store_hash_place(2, ".", "device"));
  assert_int_equal(unlink("device"), 0);
  assert_true(refused == gc_store_hash_place(1, ".", "device"));
}

static void a_failure_is_valid_for_some_time(void **state)
{
  static const struct {
    enum gc_failure_kind kind;
    long age;
    int status;
  } cases[] = {
    { GC_FAILURE_PASSES, GC_PASSING_FAILURE_SECONDS - 60, 0 },
    { GC_FAILURE_PASSES, GC_PASSING_FAILURE_SECONDS + 1, -ENOENT },
    { GC_FAILURE_LASTS, GC_PASSING_FAILURE_SECONDS + 1, 0 },
    { GC_FAILURE_LASTS, GC_FAILURE_SECONDS - 60, 0 },
    { GC_FAILURE_LASTS, GC_FAILURE_SECONDS + 1, -ENOENT },
    { GC_FAILURE_LASTS, -10, 0 },         /* from a machine with a clock that is a little ahead */
    { GC_FAILURE_LASTS, -3600, -ENOENT }, /* the clock was set back */
  };
  struct gc_failure failure;

  (void)state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    assert_int_equal(remember(SENTENCE, cases[i].kind), 0);
    age_note(cases[i].age);
    if (find_failure(&failure) != cases[i].status)
      fail_msg("case %zu: %d", i, find_failure(&failure));
  }
}

static void expect_seconds(enum gc_failure_kind kind, long seconds)
{
  struct gc_failure failure;
  int status;

  assert_int_equal(remember(SENTENCE, kind), 0);
  status = find_failure(&failure);
  assert_int_equal(status, seconds ? 0 : -ENOENT);
  if (!status)
    assert_int_equal(failure.seconds, seconds);
}

/* Makes the note so old that it is not valid any more. */
static void outlive(long seconds)
{
  struct gc_failure failure;

  assert_int_equal(find_failure(&failure), 0);
  age_note(failure.seconds + seconds);
  assert_int_equal(find_failure(&failure), -ENOENT);
}

static void repeated_failures_count_longer(void **state)
{
  long seconds = GC_PASSING_FAILURE_SECONDS;

  (void)state;
  for (int i = 0; i < 12; i++) {
    expect_seconds(GC_FAILURE_PASSES, seconds);
    /* others fail at the same time, or a user tries again */
    expect_seconds(GC_FAILURE_PASSES, seconds);
    expect_seconds(GC_FAILURE_HELD, seconds);
    outlive(1);
    seconds = 2 * seconds < GC_FAILURE_SECONDS ? 2 * seconds : GC_FAILURE_SECONDS;
  }
  assert_int_equal(seconds, GC_FAILURE_SECONDS);
  /* it went well for a day: nobody tried, or another version was used */
  expect_seconds(GC_FAILURE_PASSES, GC_FAILURE_SECONDS);
  outlive(GC_FAILURE_SECONDS + 1);
  expect_seconds(GC_FAILURE_PASSES, GC_PASSING_FAILURE_SECONDS);
  /* a record resets it */
  outlive(1);
  expect_seconds(GC_FAILURE_PASSES, 2 * GC_PASSING_FAILURE_SECONDS);
  assert_int_equal(write_good(), 0);
  assert_int_equal(gc_store_remove(ID, &err), 0);
  expect_seconds(GC_FAILURE_PASSES, GC_PASSING_FAILURE_SECONDS);
  expect_seconds(GC_FAILURE_LASTS, GC_FAILURE_SECONDS);
  expect_seconds(GC_FAILURE_PASSES, GC_PASSING_FAILURE_SECONDS);
}

/* Another process can measure at once; a kill that is repeated may come from the kernel, because
 * memory runs out. */
static void one_kill_does_not_count(void **state)
{
  (void)state;
  expect_seconds(GC_FAILURE_KILLED, 0);
  expect_seconds(GC_FAILURE_KILLED, GC_PASSING_FAILURE_SECONDS);
  outlive(1);
  expect_seconds(GC_FAILURE_KILLED, 2 * GC_PASSING_FAILURE_SECONDS);
  assert_int_equal(write_good(), 0);
  assert_int_equal(gc_store_remove(ID, &err), 0);
  expect_seconds(GC_FAILURE_KILLED, 0);
}

static void what_is_no_note_is_none(void **state)
{
  static const struct {
    const char *from, *to;
  } edits[] = {
    { "hwloc-gpucache", "hwloc" }, { "failure 2", "failure 3" },   { "since: 2", "since: x" },
    { "Z\nkind", "\nkind" }, { "kind: ", "kind: x" },    { "why: ", "who: " },
    { "seconds: 86400", "seconds: 86401" }, { "seconds: ", "seconds: 18446744073709551616" },
    { "seconds: ", "seconds: -" },
    { "why: ", "\nwhy: " },        { "why: ", "why" },             { "driver: ", "drover: " },
    { SENTENCE "\n", SENTENCE },   { SENTENCE, SENTENCE "\nmore" },
  };
  struct gc_failure failure;
  char big[5000];

  (void)state;
  for (size_t i = 0; i < sizeof(edits) / sizeof(*edits); i++) {
    assert_int_equal(remember(SENTENCE, GC_FAILURE_LASTS), 0);
    assert_int_equal(find_failure(&failure), 0);
    edit_note(edits[i].from, edits[i].to);
    if (!find_failure(&failure))
      fail_msg("with %s for %s it still counts", edits[i].to, edits[i].from);
  }
  put(NOTE, "");
  assert_int_equal(find_failure(&failure), -ENOENT);
  memset(big, 'x', sizeof(big));
  big[sizeof(big) - 1] = '\0';
  put(NOTE, big);
  assert_int_equal(find_failure(&failure), -ENOENT);
  /* a sentence is one line of limited length */
  assert_int_equal(remember("two\nlines\ttwo", GC_FAILURE_LASTS), 0);
  assert_int_equal(find_failure(&failure), 0);
  assert_string_equal(failure.why, "two lines two");
  assert_int_equal(remember(big, GC_FAILURE_LASTS), -E2BIG);
  assert_int_equal(find_failure(&failure), 0); /* the earlier note stays */
  big[2000] = '\0';
  assert_int_equal(remember(big, GC_FAILURE_LASTS), 0);
  assert_int_equal(find_failure(&failure), 0);
  assert_int_equal(strlen(failure.why), sizeof(failure.why) - 1);
}

static void a_note_is_trusted_as_a_record_is(void **state)
{
  struct gc_failure failure;
  char *text;

  (void)state;
  assert_int_equal(remember(SENTENCE, GC_FAILURE_LASTS), 0);
  assert_int_equal(chmod(NOTE, 0620), 0);
  assert_int_equal(find_failure(&failure), -ENOENT);
  assert_int_equal(chmod(NOTE, 0600), 0);
  assert_int_equal(find_failure(&failure), 0);
  assert_int_equal(rename(NOTE, "elsewhere"), 0);
  assert_int_equal(symlink("../elsewhere", NOTE), 0);
  assert_int_equal(find_failure(&failure), -ENOENT);
  assert_int_equal(remember("another one", GC_FAILURE_LASTS), 0); /* replaces the link, not its target */
  text = get("elsewhere");
  assert_non_null(strstr(text, SENTENCE));
  free(text);
  assert_int_equal(find_failure(&failure), 0);
  assert_string_equal(failure.why, "another one");
  assert_int_equal(unlink(NOTE), 0);
  assert_int_equal(mkfifo(NOTE, 0600), 0);
  assert_int_equal(find_failure(&failure), -ENOENT); /* at once */
  assert_int_equal(unlink(NOTE), 0);
  assert_int_equal(mkdir(NOTE, 0700), 0);
  assert_int_equal(remember(SENTENCE, GC_FAILURE_LASTS), -EISDIR);
  assert_non_null(strstr(err.text, ".failed"));
  assert_int_equal(files("records", "", NULL), 1); /* no temporary file stays */
  assert_int_equal(rmdir(NOTE), 0);
  assert_int_equal(chmod("records", 0777), 0);
  assert_int_equal(remember(SENTENCE, GC_FAILURE_LASTS), -EACCES);
  assert_int_equal(chmod("records", 0700), 0);
}

/* A process that was killed late writes its note after another one has stored the record. A load
 * measures only if the record is provisional, and only then needs the note. */
static void a_note_beside_a_record_is_removed(void **state)
{
  char *provisional = replaced(good, "GPUCacheSMs\" value=\"132",
                               "GPUCacheSMs\" value=\"5\"/>\n<info name=\"GPUCacheProvisional\" "
                               "value=\"too hot");
  char *stale = replaced(good, "580.95.05", "570.1");
  struct gc_failure failure;

  (void)state;
  assert_int_equal(write_good(), 0);
  assert_int_equal(remember("killed by signal 9", GC_FAILURE_KILLED), 0);
  assert_int_equal(remember(SENTENCE, GC_FAILURE_PASSES), 0);
  assert_false(gc_store_has_failure(ID));
  put(RECORD, provisional);
  assert_int_equal(remember(SENTENCE, GC_FAILURE_PASSES), 0);
  assert_int_equal(find_failure(&failure), 0);
  put(RECORD, stale);
  assert_int_equal(remember(SENTENCE, GC_FAILURE_PASSES), 0);
  assert_int_equal(find_failure(&failure), 0);
  free(stale);
  free(provisional);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    TEST(a_failure_is_remembered_until_it_is_over),
    TEST(a_failure_counts_for_what_it_was_seen_with),
    TEST(each_set_of_conditions_has_its_note),
    TEST(a_failure_counts_for_where_it_was_seen),
    TEST(a_failure_is_valid_for_some_time),
    TEST(repeated_failures_count_longer),
    TEST(one_kill_does_not_count),
    TEST(what_is_no_note_is_none),
    TEST(a_note_is_trusted_as_a_record_is),
    TEST(a_note_beside_a_record_is_removed),
  };

  return cmocka_run_group_tests(tests, load_good, free_good);
}
