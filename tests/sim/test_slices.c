/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Slices of L2 and the sides of lines on simulated GPUs whose profile states them, and the fit of
 * the mask to sides.
 */
#include "measure/bandwidth/bandwidth.h"
#include "measure/latency/latency.h"
#include "measure/structure/side_fit.h"
#include "measure/structure/structure.h"
#include "measure/topology/topology.h"
#include "variant.h"

#define TWO "partitions = 2\nreplicate = yes\nfar_cycles = 60\npartition_sms = 2\n"

/* NULL: it must be absent. */
struct truth {
  struct variant variant;
  const char *slices, *mask, *granule;
};

static void check_value(const struct truth *truth, const struct gc_element *l2, const char *key,
                        const char *source, const char *right)
{
  if (strcmp(text(l2, key), right ? right : ""))
    fail_msg("%s, %s: %s is '%s' (%s)", truth->variant.chip, truth->variant.l2, key, text(l2, key),
             text(l2, source));
  if (!right)
    assert_memory_equal(text(l2, source), "absent:", 7);
}

static void check(const struct truth *truth)
{
  const struct gc_element *l2;
  struct opened gpu;

  open_variant(&gpu, &truth->variant);
  open_warm_bench(&gpu);
  run_step(&gpu, gc_step_memory_latency, GC_DEVICE_MEMORY);
  run_step(&gpu, gc_step_partitions, GC_L2);
  run_step(&gpu, gc_step_slices, GC_L2);
  l2 = gc_record_find(gpu.record, GC_L2);
  check_value(truth, l2, "Slices", "SlicesSource", truth->slices);
  check_value(truth, l2, "SideMask", "SideMaskSource", truth->mask);
  check_value(truth, l2, "SideGranuleBytes", "SideGranuleSource", truth->granule);
  close_gpu(&gpu);
}

static void slices_and_sides_are_found(void **state)
{
  static const struct truth truths[] = {
    {{"sms = 64", TWO "slices = 24\nside_bits = 12 14 17", "200 4"}, "24", "0x25000", "4096"},
    /* no power of two, and higher bits than those of a page */
    {{"sms = 64", TWO "slices = 46\nside_bits = 7 20 22 25", "200 4"}, "46", "0x100080", "128"},
    {{"sms = 64\noutliers = 0.01 40 900", TWO "slices = 10\nside_bits = 9", "200 4"}, "10", "0x200",
     "512"},
    {{"sms = 40", "slices = 20", "200 4"}, "20", NULL, NULL},
  };

  (void)state;
  for (size_t i = 0; i < sizeof(truths) / sizeof(*truths); i++)
    check(&truths[i]);
}

static void nothing_is_invented(void **state)
{
  static const struct truth truths[] = {
    /* the side depends on all bits in another way */
    {{"sms = 64", TWO "slices = 24", "200 4"}, "24", NULL, NULL},
    /* a parity, but not where three other bits are 1 */
    {{"sms = 64", TWO "slices = 24\nside_bits = 12 14 17\nside_and = 8 9 10", "200 4"}, "24", NULL,
     NULL},
    /* pages smaller than 2 MiB: bit 18 of the physical address is anything */
    {{"sms = 64\npages = 64 KiB scattered", TWO "slices = 24\nside_bits = 12 18", "200 4"}, "24",
     NULL, NULL},
    /* the side is the same in a whole page, so the partitions are not found */
    {{"sms = 64", TWO "slices = 24\nside_bits = 21 23", "200 4"}, NULL, NULL, NULL},
    /* atomic operations do not wait for each other; too few SMs to keep a slice busy */
    {{"sms = 64", TWO "side_bits = 12", "200 4"}, NULL, "0x1000", "4096"},
    {{"sms = 4", "slices = 8", "200 4"}, NULL, NULL, NULL},
    {{"sms = 1", "slices = 8", "200 4"}, NULL, NULL, NULL},
  };

  (void)state;
  for (size_t i = 0; i < sizeof(truths) / sizeof(*truths); i++)
    check(&truths[i]);
}

struct rate_truth {
  struct variant variant;
  double rate; /* bytes per cycle; 0: it must be absent */
  const char *why;
};

static void check_rate(const struct rate_truth *truth)
{
  const struct gc_element *l2;
  struct opened gpu;
  double found;

  open_variant(&gpu, &truth->variant);
  open_warm_bench(&gpu);
  run_step(&gpu, gc_step_memory_latency, GC_DEVICE_MEMORY);
  run_step(&gpu, gc_step_partitions, GC_L2);
  run_step(&gpu, gc_step_l2_bandwidth, GC_L2);
  run_step(&gpu, gc_step_slices, GC_L2);
  l2 = gc_record_find(gpu.record, GC_L2);
  found = number(l2, "SliceReadBytesPerCycle");
  if (truth->rate > 0 ? !(fabs(found - truth->rate) <= 0.03 * truth->rate) : !isnan(found))
    fail_msg("%s, %s: %g instead of %g bytes per cycle (%s)", truth->variant.chip,
             truth->variant.l2, found, truth->rate, text(l2, "SliceReadSource"));
  if (!(truth->rate > 0) && !strstr(text(l2, "SliceReadSource"), truth->why))
    fail_msg("%s, %s: %s instead of %s", truth->variant.chip, truth->variant.l2,
             text(l2, "SliceReadSource"), truth->why);
  close_gpu(&gpu);
}

