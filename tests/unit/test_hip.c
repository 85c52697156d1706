/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The HIP back end over a stand-in library (fake-hip.c), whose GPU is a simulated MI210: what it asks for
 * and in which order, which device it takes for the GPU meant, what arrives at kernels, and that every
 * function that fails ends in a status and a sentence.
 *
 * The stand-in carries the name libamdhip64.so.7 inside. Once it is loaded, dlopen of that name finds it.
 * How the library is found is tested in tests/tool/hip.bats.
 */
#include "device/common.h"
#include "device/hip_device.h"
#include "fake-hip.h"
#include "kernels/images.h"

#include "backend.h"

#include <fcntl.h>
#include <unistd.h>

#define UUID "GPU-0123456789abcdef"
#define CUS 104

static const char *const variables[] = {"ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES",
                                        "CUDA_VISIBLE_DEVICES", "FAKE_HIP_FAIL", "FAKE_HIP_LAUNCHES",
                                        "FAKE_HIP_PROFILE"};

static void clean_environment(void)
{
  for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++)
    unsetenv(variables[i]);
}

static int set_up(void **state)
{
  struct fixture *f = calloc(1, sizeof(*f));
  void (*reset)(void);

  assert_non_null(f);
  clean_environment();
  f->library = load_library("hip-7/.libs/libamdhip64.so.7");
  f->fake = dlsym(f->library, "fake_hip");
  *(void **)&reset = dlsym(f->library, "fake_hip_reset");
  assert_non_null(f->fake);
  assert_non_null(reset);
  reset();
  f->gpu = (struct gc_gpu){.vendor = GC_VENDOR_AMD, .has_pci = true, .bus = 0xa, .name = "gpu3",
                           .gfx = "gfx90a"};
  strcpy(f->gpu.identity.id, UUID);
  strcpy(f->gpu.identity.model, "as sysfs calls it");
  *state = f;
  return 0;
}

static int tear_down(void **state)
{
  struct fixture *f = *state;

  clean_environment();
  close_device(f);
  assert_string_equal(f->fake->complaint, "");
  assert_int_equal(f->fake->modules, 0);
  assert_int_equal(f->fake->allocations, 0);
  gc_record_free(f->gpu.known);
  free(f);
  return 0;
}

/* Tests that open the GPU need an object for it, and clang may not have made any. */
static int set_up_gpu(void **state)
{
  if (!gc_amd_image_for("gfx90a")) {
    printf("SKIPPED: this build has no kernels for gfx90a\n");
    *state = NULL;
    return 0;
  }
  return set_up(state);
}

static int tear_down_gpu(void **state)
{
  return *state ? tear_down(state) : 0;
}

static struct fixture *fixture_of(void **state)
{
  if (!*state)
    skip();
  return *state;
}

static void opens_one_gpu(void **state)
{
  struct fixture *f = fixture_of(state);
  uint64_t free_bytes, total;

  must_open(f);
  assert_string_equal(f->ops->name, "HIP");
  assert_string_equal(f->fake->rocr, UUID);
  assert_string_equal(f->fake->hip, "(unset)");
  assert_string_equal(f->fake->cuda, "(unset)");
  assert_int_equal(f->fake->current, 0);
  assert_int_equal(f->fake->modules, 1);
  assert_int_equal(f->ops->memory(f->device, &free_bytes, &total, &f->err), 0);
  assert_true(free_bytes <= total && total == 68702699520);
  close_device(f);
  assert_int_equal(f->fake->modules, 0);
  assert_int_equal(f->fake->resets, 1);
}

static void opens_again(void **state)
{
  struct fixture *f = fixture_of(state);

  must_open(f);
  close_device(f);
  must_open(f);
  assert_int_equal(f->fake->inits, 2);
}

static void set_device(struct fixture *f, int i, const char *bus_id, const char *uuid)
{
  f->fake->devices = f->fake->devices > i ? f->fake->devices : i + 1;
  strcpy(f->fake->device[i].bus_id, bus_id);
  strcpy(f->fake->device[i].uuid, uuid);
}

