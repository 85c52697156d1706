/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Latency under load of simulated GPUs: it follows the queue of the profile, and is absent with a
 * reason where it cannot be measured. Where a clock rises with traffic, both latencies are right.
 */
#include "open.h"

#include <stdlib.h>

#define LATENCY_SHARE 0.05
#define RATE_SHARE 0.05
#define MEMORY_GBPS 300.0
#define MHZ 1500.0

static void measure(struct opened *o, unsigned sms, const char *memory_queue, const char *queue)
{
  const struct gc_measure_options options = {.only = "L2Cache,DeviceMemory"};

  open_profile(
      o,
      "model = Loaded\ncompute = 7.0\nclock_khz = 1500000\nthreads_per_block = 1024\n"
      "threads_per_sm = 2048\nblocks_per_sm = 16\nmemory = 4 GiB\n"
      "memory_read_gbps = 300\nbandwidth_noise = 0.001\n%s"
      "shared_per_sm = 32 KiB\nshared_per_block = 32 KiB\nclock_overhead = 4\nsms = %u\n"
      "[cache L2]\nscope = chip\nsize = 2 MiB\nline = 128\nsector = 32\nways = 16\n"
      "replacement = lru\nhash = xor\nread_gbps = 1000\n%s"
      "[space ca]\npath = L2 200 2, memory 500 5\n[space cg]\npath = L2 200 2, memory 500 5\n"
      "[space shared]\npath = memory 20\n",
      memory_queue, sms, queue);
  must(o, gc_measure(o->device, &options, o->record, &o->err), "measure");
}

static const char *list_of(const struct opened *o, enum gc_kind kind)
{
  return gc_infos_get(&gc_record_find(o->record, kind)->infos, "LatencyUnderLoad");
}

/* Each pair of the list is on the curve latency + queue * u / (1 - u), where u = rate / bandwidth.
 */
static void follows(const char *list, double latency, double queue, double bandwidth)
{
  double gbps, ns, last = 0;
  unsigned points = 0;
  int used;

  assert_non_null(list);
  for (const char *at = list; sscanf(at, "%lf:%lf%n", &gbps, &ns, &used) == 2; points++) {
    const double cycles = ns * MHZ / 1e3, u = gbps / bandwidth;
    const double low = fmin(u * (1 - RATE_SHARE), 0.98), high = fmin(u * (1 + RATE_SHARE), 0.98);

    if (cycles < (1 - LATENCY_SHARE) * (latency + queue * low / (1 - low)) ||
        cycles > (1 + LATENCY_SHARE) * (latency + queue * high / (1 - high)))
      fail_msg("%s: %g GB/s take %g cycles", list, gbps, cycles);
    last = gbps;
    at += used + (at[used] == ',');
  }
  assert_in_range(points, 4, 6); /* fewer if there is no queue */
  assert_true(last > 0.9 * bandwidth && last < (1 + RATE_SHARE) * bandwidth);
}

static void memory_waits(void **state)
{
  struct opened o;

  (void)state;
  measure(&o, 32, "memory_queue = 60\n", "");
  follows(list_of(&o, GC_DEVICE_MEMORY), 500, 60, MEMORY_GBPS);
  follows(list_of(&o, GC_L2), 200, 0, 1000);
  close_gpu(&o);
}

static void l2_waits(void **state)
{
  struct opened o;

  (void)state;
  measure(&o, 32, "", "queue = 30\n");
  follows(list_of(&o, GC_L2), 200, 30, 1000);
  close_gpu(&o);
}

static void one_sm_has_no_others(void **state)
{
  struct opened o;

  (void)state;
  measure(&o, 1, "", "");
  assert_null(list_of(&o, GC_L2));
  assert_string_equal(
      gc_infos_get(&gc_record_find(o.record, GC_L2)->infos, "LatencyUnderLoadSource"),
      "absent:no SM is left to read while one times loads");
  close_gpu(&o);
}

/* The drift makes the timing overhead larger than the loads, so they seem to take less than no
 * time. */
static void a_clock_that_drifts_is_a_reason(void **state)
{
  struct opened o;
  const struct gc_element *l2;

  (void)state;
  measure(&o, 9, "drift = 946 657\n", "");
  l2 = gc_record_find(o.record, GC_L2);
  assert_null(list_of(&o, GC_L2));
  assert_string_equal(gc_infos_get(&l2->infos, "LatencyUnderLoadSource"),
                      "absent:the clock did not advance during loads");
  close_gpu(&o);
}

/* LatencyCycles and IdleLatencyNs of an element; idle 0: there is none. */
static void has_latencies(const struct opened *o, enum gc_kind kind, double cycles, double idle)
{
  const struct gc_element *element = gc_record_find(o->record, kind);
  const double found = number(element, "LatencyCycles"), alone = number(element, "IdleLatencyNs");

  if (!(fabs(found - cycles) <= 0.02 * cycles))
    fail_msg("%s takes %g cycles, not %g", gc_kinds[kind].subtype, found, cycles);
  if (idle > 0 ? !(fabs(alone * MHZ / 1e3 - idle) <= 0.02 * idle) : !isnan(alone))
    fail_msg("%s: idle latency %g ns, not %g cycles", gc_kinds[kind].subtype, alone, idle);
}