static void what_a_slice_delivers_is_found(void **state)
{
  static const struct rate_truth truths[] = {
      {{"sms = 64",
        TWO "slices = 24\nside_bits = 12 14 17\nread_gbps = 1400\nslice_bytes_per_cycle = 64",
        "200 4"},
       64,
       NULL},
      {{"sms = 64\noutliers = 0.01 40 900",
        TWO "slices = 46\nside_bits = 9 20\nread_gbps = 1200\nslice_bytes_per_cycle = 33.5",
        "200 4"},
       33.5,
       NULL},
      {{"sms = 40", "slices = 20\nread_gbps = 800\nslice_bytes_per_cycle = 48", "200 4"}, 48, NULL},
      /* half of the lines that seem to wait do so by chance: others must be found in their place,
       * or the warps would be too few */
      {{"sms = 64\noutliers = 0.05 600 3000",
        TWO "slices = 24\nside_bits = 12\nread_gbps = 1400\nslice_bytes_per_cycle = 85", "200 4"},
       85,
       NULL},
      /* without a mask of the sides, too */
      {{"sms = 64", TWO "slices = 24\nread_gbps = 1400\nslice_bytes_per_cycle = 64", "200 4"},
       64,
       NULL},
  };

  (void)state;
  for (size_t i = 0; i < sizeof(truths) / sizeof(*truths); i++)
    check_rate(&truths[i]);
}

/* What the warps read from a slice can be less than it delivers: 164 bytes per cycle, which a naive
 * measurement would report for a slice of 300. */
static void other_limits_are_not_those_of_a_slice(void **state)
{
  static const struct rate_truth truths[] = {
    {{"sms = 64", TWO "slices = 24\nside_bits = 12\nslice_bytes_per_cycle = 300", "200 4"}, 0,
     "more warps"},
    /* all of L2 is no faster than a slice can be */
    {{"sms = 64", TWO "slices = 24\nside_bits = 12\nread_gbps = 60\nslice_bytes_per_cycle = 64",
      "200 4"}, 0, "as fast as lines of all slices"},
    /* a slice has no limit of its own */
    {{"sms = 64", TWO "slices = 24\nside_bits = 12", "200 4"}, 0, "more warps"},
    /* slices would be slower than all of L2 together */
    {{"sms = 64", TWO "slices = 24\nside_bits = 12\nread_gbps = 1600\nslice_bytes_per_cycle = 32",
      "200 4"}, 0, "all slices together"},
    {{"sms = 64", TWO "side_bits = 12", "200 4"}, 0, "this needs the slices"},
  };

  (void)state;
  for (size_t i = 0; i < sizeof(truths) / sizeof(*truths); i++)
    check_rate(&truths[i]);
}

/* The sides that a mask gives, with another constant in each page; then a share of them is
 * changed. */
static void make_sides(uint64_t mask, uint32_t wrong_every, const uint64_t *offsets, uint8_t *sides)
{
  for (uint32_t i = 0; i < GC_SIDE_LINES; i++) {
    sides[i] = (uint8_t)(__builtin_parityll(offsets[i] & mask) ^ (i / GC_SIDE_PAGE_LINES * 5 % 3 == 1));
    if (wrong_every && i % wrong_every == wrong_every - 1)
      sides[i] ^= 1;
  }
}

static void fit_needs_agreement(void **state)
{
  static uint64_t offsets[GC_SIDE_LINES];
  static uint8_t sides[GC_SIDE_LINES];
  struct gc_side_fit fit;

  (void)state;
  gc_side_lines(offsets);
  make_sides(0xab000, 0, offsets, sides);
  assert_null(gc_side_fit(offsets, sides, &fit));
  assert_int_equal(fit.mask, 0xab000);
  assert_int_equal(fit.right, fit.tried);
  /* one line in 150 has the wrong side: the mask stays; one in 10: there is none */
  make_sides(0xab000, 150, offsets, sides);
  assert_null(gc_side_fit(offsets, sides, &fit));
  assert_int_equal(fit.mask, 0xab000);
  assert_true(fit.right < fit.tried);
  make_sides(0xab000, 10, offsets, sides);
  assert_non_null(gc_side_fit(offsets, sides, &fit));
  /* single bits agree with a mask, pairs of them do not: only the lines held out show it */
  make_sides(0, 0, offsets, sides);
  for (uint32_t i = 0; i < GC_SIDE_LINES; i++)
    sides[i] ^= i % GC_SIDE_PAGE_LINES >= 60 && offsets[i] >> 12 & offsets[i] >> 15 & 1;
  assert_non_null(gc_side_fit(offsets, sides, &fit));
  make_sides(0, 0, offsets, sides);
  assert_non_null(gc_side_fit(offsets, sides, &fit));
}

/* Lines of a page are different ones, and each pair of the fit differs in one bit. */
static void lines_differ(void **state)
{
  static uint64_t offsets[GC_SIDE_LINES];

  (void)state;
  gc_side_lines(offsets);
  for (uint32_t i = 0; i < GC_SIDE_LINES; i++) {
    assert_true(offsets[i] < GC_SIDE_PAGE && offsets[i] % GC_SIDE_LINE == 0);
    if (i % GC_SIDE_PAGE_LINES < 4 * (1 + GC_SIDE_BITS) &&
        i % GC_SIDE_PAGE_LINES % (1 + GC_SIDE_BITS))
      assert_int_equal(
        __builtin_popcountll(
          offsets[i] ^ offsets[i - i % GC_SIDE_PAGE_LINES % (1 + GC_SIDE_BITS)]), 1);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(slices_and_sides_are_found),
    cmocka_unit_test(nothing_is_invented),
    cmocka_unit_test(what_a_slice_delivers_is_found),
    cmocka_unit_test(other_limits_are_not_those_of_a_slice),
    cmocka_unit_test(fit_needs_agreement),
    cmocka_unit_test(lines_differ),
  };

  return cmocka_run_group_tests_name("slices", tests, NULL, NULL);
}
