/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The number of caches in an SM is reported if two methods agree. A method that fails, or whose
 * result is unclear, does not agree.
 */
#include "measure/capacity/capacity.h"
#include "measure/topology/topology.h"

#include "open.h"

static unsigned failing; /* launches of the eviction test that fail */
static bool unclear;     /* its control launches have slow loads */
static unsigned touches; /* launches of the first-touch test */

static int launch(struct gc_device *device, const struct gc_launch *launch, struct gc_error *err)
{
  if (launch->kernel == GC_KERNEL_pair && failing) {
    failing--;
    return gc_fail(err, -EIO, "this launch fails");
  }
  touches += launch->kernel == GC_KERNEL_first_touch;
  return gc_device_sim.launch(device, launch, err);
}

/* If `unclear`: a quarter of the loads is slow before anything evicts lines. */
static int download(struct gc_device *device, void *to, uint64_t address, size_t bytes, struct gc_error *err)
{
  int status = gc_device_sim.download(device, to, address, bytes, err);
  struct gpu_pair_result *results = to;

  if (!status && unclear && bytes % sizeof(*results) == 0 && bytes > 0)
    for (size_t i = 0; i < bytes / sizeof(*results); i++)
      results[i].slow[GPU_PAIR_CONTROL] = 1000;
  return status;
}

static void open_with(struct opened *o, struct gc_device_ops *ops)
{
  failing = 0;
  unclear = false;
  *ops = gc_device_sim;
  ops->launch = launch;
  ops->download = download;
  open_gpu(o, "p6000"); /* two L1 in an SM */
  open_warm_bench(o);
  o->m.bench.ops = ops;
  run_step(o, gc_step_capacity, GC_L1);
  run_step(o, gc_step_capacity, GC_READ_ONLY);
}

static void both_methods_agree(void **state)
{
  const struct gc_element *element;
  struct gc_device_ops ops;
  struct opened o;

  (void)state;
  open_with(&o, &ops);
  touches = 0;
  element = run_step(&o, gc_step_instances, GC_L1);
  assert_int_equal(touches, 2); /* one launch is one witness, however many SMs it has */
  assert_string_equal(text(element, "PerSM"), "2");
  assert_string_equal(text(element, "Instances"), "60");
  close_gpu(&o);
}

/* A failed eviction test has no result, neither for this element nor for the next one. */
static void a_failed_test_is_run_again(void **state)
{
  const struct gc_element *element;
  struct gc_device_ops ops;
  struct opened o;

  (void)state;
  open_with(&o, &ops);
  failing = 1;
  assert_int_equal(gc_step_instances(&o.m, measured(&o, GC_L1)), -EIO);
  assert_int_equal(failing, 0);
  unclear = true; /* the next element's test is a new one, and sees this */
  element = run_step(&o, gc_step_instances, GC_READ_ONLY);
  assert_string_equal(text(element, "PerSM"), "");
  close_gpu(&o);
}

static void unclear_is_no_agreement(void **state)
{
  const struct gc_element *element;
  struct gc_device_ops ops;
  struct opened o;

  (void)state;
  open_with(&o, &ops);
  unclear = true;
  element = run_step(&o, gc_step_instances, GC_L1);
  assert_string_equal(text(element, "PerSM"), "");
  assert_string_equal(text(element, "Instances"), "");
  assert_memory_equal(text(element, "PerSMSource"), "absent:", 7);
  assert_memory_equal(text(element, "InstancesSource"), "absent:", 7);
  close_gpu(&o);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(both_methods_agree),
    cmocka_unit_test(a_failed_test_is_run_again),
    cmocka_unit_test(unclear_is_no_agreement),
  };

  return cmocka_run_group_tests_name("instances", tests, NULL, NULL);
}
