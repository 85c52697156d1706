/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How the HIP back end opens a GPU: which device it selects, which kernels it loads, and its
 * messages if there are none.
 */
#include "device/hip_open.h"
#include "hip.h"

#include <fcntl.h>
#include <unistd.h>

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

/* Makes the GPU number `before` of so many partitions, which share a UUID. */
static void make_partition(struct fixture *f, unsigned before, unsigned parts)
{
  f->gpu.amd = (struct gc_amd){.uuid = UUID, .own_bus_id = true, .is_partition = true,
                               .partition = before, .parts = parts, .before = before};
  f->gpu.func = before;
  snprintf(f->gpu.identity.id, sizeof(f->gpu.identity.id), UUID "-%u", before);
}

/* ROCr would show no partition, were it asked for the UUID that they share. */
static void tells_partitions_by_function(void **state)
{
  struct fixture *f = fixture_of(state);

  for (int i = 0; i < 4; i++) {
    char bus_id[] = "0000:0a:00.0";

    bus_id[sizeof(bus_id) - 2] = (char)('3' - i); /* in any order */
    set_device(f, i, bus_id, "0123456789abcdef");
  }
  setenv("ROCR_VISIBLE_DEVICES", "0,1,2,3", 1);
  f->gpu.visibility = GC_VISIBLE;
  make_partition(f, 2, 4);
  must_open(f);
  assert_string_equal(f->fake->rocr, "(unset)");
  assert_int_equal(f->fake->current, 1);
  close_device(f);

  make_partition(f, 5, 8); /* not among them */
  assert_int_equal(open_device(f), -ENODEV);
  says(f, "HIP shows 4 devices in the place of gpu3 (" UUID "-5), none of which is gpu3");
}

/* The order is that of the kernel, if HIP shows all that the kernel lists. */
static void tells_partitions_by_order(void **state)
{
  struct fixture *f = fixture_of(state);

  for (int i = 0; i < 4; i++)
    set_device(f, i, i == 1 ? "0000:0b:00.0" : "0000:0a:00.0", "0123456789abcdef");
  make_partition(f, 2, 3);
  must_open(f);
  assert_int_equal(f->fake->current, 3);
  close_device(f);

  make_partition(f, 0, 3);
  must_open(f);
  assert_int_equal(f->fake->current, 0);
  close_device(f);

  make_partition(f, 2, 4); /* HIP shows three at that place */
  assert_int_equal(open_device(f), -ENODEV);
  says(f, "HIP shows 3 devices in the place of gpu3 (" UUID "-2), where the kernel lists 4, and does "
          "not report which is which");
  make_partition(f, 0, 2);
  assert_int_equal(open_device(f), -ENODEV);

  make_partition(f, 2, 3); /* the caller's variable may change the order */
  setenv("HIP_VISIBLE_DEVICES", "3,0,2", 1);
  assert_int_equal(open_device(f), -ENODEV);
  says(f, "does not report which is which");
}

/* The UUID does not identify the partition, nor does the place in an old HIP. */
static void no_partition_by_shared_uuid(void **state)
{
  struct fixture *f = fixture_of(state);

  make_partition(f, 1, 8);
  assert_int_equal(open_device(f), -ENODEV);
  says(f, "HIP shows 1 device in the place of gpu3 (" UUID "-1), where the kernel lists 8");
  assert_int_equal(f->fake->current, -1);
}

/* With newer kernels it does. The id has the UUID of the whole GPU. */
static void tells_partitions_by_their_own_uuid(void **state)
{
  static const char uuids[4][17] = {"aaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbb", "cccccccccccccccc",
                                    "dddddddddddddddd"};
  struct fixture *f = fixture_of(state);

  for (int i = 0; i < 4; i++)
    set_device(f, i, "0000:0a:00.0", uuids[3 - i]);
  f->fake->filters = 1;
  f->gpu.visibility = GC_VISIBLE;
  make_partition(f, 2, 4);
  f->gpu.amd.own_uuid = true;
  snprintf(f->gpu.amd.uuid, sizeof(f->gpu.amd.uuid), "GPU-%s", uuids[2]);
  must_open(f);
  assert_int_equal(f->fake->current, 1);
  assert_int_equal(f->fake->opened, 4);
  close_device(f);

  strcpy(f->gpu.amd.rocr, f->gpu.amd.uuid);
  must_open(f);
  assert_int_equal(f->fake->current, 1);
  assert_int_equal(f->fake->opened, 1);
  close_device(f);

  /* the kernel gives them no place of their own: another one is noticed */
  f->gpu.amd.own_bus_id = false;
  f->gpu.func = 0;
  strcpy(f->gpu.amd.rocr, "2");
  f->fake->current = -1;
  assert_int_equal(open_device(f), -ENODEV);
  says(f, "HIP shows 1 device in the place of gpu3 (" UUID "-2), where the kernel lists 4");
  assert_int_equal(f->fake->current, -1);
}

