/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The CUDA back end over a stand-in driver (fake-cuda.c): what it asks for and in which order, what
 * it gives back, and that every driver function that fails ends in a status and a sentence.
 *
 * The stand-in carries the name libcuda.so.1 inside. Once it is loaded, dlopen of that name finds
 * it.
 */
#include "fake-cuda.h"

#include "backend.h"

#define UUID "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f"

static int set_up(void **state)
{
  struct fixture *f = calloc(1, sizeof(*f));

  assert_non_null(f);
  unsetenv("CUDA_VISIBLE_DEVICES");
  unsetenv("CUDA_DEVICE_ORDER");
  unsetenv("FAKE_CUDA_FAIL");
  f->library = load_library("fake-cuda/.libs/libcuda.so.1");
  f->fake = dlsym(f->library, "fake_cuda");
  assert_non_null(f->fake);
  strcpy(f->fake->bus_id, "0000:0A:00.0");
  for (int i = 0; i < 16; i++)
    f->fake->uuid[i] = (unsigned char)i;
  f->fake->attributes[CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR] = 9;
  f->gpu = (struct gc_gpu){.vendor = GC_VENDOR_NVIDIA, .has_pci = true, .bus = 0xa, .name = "gpu3"};
  strcpy(f->gpu.identity.id, UUID);
  *state = f;
  return 0;
}

static int tear_down(void **state)
{
  struct fixture *f = *state;

  unsetenv("FAKE_CUDA_FAIL");
  close_device(f);
  if (f->fake) {
    assert_string_equal(f->fake->complaint, "");
    assert_int_equal(f->fake->contexts, 0);
    assert_int_equal(f->fake->modules, 0);
    assert_int_equal(f->fake->allocations, 0);
    assert_int_equal(f->fake->textures, 0);
    assert_int_equal(f->fake->streams, 0);
  }
  if (f->library)
    dlclose(f->library);
  free(f);
  return 0;
}

static void opens_one_gpu(void **state)
{
  struct fixture *f = *state;
  uint64_t address, free_bytes, total;

  must_open(f);
  assert_string_equal(f->fake->visible, UUID);
  assert_string_equal(f->fake->order, "PCI_BUS_ID");
  assert_string_equal(f->fake->queues, "1");
  assert_int_equal(f->fake->contexts, 1);
  assert_int_equal(f->fake->modules, 1);
  assert_int_equal(f->ops->memory(f->device, &free_bytes, &total, &f->err), 0);
  assert_true(free_bytes < total);
  assert_int_equal(f->ops->alloc(f->device, 4096, &address, &f->err), 0);
  f->ops->release(f->device, address);
  f->ops->release(f->device, 0);
}

static void finds_it_by_uuid_where_bus_ids_differ(void **state)
{
  struct fixture *f = *state;

  strcpy(f->fake->bus_id, "0000:00:06.0");
  must_open(f);
}

static void refuses_another_gpu(void **state)
{
  struct fixture *f = *state;

  strcpy(f->fake->bus_id, "0000:00:06.0");
  f->fake->uuid[15]++;
  assert_int_equal(open_device(f), -ENODEV);
  assert_null(f->device);
  says(f, "CUDA shows 1 device, none of which is gpu3 (" UUID ")");
}

static void says_when_it_cannot_ask_for_the_uuid(void **state)
{
  struct fixture *f = *state;

  strcpy(f->fake->bus_id, "0000:00:06.0");
  setenv("FAKE_CUDA_FAIL", "cuDeviceGetUuid_v2=700", 1);
  assert_int_equal(open_device(f), -EIO);
  says(f, "cannot ask CUDA for the UUID of gpu3: CUDA error 700");
}

static void respects_hidden_gpus(void **state)
{
  struct fixture *f = *state;

  setenv("CUDA_VISIBLE_DEVICES", "", 1);
  assert_int_equal(open_device(f), -ENODEV);
  says(f, "CUDA_VISIBLE_DEVICES is empty: it hides every NVIDIA GPU from CUDA");
  assert_string_equal(f->fake->visible, ""); /* the driver was not even started */
}

