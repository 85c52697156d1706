/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The CUDA back end with a stand-in driver (fake-cuda.c). The tests check its calls and their
 * order, what it releases, and that every failing driver function gives a status and a message.
 *
 * The stand-in has the soname libcuda.so.1, so that dlopen of that name finds it once it is loaded.
 */
#include "fake-cuda.h"

#include "backend.h"
#include "device/cuda_device.h"

#include <unistd.h>

#define UUID "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f"

static int set_up(void **state)
{
  struct fixture *f = calloc(1, sizeof(*f));

  assert_non_null(f);
  unsetenv("CUDA_VISIBLE_DEVICES");
  unsetenv("CUDA_DEVICE_ORDER");
  unsetenv("CUDA_MPS_PIPE_DIRECTORY");
  unsetenv("FAKE_CUDA_FAIL");
  unsetenv("FAKE_CUDA_GPUS");
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
    assert_string_equal(f->fake->violation, "");
    assert_int_equal(f->fake->contexts, 0);
    assert_int_equal(f->fake->modules, 0);
    assert_int_equal(f->fake->allocations, 0);
    assert_int_equal(f->fake->textures, 0);
    assert_int_equal(f->fake->streams, 0);
    assert_int_equal(f->fake->events, 0);
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

static void finds_the_gpu_by_uuid_if_bus_ids_differ(void **state)
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
  says(f, "CUDA shows no device for gpu3");
  assert_string_equal(f->fake->used, "");
}

static void reports_that_the_uuid_cannot_be_read(void **state)
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
  assert_string_equal(f->fake->visible, ""); /* the driver was not initialized */
}

/* CUDA regards the first entry of these lists as the end of the list. */
static void respects_lists_without_a_gpu(void **state)
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

/* Where the list is known to show the GPU, CUDA sees no other. */
static void shows_only_a_gpu_that_is_visible(void **state)
{
  static const char *const lists[] = {"0", "12,3", " 1", UUID, "GPU-0001", "0,-1"};
  struct fixture *f = *state;

  f->gpu.visibility = GC_VISIBLE;
  for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
    setenv("CUDA_VISIBLE_DEVICES", lists[i], 1);
    must_open(f);
    assert_string_equal(f->fake->visible, UUID);
    assert_string_equal(f->fake->order, "PCI_BUS_ID");
    close_device(f);
  }
}

#define OTHER_UUID "GPU-ffffffff-0405-0607-0809-0a0b0c0d0e0f"
#define INSTANCE_UUID "11223344-5566-7788-99aa-bbccddeeff00"

/* Where only CUDA knows what the list shows, the list and its order stay, and the UUID decides. */
static void obeys_a_list_that_only_cuda_understands(void **state)
{
  static const struct {
    const char *list, *order;
    bool shows;
  } cases[] = {{"0", NULL, false},        {"1", NULL, true},
               {"0", "PCI_BUS_ID", true}, {"1", "PCI_BUS_ID", false},
               {"1,0", NULL, true},       {"0,-1,1", "FASTEST_FIRST", false},
               {"GPU-0001", NULL, true},  {"GPU-ff", NULL, false},
               {"0junk,1", NULL, true},   {"0", "pci_bus_id", false}};
  struct fixture *f = *state;

  setenv("FAKE_CUDA_GPUS", "0000:0B:00.0=" OTHER_UUID ",0000:0A:00.0=" UUID, 1);
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    setenv("CUDA_VISIBLE_DEVICES", cases[i].list, 1);
    if (cases[i].order)
      setenv("CUDA_DEVICE_ORDER", cases[i].order, 1);
    else
      unsetenv("CUDA_DEVICE_ORDER");
    *f->fake->used = '\0';
    if (cases[i].shows) {
      must_open(f);
      assert_string_equal(f->fake->used, UUID);
    } else {
      assert_int_equal(open_device(f), -ENODEV);
      says(f, "CUDA_VISIBLE_DEVICES is '");
      says(f, "which hides gpu3 (" UUID "): CUDA shows 1 device, and not this one");
      assert_string_equal(f->fake->used, ""); /* no context on the other GPU */
    }
    assert_string_equal(f->fake->visible, cases[i].list);
    assert_string_equal(f->fake->order, cases[i].order ? cases[i].order : "(unset)");
    close_device(f);
  }
}

