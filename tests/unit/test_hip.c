/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The HIP back end with an open GPU: its calls and their order, what the kernels receive, and that
 * every failing function gives a status and a message.
 */
#define _GNU_SOURCE
#include "hip.h"

#include <sys/mman.h>
#include <unistd.h>

static void reads_properties(void **state)
{
  struct fixture *f = fixture_of(state);
  struct gc_properties p;

  must_open(f);
  assert_int_equal(f->ops->properties(f->device, &p, &f->err), 0);
  assert_string_equal(p.model, "Stand-in Instinct");
  assert_int_equal(p.sms, CUS);
  assert_int_equal(p.warp, 64);
  assert_int_equal(p.clock_khz, 1700000);
  assert_int_equal(p.memory_clock_khz, 1600000);
  assert_int_equal(p.memory_bus_bits, 4096);
  assert_int_equal(p.memory_bytes, 68702699520);
  assert_int_equal(p.l2_bytes, 8 << 20);
  assert_int_equal(p.shared_per_sm, 65536);
  assert_int_equal(p.shared_per_block, 65536);
  assert_int_equal(p.threads_per_sm, 2048);
  assert_int_equal(p.compute_major, 0);
  assert_int_equal(p.cores_per_sm, 64);
  assert_int_equal(p.transfers_per_clock, 0); /* HIP does not report the kind of memory */
  assert_true(p.has_lds && p.l2_per_xcd && p.global_l1 && p.local_l1 && p.has_scalar && p.ecc);
  assert_false(p.has_texture || p.has_constant || p.has_read_only || p.has_gpcs || p.integrated ||
               p.simulated);

  f->fake->integrated = 1;
  assert_int_equal(f->ops->properties(f->device, &p, &f->err), 0);
  assert_true(p.integrated);
}

/* On RDNA HIP counts pairs of CUs; the kernel driver counts CUs. */
static void counts_cus_as_the_kernel_driver_does(void **state)
{
  struct fixture *f = fixture_of(state);
  struct gc_properties p;

  f->fake->counts_pairs = 1;
  *f->fake->model = '\0';
  must_open(f);
  assert_int_equal(f->ops->properties(f->device, &p, &f->err), 0);
  assert_int_equal(p.sms, CUS / 2);
  assert_string_equal(p.model, "as sysfs calls it");
  close_device(f);

  f->gpu.tables = gc_record_new(&f->gpu.identity);
  assert_non_null(f->gpu.tables);
  assert_int_equal(gc_infos_set_u64(&f->gpu.tables->infos, "SMs", CUS), 0);
  assert_int_equal(gc_infos_set_u64(&f->gpu.tables->infos, "ThreadsPerSM", 1024), 0);
  must_open(f);
  assert_int_equal(f->ops->properties(f->device, &p, &f->err), 0);
  assert_int_equal(p.sms, CUS);
  assert_int_equal(p.threads_per_sm, 1024);
}

static void sets_the_wall_clock(void **state)
{
  static const struct {
    int khz;
    unsigned int nanoseconds, fraction;
  } clocks[] = {{25000, 40, 0}, {27000, 37, 159072862}, {1000000, 1, 0},
                {100000, 0, 0}, {0, 0, 0}}; /* the default of the kernels, and unknown: unchanged */
  struct fixture *f = fixture_of(state);

  for (size_t i = 0; i < sizeof(clocks) / sizeof(*clocks); i++) {
    f->fake->wall_clock_khz = clocks[i].khz;
    memset(f->fake->tick, 0, sizeof(f->fake->tick));
    must_open(f);
    assert_int_equal(f->fake->tick[0], clocks[i].nanoseconds);
    assert_int_equal(f->fake->tick[1], clocks[i].fraction);
    close_device(f);
  }
}

#define SLOTS 64

/* Writes a ring with the kernel `fill` and downloads it. */
static int lay_ring(struct fixture *f, uint64_t address, uint64_t ring[SLOTS])
{
  const struct gpu_fill_args args = {.base = address, .count = SLOTS, .stride = 8, .multiplier = 1,
                                     .first = address, .step = 8, .slot_bytes = 8};
  const struct gc_launch launch = {GC_KERNEL_fill, 2, 64, 0, &args, sizeof(args), 0};
  int status = f->ops->launch(f->device, &launch, &f->err);

  if (!status)
    status = f->ops->wait(f->device, &f->err);
  return status ? status : f->ops->download(f->device, ring, address, SLOTS * 8, &f->err);
}

