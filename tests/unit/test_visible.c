/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the vendors' variables show, as tables: the value of a variable, and V (visible), - (hidden)
 * ? (undecided) or * (whatever) for each GPU.
 */
#include "gpus/visible.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* The UUIDs of three NVIDIA GPUs; the first two begin alike. */
#define A "GPU-474c7e1d-0000-0000-0000-000000000001"
#define B "GPU-474c9999-0000-0000-0000-000000000002"
#define C "GPU-0a0a0a0a-0000-0000-0000-000000000003"

#define SURE GC_COUNTED
#define NONE GC_NOT_COUNTED
#define MAYBE GC_PERHAPS_COUNTED

struct row {
  const char *list, *order; /* of the GPUs in CUDA's indices */
  enum gc_counted counted[3];
  const char *result;
};

static const char *const letters = "?V-";

static void check_cuda(const struct row *rows, size_t n)
{
  for (size_t r = 0; r < n; r++) {
    const struct gc_seen seen[] = {
        {A, "", rows[r].counted[0]}, {B, "", rows[r].counted[1]}, {C, "", rows[r].counted[2]}};
    const struct gc_variables variables = {.cuda = rows[r].list, .cuda_order = rows[r].order};
    char result[4] = "";

    for (size_t i = 0; i < 3; i++) {
      const struct gc_decision decision =
          gc_visible_cuda(&variables, (struct gc_seen_list){seen, 3}, i);

      result[i] = letters[decision.visibility];
      if (decision.visibility == GC_VISIBLE) {
        assert_null(decision.variable);
      } else {
        assert_string_equal(decision.variable, "CUDA_VISIBLE_DEVICES");
        assert_string_equal(decision.value, rows[r].list);
      }
    }
    for (size_t i = 0; i < 3; i++)
      if (rows[r].result[i] == '*') /* other means hide it */
        result[i] = '*';
    if (strcmp(result, rows[r].result))
      fail_msg("row %zu, '%s': %s, not %s", r, rows[r].list ? rows[r].list : "(unset)", result,
               rows[r].result);
  }
}

#define CHECK_CUDA(rows) check_cuda(rows, sizeof(rows) / sizeof(*(rows)))
#define ALL                                                                                        \
  {                                                                                                \
    SURE, SURE, SURE                                                                               \
  }
#define PCI "PCI_BUS_ID"

static void cuda_uuids(void **state)
{
  static const struct row rows[] = {
      {NULL, NULL, ALL, "VVV"},
      {"", NULL, ALL, "---"},
      {A, NULL, ALL, "V--"},
      {C "," A, NULL, ALL, "V-V"},
      {"GPU-0", NULL, ALL, "--V"},
      {"GPU-474c7", NULL, ALL, "V--"},
      {"GPU-474c", NULL, ALL, "---"}, /* ambiguous: invalid */
      {"GPU-", NULL, ALL, "---"},
      {"GPU-0,GPU-474c,GPU-474c9", NULL, ALL, "--V"}, /* nothing after an invalid entry */
      {"GPU-0,GPU-f," A, NULL, ALL, "--V"},
      {"GPU-0,-1," A, NULL, ALL, "--V"},
      {"GPU-0,1," A, NULL, ALL, "--V"}, /* no index among UUIDs */
      {C "," C, NULL, ALL, "---"},      /* twice: empty */
      {A "," C ",GPU-0", NULL, ALL, "---"},
      {A "," B "," C, NULL, ALL, "VVV"},
      {A "x", NULL, ALL, "---"},
      {"GPU-0A0A", NULL, ALL, "???"}, /* case is not specified */
      {" " A, NULL, ALL, "???"},      /* nor are blanks */
      {"gpu-0a0a", NULL, ALL, "---"},
      {"GPU-474c", NULL, {SURE, NONE, SURE}, "V--"}, /* CUDA does not see the second */
      {"GPU-474c", NULL, {SURE, MAYBE, SURE}, "???"},
      {"GPU-0", NULL, {SURE, MAYBE, SURE}, "--V"},
      {B, NULL, {SURE, NONE, SURE}, "---"},
      {"MIG-" A "/1/0", NULL, ALL, "---"}, /* an instance is no whole GPU */
      {"MIG-12345678-0000-0000-0000-000000000000", NULL, ALL, "---"},
  };

  (void)state;
  CHECK_CUDA(rows);
}