static void a_list_may_show_no_gpu(void **state)
{
  struct fixture *f = *state;

  setenv("CUDA_VISIBLE_DEVICES", "7", 1);
  assert_int_equal(open_device(f), -ENODEV);
  says(f, "CUDA_VISIBLE_DEVICES is '7', with which CUDA shows no GPU, and so not gpu3");
}

/* Where the driver lists no GPU, the bus id finds it. */
static void finds_the_gpu_by_bus_id_without_a_uuid(void **state)
{
  struct fixture *f = *state;

  strcpy(f->gpu.identity.id, "pci-0123456789abcdef-0000_0a_00.0");
  f->gpu.visibility = GC_VISIBLE;
  must_open(f);
  assert_string_not_equal(f->fake->visible, f->gpu.identity.id); /* CUDA does not know this id */
  close_device(f);
  f->gpu.bus = 0xb;
  assert_int_equal(open_device(f), -ENODEV);
  says(f, "none of which is gpu3");
}

/* A GPU of Tegra has no bus id. */
static void finds_the_integrated_gpu(void **state)
{
  struct fixture *f = *state;

  strcpy(f->gpu.identity.id, "tegra-1421721046782-17000000");
  f->gpu.has_pci = false;
  assert_int_equal(open_device(f), -ENODEV);
  says(f, "none of which is gpu3");
  f->fake->attributes[CU_DEVICE_ATTRIBUTE_INTEGRATED] = 1;
  must_open(f);
}

static void explains_mig(void **state)
{
  struct fixture *f = *state;

  strcpy(f->gpu.identity.mig, "disabled"); /* /proc does not show a MIG mode without instances */
  setenv("FAKE_CUDA_FAIL", "cuInit=100", 1);
  assert_int_equal(open_device(f), -ENODEV);
  says(f, "MIG mode");
  says(f, "CUDA_ERROR_NO_DEVICE");
}

/* A container may hide the MIG mode, but not that the UUID is another one. */
static void never_takes_an_instance_for_the_gpu(void **state)
{
  struct fixture *f = *state;

  setenv("FAKE_CUDA_GPUS", "0000:0A:00.0=MIG-" INSTANCE_UUID, 1);
  setenv("CUDA_VISIBLE_DEVICES", "0", 1);
  assert_int_equal(open_device(f), -ENODEV);
  says(f, "CUDA shows an instance of gpu3 (" UUID ") in place of the whole GPU");
  assert_string_equal(f->fake->used, "");
}

/* An instance that the list names by its UUID. */
static void opens_an_instance_by_uuid(void **state)
{
  struct fixture *f = *state;

  setenv("FAKE_CUDA_GPUS", "0000:0B:00.0=MIG-ff223344-5566-7788-99aa-bbccddeeff00,"
                           "0000:0A:00.0=MIG-" INSTANCE_UUID, 1);
  setenv("CUDA_VISIBLE_DEVICES", "MIG-ff223344-5566-7788-99aa-bbccddeeff00,MIG-" INSTANCE_UUID, 1);
  f->gpu.instance = 1;
  f->gpu.visibility = GC_VISIBLE;
  f->gpu.has_pci = false; /* /proc does not show whose instance it is */
  strcpy(f->gpu.identity.id, "MIG-" INSTANCE_UUID);
  strcpy(f->gpu.shown_as, f->gpu.identity.id);
  must_open(f);
  assert_string_equal(f->fake->visible, f->gpu.identity.id);
  assert_string_equal(f->fake->used, f->gpu.identity.id);
}

static void refuses_another_instance(void **state)
{
  struct fixture *f = *state;

  setenv("FAKE_CUDA_GPUS", "0000:0A:00.0=MIG-" INSTANCE_UUID, 1);
  f->gpu.instance = 1;
  strcpy(f->gpu.identity.id, "MIG-ff223344-5566-7788-99aa-bbccddeeff00");
  assert_int_equal(open_device(f), -ENODEV);
  says(f, "none of which is gpu3 (MIG-ff22");
  assert_string_equal(f->fake->used, "");
}

