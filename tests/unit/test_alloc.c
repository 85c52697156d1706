/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Every allocation of record and store fails once: the answer is -ENOMEM with a sentence, nothing
 * is leaked (the sanitizers and valgrind check that), and the stored record is still there. Linked
 * with --wrap, so libraries keep their memory.
 */
#include "failing.h"
#include "store.h"

#include "gpus/gpus.h"

/* Calls it with the first, second … allocation failing, until none fails. */
static unsigned long for_each_failure(int (*call)(struct gc_error *err))
{
  unsigned long before = failures;

  for (long n = 0;; n++) {
    unsigned long seen = failures;
    int status;

    until_failure = n;
    err.text[0] = '\0';
    status = call(&err);
    until_failure = -1;
    if (failures == seen) {
      assert_int_equal(status, 0);
      return failures - before;
    }
    assert_int_equal(status, -ENOMEM);
    assert_string_not_equal(err.text, "");
  }
}

static int read_it(struct gc_error *err)
{
  struct gc_record *record;
  int status = gc_record_read_xml(good, strlen(good), &record, err);

  if (!status)
    gc_record_free(record);
  return status;
}

static int find_it(struct gc_error *err)
{
  struct gc_record *record;
  int status = gc_store_find(&h200, &record, err);

  if (!status)
    gc_record_free(record);
  return status;
}

static void reading_survives_each_failure(void **state)
{
  (void)state;
  /* A record, its text, five elements, and an array of infos for each of them, which grows. */
  assert_true(for_each_failure(read_it) > 15);
}

static void the_store_survives_each_failure(void **state)
{
  (void)state;
  assert_int_equal(write_good(), 0);
  assert_true(for_each_failure(find_it) > 15);

  until_failure = 0;
  assert_int_equal(write_good(), -ENOMEM);
  until_failure = -1;
  assert_int_equal(find_it(&err), 0);
  assert_int_equal(gc_store_remove(h200.id, &err), 0);
  assert_int_equal(access(RECORD, F_OK), -1);
  /* Empty now: no temporary file is left. */
  assert_int_equal(rmdir("records"), 0);
}

/* AMD GPUs: the list, and the driver tables. */
static int list_them(struct gc_error *err)
{
  struct gc_gpus gpus;
  int status = gc_gpus_list(root, NULL, &gpus);

  for (size_t i = 0; !status && i < gpus.count; i++)
    status = gc_gpus_read_tables(root, &gpus.array[i]);
  if (!status)
    assert_non_null(gpus.array[0].tables);
  gc_gpus_free(&gpus);
  return status ? gc_fail(err, status, "out of memory") : 0;
}

static struct gc_record *known;

static int merge_it(struct gc_error *err)
{
  const long n = until_failure;
  struct gc_record *record;
  int status;

  until_failure = -1;
  record = gc_record_new(&h200);
  until_failure = n;
  status = gc_record_merge_tables(record, known);
  gc_record_free(record);
  return status ? gc_fail(err, status, "out of memory") : 0;
}

static void amd_gpus_survive_each_failure(void **state)
{
  struct gc_gpus gpus;

  (void)state;
  add_amd("mi100", 1, "0000:a7:00.0");
  assert_true(for_each_failure(list_them) > 50);
  assert_int_equal(gc_gpus_list(root, NULL, &gpus), 0);
  assert_int_equal(gc_gpus_read_tables(root, &gpus.array[0]), 0);
  known = gpus.array[0].tables;
  assert_true(for_each_failure(merge_it) > 20);
  gc_gpus_free(&gpus);
}

static int list_instances(struct gc_error *err)
{
  struct gc_gpus gpus;
  int status = gc_gpus_list(root, NULL, &gpus);

  gc_fail(err, status, "out of memory");
  if (!status) {
    gc_gpus_restrict(root, &gpus);
    assert_int_equal(gpus.count, 2);
    assert_int_equal(gpus.array[1].visibility, GC_VISIBLE);
  }
  gc_gpus_free(&gpus);
  return status;
}

static void mig_instances_survive_each_failure(void **state)
{
  (void)state;
  put("proc/driver/nvidia/gpus/0000:17:00.0/information",
      "GPU UUID: \t GPU-00000017-0000-0000-0000-000000000000\nDevice Minor: \t 0\n");
  put("proc/driver/nvidia/capabilities/gpu0/mig/gi1/ci0/access", "DeviceFileMinor: 11\n");
  setenv("CUDA_VISIBLE_DEVICES", "MIG-GPU-00000017-0000-0000-0000-000000000000/1/0", 1);
  assert_true(for_each_failure(list_instances) >= 2);
  unsetenv("CUDA_VISIBLE_DEVICES");
}

static void attributes_survive_each_failure(void **state)
{
  struct gc_infos infos = { NULL, 0 };

  (void)state;
  assert_int_equal(gc_infos_set(&infos, "a", "1"), 0);
  for (long n = 0; n < 3; n++) {
    until_failure = n;
    assert_int_equal(gc_infos_set(&infos, "b", "2"), -ENOMEM);
    until_failure = -1;
    assert_int_equal(infos.count, 1);
  }
  until_failure = 0;
  assert_int_equal(gc_infos_set(&infos, "a", "2"), -ENOMEM);
  until_failure = -1;
  assert_string_equal(gc_infos_get(&infos, "a"), "1");
  gc_infos_clear(&infos);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(attributes_survive_each_failure),
    cmocka_unit_test(reading_survives_each_failure),
    TEST(the_store_survives_each_failure),
    cmocka_unit_test_setup_teardown(amd_gpus_survive_each_failure, make_root, remove_root),
    cmocka_unit_test_setup_teardown(mig_instances_survive_each_failure, make_root, remove_root),
  };

  return cmocka_run_group_tests(tests, load_good, free_good);
}
