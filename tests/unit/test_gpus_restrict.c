/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which GPUs a process may measure: variables and device nodes. test_visible.c has the rules of the
 * variables.
 */
#include "nodes.h"

#include <sys/wait.h>

static void without_variables(void **state)
{
  (void)state;
  put_h100(0x17, 0);
  put_h100(0x97, 1);
  add_amd("mi100", 1, "0000:a7:00.0");
  put("dev/kfd", "");
  list(3);
  for (size_t i = 0; i < 3; i++)
    is(i, GC_VISIBLE, "");
}

static void variables_hide(void **state)
{
  (void)state;
  put_h100(0x17, 0);
  put_h100(0x97, 1);
  setenv("CUDA_VISIBLE_DEVICES", "GPU-00000097", 1);
  list(2);
  is(0, GC_HIDDEN,
     "CUDA_VISIBLE_DEVICES is 'GPU-00000097', which hides this GPU; measure it in a job that may");
  is(1, GC_VISIBLE, "");
  setenv("CUDA_VISIBLE_DEVICES", "", 1);
  list(2);
  is(0, GC_HIDDEN, "CUDA_VISIBLE_DEVICES is empty, which hides this GPU");
  is(1, GC_HIDDEN, "CUDA_VISIBLE_DEVICES is empty, which hides this GPU");
  setenv("CUDA_VISIBLE_DEVICES", "\033[2J\n\x9b", 1);
  list(2);
  is(0, GC_HIDDEN, "CUDA_VISIBLE_DEVICES is '?[2J?\?', which hides this GPU");
}

/* PCI bus ids and device numbers may be in different orders: the indices follow the bus ids. */
static void indices(void **state)
{
  (void)state;
  put_h100(0x17, 1);
  put_h100(0x97, 0);
  setenv("CUDA_VISIBLE_DEVICES", "0", 1);
  list(2);
  is(0, GC_UNDECIDED, "");
  is(1, GC_UNDECIDED, "");
  setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 1);
  list(2);
  is(0, GC_VISIBLE, "");
  is(1, GC_HIDDEN, "CUDA_VISIBLE_DEVICES is '0'");
}

static void nodes_refuse(void **state)
{
  (void)state;
  put_h100(0x17, 0);
  put_h100(0x97, 1);
  refuse("/dev/nvidia0", EACCES);
  list(2);
  is(0, GC_HIDDEN, "this user may not open /dev/nvidia0: ask the administrator");
  is(1, GC_VISIBLE, "");
  refused[0].error = EPERM;
  list(2);
  is(0, GC_HIDDEN,
     "this process may not open /dev/nvidia0: its container or batch job (device cgroup) excludes");
  refused[0].end = "/dev/nvidiactl";
  list(2);
  is(0, GC_HIDDEN, "/dev/nvidiactl");
  is(1, GC_HIDDEN, "/dev/nvidiactl");
  refused[0].end = "/dev/nvidia-uvm";
  list(2);
  is(1, GC_HIDDEN, "/dev/nvidia-uvm");
}

/* The node is named, not the variable: in such a job, indices count the other GPUs. */
static void indices_in_a_cgroup(void **state)
{
  (void)state;
  put_h100(0x17, 0);
  put_h100(0x97, 1);
  refuse("/dev/nvidia0", EPERM);
  setenv("CUDA_VISIBLE_DEVICES", "0", 1);
  list(2);
  is(0, GC_HIDDEN, "/dev/nvidia0");
  is(1, GC_VISIBLE, "");
}

/* Without any node, the driver's libraries create them. With some, a container has only these. */
static void missing_nodes(void **state)
{
  (void)state;
  put_h100(0x17, 0);
  put_h100(0x97, 1);
  shell("rm %s/dev/nvidia[01]", root);
  list(2);
  is(0, GC_VISIBLE, "");
  setenv("CUDA_VISIBLE_DEVICES", "0", 1);
  setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 1);
  list(2);
  is(0, GC_VISIBLE, "");
  is(1, GC_HIDDEN, "CUDA_VISIBLE_DEVICES");
  put("dev/nvidia1", "");
  list(2);
  is(0, GC_UNDECIDED, "");
  is(1, GC_UNDECIDED, "");
}