/* The only instance that this process may use has no known UUID: it is at the bus id of its GPU. */
static void opens_the_only_instance(void **state)
{
  static const struct {
    const char *gpus;
    bool is;
  } cases[] = {{"0000:0A:00.0=MIG-" INSTANCE_UUID, true},
               {"0000:0B:00.0=MIG-" INSTANCE_UUID, false},
               {"0000:0A:00.0=" UUID, false}};
  struct fixture *f = *state;

  f->gpu.instance = 1;
  strcpy(f->gpu.identity.id, "MIG-" UUID "-gi1-ci0");
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    *f->fake->used = '\0';
    setenv("FAKE_CUDA_GPUS", cases[i].gpus, 1);
    assert_int_equal(open_device(f), cases[i].is ? 0 : -ENODEV);
    assert_string_equal(f->fake->visible, "(unset)");
    assert_string_equal(f->fake->used, cases[i].is ? "MIG-" INSTANCE_UUID : "");
    close_device(f);
  }
}

/* The driver must not find the MPS server of the user, in whose directory there is a pipe. */
static void opens_past_an_mps_server(void **state)
{
  struct fixture *f = *state;

  setenv("CUDA_MPS_PIPE_DIRECTORY", "/tmp/nvidia-mps", 1);
  must_open(f);
  assert_string_not_equal(f->fake->pipes, "/tmp/nvidia-mps");
  assert_string_not_equal(f->fake->pipes, "(unset)"); /* it means /tmp/nvidia-mps */
  assert_int_equal(access(f->fake->pipes, F_OK), 0);
}

/* Where only one process may open the GPU, that may be an MPS server. */
static void explains_the_compute_mode(void **state)
{
  struct fixture *f = *state;

  setenv("FAKE_CUDA_FAIL", "cuDevicePrimaryCtxRetain=46", 1);
  f->fake->attributes[CU_DEVICE_ATTRIBUTE_COMPUTE_MODE] = CU_COMPUTEMODE_EXCLUSIVE_PROCESS;
  assert_int_equal(open_device(f), -EBUSY);
  says(f, "the compute mode of gpu3 (exclusive process) admits one program at a time");
  f->fake->attributes[CU_DEVICE_ATTRIBUTE_COMPUTE_MODE] = CU_COMPUTEMODE_PROHIBITED;
  assert_int_equal(open_device(f), -EBUSY);
  says(f, "the compute mode of gpu3 (prohibited) admits no program");
}

/* Another job has exclusive use of the GPU for a while. */
static void an_exclusive_gpu_is_busy(void **state)
{
  struct fixture *f = *state;

  setenv("FAKE_CUDA_FAIL", "cuDevicePrimaryCtxRetain=46", 1);
  assert_int_equal(open_device(f), -EBUSY);
  says(f, "cannot create a CUDA context on gpu3: CUDA_ERROR_DEVICE_UNAVAILABLE");
}

static void refuses_a_gpu_with_a_problem(void **state)
{
  struct fixture *f = *state;

  strcpy(f->gpu.problem, "the driver does not know this GPU");
  assert_int_equal(open_device(f), -ENODEV);
  says(f, "the driver does not know this GPU");
}

static void refuses_an_old_driver(void **state)
{
  struct fixture *f = *state;

  dlclose(f->library);
  f->fake = NULL;
  f->library = load_library("old-cuda/.libs/libcuda.so.1");
  assert_int_equal(open_device(f), -ENODEV);
  says(f, "libcuda.so.1 has no cuDeviceGetUuid_v2");
}

static void reports_a_missing_driver(void **state)
{
  struct fixture *f = *state;
  void *real;

  dlclose(f->library);
  f->fake = NULL;
  f->library = NULL;
  real = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (real) {
    dlclose(real);
    skip(); /* this machine has the real driver */
  }
  assert_int_equal(open_device(f), -ENODEV);
  says(f, "cannot load the CUDA driver: libcuda.so.1: ");
  says(f, "install the driver's libraries; a container needs access to them (--gpus all, --nv)");
}

static unsigned char bank[GPU_CONSTANT_BYTES];

/* n launches of banks_constant with copies 0, 1, 0 …, and one of filler. */
static int launch_several(struct fixture *f, size_t n)
{
  const struct gpu_banks_args walk = {.threshold = 0x4321};
  const struct gpu_filler_args filler = {.sink = 0x1234};
  struct gc_launch launches[GC_CONCURRENT_MAX + 1];
  uint32_t copies[GC_CONCURRENT_MAX + 1];

  for (size_t i = 0; i < n; i++) {
    launches[i] = (struct gc_launch){GC_KERNEL_banks_constant, 132, 32, 0, &walk, sizeof(walk), 0};
    copies[i] = i % 2;
  }
  launches[n] = (struct gc_launch){GC_KERNEL_filler, 132, 32, 0, &filler, sizeof(filler), 0};
  copies[n] = 0;
  return f->ops->launch_concurrent(f->device, launches, copies, n + 1, &f->err);
}