static void cuda_indices(void **state)
{
  static const struct row rows[] = {
      {"0", PCI, ALL, "V--"},
      {"2", PCI, ALL, "--V"},
      {"2,0", PCI, ALL, "V-V"},
      {" 2 , 0 ", PCI, ALL, "V-V"},
      {"0", NULL, ALL, "???"}, /* only CUDA knows which one is the fastest */
      {"0", "FASTEST_FIRST", ALL, "???"},
      {"0", "pci_bus_id", ALL, "???"},
      {"2,1,0", NULL, ALL, "VVV"}, /* all, in any order */
      {"0,1,2,7", NULL, ALL, "VVV"},
      {"0,2,-1,1", PCI, ALL, "V-V"}, /* the example of the programming guide */
      {"-1", NULL, ALL, "---"},
      {"-1,0", NULL, ALL, "---"},
      {"3", NULL, ALL, "---"},
      {"3,0", NULL, ALL, "---"},
      {"0,3,1", PCI, ALL, "V--"},
      {"0,0", NULL, ALL, "---"},
      {"0,1,0", PCI, ALL, "---"},
      {",0", NULL, ALL, "---"},
      {"0,", PCI, ALL, "V--"},
      {" ", NULL, ALL, "---"},
      {"NoDevFiles", NULL, ALL, "---"},
      {"none", NULL, ALL, "---"},
      {"1gpu", PCI, ALL, "???"}, /* the driver reads 1; this is not documented */
      {"99999999999999999999999", PCI, ALL, "---"},
      {"0," A, PCI, ALL, "V--"},
      {"0", NULL, {SURE, NONE, NONE}, "V**"}, /* a job whose cgroup has one GPU */
      {"0", NULL, {NONE, NONE, SURE}, "**V"},
      {"2", NULL, {NONE, NONE, SURE}, "**-"},
      {"1", PCI, {SURE, NONE, SURE}, "-*V"},
      {"0,1", NULL, {SURE, NONE, SURE}, "V*V"},
      {"0", PCI, {SURE, MAYBE, SURE}, "???"},
      {"3", PCI, {SURE, MAYBE, SURE}, "---"},
      {"-1", PCI, {SURE, MAYBE, SURE}, "---"},
  };

  (void)state;
  CHECK_CUDA(rows);
}

struct amd_row {
  const char *rocr, *hip, *cuda, *ordinal;
  const char *result, *variable;
};

static void check_rocm(const struct amd_row *rows, size_t n, const struct gc_seen seen[4])
{
  for (size_t r = 0; r < n; r++) {
    const struct gc_variables variables = {
        .rocr = rows[r].rocr, .hip = rows[r].hip, .cuda = rows[r].cuda, .ordinal = rows[r].ordinal};
    char result[5] = "";

    for (size_t i = 0; i < 4; i++) {
      const struct gc_decision decision =
          gc_visible_rocm(&variables, (struct gc_seen_list){seen, 4}, i);

      result[i] = letters[decision.visibility];
      if (decision.visibility != GC_VISIBLE && rows[r].variable)
        assert_string_equal(decision.variable, rows[r].variable);
    }
    if (strcmp(result, rows[r].result))
      fail_msg("row %zu: %s, not %s", r, result, rows[r].result);
  }
}

#define ROCR "ROCR_VISIBLE_DEVICES"
#define HIP "HIP_VISIBLE_DEVICES"
#define CUDA "CUDA_VISIBLE_DEVICES"
#define ORDINAL "GPU_DEVICE_ORDINAL"