/* A kernel writes to the address in its arguments. */
static void kernels_work(void **state)
{
  struct fixture *f = fixture_of(state);
  uint64_t address, ring[SLOTS];

  must_open(f);
  assert_int_equal(f->ops->alloc(f->device, sizeof(ring), &address, &f->err), 0);
  assert_int_equal(lay_ring(f, address, ring), 0);
  for (int i = 0; i < SLOTS; i++)
    assert_int_equal(ring[i], address + 8 * (uint64_t)((i + 1) % SLOTS));
  assert_string_equal(f->fake->function, "gpu_fill");
  assert_int_equal(f->fake->grid, 2);
  assert_int_equal(f->fake->block, 64);
  assert_int_equal(f->fake->parameter_bytes, sizeof(struct gpu_fill_args));
  assert_int_equal(f->ops->clear(f->device, address, sizeof(ring), &f->err), 0);
  assert_int_equal(f->ops->download(f->device, ring, address, sizeof(ring), &f->err), 0);
  for (int i = 0; i < SLOTS; i++)
    assert_int_equal(ring[i], 0);
  assert_int_equal(f->ops->upload(f->device, address, "eight b", 8, &f->err), 0);
  assert_int_equal(f->ops->download(f->device, ring, address, 8, &f->err), 0);
  assert_string_equal((char *)ring, "eight b");
  f->ops->release(f->device, address);
  f->ops->release(f->device, 0);
  assert_int_equal(f->ops->counts(f->device)->launches, 1);
}

static void each_block_has_a_cu_where_there_are_enough(void **state)
{
  const struct gpu_clock_args args = {.nanoseconds = 1};
  struct fixture *f = fixture_of(state);
  struct gc_launch launch = {GC_KERNEL_clock, CUS, 64, 1000, &args, sizeof(args), 0};
  struct gpu_clock_args moved = args;

  must_open(f);
  assert_int_equal(f->ops->alloc(f->device, 4096, &moved.result, &f->err), 0);
  launch.args = &moved;
  assert_int_equal(f->ops->launch(f->device, &launch, &f->err), 0);
  assert_int_equal(f->fake->shared, 65536);
  launch.blocks++;
  assert_int_equal(f->ops->launch(f->device, &launch, &f->err), 0);
  assert_int_equal(f->fake->shared, 1000);
  launch.cluster = 2;
  assert_int_equal(f->ops->launch(f->device, &launch, &f->err), -ENOTSUP);
  says(f, "gpu3 has no clusters");
  f->ops->release(f->device, moved.result);
}

static void checks_arguments(void **state)
{
  const struct gpu_clock_args args = {.nanoseconds = 1};
  struct fixture *f = fixture_of(state);
  struct gc_launch launch = {GC_KERNEL_clock, 1, 64, 0, &args, sizeof(args) - 1, 0};

  must_open(f);
  assert_int_equal(f->ops->launch(f->device, &launch, &f->err), -EINVAL);
  says(f, "kernel clock takes 16 bytes of arguments, not 15");
  assert_int_equal(f->fake->launches, 0);
}

static void says_what_amd_gpus_lack(void **state)
{
  struct fixture *f = fixture_of(state);
  const struct gc_launch launch = {.kernel = GC_KERNEL_chase_texture, .blocks = 1, .threads = 64};
  const uint32_t copy = 0;
  uint64_t texture = 1;

  must_open(f);
  assert_int_equal(f->ops->texture(f->device, 4096, 4096, &texture, &f->err), -ENOTSUP);
  says(f, "gpu3 is an AMD GPU and has no texture cache");
  assert_int_equal(texture, 0);
  assert_int_equal(f->ops->wide_texture(f->device, 4096, 4096, &texture, &f->err), -ENOTSUP);
  f->ops->release_texture(f->device, 0);
  assert_int_equal(f->ops->upload_constant(f->device, 0, "", 1, &f->err), -ENOTSUP);
  says(f, "constant memory");
  assert_int_equal(f->ops->upload_constant_copy(f->device, 0, "", &f->err), -ENOTSUP);
  assert_int_equal(f->ops->launch_concurrent(f->device, &launch, &copy, 1, &f->err), -ENOTSUP);
  assert_int_equal(f->ops->carveout(f->device, GC_KERNEL_chase_ca, 50, &f->err), -ENOTSUP);
  says(f, "carve-out");
  assert_int_equal(f->ops->carveout(f->device, GC_KERNEL_chase_ca, 101, &f->err), -EINVAL);
  assert_int_equal(f->ops->launch(f->device, &launch, &f->err), -ENOTSUP);
  says(f, "gpu3 is an AMD GPU and has no path for kernel chase_texture");
}