static void finds_it_among_others(void **state)
{
  struct fixture *f = fixture_of(state);

  set_device(f, 0, "0000:09:00.0", "aaaaaaaaaaaaaaaa");
  set_device(f, 1, "0001:0a:00.0", "bbbbbbbbbbbbbbbb");
  set_device(f, 2, "0000:0A:00.0", "0123456789abcdef");
  must_open(f);
  assert_int_equal(f->fake->current, 2);
}

static void finds_it_by_uuid_where_places_differ(void **state)
{
  struct fixture *f = fixture_of(state);

  set_device(f, 0, "0000:09:00.0", "aaaaaaaaaaaaaaaa");
  set_device(f, 1, "0000:00:06.0", "0123456789abcdef");
  must_open(f);
  assert_int_equal(f->fake->current, 1);
}

static void says_when_it_cannot_ask_for_the_uuid(void **state)
{
  struct fixture *f = fixture_of(state);

  set_device(f, 0, "0000:00:06.0", "0123456789abcdef");
  setenv("FAKE_HIP_FAIL", "hipDeviceGetUuid=700", 1);
  assert_int_equal(open_device(f), -EIO);
  says(f, "cannot ask HIP for the UUID of gpu3: HIP error 700");
}

static void refuses_another_gpu(void **state)
{
  struct fixture *f = fixture_of(state);

  set_device(f, 0, "0000:00:06.0", "0123456789abcdee");
  assert_int_equal(open_device(f), -ENODEV);
  assert_null(f->device);
  says(f, "HIP shows 1 device, none of which is gpu3 (" UUID ")");
  assert_int_equal(f->fake->current, -1);
}

/* All partitions of a GPU have its UUID, and the function of the bus id counts them. ROCr would show none
 * of them, were it asked for that UUID. */
static void tells_partitions_by_function(void **state)
{
  struct fixture *f = fixture_of(state);

  for (int i = 0; i < 4; i++) {
    char bus_id[] = "0000:0a:00.0";

    bus_id[sizeof(bus_id) - 2] = (char)('3' - i); /* in any order */
    set_device(f, i, bus_id, "0123456789abcdef");
  }
  setenv("ROCR_VISIBLE_DEVICES", "0", 1);
  f->gpu.func = 2;
  strcpy(f->gpu.identity.id, UUID "-2");
  must_open(f);
  assert_string_equal(f->fake->rocr, "(unset)");
  assert_int_equal(f->fake->current, 1);
}

static void tells_partitions_by_order(void **state)
{
  struct fixture *f = fixture_of(state);

  for (int i = 0; i < 4; i++)
    set_device(f, i, i == 1 ? "0000:0b:00.0" : "0000:0a:00.0", "0123456789abcdef");
  strcpy(f->gpu.identity.id, UUID "-2");
  must_open(f);
  assert_int_equal(f->fake->current, 3);
  close_device(f);

  strcpy(f->gpu.identity.id, UUID "-3"); /* HIP shows three in that place */
  assert_int_equal(open_device(f), -ENODEV);
  says(f, "HIP shows 3 devices in the place of gpu3 (" UUID "-3), and which is which cannot be told");
}

/* The UUID tells nothing of which partition it is. */
static void no_partition_by_uuid(void **state)
{
  struct fixture *f = fixture_of(state);

  strcpy(f->gpu.identity.id, UUID "-1");
  f->gpu.func = 1;
  assert_int_equal(open_device(f), -ENODEV);
  says(f, "none of which is gpu3");
}

/* Consumer GPUs have no UUID: they are shown among all others, and found by their place. */
static void gpu_without_uuid(void **state)
{
  struct fixture *f = fixture_of(state);

  strcpy(f->gpu.identity.id, "pci-0000_0a_00.0-744c");
  setenv("HIP_VISIBLE_DEVICES", "3", 1);
  set_device(f, 1, "0000:0b:00.0", "");
  must_open(f);
  assert_string_equal(f->fake->rocr, "(unset)");
  assert_string_equal(f->fake->hip, "(unset)");
  assert_int_equal(f->fake->current, 0);
}