static void rocm_lists(void **state)
{
  static const struct gc_seen alike[] = {{"GPU-1d3c0ffee000a700", "gfx942", SURE},
                                         {"GPU-1d3c0ffee000b700", "gfx942", SURE},
                                         {"GPU-0123456789abcdef", "gfx942", SURE},
                                         {"", "gfx942", SURE}};
  static const struct amd_row rows[] = {
      {NULL, NULL, NULL, NULL, "VVVV", NULL},
      /* ROCr */
      {"", NULL, NULL, NULL, "----", ROCR},
      {"0", NULL, NULL, NULL, "V---", ROCR},
      {"3,0x1", NULL, NULL, NULL, "-V-V", ROCR}, /* strtol with base 0 */
      {" 2 ", NULL, NULL, NULL, "--V-", ROCR},
      {"GPU-0123456789abcdef", NULL, NULL, NULL, "--V-", ROCR},
      {"gpu-0123456789ABCDEF", NULL, NULL, NULL, "--V-", ROCR},
      {"GPU-0", NULL, NULL, NULL, "--V-", ROCR},
      {"GPU-", NULL, NULL, NULL, "----", ROCR},
      {"GPU-1d3c,2", NULL, NULL, NULL, "----", ROCR}, /* ambiguous */
      {"2,GPU-1d3c,0", NULL, NULL, NULL, "--V-", ROCR},
      {"GPU-1d3c0ffee000b700,0", NULL, NULL, NULL, "VV--", ROCR},
      {"-1", NULL, NULL, NULL, "----", ROCR},
      {"1,-1,2", NULL, NULL, NULL, "-V--", ROCR},
      {"1,1,2", NULL, NULL, NULL, "-V--", ROCR}, /* twice: the end */
      {"4", NULL, NULL, NULL, "----", ROCR},
      {",1", NULL, NULL, NULL, "----", ROCR},
      {"1x", NULL, NULL, NULL, "----", ROCR},
      {"0,1,2,3,3", NULL, NULL, NULL, "VVVV", NULL}, /* reads as many entries as there are GPUs */
      /* HIP */
      {NULL, "", NULL, NULL, "VVVV", NULL},
      {NULL, "1", NULL, NULL, "-V--", HIP},
      {NULL, "3,1", "0", NULL, "-V-V", HIP},
      {NULL, "-1", NULL, NULL, "----", HIP},
      {NULL, "1,-1,2", NULL, NULL, "-V--", HIP},
      {NULL, "1,1,2", NULL, NULL, "-VV-", HIP}, /* twice: ignored */
      {NULL, "01", NULL, NULL, "----", HIP},
      {NULL, " 1", NULL, NULL, "----", HIP},
      {NULL, "GPU-0123", NULL, NULL, "--V-", HIP},
      {NULL, "GPU-1d3c", NULL, NULL, "V---", HIP}, /* the first of several */
      {NULL, "GPU-f,0", NULL, NULL, "----", HIP},
      /* HIP reads CUDA's variable if its own is unset or empty */
      {NULL, NULL, "1", NULL, "-V--", CUDA},
      {NULL, "", "2", NULL, "--V-", CUDA},
      {NULL, NULL, "", NULL, "VVVV", NULL},
      {NULL, NULL, "GPU-474c7e1d-0000-0000-0000-000000000001", NULL, "----", CUDA},
      /* indices count what ROCr has kept, in its order */
      {"3,1", "0", NULL, NULL, "---V", NULL},
      {"3,1", "1", NULL, NULL, "-V--", NULL},
      {"3,1", "2", NULL, NULL, "----", NULL},
      {"2", NULL, "2", NULL, "----", NULL}, /* as some batch systems set both */
      {"2,0", "GPU-0123", NULL, NULL, "--V-", NULL},
      {"0", "GPU-0123", NULL, NULL, "----", NULL},
      /* OpenCL's variable counts where no other one is set */
      {NULL, NULL, NULL, "2", "--V-", ORDINAL},
      {NULL, NULL, NULL, "", "VVVV", NULL},
      {"2", NULL, NULL, "2", "--V-", ROCR},
      {NULL, "1", NULL, "2", "-V--", HIP},
  };

  (void)state;
  check_rocm(rows, sizeof(rows) / sizeof(*rows), alike);
}

