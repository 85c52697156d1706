/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory of the host behind simulated GPUs: values of each NUMA node, nodes without free memory, and
 * hosts that have no node to measure.
 */
#include "open.h"

#include "record/lists.h"

#define TOLERANCE 0.03

#define NODE(number, more, ns, read, write, to, from, both)                                        \
  "[host " #number "]\n" more "latency_ns = " #ns "\nread_gbps = " #read "\nwrite_gbps = " #write  \
  "\ncopy_to_gbps = " #to "\ncopy_from_gbps = " #from "\ncopy_both_gbps = " #both "\n"

/* Measures device memory of a small GPU with these further lines about the chip, and these nodes.
 */
static const struct gc_element *measure_chip(struct opened *o, const char *chip, const char *nodes)
{
  const struct gc_measure_options options = {.only = "DeviceMemory"};

  open_profile(
      o,
      "model = Hosted\ncompute = 7.0\nclock_khz = 1500000\nthreads_per_block = 1024\n"
      "threads_per_sm = 2048\nblocks_per_sm = 16\nmemory = 4 GiB\nbandwidth_noise = 0.004\n"
      "shared_per_sm = 32 KiB\nshared_per_block = 32 KiB\nclock_overhead = 4\nsms = 16\n%s"
      "[cache L2]\nscope = chip\nsize = 1 MiB\nline = 128\nsector = 32\nways = 16\n"
      "replacement = lru\nhash = xor\nread_gbps = 1000\n"
      "[space ca]\npath = L2 200 2, memory 500 5\n[space cg]\npath = L2 200 2, memory 500 5\n"
      "[space shared]\npath = memory 20\n%s",
      chip, nodes);
  must(o, gc_measure(o->device, &options, o->record, &o->err), "measure");
  return gc_record_find(o->record, GC_DEVICE_MEMORY);
}

static const struct gc_element *measure(struct opened *o, const char *nodes)
{
  return measure_chip(o, "", nodes);
}

/* The list has exactly these nodes in this order. */
static void has(const struct gc_element *memory, const char *key, const unsigned *nodes,
                const double *values, size_t n)
{
  const char *list = gc_infos_get(&memory->infos, key);
  const char *at = list;
  uint64_t node;
  double value;

  for (size_t i = 0; i < n; i++) {
    if (!gc_node_value_next(&at, &node, &value) || node != nodes[i] ||
        fabs(value - values[i]) > TOLERANCE * values[i])
      fail_msg("%s is \"%s\", not %u:%g", key, list ? list : "absent", nodes[i], values[i]);
  }
  assert_false(gc_node_value_next(&at, &node, &value));
}

static void nodes_are_told_apart(void **state)
{
  const unsigned nodes[] = {2, 0};
  struct opened o;
  const struct gc_element *memory =
      measure(&o, NODE(0, "distance = 32\n", 1500, 30, 33, 41, 43, 60)
                      NODE(2, "", 900, 50, 52, 55, 54, 100));

  (void)state;
  has(memory, "HostLatencyNs", nodes, (double[]){900, 1500}, 2);
  has(memory, "HostReadGBps", nodes, (double[]){50, 30}, 2);
  has(memory, "HostWriteGBps", nodes, (double[]){52, 33}, 2);
  has(memory, "HostCopyToGBps", nodes, (double[]){55, 41}, 2);
  has(memory, "HostCopyFromGBps", nodes, (double[]){54, 43}, 2);
  has(memory, "HostCopyBothGBps", nodes, (double[]){100, 60}, 2);
  assert_string_equal(gc_infos_get(&memory->infos, "HostReadSource"), "measured");
  close_gpu(&o);
}

/* Operations on lines that loads have not brought in, and more than loads only where the node says
 * so. */