static void respects_hidden_gpus(void **state)
{
  static const struct {
    const char *variable, *value, *words;
  } hidden[] = {
    {"ROCR_VISIBLE_DEVICES", "", "ROCR_VISIBLE_DEVICES is empty: it hides every AMD GPU from HIP"},
    {"ROCR_VISIBLE_DEVICES", "-1", "ROCR_VISIBLE_DEVICES is '-1': it hides every AMD GPU from HIP"},
    {"ROCR_VISIBLE_DEVICES", ",0", "ROCR_VISIBLE_DEVICES is ',0'"},
    {"HIP_VISIBLE_DEVICES", "-1", "HIP_VISIBLE_DEVICES is '-1'"},
    {"HIP_VISIBLE_DEVICES", "none", "HIP_VISIBLE_DEVICES is 'none'"},
    {"CUDA_VISIBLE_DEVICES", "-1", "CUDA_VISIBLE_DEVICES is '-1'"},
  };
  struct fixture *f = fixture_of(state);

  for (size_t i = 0; i < sizeof(hidden) / sizeof(*hidden); i++) {
    setenv(hidden[i].variable, hidden[i].value, 1);
    assert_int_equal(open_device(f), -ENODEV);
    says(f, hidden[i].words);
    assert_string_equal(getenv(hidden[i].variable), hidden[i].value);
    unsetenv(hidden[i].variable);
  }
  assert_int_equal(f->fake->inits, 0); /* the library was not even started */
}

/* HIP takes an empty list for none, and CUDA's list only where it has none of its own. */
static void lists_that_hide_nothing(void **state)
{
  static const struct {
    const char *rocr, *hip, *cuda;
  } lists[] = {{"0", NULL, NULL}, {UUID, "1,0", NULL}, {NULL, "", NULL},
               {NULL, NULL, ""},  {NULL, "0", "-1"},   {"2", "", "GPU-00010203"}};
  struct fixture *f = fixture_of(state);

  for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
    const char *const values[] = {lists[i].rocr, lists[i].hip, lists[i].cuda};

    for (int v = 0; v < 3; v++)
      if (values[v])
        setenv(variables[v], values[v], 1);
      else
        unsetenv(variables[v]);
    must_open(f);
    assert_string_equal(f->fake->rocr, UUID);
    assert_string_equal(f->fake->hip, "(unset)");
    assert_string_equal(f->fake->cuda, "(unset)");
    close_device(f);
  }
}

static void needs_kernels_for_its_processor(void **state)
{
  struct fixture *f = *state;

  strcpy(f->gpu.gfx, "gfx803");
  assert_int_equal(open_device(f), -ENOTSUP);
  says(f, "without kernels for the gfx803 of gpu3");
  *f->gpu.gfx = '\0';
  assert_int_equal(open_device(f), -ENOTSUP);
  says(f, "does not tell which processor gpu3 has");
  assert_int_equal(f->fake->inits, 0);
}

static void refuses_what_is_known_not_to_work(void **state)
{
  struct fixture *f = *state;

  strcpy(f->gpu.problem, "no access to /dev/kfd");
  assert_int_equal(open_device(f), -ENODEV);
  says(f, "no access to /dev/kfd");
  assert_int_equal(f->fake->inits, 0);
}

static void each_processor_gets_its_own_kernels(void **state)
{
  static const struct {
    const char *gfx;
    unsigned int number;
  } processors[] = {{"gfx90a", FAKE_HIP_GFX90A}, {"gfx942", FAKE_HIP_GFX942}};
  struct fixture *f = fixture_of(state);

  for (int own = 0; own < 2; own++)
    for (int other = 0; other < 2; other++) {
      strcpy(f->gpu.gfx, processors[own].gfx);
      f->fake->processor = processors[other].number;
      if (own == other) {
        must_open(f);
      } else {
        assert_int_equal(open_device(f), -ENOTSUP);
        says(f, "cannot load the kernels for gfx9");
        says(f, "into gpu3 with libamdhip64.so.7: hipErrorNoBinaryForGpu");
      }
      close_device(f);
    }
}