/* HIP's indices do not count a GPU that ROCr does not support; ROCr's do. */
static void rocm_with_different_gpus(void **state)
{
  static const struct gc_seen mixed[] = {{"", "gfx1036", SURE},
                                         {"GPU-1d3c0ffee000b700", "gfx942", SURE},
                                         {"GPU-0123456789abcdef", "gfx942", SURE},
                                         {"", "", SURE}};
  static const struct amd_row rows[] = {
      {"1", NULL, NULL, NULL, "-V--", ROCR}, {NULL, "1", NULL, NULL, "????", HIP},
      {NULL, "-1", NULL, NULL, "----", HIP}, {"1,2", "1", NULL, NULL, "--V-", NULL},
      {NULL, NULL, "0", NULL, "????", CUDA},
  };

  (void)state;
  check_rocm(rows, sizeof(rows) / sizeof(*rows), mixed);
}

/* A GPU whose node refuses may or may not be counted. */
static void rocm_with_a_refused_gpu(void **state)
{
  static const struct gc_seen refused[] = {{"GPU-1d3c0ffee000a700", "gfx942", MAYBE},
                                           {"GPU-1d3c0ffee000b700", "gfx942", SURE},
                                           {"GPU-0123456789abcdef", "gfx942", SURE},
                                           {"", "gfx942", SURE}};
  static const struct amd_row rows[] = {
      {NULL, NULL, NULL, NULL, "VVVV", NULL}, {"1", NULL, NULL, NULL, "????", ROCR},
      {"", NULL, NULL, NULL, "----", ROCR},   {"-1", NULL, NULL, NULL, "----", ROCR},
      {NULL, "1", NULL, NULL, "????", HIP},   {NULL, "-1", NULL, NULL, "----", HIP},
  };

  (void)state;
  check_rocm(rows, sizeof(rows) / sizeof(*rows), refused);
}

/* Bounded, whatever the text. */
static void long_lists(void **state)
{
  static char list[20000];
  static const struct gc_seen seen[] = {{A, "gfx942", SURE}, {B, "gfx942", SURE}};
  const struct gc_variables variables = {.cuda = list, .cuda_order = PCI, .rocr = list};
  const struct gc_seen_list gpus = {seen, 2};
  size_t at = 0;

  (void)state;
  for (unsigned i = 0; at + 8 < sizeof(list); i++)
    at += (size_t)sprintf(list + at, "%s%u", i ? "," : "", i);
  assert_int_equal(gc_visible_cuda(&variables, gpus, 1).visibility, GC_VISIBLE);
  assert_int_equal(gc_visible_rocm(&variables, gpus, 1).visibility, GC_VISIBLE);
  memset(list, '9', sizeof(list) - 1);
  assert_int_equal(gc_visible_cuda(&variables, gpus, 1).visibility, GC_HIDDEN);
  assert_int_equal(gc_visible_rocm(&variables, gpus, 1).visibility, GC_HIDDEN);
  memset(list, ',', sizeof(list) - 1);
  assert_int_equal(gc_visible_cuda(&variables, gpus, 1).visibility, GC_HIDDEN);
  assert_int_equal(gc_visible_rocm(&variables, gpus, 1).visibility, GC_HIDDEN);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cuda_uuids),
      cmocka_unit_test(cuda_indices),
      cmocka_unit_test(rocm_lists),
      cmocka_unit_test(rocm_with_different_gpus),
      cmocka_unit_test(rocm_with_a_refused_gpu),
      cmocka_unit_test(long_lists),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