/* Traffic raises the memory clock, as in laptops. Values measured with lone loads do not change. */
static void memory_clock_rises(void **state)
{
  struct opened o;

  (void)state;
  measure(&o, 32, "memory_queue = 10\nmemory_idle = 300 0.1\n", "");
  has_latencies(&o, GC_DEVICE_MEMORY, 505, 800);
  has_latencies(&o, GC_L2, 200, 0);
  assert_true(fabs(number(gc_record_find(o.record, GC_L2), "MissPenaltyCycles") - 600) <= 16);
  close_gpu(&o);
}

/* The clock of L2: loads of memory go through L2, so they are slower, too. */
static void l2_clock_rises(void **state)
{
  struct opened o;

  (void)state;
  measure(&o, 32, "", "idle = 60 0.05\n");
  has_latencies(&o, GC_L2, 200, 260);
  has_latencies(&o, GC_DEVICE_MEMORY, 500, 560);
  close_gpu(&o);
}

/* What cannot be separated from errors of both latencies, or from loads that wait, is not reported:
 * the latency is that of a lone load. */
static void unclear_differences_are_none(void **state)
{
  struct opened o;

  (void)state;
  measure(&o, 32, "memory_idle = 40 0.1\n", "");
  has_latencies(&o, GC_DEVICE_MEMORY, 540, 0);
  close_gpu(&o);
  measure(&o, 32, "memory_queue = 300\nmemory_idle = 100 0.5\n", "");
  has_latencies(&o, GC_DEVICE_MEMORY, 600, 0);
  close_gpu(&o);
  measure(&o, 1, "memory_idle = 300 0.1\n", "");
  has_latencies(&o, GC_DEVICE_MEMORY, 800, 0);
  close_gpu(&o);
}

/* Loads beside others are timed by another SM than loads alone, which may be slower. */
static void another_sm_is_no_clock(void **state)
{
  struct opened o;

  (void)state;
  measure(&o, 12, "sm_spread = 150\n", "");
  has_latencies(&o, GC_DEVICE_MEMORY, 506, 0);
  close_gpu(&o);
  measure(&o, 12, "sm_spread = 150\nmemory_idle = 400 0.1\n", "");
  assert_true(number(gc_record_find(o.record, GC_DEVICE_MEMORY), "IdleLatencyNs") > 0);
  close_gpu(&o);
}

/* What caches answer is no load of the memory: no profile has more than the bandwidth, which may be
 * wrong by 3 % and varies as much. */
static unsigned curves; /* that check_loads has seen */

static void check_loads(struct opened *o)
{
  static const enum gc_kind kinds[] = {GC_L2, GC_DEVICE_MEMORY};

  if (is_recent(o->name))
    return;
  gc_record_free(o->record);
  o->record = NULL;
  must(o,
       gc_record_read_xml(text_of_measured(o->name, "xml"),
                          strlen(text_of_measured(o->name, "xml")), &o->record, &o->err),
       "record");
  for (size_t k = 0; k < 2; k++) {
    const struct gc_element *element = gc_record_find(o->record, kinds[k]);
    const char *at = text(element, "LatencyUnderLoad");
    double gbps, ns, last = -1;
    unsigned points = 0;
    int used;

    for (; sscanf(at, "%lf:%lf%n", &gbps, &ns, &used) == 2; points++) {
      assert_true(gbps > last);
      last = gbps;
      at += used + (at[used] == ',');
    }
    curves += points > 0;
    if (points && (points < 3 || !(last < 1.06 * number(element, "ReadGBps"))))
      fail_msg("%s: %u points, the last one with %g of %g GB/s", o->name, points, last,
               number(element, "ReadGBps"));
  }
}

static void no_load_exceeds_the_bandwidth(void **state)
{
  (void)state;
  curves = 0;
  each_profile(check_loads);
  assert_true(curves >= 20); /* most of the GPUs have one of L2, or of memory, or both */
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(memory_waits),
      cmocka_unit_test(l2_waits),
      cmocka_unit_test(one_sm_has_no_others),
      cmocka_unit_test(a_clock_that_drifts_is_a_reason),
      cmocka_unit_test(memory_clock_rises),
      cmocka_unit_test(l2_clock_rises),
      cmocka_unit_test(unclear_differences_are_none),
      cmocka_unit_test(another_sm_is_no_clock),
      cmocka_unit_test(no_load_exceeds_the_bandwidth),
  };

  return cmocka_run_group_tests_name("under load", tests, NULL, NULL);
}
