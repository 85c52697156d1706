/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MIG instances in the list of GPUs. No GPU in MIG mode was at hand: the tree of files is as in
 * NVIDIA's Multi-Instance GPU User Guide.
 */
#include "nodes.h"

#define UUID "GPU-00000017-0000-0000-0000-000000000000"
#define OTHER_UUID "GPU-00000097-0000-0000-0000-000000000000"
#define INSTANCE "MIG-c7384736-a75d-5afc-978f-d2f1294409fd"
#define CAPABILITIES "proc/driver/nvidia/capabilities/gpu%u/mig/gi%u/"

/* Capability number `number` and its node. */
static void put_capability(const char *file, unsigned number)
{
  char text[128], node[64];

  snprintf(text, sizeof(text), "DeviceFileMinor: %u\nDeviceFileMode: 292\nDeviceFileModify: 1\n",
           number);
  put(file, text);
  snprintf(node, sizeof(node), "dev/nvidia-caps/nvidia-cap%u", number);
  put(node, "");
}

/* An instance whose nodes have the numbers 100 * minor + 10 * gi + 1 + ci, and + 0 for the GPU
 * instance. */
static void put_instance(unsigned minor, unsigned gi, unsigned ci)
{
  char file[128];

  snprintf(file, sizeof(file), CAPABILITIES "access", minor, gi);
  put_capability(file, 100 * minor + 10 * gi);
  snprintf(file, sizeof(file), CAPABILITIES "ci%u/access", minor, gi, ci);
  put_capability(file, 100 * minor + 10 * gi + 1 + ci);
}

static const struct gc_identity *identity(size_t i)
{
  return &gpus.array[i].identity;
}

static void named_by_uuid(void **state)
{
  (void)state;
  put_h100(0x17, 0);
  put_h100(0x97, 1);
  put_instance(0, 1, 0);
  put_instance(0, 2, 0);
  setenv("CUDA_VISIBLE_DEVICES", INSTANCE, 1);
  list(3);
  is(0, GC_HIDDEN, "in MIG mode (gi1/ci0,gi2/ci0): not the whole GPU but the instance " INSTANCE);
  is(1, GC_HIDDEN, "CUDA_VISIBLE_DEVICES is '" INSTANCE "', which hides this GPU");
  is(2, GC_VISIBLE, "");
  assert_string_equal(identity(0)->id, UUID);
  assert_string_equal(identity(0)->mig, "gi1/ci0,gi2/ci0");
  assert_string_equal(identity(2)->id, INSTANCE);
  assert_string_equal(identity(2)->model, "NVIDIA H100 MIG instance");
  assert_string_equal(identity(2)->driver, "580.1");
  assert_string_equal(identity(2)->vbios, "96.00.a5.00.1a");
  assert_string_equal(identity(2)->mig, "instance");
  assert_string_equal(gpus.array[2].shown_as, INSTANCE);
  assert_true(gpus.array[2].has_pci);
  assert_int_equal(gpus.array[2].bus, 0x17);
  assert_ptr_equal(gc_gpus_by_name(&gpus, INSTANCE), &gpus.array[2]);
  assert_ptr_equal(gc_gpus_by_name(&gpus, "gpu2"), &gpus.array[2]);
  assert_ptr_equal(gc_gpus_by_name(&gpus, "17:00.0"), &gpus.array[0]);
}

/* A list may name several. CUDA shows the first; each is measured on its own. */
static void several_names(void **state)
{
  (void)state;
  put_h100(0x17, 0);
  put_instance(0, 1, 0);
  put_instance(0, 2, 0);
  setenv("CUDA_VISIBLE_DEVICES",
         INSTANCE ",MIG-00000000-a75d-5afc-978f-d2f1294409fd," INSTANCE ",0,MIG-" UUID "/1/0", 1);
  list(3);
  assert_string_equal(identity(1)->id, INSTANCE);
  assert_string_equal(identity(2)->id, "MIG-00000000-a75d-5afc-978f-d2f1294409fd");
}

