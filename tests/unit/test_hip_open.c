/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How the HIP back end opens a GPU: which device it takes for the GPU meant, which kernels it loads, and why there is
 * none.
 */
#include "device/hip_device.h"
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
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