/* ROCr may count other GPUs than this program does: the place shows it. */
static void checks_the_index(void **state)
{
  struct fixture *f = fixture_of(state);

  for (int i = 0; i < 4; i++) {
    char bus_id[] = "0000:0a:00.0";

    bus_id[sizeof(bus_id) - 2] = (char)('0' + i);
    set_device(f, i, bus_id, "0123456789abcdef");
  }
  f->fake->filters = 1;
  f->gpu.visibility = GC_VISIBLE;
  make_partition(f, 2, 4);
  strcpy(f->gpu.amd.rocr, "2");
  must_open(f);
  assert_string_equal(f->fake->rocr, "2");
  assert_int_equal(f->fake->current, 2);
  assert_int_equal(f->fake->opened, 1);
  close_device(f);

  strcpy(f->gpu.amd.rocr, "3");
  f->fake->current = -1;
  assert_int_equal(open_device(f), -ENODEV);
  says(f, "HIP shows 1 device in the place of gpu3 (" UUID "-2), none of which is gpu3");
  assert_int_equal(f->fake->current, -1);
}

/* Consumer GPUs have no UUID. HIP shows all GPUs, and the place identifies this one. */
static void gpu_without_uuid(void **state)
{
  struct fixture *f = fixture_of(state);

  strcpy(f->gpu.identity.id, "pci-0000_0a_00.0-744c");
  f->gpu.amd = (struct gc_amd){.own_bus_id = true, .parts = 1};
  f->gpu.visibility = GC_VISIBLE;
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
  assert_int_equal(f->fake->inits, 0); /* the library was not initialized */
}

/* HIP ignores an empty list, and uses CUDA's list only if its own is unset or empty. */
static void shows_only_a_gpu_that_is_visible(void **state)
{
  static const struct {
    const char *rocr, *hip, *cuda;
  } lists[] = {{"0", NULL, NULL}, {UUID, "1,0", NULL}, {NULL, "", NULL},
               {NULL, NULL, ""},  {NULL, "0", "-1"},   {"2", "", "GPU-00010203"}};
  struct fixture *f = fixture_of(state);

  f->gpu.visibility = GC_VISIBLE;
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

/* Where only the libraries know what the variables show, all of them stay. */
static void obeys_lists_that_only_hip_understands(void **state)
{
  struct fixture *f = fixture_of(state);

  setenv("ROCR_VISIBLE_DEVICES", "0,2", 1);
  setenv("HIP_VISIBLE_DEVICES", "1", 1);
  must_open(f);
  assert_string_equal(f->fake->rocr, "0,2");
  assert_string_equal(f->fake->hip, "1");
  close_device(f);

  set_device(f, 0, "0000:0b:00.0", "fedcba9876543210"); /* that is what they show */
  f->fake->current = -1;
  assert_int_equal(open_device(f), -ENODEV);
  says(f, "HIP_VISIBLE_DEVICES is '1', which hides gpu3 (" UUID "): HIP shows 1 device");
  assert_int_equal(f->fake->current, -1);

  unsetenv("HIP_VISIBLE_DEVICES");
  assert_int_equal(open_device(f), -ENODEV);
  says(f, "ROCR_VISIBLE_DEVICES is '0,2', which hides gpu3");
  setenv("CUDA_VISIBLE_DEVICES", "1", 1);
  assert_int_equal(open_device(f), -ENODEV);
  says(f, "CUDA_VISIBLE_DEVICES is '1', which hides gpu3");
}

static void needs_kernels_for_its_processor(void **state)
{
  struct fixture *f = *state;

  strcpy(f->gpu.gfx, "gfx803");
  assert_int_equal(open_device(f), -ENOTSUP);
  says(f, "without kernels for the gfx803 of gpu3");
  strcpy(f->gpu.gfx, "gfx1250"); /* not even those of gfx12-generic */
  assert_int_equal(open_device(f), -ENOTSUP);
  says(f, "no kernels exist for the gfx1250 of gpu3: its caches, scopes and waits differ");
  *f->gpu.gfx = '\0';
  assert_int_equal(open_device(f), -ENOTSUP);
  says(f, "does not report the processor of gpu3");
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
    {0, "does this version of ROCm support it"},
    {EACCES, "this user may not open /dev/kfd: add the user to the groups render and video"},
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

/* The advice depends on the state of /dev/kfd on this machine. */
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
    GPU_TEST(no_partition_by_shared_uuid),
    GPU_TEST(tells_partitions_by_their_own_uuid),
    GPU_TEST(checks_the_index),
    GPU_TEST(gpu_without_uuid),
    GPU_TEST(respects_hidden_gpus),
    GPU_TEST(shows_only_a_gpu_that_is_visible),
    GPU_TEST(obeys_lists_that_only_hip_understands),
    TEST(needs_kernels_for_its_processor),
    TEST(refuses_what_is_known_not_to_work),
    GPU_TEST(each_processor_gets_its_own_kernels),
    cmocka_unit_test(advice_is_for_the_error),
    GPU_TEST(says_why_there_is_no_gpu),
    GPU_TEST(what_is_no_missing_gpu_gets_no_advice),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