static void gpu_that_vanishes(void **state)
{
  struct fixture *f = fixture_of(state);
  uint64_t address, ring[SLOTS];

  setenv("FAKE_HIP_LAUNCHES", "2", 1);
  must_open(f);
  assert_int_equal(f->ops->alloc(f->device, sizeof(ring), &address, &f->err), 0);
  assert_int_equal(lay_ring(f, address, ring), 0);
  assert_int_equal(lay_ring(f, address, ring), 0);
  assert_int_equal(lay_ring(f, address, ring), -ENODEV);
  says(f, "cannot finish kernel fill on gpu3: hipErrorNoDevice");
  assert_int_equal(f->ops->download(f->device, ring, address, 8, &f->err), -ENODEV);
  says(f, "cannot copy 8 bytes from gpu3: hipErrorNoDevice");
  f->ops->release(f->device, address);
  close_device(f); /* nothing can be released, and nothing hangs */
  f->fake->modules = f->fake->allocations = 0;
}

static void kernel_that_goes_astray(void **state)
{
  struct fixture *f = fixture_of(state);
  uint64_t address, ring[SLOTS];

  must_open(f);
  assert_int_equal(f->ops->alloc(f->device, sizeof(ring), &address, &f->err), 0);
  assert_int_equal(lay_ring(f, address + (UINT64_C(1) << 40), ring), -EIO);
  says(f, "cannot finish kernel fill on gpu3: hipErrorLaunchFailure");
  f->ops->release(f->device, address);
}

static void counts_the_most_memory(void **state)
{
  struct fixture *f = fixture_of(state);
  uint64_t address;

  must_open(f);
  check_the_most_memory(f);
  assert_int_equal(f->ops->alloc(f->device, UINT64_C(1) << 50, &address, &f->err), -ENOMEM);
  says(f, "cannot allocate 1125899906842624 bytes on gpu3: hipErrorOutOfMemory");
}

#define HUGE_PAGE (UINT64_C(2) << 20)

/* Memory of a NUMA node: kernels write to it, and copies go both ways at once. */
static int use_node(struct fixture *f, double *one_ns, double *both_ns)
{
  uint64_t host, on_device, ring[SLOTS];
  struct gc_host_node nodes[GC_HOST_NODES_MAX];
  uint32_t count;
  int status = f->ops->host_nodes(f->device, nodes, &count, &f->err);

  *one_ns = *both_ns = 0;
  if (status || (status = f->ops->alloc(f->device, HUGE_PAGE, &on_device, &f->err)))
    return status;
  assert_in_range(count, 1, GC_HOST_NODES_MAX);
  status = f->ops->alloc_on_node(f->device, HUGE_PAGE, nodes->number, &host, &f->err);
  if (!status)
    status = lay_ring(f, host, ring);
  if (!status)
    status =
        f->ops->copy(f->device, &(struct gc_copy){on_device, host, HUGE_PAGE, 0}, 1, one_ns, &f->err);
  if (!status)
    status = f->ops->copy(
        f->device,
        (struct gc_copy[]){{on_device, host, HUGE_PAGE / 2, 0},
                           {host + HUGE_PAGE / 2, on_device + HUGE_PAGE / 2, HUGE_PAGE / 2, 0}},
        2, both_ns, &f->err);
  f->ops->release(f->device, host);
  f->ops->release(f->device, on_device);
  return status;
}

/* The simulated GPU with a NUMA node. */
static void add_a_node(void)
{
  static const char node[] =
      "\n[host 0]\nlatency_ns = 900\natomic_ns = 1800\nread_gbps = 20\nwrite_gbps = 20\n"
      "copy_to_gbps = 25\ncopy_from_gbps = 25\ncopy_both_gbps = 50\n";
  const int fd = memfd_create("profile", 0);
  const char *top = getenv("top_srcdir");
  char path[512], text[1 << 16];
  FILE *profile;
  size_t length;

  snprintf(path, sizeof(path), "%s/data/sim/mi210", top ? top : ".");
  profile = fopen(path, "r");
  assert_non_null(profile);
  length = fread(text, 1, sizeof(text) - sizeof(node), profile);
  fclose(profile);
  memcpy(text + length, node, sizeof(node));
  assert_int_equal(write(fd, text, length + sizeof(node) - 1), length + sizeof(node) - 1);
  snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
  setenv("FAKE_HIP_PROFILE", path, 1);
}