static void atomic_operations_have_a_latency(void **state)
{
  const unsigned nodes[] = {0, 1};
  struct opened o;
  const struct gc_element *memory =
      measure(&o, NODE(0, "atomic_ns = 1900\n", 900, 50, 52, 55, 54, 100)
                      NODE(1, "atomic_ns = 1700\ndistance = 32\n", 1500, 30, 33, 41, 43, 60));

  (void)state;
  has(memory, "HostAtomicLatencyNs", nodes, (double[]){1900, 1700}, 2);
  has(memory, "HostLatencyNs", nodes, (double[]){900, 1500}, 2);
  has(memory, "HostReadGBps", nodes, (double[]){50, 30}, 2);
  assert_string_equal(gc_infos_get(&memory->infos, "HostAtomicLatencySource"), "measured");
  close_gpu(&o);
  memory = measure(&o, NODE(0, "", 900, 50, 52, 55, 54, 100));
  has(memory, "HostAtomicLatencyNs", nodes, NULL, 0);
  assert_string_equal(gc_infos_get(&memory->infos, "HostAtomicLatencySource"),
                      "absent:the GPU has no native atomic operations on memory of the host");
  close_gpu(&o);
}

/* The GPU translates addresses of the host by pages of 4 or 64 KiB, and keeps fewer translations
 * than the measured memory has pages. HostLatencyNs must not contain the time of a translation. */
static void small_pages_do_not_count(void **state)
{
  static const char *const tlbs[] = {
      "covers = 64 KiB\nentries = 32\nscope = chip\n",
      "covers = 4 KiB\nentries = 32\nscope = chip\n",
      "covers = 64 KiB\nentries = 16\n", /* of each SM */
      "covers = 4 KiB\nentries = 1\n",
  };
  const unsigned nodes[] = {0};
  char text[1024];

  (void)state;
  for (size_t i = 0; i < sizeof(tlbs) / sizeof(*tlbs); i++) {
    struct opened o;
    const struct gc_element *memory;

    snprintf(text, sizeof(text), "[host_tlb]\npenalty = 900\n%s%s", tlbs[i],
             NODE(0, "atomic_ns = 1900\n", 900, 50, 52, 55, 54, 100));
    memory = measure(&o, text);
    has(memory, "HostLatencyNs", nodes, (double[]){900}, 1);
    has(memory, "HostAtomicLatencyNs", nodes, (double[]){1900}, 1);
    has(memory, "HostReadGBps", nodes, (double[]){50}, 1);
    has(memory, "HostCopyToGBps", nodes, (double[]){55}, 1);
    close_gpu(&o);
  }
}

/* The GPU's own pages have another size, so its TLBs are found whatever the host's pages are. */
static void a_gh200_has_pages_of_two_sizes(void **state)
{
  static const char *const covers[] = {"covers = 64 KiB", "covers = 4 KiB"};
  static const unsigned nodes[] = {0};

  (void)state;
  for (size_t i = 0; i < 2; i++) {
    const struct gc_measure_options options = {.only = "DeviceMemory,L1TLB,L2TLB"};
    struct opened o;

    open_edited(&o, &(struct edited){"gh200", {{covers[0], covers[i]}}});
    must(&o, gc_measure(o.device, &options, o.record, &o.err), "measure");
    has(gc_record_find(o.record, GC_DEVICE_MEMORY), "HostLatencyNs", nodes, (double[]){850}, 1);
    has(gc_record_find(o.record, GC_DEVICE_MEMORY), "HostAtomicLatencyNs", nodes, (double[]){850},
        1);
    has(gc_record_find(o.record, GC_DEVICE_MEMORY), "HostReadGBps", nodes, (double[]){375}, 1);
    assert_string_equal(text(gc_record_find(o.record, GC_L1_TLB), "EntryBytes"), "16777216");
    assert_string_equal(text(gc_record_find(o.record, GC_L1_TLB), "ReachBytes"), "268435456");
    assert_string_equal(text(gc_record_find(o.record, GC_L2_TLB), "EntryBytes"), "33554432");
    assert_string_equal(text(gc_record_find(o.record, GC_L2_TLB), "ReachBytes"), "68719476736");
    close_gpu(&o);
  }
}

static void a_full_node_is_left_out(void **state)
{
  const unsigned nodes[] = {1};
  struct opened o;
  const struct gc_element *memory = measure(
      &o, NODE(0, "full = yes\n", 900, 50, 52, 55, 54, 100) NODE(1, "", 900, 50, 52, 55, 54, 100));

  (void)state;
  has(memory, "HostReadGBps", nodes, (double[]){50}, 1);
  close_gpu(&o);
  memory = measure(&o, NODE(0, "full = yes\n", 900, 50, 52, 55, 54, 100));
  has(memory, "HostReadGBps", nodes, NULL, 0);
  assert_string_equal(gc_infos_get(&memory->infos, "HostReadSource"),
                      "absent:NUMA node 0 has too little free memory");
  close_gpu(&o);
}