static void named_in_the_older_form(void **state)
{
  static const char *const wrong[] = {"MIG-" UUID "/1/7", "MIG-" UUID "/7/0", "MIG-" UUID "/1",
                                      "MIG-" UUID,        "MIG-" UUID "/1/x", "MIG-" UUID "/1/0/0",
                                      "MIG-GPU-00f/1/0",  "MIG-" INSTANCE,    "MIG-",
                                      "MIG-c7384736",     INSTANCE "0",       "MIG-/../etc/passwd"};

  (void)state;
  put_h100(0x17, 0);
  put_instance(0, 1, 0);
  put_instance(0, 1, 1);
  put_instance(0, 2, 0);
  setenv("CUDA_VISIBLE_DEVICES", "MIG-" UUID "/1/0", 1);
  list(2);
  assert_string_equal(identity(1)->id, "MIG-" UUID "-gi1-ci0");
  assert_true(gc_id_ok(identity(1)->id));
  assert_string_equal(identity(1)->mig, "gi1/ci0,gi1/ci1"); /* they share L2 and memory */
  assert_string_equal(gpus.array[1].shown_as, "MIG-" UUID "/1/0");
  is(1, GC_VISIBLE, "");
  for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
    setenv("CUDA_VISIBLE_DEVICES", wrong[i], 1);
    list(1);
    is(0, GC_HIDDEN, "CUDA_VISIBLE_DEVICES names no instance of it by its full UUID");
  }
}

/* The UUID does not say which of several GPUs has the instance. The nodes may. */
static void several_gpus_in_mig_mode(void **state)
{
  (void)state;
  put_h100(0x17, 0);
  put_h100(0x97, 1);
  put_instance(0, 1, 0);
  put_instance(1, 1, 0);
  setenv("CUDA_VISIBLE_DEVICES", INSTANCE, 1);
  list(3);
  assert_string_equal(identity(2)->id, INSTANCE);
  assert_false(gpus.array[2].has_pci);
  is(0, GC_HIDDEN, "in MIG mode");
  is(1, GC_HIDDEN, "in MIG mode");
  is(2, GC_VISIBLE, "");
  refuse("/nvidia-cap11", EPERM);
  list(3);
  assert_int_equal(gpus.array[2].bus, 0x97);
  unsetenv("CUDA_VISIBLE_DEVICES");
  list(3);
  assert_string_equal(identity(2)->id, "MIG-" OTHER_UUID "-gi1-ci0");
}

static void the_only_instance(void **state)
{
  (void)state;
  put_h100(0x17, 0);
  put_instance(0, 3, 0);
  list(2);
  assert_string_equal(identity(1)->id, "MIG-" UUID "-gi3-ci0");
  assert_string_equal(identity(1)->mig, "gi3/ci0");
  assert_string_equal(gpus.array[1].shown_as, ""); /* the environment stays as it is */
  is(0, GC_VISIBLE, "not the whole GPU but the instance MIG-" UUID "-gi3-ci0 is measured");
  is(1, GC_UNDECIDED, "");
  setenv("CUDA_VISIBLE_DEVICES", "0", 1);
  list(2);
  is(1, GC_UNDECIDED, "");
  setenv("CUDA_VISIBLE_DEVICES", UUID, 1);
  list(2);
  is(1, GC_UNDECIDED, "");
  setenv("CUDA_VISIBLE_DEVICES", "GPU-ff", 1);
  list(2);
  is(1, GC_HIDDEN, "CUDA_VISIBLE_DEVICES is 'GPU-ff', which hides this GPU");
  setenv("CUDA_VISIBLE_DEVICES", "", 1);
  list(2);
  is(1, GC_HIDDEN, "CUDA_VISIBLE_DEVICES is empty");
}