/* A census of the banks of copies 0, 1 and 2. */
static int take_census(struct fixture *f)
{
  const struct gpu_banks_census_args args = {.limit = 0x4321};
  const struct gc_launch launch = {GC_KERNEL_banks_census, 132, 32, 0, &args, sizeof(args), 0};
  const struct gc_launch launches[] = {launch, launch, launch};

  return f->ops->launch_concurrent(f->device, launches, (const uint32_t[]){0, 1, 2}, 3, &f->err);
}

/* Host memory that kernels can use: what is uploaded is there at once, without a copy by CUDA. */
static int use_host_memory(struct fixture *f)
{
  uint64_t address = 0, second;
  char text[8] = "";
  int status = f->ops->alloc_host(f->device, sizeof(text), &address, &f->err);

  if (status)
    return status;
  assert_int_equal(f->ops->alloc_host(f->device, 1, &second, &f->err), -EINVAL);
  assert_int_equal(f->ops->upload(f->device, address + 2, "words", 6, &f->err), 0);
  assert_string_equal((const char *)(uintptr_t)(address + 2), "words");
  assert_int_equal(f->ops->download(f->device, text, address + 2, 6, &f->err), 0);
  assert_string_equal(text, "words");
  f->ops->release(f->device, address);
  return 0;
}

/* Calls all functions of a device up to the first error. */
static int use_everything(struct fixture *f)
{
  const struct gpu_clock_args args = {.nanoseconds = 1};
  const struct gc_launch launch = {GC_KERNEL_clock, 1, 32, 1024, &args, sizeof(args), 0};
  uint64_t address, texture = 0;
  char byte = 1;
  int status = use_memory(f, 512, &address);

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
    status = launch_several(f, 2);
  if (!status)
    status = take_census(f);
  if (!status)
    status = use_host_memory(f);
  f->ops->release_texture(f->device, texture);
  f->ops->release(f->device, address);
  return status;
}

/* If one of these functions fails, nothing else does: they release something, or only name or
 * count. */
static const char *const harmless[] = {"cuGetErrorName",
                                       "cuDeviceGetUuid_v2",
                                       "cuModuleUnload",
                                       "cuDevicePrimaryCtxRelease_v2",
                                       "cuMemFree_v2",
                                       "cuMemFreeHost",
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

static void every_function_works(void **state)
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
  f->fake->attributes[CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE] = 39321600;
  f->fake->fetch_limit = 64;
  f->fake->attributes[CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK] = 49152;
  f->fake->attributes[CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN] = 232448;
  f->fake->attributes[CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK] = -1;
  f->fake->attributes[CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED] = 1;
  f->fake->attributes[CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED] = 1;
  must_open(f);
  assert_int_equal(f->ops->properties(f->device, &p, &f->err), 0);
  assert_string_equal(p.model, "Stand-in GPU");
  assert_int_equal(p.sms, 132);
  assert_int_equal(p.compute_major, 9);
  assert_int_equal(p.cores_per_sm, 128);
  assert_int_equal(p.transfers_per_clock, 2);
  assert_int_equal(p.l2_bytes, 62914560);
  assert_int_equal(p.memory_bytes, 141ull << 30);
  assert_int_equal(p.shared_per_block, 232448);
  assert_int_equal(p.shared_reserved, 0); /* a driver without this attribute */
  assert_true(p.global_l1 && p.local_l1 && p.has_texture && p.has_constant && p.has_read_only && p.has_gpcs);
  assert_false(p.has_lds || p.l2_per_xcd || p.ecc || p.integrated || p.host_atomics || p.simulated);
  assert_true(p.l2_fetch_limit.made && p.l2_persisting.made && p.l2_compression.made);
  assert_int_equal(p.l2_fetch_limit.value, 64);
  assert_int_equal(p.l2_persisting.value, 39321600);
  assert_int_equal(p.l2_compression.value, 0); /* an answer, too */

  f->fake->attributes[CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN] = -1;
  f->fake->attributes[CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE] = -1;
  f->fake->attributes[CU_DEVICE_ATTRIBUTE_INTEGRATED] = 1;
  f->fake->attributes[CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED] = 1;
  f->fake->attributes[CU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED] = -1;
  f->fake->fetch_limit = FAKE_CUDA_REFUSED;
  assert_int_equal(f->ops->properties(f->device, &p, &f->err), 0);
  assert_false(p.l2_fetch_limit.made || p.l2_persisting.made || p.l2_compression.made);
  assert_int_equal(p.shared_per_block, 49152);
  assert_true(p.integrated && p.host_atomics);
}