/* The permissions of a real file, as a user who is not root. */
static void real_permissions(void **state)
{
  pid_t child;
  int status;

  (void)state;
  put_h100(0x17, 0);
  put_h100(0x97, 1);
  shell("chmod 755 %s; chmod 444 %s/dev/nvidia0", root, root);
  shell("chmod 666 %s/dev/nvidia1 %s/dev/nvidiactl %s/dev/nvidia-uvm", root, root, root);
  child = fork();
  if (!child) {
    if (!getuid() && setuid(65534))
      _exit(77);
    if (gc_gpus_list(root, NULL, &gpus))
      _exit(1);
    gc_gpus_restrict(root, &gpus);
    _exit(gpus.count == 2 && gpus.array[0].visibility == GC_HIDDEN &&
                  strstr(gpus.array[0].problem, "this user may not open /dev/nvidia0") &&
                  gpus.array[1].visibility == GC_VISIBLE
              ? 0
              : 2);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
    skip();
  assert_int_equal(status, 0);
}

static void an_earlier_problem_stays(void **state)
{
  (void)state;
  put("proc/driver/nvidia/gpus/0000:17:00.0/information", "Model: \t\t NVIDIA H100\n");
  setenv("CUDA_VISIBLE_DEVICES", "", 1);
  refuse("/dev/nvidiactl", EACCES);
  list(1);
  is(0, GC_HIDDEN, "the NVIDIA driver does not report its UUID yet");
}

static void amd(void **state)
{
  (void)state;
  put("dev/kfd", "");
  add_amd("mi100", 2, "0000:07:00.0"); /* ROCr's indices follow the nodes of KFD */
  add_amd("mi100", 1, "0000:a7:00.0");
  list(2);
  is(0, GC_VISIBLE, "");
  setenv("ROCR_VISIBLE_DEVICES", "0", 1);
  list(2);
  is(0, GC_HIDDEN, "ROCR_VISIBLE_DEVICES is '0', which hides this GPU");
  is(1, GC_VISIBLE, "");
  setenv("ROCR_VISIBLE_DEVICES", "GPU-1d3c0ffee0000700", 1);
  list(2);
  is(0, GC_VISIBLE, "");
  is(1, GC_HIDDEN, "ROCR_VISIBLE_DEVICES");
  unsetenv("ROCR_VISIBLE_DEVICES");
  setenv("HIP_VISIBLE_DEVICES", "1", 1);
  list(2);
  is(0, GC_VISIBLE, "");
  is(1, GC_HIDDEN, "HIP_VISIBLE_DEVICES is '1', which hides this GPU");
  unsetenv("HIP_VISIBLE_DEVICES");
  refuse("/dev/dri/renderD128", EPERM);
  list(2);
  is(0, GC_HIDDEN, "this process may not open /dev/dri/renderD128");
  refused[0].end = "/dev/kfd";
}

/* All partitions of a GPU have its UUID, so that it selects none of them. */
static void amd_partitions(void **state)
{
  (void)state;
  put("dev/kfd", "");
  add_amd("mi300x-cpx", 3, "0000:a7:00.0");
  setenv("ROCR_VISIBLE_DEVICES", "2,5", 1);
  list(8);
  for (size_t i = 0; i < 8; i++)
    is(i, i == 2 || i == 5 ? GC_VISIBLE : GC_HIDDEN,
       i == 2 || i == 5 ? "" : "ROCR_VISIBLE_DEVICES is '2,5'");
  setenv("ROCR_VISIBLE_DEVICES", "GPU-1d3c0ffee000a700", 1);
  list(8);
  is(0, GC_HIDDEN, "ROCR_VISIBLE_DEVICES");
}

/* Slurm sets all of them to the same index, which leaves HIP nothing. */
static void both_vendors(void **state)
{
  (void)state;
  put("dev/kfd", "");
  put_h100(0x17, 0);
  add_amd("mi100", 1, "0000:a7:00.0");
  setenv("CUDA_VISIBLE_DEVICES", "GPU-00000017", 1);
  list(2);
  is(0, GC_VISIBLE, "");
  is(1, GC_HIDDEN, "CUDA_VISIBLE_DEVICES is 'GPU-00000017', which hides this GPU");
  setenv("HIP_VISIBLE_DEVICES", "0", 1);
  list(2);
  is(0, GC_VISIBLE, "");
  is(1, GC_VISIBLE, "");
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
  const struct CMUnitTest tests[] = {
      TEST(without_variables),
      TEST(variables_hide),
      TEST(indices),
      TEST(nodes_refuse),
      TEST(indices_in_a_cgroup),
      TEST(missing_nodes),
      TEST(real_permissions),
      TEST(an_earlier_problem_stays),
      TEST(amd),
      TEST(amd_partitions),
      TEST(both_vendors),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