static void advice_is_for_the_error(void **state)
{
  static const struct {
    int error;
    const char *says;
  } cases[] = {
    {0, "does this version of ROCm know it"},
    {EACCES, "this user may not open /dev/kfd: add it to the groups render and video"},
    {EPERM, "the container or the batch system"},
    {ENOENT, "there is no /dev/kfd: load the kernel driver amdgpu"},
    {ENXIO, "/dev/kfd cannot be opened: No such device or address"},
    {EMFILE, "/dev/kfd cannot be opened: Too many open files"},
  };
  char text[200];

  (void)state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
    for (size_t k = 0; k < sizeof(cases) / sizeof(*cases); k++) {
      gc_hip_advice(cases[i].error, text, sizeof(text));
      assert_true(!strstr(text, cases[k].says) == (i != k));
    }
}

/* What can be done about it depends on what this very machine has. */
static void says_why_there_is_no_gpu(void **state)
{
  static const char *const errors[][2] = {{"hipInit=100", "hipErrorNoDevice"},
                                          {"hipInit=101", "hipErrorInvalidDevice"},
                                          {"hipGetDeviceCount=100", "hipErrorNoDevice"}};
  struct fixture *f = fixture_of(state);
  int fd = open("/dev/kfd", O_RDWR);
  char advice[200];

  gc_hip_advice(fd < 0 ? errno : 0, advice, sizeof(advice));
  if (fd >= 0)
    close(fd);
  for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++) {
    setenv("FAKE_HIP_FAIL", errors[i][0], 1);
    assert_int_equal(open_device(f), -ENODEV);
    says(f, "HIP (libamdhip64.so.7) shows no GPU, and so not gpu3: ");
    says(f, errors[i][1]);
    says(f, advice);
  }
  unsetenv("FAKE_HIP_FAIL");
  f->fake->devices = 0;
  assert_int_equal(open_device(f), -ENODEV);
  says(f, "hipErrorNoDevice");
}

static void what_is_no_missing_gpu_gets_no_advice(void **state)
{
  static const struct {
    const char *fail, *says;
    int status;
  } cases[] = {
    {"hipInit=2", "cannot start HIP (libamdhip64.so.7) for gpu3: hipErrorOutOfMemory", -ENOMEM},
    {"hipInit=1234", "cannot start HIP (libamdhip64.so.7) for gpu3: HIP error 1234", -EIO},
    {"hipGetDeviceCount=999", "cannot start HIP (libamdhip64.so.7) for gpu3: hipErrorUnknown", -EIO},
  };
  struct fixture *f = fixture_of(state);

  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    setenv("FAKE_HIP_FAIL", cases[i].fail, 1);
    assert_int_equal(open_device(f), cases[i].status);
    says(f, cases[i].says);
    assert_null(strstr(f->err.text, "/dev/kfd"));
    assert_null(strstr(f->err.text, "shows no GPU"));
  }
  unsetenv("FAKE_HIP_FAIL");
}

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
  assert_true(p.global_l1 && p.has_scalar && p.ecc);
  assert_false(p.has_texture || p.has_constant || p.has_read_only || p.simulated);
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

  f->gpu.known = gc_record_new(&f->gpu.identity);
  assert_non_null(f->gpu.known);
  assert_int_equal(gc_infos_set_u64(&f->gpu.known->infos, "SMs", CUS), 0);
  assert_int_equal(gc_infos_set_u64(&f->gpu.known->infos, "ThreadsPerSM", 1024), 0);
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
                {100000, 0, 0}, {0, 0, 0}}; /* as kernels take it for, and not known: left as it is */
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

/* Lays a ring by the kernel `fill` and brings it back. */
static int lay_ring(struct fixture *f, uint64_t address, uint64_t ring[SLOTS])
{
  const struct gpu_fill_args args = {.base = address, .count = SLOTS, .stride = 8, .multiplier = 1,
                                     .first = address, .step = 8, .slot_bytes = 8};
  const struct gc_launch launch = {GC_KERNEL_fill, 2, 64, 0, &args, sizeof(args)};
  int status = f->ops->launch(f->device, &launch, &f->err);

  if (!status)
    status = f->ops->wait(f->device, &f->err);
  return status ? status : f->ops->download(f->device, ring, address, SLOTS * 8, &f->err);
}