/* What CUDA takes for the end of the list, in the first place. */
static void respects_lists_of_no_gpu(void **state)
{
  static const char *const lists[] = {"-1", "-1,0", "NoDevFiles", "none", " ", ",0", "GPU", "gpu0"};
  struct fixture *f = *state;

  for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
    char words[80];

    setenv("CUDA_VISIBLE_DEVICES", lists[i], 1);
    assert_int_equal(open_device(f), -ENODEV);
    snprintf(words, sizeof(words), "CUDA_VISIBLE_DEVICES is '%s': it hides every NVIDIA GPU",
             lists[i]);
    says(f, words);
    assert_string_equal(f->fake->visible, "");
    assert_string_equal(getenv("CUDA_VISIBLE_DEVICES"), lists[i]);
  }
}

static void lists_of_gpus_hide_nothing(void **state)
{
  static const char *const lists[] = {"0", "12,3", " 1", UUID, "GPU-0001", ("MIG-" UUID), "0,-1"};
  struct fixture *f = *state;

  for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
    setenv("CUDA_VISIBLE_DEVICES", lists[i], 1);
    must_open(f);
    assert_string_equal(f->fake->visible, UUID);
    close_device(f);
  }
}

static void explains_mig(void **state)
{
  struct fixture *f = *state;

  strcpy(f->gpu.identity.mig, "enabled");
  setenv("FAKE_CUDA_FAIL", "cuInit=100", 1);
  assert_int_equal(open_device(f), -ENODEV);
  says(f, "MIG mode");
  says(f, "CUDA_ERROR_NO_DEVICE");
}

/* Another job has it for itself; that ends. */
static void an_exclusive_gpu_is_busy(void **state)
{
  struct fixture *f = *state;

  setenv("FAKE_CUDA_FAIL", "cuDevicePrimaryCtxRetain=46", 1);
  assert_int_equal(open_device(f), -EBUSY);
  says(f, "cannot create a CUDA context on gpu3: CUDA_ERROR_DEVICE_UNAVAILABLE");
}

static void refuses_what_is_known_not_to_work(void **state)
{
  struct fixture *f = *state;

  strcpy(f->gpu.problem, "the driver does not know this GPU");
  assert_int_equal(open_device(f), -ENODEV);
  says(f, "the driver does not know this GPU");
}

static void old_driver(void **state)
{
  struct fixture *f = *state;

  dlclose(f->library);
  f->fake = NULL;
  f->library = load_library("old-cuda/.libs/libcuda.so.1");
  assert_int_equal(open_device(f), -ENODEV);
  says(f, "libcuda.so.1 has no cuDeviceGetUuid_v2");
}

static void no_driver(void **state)
{
  struct fixture *f = *state;
  void *real;

  dlclose(f->library);
  f->fake = NULL;
  f->library = NULL;
  real = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (real) {
    dlclose(real);
    skip(); /* this machine has the real one */
  }
  assert_int_equal(open_device(f), -ENODEV);
  says(f, "cannot load the CUDA driver: libcuda.so.1: ");
  says(f, "install the driver's libraries; a container has to be given them (--gpus all, --nv)");
}

static unsigned char bank[GPU_CONSTANT_BYTES];

/* n launches of turn_constant by copies 0, 1, 0 …, and one of stretch. */
static int take_turns(struct fixture *f, size_t n)
{
  const struct gpu_turn_args turn = {.threshold = 0x4321};
  const struct gpu_stretch_args stretch = {.sink = 0x1234};
  struct gc_launch launches[GC_TOGETHER_MAX + 1];
  uint32_t copies[GC_TOGETHER_MAX + 1];

  for (size_t i = 0; i < n; i++) {
    launches[i] = (struct gc_launch){GC_KERNEL_turn_constant, 132, 32, 0, &turn, sizeof(turn)};
    copies[i] = i % 2;
  }
  launches[n] = (struct gc_launch){GC_KERNEL_stretch, 132, 32, 0, &stretch, sizeof(stretch)};
  copies[n] = 0;
  return f->ops->launch_together(f->device, launches, copies, n + 1, &f->err);
}

