/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * From the kernel's tables to the open device: each partition of a node is opened through the
 * stand-in library, which shows what ROCR_VISIBLE_DEVICES selects, as ROCr does. ROCr opens every
 * device that it shows, so only one may be shown.
 */
#include "hip.h"
#include "tree.h"

#include "gpus/gpus.h"

#include <inttypes.h>

#define NODES "sys/class/kfd/kfd/topology/nodes"

static struct gc_gpus gpus;

static int begin(void **state)
{
  make_root(NULL);
  return set_up_gpu(state);
}

static int end(void **state)
{
  gc_gpus_free(&gpus);
  remove_root(NULL);
  return tear_down_gpu(state);
}

#define NODE_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

/* Lists the GPUs, and gives HIP the same devices in the order of their nodes. functions: HIP
 * reports the function of a bus id. */
static void list(struct fixture *f, size_t count, bool functions)
{
  gc_gpus_free(&gpus);
  assert_int_equal(gc_gpus_list(root, NULL, &gpus), 0);
  assert_int_equal(gpus.count, count);
  gc_gpus_restrict(root, &gpus);
  f->fake->devices = (int)count;
  f->fake->filters = 1;
  f->fake->processor = FAKE_HIP_GFX942;
  for (size_t i = 0; i < count; i++) {
    const struct gc_gpu *gpu = &gpus.array[i];
    size_t rank = 0;

    for (size_t j = 0; j < count; j++)
      rank += gpus.array[j].kfd_node < gpu->kfd_node;
    snprintf(f->fake->device[rank].bus_id, sizeof(f->fake->device->bus_id), "%04x:%02x:%02x.%x",
             gpu->domain & 0xffff, gpu->bus & 0xff, gpu->dev & 0x1f, functions ? gpu->func & 7 : 0);
    snprintf(f->fake->device[rank].uuid, sizeof(f->fake->device->uuid), "%.16s",
             gpu->amd.uuid + strlen("GPU-"));
  }
}

/* Opens GPU i; the device in use is number `device` of all. */
static void opens(struct fixture *f, size_t i, int device)
{
  f->gpu = gpus.array[i];
  *f->gpu.problem = '\0'; /* that it is a copy of a tree */
  f->gpu.tables = NULL;
  f->fake->current = -1;
  must_open(f);
  assert_int_equal(f->fake->current, device);
  assert_int_equal(f->fake->opened, 1);
  close_device(f);
  clean_environment();
}

/* 64 partitions in eight GPUs, as 64 files of KFD. ids: each has its own unique id; high: its
 * number is in location_id[31:28]. */
static void put_64(bool ids, bool high)
{
  for (unsigned i = 0; i < 64; i++) {
    const unsigned board = i / 8, part = i % 8;
    char file[64], text[400];

    snprintf(file, sizeof(file), NODES "/%u/properties", 2 + i);
    snprintf(text, sizeof(text),
             "simd_count 152\nsimd_per_cu 4\nlds_size_in_kb 64\ngfx_target_version 90402\n"
             "vendor_id 4098\nnum_xcc 1\nlocation_id %u\nunique_id %u\ndrm_render_minor %u\n",
             (0x10 + board) << 8 | (high ? part << 28 : part), ids ? 1000 + i : 1000 + board,
             128 + i);
    put(file, text);
  }
}

static void one_of_64(void **state)
{
  struct fixture *f = fixture_of(state);
  char index[8];

  if (!gc_amd_image_for("gfx942"))
    skip();
  put_64(false, false);
  list(f, 64, true);
  for (int i = 0; i < 64; i += 7) {
    snprintf(index, sizeof(index), "%d", i);
    opens(f, (size_t)i, i);
    assert_string_equal(f->fake->rocr, index);
  }
  put_64(true, true);
  list(f, 64, true); /* all of a GPU are at function 0 */
  for (int i = 3; i < 64; i += 20)
    opens(f, (size_t)i, i);
}

/* The variable of the caller counts all nodes; so does the one that is set in its place. */
static void with_a_variable(void **state)
{
  struct fixture *f = fixture_of(state);

  if (!gc_amd_image_for("gfx942"))
    skip();
  put_64(false, false);
  setenv("ROCR_VISIBLE_DEVICES", "63,11,12", 1);
  list(f, 64, true);
  assert_int_equal(gpus.array[10].visibility, GC_HIDDEN);
  assert_int_equal(gpus.array[11].visibility, GC_VISIBLE);
  opens(f, 11, 11);
  assert_string_equal(f->fake->rocr, "11");
}

/* A container with the render nodes of two GPUs: ROCr counts no others. */
static void in_a_container(void **state)
{
  struct fixture *f = fixture_of(state);

  if (!gc_amd_image_for("gfx942"))
    skip();
  put_64(false, false);
  put("dev/kfd", "");
  put("dev/dri/renderD131", "");
  put("dev/dri/renderD133", "");
  list(f, 64, true);
  for (size_t i = 0; i < 64; i++)
    if (i != 3 && i != 5) {
      assert_int_equal(gpus.array[i].visibility, GC_HIDDEN);
      assert_non_null(strstr(gpus.array[i].problem, "here, so the container or batch job excludes"));
    }
  assert_int_equal(gpus.array[5].visibility, GC_VISIBLE);
  assert_string_equal(gpus.array[5].identity.id, "GPU-00000000000003e8-5");
  f->fake->device[0] = f->fake->device[3];
  f->fake->device[1] = f->fake->device[5];
  f->fake->devices = 2;
  opens(f, 3, 0);
  opens(f, 5, 1);
  assert_string_equal(f->fake->rocr, "1");
  setenv("ROCR_VISIBLE_DEVICES", "0", 1); /* of these two */
  list(f, 64, true);
  assert_int_equal(gpus.array[3].visibility, GC_VISIBLE);
  assert_int_equal(gpus.array[5].visibility, GC_HIDDEN);
}

/* The tables of a real node with four MI308X of four partitions each, and four more. */
static void a_real_mi308x_node(void **state)
{
  struct fixture *f = fixture_of(state);
  const char *top = getenv("top_srcdir");

  if (!gc_amd_image_for("gfx942"))
    skip();
  shell("mkdir -p %s/sys/class/kfd/kfd && tar -C %s -xf %s/tests/data/kfd/mi308x-cpx.tar.xz && "
        "mv %s/topology-parsing-mi308/topology %s/sys/class/kfd/kfd/topology",
        root, root, top ? top : ".", root, root);
  list(f, 32, true);
  for (size_t i = 0; i < 32; i += 3)
    opens(f, i, (int)gpus.array[i].kfd_node - 2);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      NODE_TEST(one_of_64),
      NODE_TEST(with_a_variable),
      NODE_TEST(in_a_container),
      NODE_TEST(a_real_mi308x_node),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