/* What a kernel does, it does where it was told to. */
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
  struct gc_launch launch = {GC_KERNEL_clock, CUS, 64, 1000, &args, sizeof(args)};
  struct gpu_clock_args moved = args;
  uint32_t blocks;

  must_open(f);
  assert_int_equal(f->ops->alloc(f->device, 4096, &moved.result, &f->err), 0);
  launch.args = &moved;
  assert_int_equal(f->ops->launch(f->device, &launch, &f->err), 0);
  assert_int_equal(f->fake->shared, 65536);
  assert_int_equal(f->ops->resident(f->device, &launch, &blocks, &f->err), 0);
  assert_int_equal(blocks, 1);
  launch.blocks++;
  assert_int_equal(f->ops->launch(f->device, &launch, &f->err), 0);
  assert_int_equal(f->fake->shared, 1000);
  assert_int_equal(f->ops->resident(f->device, &launch, &blocks, &f->err), 0);
  assert_true(blocks > 1);
  f->ops->release(f->device, moved.result);
}

static void checks_arguments(void **state)
{
  const struct gpu_clock_args args = {.nanoseconds = 1};
  struct fixture *f = fixture_of(state);
  struct gc_launch launch = {GC_KERNEL_clock, 1, 64, 0, &args, sizeof(args) - 1};
  uint32_t blocks;

  must_open(f);
  assert_int_equal(f->ops->launch(f->device, &launch, &f->err), -EINVAL);
  says(f, "kernel clock takes 16 bytes of arguments, not 15");
  assert_int_equal(f->ops->resident(f->device, &launch, &blocks, &f->err), -EINVAL);
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
  assert_int_equal(f->ops->launch_together(f->device, &launch, &copy, 1, &f->err), -ENOTSUP);
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
  close_device(f); /* nothing can be given back, and nothing hangs */
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

/* Calls everything that an AMD GPU can do; the first error ends it. */
static int use_everything(struct fixture *f)
{
  const struct gpu_clock_args args = {.nanoseconds = 1};
  const struct gc_launch launch = {GC_KERNEL_clock, 1, 64, 0, &args, sizeof(args)};
  uint64_t address, ring[SLOTS];
  int status = use_memory(f, &launch, sizeof(ring), &address);

  if (!status)
    status = lay_ring(f, address, ring);
  f->ops->release(f->device, address);
  return status;
}

/* Functions whose failure nothing depends on: they give back, they only count, or there is no need for them. */
static const char *const harmless[] = {"hipGetErrorName", "hipModuleUnload", "hipDeviceReset",
                                       "hipMemGetAddressRange", "hipFree", "hipDeviceGetUuid"};

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

  f->fake->wall_clock_khz = 25000; /* which has to be told to the kernels */
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

  must_open(f);
  assert_int_equal(use_everything(f), 0);
  assert_int_equal(f->fake->synchronized, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
#define GPU_TEST(name) cmocka_unit_test_setup_teardown(name, set_up_gpu, tear_down_gpu)

int main(void)
{
  const struct CMUnitTest tests[] = {
    GPU_TEST(opens_one_gpu),
    GPU_TEST(opens_again),
    GPU_TEST(finds_it_among_others),
    GPU_TEST(finds_it_by_uuid_where_places_differ),
    GPU_TEST(says_when_it_cannot_ask_for_the_uuid),
    GPU_TEST(refuses_another_gpu),
    GPU_TEST(tells_partitions_by_function),
    GPU_TEST(tells_partitions_by_order),
    GPU_TEST(no_partition_by_uuid),
    GPU_TEST(gpu_without_uuid),
    GPU_TEST(respects_hidden_gpus),
    GPU_TEST(lists_that_hide_nothing),
    TEST(needs_kernels_for_its_processor),
    TEST(refuses_what_is_known_not_to_work),
    GPU_TEST(each_processor_gets_its_own_kernels),
    cmocka_unit_test(advice_is_for_the_error),
    GPU_TEST(says_why_there_is_no_gpu),
    GPU_TEST(what_is_no_missing_gpu_gets_no_advice),
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
    GPU_TEST(every_function_can_fail),
    GPU_TEST(all_is_well_when_nothing_fails),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