/* A census of the banks of copies 0, 1 and 2. */
static int take_census(struct fixture *f)
{
  const struct gpu_turn_census_args args = {.limit = 0x4321};
  const struct gc_launch launch = {GC_KERNEL_turn_census, 132, 32, 0, &args, sizeof(args)};
  const struct gc_launch launches[] = {launch, launch, launch};

  return f->ops->launch_together(f->device, launches, (const uint32_t[]){0, 1, 2}, 3, &f->err);
}

/* Calls everything that a device can do; the first error ends it. */
static int use_everything(struct fixture *f)
{
  const struct gpu_clock_args args = {.nanoseconds = 1};
  const struct gc_launch launch = {GC_KERNEL_clock, 1, 32, 1024, &args, sizeof(args)};
  uint64_t address, texture = 0;
  char byte = 1;
  int status = use_memory(f, &launch, 512, &address);

  if (!status)
    status = f->ops->download(f->device, &byte, address, 1, &f->err);
  if (!status)
    status = f->ops->upload_constant(f->device, 0, &byte, 1, &f->err);
  if (!status)
    status = f->ops->texture(f->device, address, 512, &texture, &f->err);
  if (!status)
    status = f->ops->carveout(f->device, GC_KERNEL_clock, 50, &f->err);
  if (!status)
    status = f->ops->launch(f->device, &launch, &f->err);
  if (!status)
    status = f->ops->wait(f->device, &f->err);
  if (!status)
    status = f->ops->upload_constant_copy(f->device, 1, bank, &f->err);
  if (!status)
    status = take_turns(f, 2);
  if (!status)
    status = take_census(f);
  f->ops->release_texture(f->device, texture);
  f->ops->release(f->device, address);
  return status;
}

/* Functions whose failure nothing depends on: they give back, or they only name or count. */
static const char *const harmless[] = {"cuGetErrorName",
                                       "cuDeviceGetUuid_v2",
                                       "cuModuleUnload",
                                       "cuDevicePrimaryCtxRelease_v2",
                                       "cuMemFree_v2",
                                       "cuTexObjectDestroy",
                                       "cuStreamDestroy_v2",
                                       "cuMemGetAddressRange_v2",
                                       "cuFuncSetCacheConfig"};

static void every_function_can_fail(void **state)
{
  struct fixture *f = *state;
#define NAME(name, parameters) #name,
  static const char *const names[] = {CUDA_SYMBOLS(NAME)};
#undef NAME
  static const struct {
    unsigned int error;
    int status;
    const char *words;
  } errors[] = {{2, -ENOMEM, "CUDA_ERROR_OUT_OF_MEMORY"}, {700, -EIO, "CUDA error 700"}};

  for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
    for (size_t e = 0; e < 2 && !is_among(names[i], harmless, sizeof(harmless) / sizeof(*harmless)); e++) {
      const int status = use_while_failing(f, use_everything, "FAKE_CUDA_FAIL", names[i], errors[e].error,
                                           errors[e].words);

      if (status != (strcmp(names[i], "cuInit") ? errors[e].status : -ENODEV))
        fail_msg("%s: status %d", names[i], status);
      assert_int_equal(f->fake->contexts, 0);
      unsetenv("CUDA_VISIBLE_DEVICES");
    }
}

static void all_is_well_when_nothing_fails(void **state)
{
  struct fixture *f = *state;

  must_open(f);
  assert_int_equal(use_everything(f), 0);
  assert_int_equal(f->fake->synchronized, 1);
}