/* Of several instances this process may open one only: it is in a container or a batch job. */
static void the_only_usable_instance(void **state)
{
  (void)state;
  put_h100(0x17, 0);
  put_instance(0, 1, 0);
  put_instance(0, 2, 0);
  put_instance(0, 3, 0);
  refuse("/nvidia-cap10", EPERM);  /* of a GPU instance */
  refuse("/nvidia-cap31", EACCES); /* of a compute instance */
  list(2);
  assert_string_equal(identity(1)->id, "MIG-" UUID "-gi2-ci0");
  refuse("/nvidia-cap21", EPERM);
  list(1);
  is(0, GC_VISIBLE, "in MIG mode without an instance that this process may use; the administrator");
}

/* Some containers have only the nodes of their instance. */
static void missing_nodes(void **state)
{
  (void)state;
  put_h100(0x17, 0);
  put_instance(0, 1, 0);
  put_instance(0, 2, 0);
  shell("rm %s/dev/nvidia-caps/nvidia-cap11", root);
  list(2);
  assert_string_equal(identity(1)->id, "MIG-" UUID "-gi2-ci0");
  shell("rm -r %s/dev/nvidia-caps", root); /* not created yet */
  list(1);
  is(0, GC_VISIBLE, "set CUDA_VISIBLE_DEVICES to the UUID of one instance (nvidia-smi -L lists");
}

static void instances_without_compute_instances(void **state)
{
  (void)state;
  put_h100(0x17, 0);
  put("proc/driver/nvidia/capabilities/gpu0/mig/gi1/access", "DeviceFileMinor: 10\n");
  put("dev/nvidia-caps/nvidia-cap10", "");
  list(1);
  assert_string_equal(identity(0)->mig, "gi1");
  is(0, GC_VISIBLE, "in MIG mode without an instance that this process may use");
}

/* Other GPUs have the same names as without the instance. */
static void names_stay(void **state)
{
  (void)state;
  put_h100(0x17, 0);
  put_h100(0x97, 1);
  put_instance(0, 1, 0);
  list(3);
  assert_string_equal(gpus.array[1].name, "gpu1");
  assert_string_equal(identity(1)->id, OTHER_UUID);
  assert_string_equal(gpus.array[2].name, "gpu2");
  is(1, GC_VISIBLE, "");
  setenv("CUDA_VISIBLE_DEVICES", "0", 1); /* CUDA may count the GPU in MIG mode, or not */
  setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 1);
  list(3);
  is(1, GC_UNDECIDED, "");
}

/* A container may not show the MIG state at all. */
static void not_shown_in_proc(void **state)
{
  (void)state;
  put_h100(0x17, 0);
  setenv("CUDA_VISIBLE_DEVICES", INSTANCE, 1);
  list(2);
  is(0, GC_HIDDEN, "CUDA_VISIBLE_DEVICES is '" INSTANCE "', which hides this GPU");
  is(1, GC_VISIBLE, "");
  assert_int_equal(gpus.array[1].bus, 0x17);
  put_h100(0x97, 1);
  list(3);
  assert_false(gpus.array[2].has_pci);
  shell("rm -r %s/proc", root);
  list(0);
}

static void nodes_of_the_gpu_refuse(void **state)
{
  (void)state;
  put_h100(0x17, 0);
  put_instance(0, 1, 0);
  refuse("/dev/nvidia0", EPERM);
  list(2);
  is(1, GC_HIDDEN, "this process may not open /dev/nvidia0");
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
  const struct CMUnitTest tests[] = {
      TEST(named_by_uuid),
      TEST(several_names),
      TEST(named_in_the_older_form),
      TEST(several_gpus_in_mig_mode),
      TEST(the_only_instance),
      TEST(the_only_usable_instance),
      TEST(missing_nodes),
      TEST(instances_without_compute_instances),
      TEST(names_stay),
      TEST(not_shown_in_proc),
      TEST(nodes_of_the_gpu_refuse),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