static void launches(void **state)
{
  struct fixture *f = *state;
  const struct gpu_clock_args args = {.result = 0x1234, .nanoseconds = 5};
  struct gc_launch launch = {GC_KERNEL_clock, 132, 64, 0, &args, sizeof(args), 0};

  f->fake->parameter_bytes = sizeof(args);
  must_open(f);
  assert_int_equal(f->ops->launch(f->device, &launch, &f->err), 0);
  assert_string_equal(f->fake->function, "gpu_clock");
  assert_int_equal(f->fake->grid, 132);
  assert_int_equal(f->fake->block, 64);
  assert_memory_equal(f->fake->parameters, &args, sizeof(args));
  assert_int_equal(f->fake->attributes_set, 0);

  launch.shared_bytes = 100000; /* more than the default: the back end allows it once */
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
}

/* Copies and streams are made once. Each launch uses the functions of its copy's module. */
static void concurrent_launches(void **state)
{
  struct fixture *f = *state;

  must_open(f);
  assert_int_equal(f->fake->modules, 1);
  assert_int_equal(f->ops->upload_constant_copy(f->device, 0, bank, &f->err), 0);
  assert_int_equal(f->fake->modules, 1);
  for (int round = 0; round < 2; round++) {
    assert_int_equal(launch_several(f, 3), 0);
    assert_int_equal(f->fake->modules, 3); /* two with constants, one with the long code */
    assert_int_equal(f->fake->streams, 4);
    assert_int_equal(f->fake->streamed, 4 * (round + 1));
    assert_string_equal(f->fake->function, "gpu_filler");
  }
  assert_int_equal(f->ops->counts(f->device)->launches, 8);
  for (int round = 0; round < 2; round++) {
    assert_int_equal(take_census(f), 0);
    assert_int_equal(f->fake->modules, 4); /* one more with constants */
    assert_int_equal(f->fake->streamed, 8 + 3 * (round + 1));
    assert_string_equal(f->fake->function, "gpu_banks_census");
  }
  assert_int_equal(launch_several(f, GC_CONCURRENT_MAX), -EINVAL);
  assert_int_equal(f->ops->upload_constant_copy(f->device, GC_COPIES_MAX, bank, &f->err), -EINVAL);
  says(f, "there is no copy 4 of the kernels: there are 4");
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

static void refuses_writes_past_the_constant_bank(void **state)
{
  struct fixture *f = *state;
  char bytes[16] = "";

  must_open(f);
  assert_int_equal(f->ops->upload_constant(f->device, 65536 - 16, bytes, 16, &f->err), 0);
  assert_int_equal(f->ops->upload_constant(f->device, 65536 - 15, bytes, 16, &f->err), -EINVAL);
  assert_int_equal(f->ops->upload_constant(f->device, SIZE_MAX, bytes, 16, &f->err), -EINVAL);
}

/* Large clusters are allowed once for each kernel. The kernels for clusters are loaded when they are
 * needed. */
static void launches_clusters(void **state)
{
  struct fixture *f = *state;
  const struct gpu_remote_args args = {.size = 16, .n = 64};
  struct gc_launch launch = {
      GC_KERNEL_remote_shared, 112, 32, 256, &args, sizeof(args), 16};
  struct gc_properties p;

  f->fake->attributes[CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT] = 132;
  must_open(f);
  assert_int_equal(f->ops->properties(f->device, &p, &f->err), 0);
  assert_int_equal(p.cluster_blocks, 0);
  f->fake->attributes[CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH] = 1;
  assert_int_equal(f->ops->properties(f->device, &p, &f->err), 0);
  assert_int_equal(p.cluster_blocks, 16);
  assert_int_equal(f->fake->modules, 1);
  for (int i = 0; i < 2; i++)
    assert_int_equal(f->ops->launch(f->device, &launch, &f->err), 0);
  assert_int_equal(f->fake->modules, 2);
  assert_string_equal(f->fake->function, "gpu_remote_shared");
  assert_int_equal(f->fake->cluster, 16);
  assert_int_equal(f->fake->grid, 112);
  assert_int_equal(f->fake->attributes_set, 3); /* clusters of two kernels, shared memory of one */
  f->fake->cluster = 0;
  launch.kernel = GC_KERNEL_clock;
  launch.args_bytes = sizeof(struct gpu_clock_args);
  launch.cluster = 0;
  assert_int_equal(f->ops->launch(f->device, &launch, &f->err), 0);
  assert_int_equal(f->fake->cluster, 0);
}

/* Everything else works. */
static void some_drivers_have_no_clusters(void **state)
{
  struct fixture *f = *state;
  const struct gpu_remote_args args = {.size = 2, .n = 64};
  const struct gc_launch launch = {GC_KERNEL_remote_shared, 2, 32, 256, &args, sizeof(args), 2};
  struct gc_properties p;

  f->fake->attributes[CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH] = 1;
  must_open(f);
  setenv("FAKE_CUDA_FAIL", "cuOccupancyMaxPotentialClusterSize=801", 1);
  assert_int_equal(f->ops->properties(f->device, &p, &f->err), 0);
  assert_int_equal(p.cluster_blocks, 0);
  unsetenv("FAKE_CUDA_FAIL");
  ((struct gc_cuda_device *)f->device)->driver.cuLaunchKernelEx = NULL;
  assert_int_equal(f->ops->properties(f->device, &p, &f->err), 0);
  assert_int_equal(p.cluster_blocks, 0);
  assert_int_equal(f->ops->launch(f->device, &launch, &f->err), -ENOTSUP);
  says(f, "the driver of gpu3 cannot launch clusters");
}

#define PEER_UUID "GPU-a0010203-0405-0607-0809-0a0b0c0d0e0f"

/* Copies a word to memory elsewhere and back. */
static void copy_word(struct fixture *f, uint64_t elsewhere)
{
  uint64_t here;
  double ns = 0;
  char word[8] = "";

  assert_int_equal(f->ops->alloc(f->device, 4096, &here, &f->err), 0);
  assert_int_equal(f->ops->upload(f->device, here, "words", 6, &f->err), 0);
  assert_int_equal(
      f->ops->copy(f->device, &(struct gc_copy){elsewhere, here, 4096, 0}, 1, &ns, &f->err), 0);
  assert_true(ns > 0);
  assert_int_equal(f->ops->clear(f->device, here, 4096, &f->err), 0);
  assert_int_equal(
      f->ops->copy(f->device, &(struct gc_copy){here, elsewhere, 4096, 0}, 1, &ns, &f->err), 0);
  assert_int_equal(f->ops->download(f->device, word, here, 6, &f->err), 0);
  assert_string_equal(word, "words");
  f->ops->release(f->device, here);
}

static void reaches_memory_of_the_host(void **state)
{
  struct fixture *f = *state;
  struct gc_host_node nodes[GC_HOST_NODES_MAX];
  uint64_t host, second;
  uint32_t count;

  must_open(f);
  assert_int_equal(f->ops->host_nodes(f->device, nodes, &count, &f->err), 0);
  if (!count)
    skip();
  assert_int_equal(f->ops->alloc_on_node(f->device, 2 << 20, nodes->number, &host, &f->err), 0);
  assert_int_equal(f->ops->alloc_on_node(f->device, 2 << 20, nodes->number, &second, &f->err),
                   -EINVAL);
  copy_word(f, host);
  f->ops->release(f->device, host);
  /* the next one, and one that is not released */
  assert_int_equal(f->ops->alloc_on_node(f->device, 2 << 20, nodes->number, &host, &f->err), 0);
  copy_word(f, host);
}

static void reaches_memory_of_another_gpu(void **state)
{
  static const struct {
    int reach, atomics;
    enum gc_peer_path path;
  } ways[] = {{1, 1, GC_PEER_BY_NVLINK}, {1, 0, GC_PEER_BY_PCIE}, {0, 0, GC_PEER_BY_HOST}};
  struct fixture *f = *state;
  struct gc_gpu other = f->gpu;
  const struct gc_gpu *const gpus[] = {&f->gpu, &other};
  struct gc_device *devices[2];
  enum gc_peer_path path;
  uint64_t memory, second;

  setenv("FAKE_CUDA_GPUS", "0000:0a:00.0=" UUID ",0000:0b:00.0=" PEER_UUID, 1);
  strcpy(other.identity.id, PEER_UUID);
  other.bus = 0xb;
  f->gpu.visibility = other.visibility = GC_VISIBLE;
  assert_int_equal(gc_device_open_several(gpus, 2, devices, &f->err), 0);
  assert_string_equal(f->fake->visible, UUID "," PEER_UUID);
  f->device = devices[0];
  f->ops = gc_ops(f->device);
  assert_int_equal(f->ops->use(f->device, &f->err), 0);
  for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
    f->fake->peers_reach = ways[i].reach;
    f->fake->peer_atomics = ways[i].atomics;
    assert_int_equal(f->ops->alloc_on_peer(f->device, devices[1], 4096, &memory, &path, &f->err),
                     0);
    assert_int_equal(path, ways[i].path);
    assert_int_equal(f->ops->alloc_on_peer(f->device, devices[1], 4096, &second, &path, &f->err),
                     -EINVAL);
    says(f, "gpu3 has memory elsewhere already");
    copy_word(f, memory);
    f->ops->release(f->device, memory);
  }
  setenv("FAKE_CUDA_FAIL", "cuMemAlloc_v2=2", 1);
  assert_int_equal(f->ops->alloc_on_peer(f->device, devices[1], 4096, &memory, &path, &f->err),
                   -ENOMEM);
  unsetenv("FAKE_CUDA_FAIL");
  /* and in the other direction; memory that is not released is freed at the end */
  assert_int_equal(f->ops->use(devices[1], &f->err), 0);
  assert_int_equal(f->ops->alloc_on_peer(devices[1], devices[0], 4096, &memory, &path, &f->err), 0);
  f->ops->close(devices[1]);
  assert_int_equal(f->ops->use(devices[0], &f->err), 0);
  /* the list of a user stays */
  close_device(f);
  setenv("CUDA_VISIBLE_DEVICES", "0,1", 1);
  f->gpu.visibility = GC_UNDECIDED;
  assert_int_equal(gc_device_open_several(gpus, 2, devices, &f->err), 0);
  assert_string_equal(f->fake->visible, "0,1");
  f->ops->close(devices[1]);
  f->ops->close(devices[0]);
  /* one of them is hidden: none stays open */
  setenv("CUDA_VISIBLE_DEVICES", "0", 1);
  assert_int_equal(gc_device_open_several(gpus, 2, devices, &f->err), -ENODEV);
  assert_null(devices[0]);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(opens_one_gpu),
      TEST(finds_the_gpu_by_uuid_if_bus_ids_differ),
      TEST(refuses_another_gpu),
      TEST(reports_that_the_uuid_cannot_be_read),
      TEST(respects_hidden_gpus),
      TEST(respects_lists_without_a_gpu),
      TEST(shows_only_a_gpu_that_is_visible),
      TEST(obeys_a_list_that_only_cuda_understands),
      TEST(a_list_may_show_no_gpu),
      TEST(finds_the_gpu_by_bus_id_without_a_uuid),
      TEST(finds_the_integrated_gpu),
      TEST(explains_mig),
      TEST(never_takes_an_instance_for_the_gpu),
      TEST(opens_an_instance_by_uuid),
      TEST(refuses_another_instance),
      TEST(opens_the_only_instance),
      TEST(opens_past_an_mps_server),
      TEST(an_exclusive_gpu_is_busy),
      TEST(explains_the_compute_mode),
      TEST(refuses_a_gpu_with_a_problem),
      TEST(refuses_an_old_driver),
      TEST(reports_a_missing_driver),
      TEST(every_function_can_fail),
      TEST(every_function_works),
      TEST(reads_properties),
      TEST(launches),
      TEST(concurrent_launches),
      TEST(launches_clusters),
      TEST(some_drivers_have_no_clusters),
      TEST(counts_the_most_memory),
      TEST(sets_the_carveout),
      TEST(sets_the_carveout_of_older_gpus),
      TEST(makes_textures_of_texels),
      TEST(refuses_writes_past_the_constant_bank),
      TEST(reaches_memory_of_the_host),
      TEST(reaches_memory_of_another_gpu),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