static void reads_properties(void **state)
{
  struct fixture *f = *state;
  struct gc_properties p;

  f->fake->attributes[CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT] = 132;
  f->fake->attributes[CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE] = 62914560;
  f->fake->attributes[CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK] = 49152;
  f->fake->attributes[CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN] = 232448;
  f->fake->attributes[CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK] = -1;
  f->fake->attributes[CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED] = 1;
  must_open(f);
  assert_int_equal(f->ops->properties(f->device, &p, &f->err), 0);
  assert_string_equal(p.model, "Stand-in GPU");
  assert_int_equal(p.sms, 132);
  assert_int_equal(p.compute_major, 9);
  assert_int_equal(p.l2_bytes, 62914560);
  assert_int_equal(p.memory_bytes, 141ull << 30);
  assert_int_equal(p.shared_per_block, 232448);
  assert_int_equal(p.shared_reserved, 0); /* a driver that does not know the attribute */
  assert_true(p.global_l1 && p.has_texture && p.has_constant && p.has_read_only);
  assert_false(p.ecc || p.simulated);

  f->fake->attributes[CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN] = -1;
  assert_int_equal(f->ops->properties(f->device, &p, &f->err), 0);
  assert_int_equal(p.shared_per_block, 49152);
}

static void launches(void **state)
{
  struct fixture *f = *state;
  const struct gpu_clock_args args = {.result = 0x1234, .nanoseconds = 5};
  struct gc_launch launch = {GC_KERNEL_clock, 132, 64, 0, &args, sizeof(args)};
  uint32_t blocks;

  f->fake->parameter_bytes = sizeof(args);
  must_open(f);
  assert_int_equal(f->ops->launch(f->device, &launch, &f->err), 0);
  assert_string_equal(f->fake->function, "gpu_clock");
  assert_int_equal(f->fake->grid, 132);
  assert_int_equal(f->fake->block, 64);
  assert_memory_equal(f->fake->parameters, &args, sizeof(args));
  assert_int_equal(f->fake->attributes_set, 0);

  launch.shared_bytes = 100000; /* more than any kernel gets unasked: asked for once */
  assert_int_equal(f->ops->launch(f->device, &launch, &f->err), 0);
  assert_int_equal(f->ops->launch(f->device, &launch, &f->err), 0);
  assert_int_equal(f->fake->attributes_set, 1);
  assert_int_equal(f->fake->attribute, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  assert_int_equal(f->fake->attribute_value, 100000);
  assert_int_equal(f->ops->counts(f->device)->launches, 3);

  launch.args_bytes--;
  assert_int_equal(f->ops->launch(f->device, &launch, &f->err), -EINVAL);
  says(f, "kernel clock takes 16 bytes of arguments, not 15");
  assert_int_equal(f->fake->launches, 3);

  launch.threads = 32;
  launch.shared_bytes = 1024;
  assert_int_equal(f->ops->resident(f->device, &launch, &blocks, &f->err), 0);
  assert_int_equal(blocks, 31);
}

/* Copies and streams are made once; the functions called are those of each copy's own module. */
static void launches_together(void **state)
{
  struct fixture *f = *state;

  must_open(f);
  assert_int_equal(f->fake->modules, 1);
  assert_int_equal(f->ops->upload_constant_copy(f->device, 0, bank, &f->err), 0);
  assert_int_equal(f->fake->modules, 1);
  for (int round = 0; round < 2; round++) {
    assert_int_equal(take_turns(f, 3), 0);
    assert_int_equal(f->fake->modules, 3); /* two with constants, one with the long code */
    assert_int_equal(f->fake->streams, 4);
    assert_int_equal(f->fake->streamed, 4 * (round + 1));
    assert_string_equal(f->fake->function, "gpu_stretch");
  }
  assert_int_equal(f->ops->counts(f->device)->launches, 8);
  for (int round = 0; round < 2; round++) {
    assert_int_equal(take_census(f), 0);
    assert_int_equal(f->fake->modules, 4); /* one more with constants */
    assert_int_equal(f->fake->streamed, 8 + 3 * (round + 1));
    assert_string_equal(f->fake->function, "gpu_turn_census");
  }
  assert_int_equal(take_turns(f, GC_TOGETHER_MAX), -EINVAL);
  assert_int_equal(f->ops->upload_constant_copy(f->device, GC_COPIES_MAX, bank, &f->err), -EINVAL);
  says(f, "no copy 4 of the kernels: there are 4");
  assert_int_equal(f->fake->streamed, 14);
}

static void counts_the_most_memory(void **state)
{
  must_open(*state);
  check_the_most_memory(*state);
}

static void sets_the_carveout(void **state)
{
  struct fixture *f = *state;

  must_open(f);
  assert_int_equal(f->ops->carveout(f->device, GC_KERNEL_chase_ca, 25, &f->err), 0);
  assert_string_equal(f->fake->function, "gpu_chase_ca");
  assert_int_equal(f->fake->attribute, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
  assert_int_equal(f->fake->attribute_value, 25);
  assert_int_equal(f->ops->carveout(f->device, GC_KERNEL_chase_ca, -1, &f->err), 0);
  assert_int_equal(f->fake->attribute_value, -1);
  assert_int_equal(f->ops->carveout(f->device, GC_KERNEL_chase_ca, 101, &f->err), -EINVAL);
}

static void sets_the_carveout_of_older_gpus(void **state)
{
  struct fixture *f = *state;
  static const struct {
    int percent, config;
  } kepler[] = {{-1, 0}, {0, 2}, {50, 3}, {100, 1}};

  f->fake->attributes[CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR] = 6;
  must_open(f);
  assert_int_equal(f->ops->carveout(f->device, GC_KERNEL_chase_ca, 25, &f->err), -ENOTSUP);
  close_device(f);
  f->fake->attributes[CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR] = 3;
  must_open(f);
  for (size_t i = 0; i < sizeof(kepler) / sizeof(*kepler); i++) {
    assert_int_equal(f->ops->carveout(f->device, GC_KERNEL_chase_ca, kepler[i].percent, &f->err),
                     0);
    assert_int_equal(f->fake->cache_config, kepler[i].config);
  }
  setenv("FAKE_CUDA_FAIL", "cuFuncSetCacheConfig=700", 1);
  assert_int_equal(f->ops->carveout(f->device, GC_KERNEL_chase_ca, 0, &f->err), -EIO);
  assert_int_equal(f->fake->attributes_set, 0);
}

static void makes_textures_of_texels(void **state)
{
  struct fixture *f = *state;
  uint64_t texture;

  must_open(f);
  assert_int_equal(f->ops->texture(f->device, 0x10000, 4096, &texture, &f->err), 0);
  assert_int_equal(f->fake->resource.type, CU_RESOURCE_TYPE_LINEAR);
  assert_int_equal(f->fake->resource.res.linear.address, 0x10000);
  assert_int_equal(f->fake->resource.res.linear.bytes, 4096);
  assert_int_equal(f->fake->resource.res.linear.channels, 1);
  assert_int_equal(f->fake->resource.res.linear.format, CU_AD_FORMAT_UNSIGNED_INT32);
  assert_int_equal(f->fake->texture.flags, CU_TRSF_READ_AS_INTEGER);
  f->ops->release_texture(f->device, texture);
}

static void constant_bank_has_an_end(void **state)
{
  struct fixture *f = *state;
  char bytes[16] = "";

  must_open(f);
  assert_int_equal(f->ops->upload_constant(f->device, 65536 - 16, bytes, 16, &f->err), 0);
  assert_int_equal(f->ops->upload_constant(f->device, 65536 - 15, bytes, 16, &f->err), -EINVAL);
  assert_int_equal(f->ops->upload_constant(f->device, SIZE_MAX, bytes, 16, &f->err), -EINVAL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(opens_one_gpu),
      TEST(finds_it_by_uuid_where_bus_ids_differ),
      TEST(refuses_another_gpu),
      TEST(says_when_it_cannot_ask_for_the_uuid),
      TEST(respects_hidden_gpus),
      TEST(respects_lists_of_no_gpu),
      TEST(lists_of_gpus_hide_nothing),
      TEST(explains_mig),
      TEST(an_exclusive_gpu_is_busy),
      TEST(refuses_what_is_known_not_to_work),
      TEST(old_driver),
      TEST(no_driver),
      TEST(every_function_can_fail),
      TEST(all_is_well_when_nothing_fails),
      TEST(reads_properties),
      TEST(launches),
      TEST(launches_together),
      TEST(counts_the_most_memory),
      TEST(sets_the_carveout),
      TEST(sets_the_carveout_of_older_gpus),
      TEST(makes_textures_of_texels),
      TEST(constant_bank_has_an_end),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
