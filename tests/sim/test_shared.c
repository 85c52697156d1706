/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The capacity of shared memory is the number that the interface states. It is withheld if a block
 * that asks for as much as it may does not start, or does not read back what it wrote.
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "measure/capacity/capacity.h"

#include "open.h"

struct run {
  struct opened o;
  struct gc_device_ops ops; /* of the bench; tests replace some functions */
};

static uint32_t launched_bytes; /* the most shared memory that a launch has asked for */

static int set_up(void **state)
{
  struct run *run = calloc(1, sizeof(*run));

  assert_non_null(run);
  open_gpu(&run->o, "h200");
  open_bench(&run->o);
  run->ops = *run->o.m.bench.ops;
  run->o.m.bench.ops = &run->ops;
  *state = run;
  return 0;
}

static int tear_down(void **state)
{
  struct run *run = *state;

  run->o.m.bench.ops = gc_ops(run->o.device);
  close_gpu(&run->o);
  free(run);
  return 0;
}

static const struct gc_infos *measure(struct run *run)
{
  const struct gc_element *element = run_step(&run->o, gc_step_interface, GC_SHARED_MEMORY);

  assert_string_equal(gc_infos_get(&element->infos, "NominalSource"), "api");
  assert_string_equal(gc_infos_get(&element->infos, HWLOC_GPUCACHE_NOMINAL_BYTES), "233472");
  assert_string_equal(gc_infos_get(&element->infos, "PerSMSource"), "api");
  return &element->infos;
}

static void assert_withheld(const struct gc_infos *infos, const char *why)
{
  const char *source = gc_infos_get(infos, "CapacitySource");

  assert_null(gc_infos_get(infos, HWLOC_GPUCACHE_CAPACITY_BYTES));
  if (!source || strncmp(source, "absent:", 7) || !strstr(source, why))
    fail_msg("'%s' does not contain '%s'", source ? source : "-", why);
}

static int note_launch(struct gc_device *device, const struct gc_launch *launch,
                       struct gc_error *err)
{
  if (launched_bytes < launch->shared_bytes)
    launched_bytes = launch->shared_bytes;
  return gc_device_sim.launch(device, launch, err);
}

static void reported_if_a_block_can_use_it(void **state)
{
  struct run *run = *state;
  const struct gc_infos *infos;

  run->ops.launch = note_launch;
  infos = measure(run);
  assert_int_equal(launched_bytes, run->o.m.bench.properties.shared_per_block);
  assert_string_equal(gc_infos_get(infos, HWLOC_GPUCACHE_CAPACITY_BYTES), "233472");
  assert_string_equal(gc_infos_get(infos, "CapacitySource"), "api");
}

static int refuse_launch(struct gc_device *device, const struct gc_launch *launch,
                         struct gc_error *err)
{
  (void)device;
  return gc_fail(err, -EINVAL, "too much for %u blocks", launch->blocks);
}

static void withheld_if_no_block_starts(void **state)
{
  struct run *run = *state;

  run->ops.launch = refuse_launch;
  assert_withheld(measure(run), "no block could use 232448 bytes of it: too much for 1 blocks");
}

/* Only half of the memory exists, and each address in one half is the same word as in the other.
 * The first slot then leads into the upper half, and the ring never leaves it. */
static int launch_half(struct gc_device *device, const struct gc_launch *launch,
                       struct gc_error *err)
{
  struct gc_launch half = *launch;
  struct gpu_latency_args args;

  if (launch->kernel != GC_KERNEL_latency_shared)
    return gc_device_sim.launch(device, launch, err);
  memcpy(&args, launch->args, sizeof(args));
  args.start = args.shared_count / 2 * args.shared_stride;
  half.args = &args;
  return gc_device_sim.launch(device, &half, err);
}

static void withheld_if_a_block_does_not_read_back_what_it_wrote(void **state)
{
  struct run *run = *state;

  run->ops.launch = launch_half;
  assert_withheld(measure(run), "was not there afterwards");
}

static int out_of_memory(struct gc_device *device, const struct gc_launch *launch,
                         struct gc_error *err)
{
  (void)device;
  (void)launch;
  return gc_fail(err, -ENOMEM, "out of memory");
}

/* A launch that fails for another reason proves nothing about shared memory. */
static void other_failures_are_failures(void **state)
{
  struct run *run = *state;

  run->ops.launch = out_of_memory;
  assert_int_equal(gc_step_interface(&run->o.m, measured(&run->o, GC_SHARED_MEMORY)), -ENOMEM);
  assert_string_equal(run->o.err.text, "out of memory");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
    TEST(reported_if_a_block_can_use_it),
    TEST(withheld_if_no_block_starts),
    TEST(withheld_if_a_block_does_not_read_back_what_it_wrote),
    TEST(other_failures_are_failures),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