/* Calls all functions of an AMD GPU up to the first error. */
static int use_everything(struct fixture *f)
{
  uint64_t address, ring[SLOTS];
  double one_ns, both_ns;
  int status = use_memory(f, sizeof(ring), &address);

  if (!status)
    status = lay_ring(f, address, ring);
  f->ops->release(f->device, address);
  return status ? status : use_node(f, &one_ns, &both_ns);
}

static void pins_memory_of_a_node(void **state)
{
  struct fixture *f = fixture_of(state);
  struct gc_properties p;
  double one_ns, both_ns;
  uint64_t host, second;

  add_a_node();
  must_open(f);
  assert_int_equal(f->ops->properties(f->device, &p, &f->err), 0);
  assert_true(p.host_atomics);
  assert_int_equal(use_node(f, &one_ns, &both_ns), 0);
  assert_true(one_ns > HUGE_PAGE / 25.0);
  assert_true(both_ns > HUGE_PAGE / 50.0 && both_ns < one_ns); /* not one after the other */
  assert_int_equal(f->fake->pinned, 0);
  assert_int_equal(f->ops->alloc_on_node(f->device, HUGE_PAGE, 0, &host, &f->err), 0);
  assert_int_equal(f->ops->alloc_on_node(f->device, HUGE_PAGE, 0, &second, &f->err), -EINVAL);
  says(f, "gpu3 has memory of a NUMA node already");
  assert_int_equal(f->fake->pinned, 1); /* closing the GPU returns it */
}

/* The value is absent then; nothing else fails. */
static void memory_that_cannot_be_pinned(void **state)
{
  struct fixture *f = fixture_of(state);
  uint64_t host;

  must_open(f);
  assert_int_equal(f->ops->alloc_on_node(f->device, HUGE_PAGE, 0, &host, &f->err), -ENOMEM);
  says(f, "cannot pin 2097152 bytes of NUMA node 0 for gpu3: hipErrorOutOfMemory");
  assert_int_equal(host, 0);
}

/* Functions whose failure has no consequence: they release something, only count, or are not
 * needed. */
static const char *const harmless[] = {
    "hipGetErrorName",  "hipModuleUnload",   "hipDeviceReset",  "hipMemGetAddressRange", "hipFree",
    "hipDeviceGetUuid", "hipHostUnregister", "hipEventDestroy", "hipStreamDestroy"};

static void every_function_can_fail(void **state)
{
#define NAME(type, name, parameters) #name,
  static const char *const names[] = {HIP_SYMBOLS(NAME)};
#undef NAME
  static const struct {
    unsigned int error;
    int status;
    const char *words;
  } errors[] = {{2, -ENOMEM, "hipErrorOutOfMemory"}, {700, -EIO, "HIP error 700"}};
  struct fixture *f = fixture_of(state);

  add_a_node();
  f->fake->wall_clock_khz = 25000; /* which the host must write to gpu_tick */
  for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
    for (size_t e = 0; e < 2 && !is_among(names[i], harmless, sizeof(harmless) / sizeof(*harmless)); e++) {
      const int status = use_while_failing(f, use_everything, "FAKE_HIP_FAIL", names[i], errors[e].error,
                                           errors[e].words);

      if (status != errors[e].status)
        fail_msg("%s: status %d", names[i], status);
    }
}

static void all_is_well_when_nothing_fails(void **state)
{
  struct fixture *f = fixture_of(state);

  add_a_node();
  must_open(f);
  assert_int_equal(use_everything(f), 0);
  assert_int_equal(f->fake->synchronized, 4); /* two kernels, two times copies */
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      GPU_TEST(reads_properties),
      GPU_TEST(counts_cus_as_the_kernel_driver_does),
      GPU_TEST(sets_the_wall_clock),
      GPU_TEST(kernels_work),
      GPU_TEST(each_block_has_a_cu_where_there_are_enough),
      GPU_TEST(checks_arguments),
      GPU_TEST(says_what_amd_gpus_lack),
      GPU_TEST(gpu_that_vanishes),
      GPU_TEST(kernel_that_goes_astray),
      GPU_TEST(counts_the_most_memory),
      GPU_TEST(pins_memory_of_a_node),
      GPU_TEST(memory_that_cannot_be_pinned),
      GPU_TEST(every_function_can_fail),
      GPU_TEST(all_is_well_when_nothing_fails),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