/* The nearest node is the memory of the GPU. Others are reached by a link. */
static void an_integrated_gpu_shares_its_memory(void **state)
{
  const unsigned nodes[] = {1};
  struct opened o;
  const struct gc_element *memory =
      measure_chip(&o, "integrated = yes\n",
                   NODE(0, "", 500, 900, 900, 900, 900, 900)
                       NODE(1, "distance = 32\n", 900, 50, 52, 55, 54, 100));

  (void)state;
  assert_string_equal(gc_infos_get(&memory->infos, "SharedWith"), "HostMemory");
  assert_string_equal(gc_infos_get(&memory->infos, "SharedWithSource"), "api");
  has(memory, "HostReadGBps", nodes, (double[]){50}, 1);
  has(memory, "HostCopyToGBps", nodes, (double[]){55}, 1);
  close_gpu(&o);
  memory = measure_chip(&o, "integrated = yes\n", NODE(0, "", 500, 900, 900, 900, 900, 900));
  assert_string_equal(gc_infos_get(&memory->infos, "SharedWith"), "HostMemory");
  has(memory, "HostReadGBps", nodes, NULL, 0);
  assert_string_equal(gc_infos_get(&memory->infos, "HostCopyToSource"),
                      "absent:the GPU is integrated: its DeviceMemory is the memory of the host");
  close_gpu(&o);
}

/* Also of one that says nothing about it. */
static void other_gpus_have_their_own_memory(void **state)
{
  struct opened o;
  const struct gc_element *memory = measure(&o, NODE(0, "", 900, 50, 52, 55, 54, 100));

  (void)state;
  assert_null(gc_infos_get(&memory->infos, "SharedWith"));
  assert_null(gc_infos_get(&memory->infos, "SharedWithSource"));
  close_gpu(&o);
}

static void no_node_is_a_reason(void **state)
{
  struct opened o;
  const struct gc_element *memory = measure(&o, "");

  (void)state;
  assert_string_equal(gc_infos_get(&memory->infos, "HostLatencySource"),
                      "absent:the profile of this simulated GPU has no host memory");
  assert_null(gc_infos_get(&memory->infos, "HostLatencyNs"));
  close_gpu(&o);
}

/* More than eight: the nearest ones. */
static void the_nearest_nodes_count(void **state)
{
  static const char each[] = "[host %u]\ndistance = %u\nlatency_ns = 1000\nread_gbps = 50\n"
                             "write_gbps = 50\ncopy_to_gbps = 50\ncopy_from_gbps = 50\n"
                             "copy_both_gbps = 90\n";
  char nodes[4096];
  size_t length = 0;
  struct opened o;
  const struct gc_element *memory;
  unsigned expected[8];
  double values[8];

  (void)state;
  for (unsigned i = 0; i < 12; i++)
    length += (size_t)snprintf(nodes + length, sizeof(nodes) - length, each, i, 40 - i);
  for (unsigned i = 0; i < 8; i++) {
    expected[i] = 11 - i;
    values[i] = 50;
  }
  memory = measure(&o, nodes);
  has(memory, "HostReadGBps", expected, values, 8);
  close_gpu(&o);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nodes_are_told_apart),
      cmocka_unit_test(atomic_operations_have_a_latency),
      cmocka_unit_test(small_pages_do_not_count),
      cmocka_unit_test(a_gh200_has_pages_of_two_sizes),
      cmocka_unit_test(a_full_node_is_left_out),
      cmocka_unit_test(an_integrated_gpu_shares_its_memory),
      cmocka_unit_test(other_gpus_have_their_own_memory),
      cmocka_unit_test(no_node_is_a_reason),
      cmocka_unit_test(the_nearest_nodes_count),
  };

  return cmocka_run_group_tests_name("host", tests, NULL, NULL);
}
