/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Fermi's L1 as two papers describe it: the hash of its sets (Nugteren et al. 2014, section 5.1 and
 * figure 7, on a GTX 470), and its replacement (Mei et al. 2014, section 4.2, on a GTX 560 Ti).
 * Each experiment is repeated on the model of the GPU that the paper used.
 */
#include "open.h"

#define BASE (1ull << 30)
#define LINE 128

/* How many of `count` successive loads miss. */
static unsigned misses(struct gc_model *model, uint64_t stride, unsigned count)
{
  const uint32_t hit = gc_model_true_latency(model, GC_SPACE_CA, 0);
  unsigned n = 0;

  for (uint64_t i = 0; i < count; i++)
    n += gc_model_touch(model, 0, GC_SPACE_CA, BASE + i * stride) > hit;
  return n;
}

/* The number of set bits that vary if the address bits from `low` to `high` - 1 vary. */
static unsigned set_bits(unsigned low, unsigned high)
{
  static const unsigned with[] = {13, 14, 15, 17, 19}; /* set bit i is address bit 7 + i xor this one */
  unsigned n = 0;

  for (unsigned i = 0; i < 5; i++)
    n += (low <= 7 + i && 7 + i < high) || (low <= with[i] && with[i] < high);
  return n;
}

/* Figure 7: two loops over lines that are 2^shift apart. The first one always misses. Returns the
 * misses of the second one. */
static unsigned second_loop(struct gc_model *model, unsigned shift, unsigned count)
{
  gc_model_launch(model, -1, 1, 0);
  assert_int_equal(misses(model, 1ull << shift, count), count);
  return misses(model, 1ull << shift, count);
}

/* Both loops together miss 50 % if each set gets four lines at most, and else 100 %. There is
 * nothing in between. */
static void nugteren_loops_miss_once_or_always(void **state)
{
  struct opened o;

  (void)state;
  open_gpu(&o, "gtx470");
  for (unsigned shift = 7; shift < 18; shift++)
    for (unsigned bits = 2; bits < 10; bits++) {
      const unsigned count = 1u << bits, fit = 4u << set_bits(shift, shift + bits);
      const unsigned missed = second_loop(o.model, shift, count);

      if (missed != (count <= fit ? 0 : count))
        fail_msg("stride 2^%u, %u loads: %u miss again, although %u fit", shift, count, missed, fit);
    }
  /* the example in the text: four of the bits 12 to 18 are used */
  assert_int_equal(set_bits(12, 19), 4);
  close_gpu(&o);
}

/* The sets are the same. But if a set gets twice as many lines as it holds, some of them stay. */
static void mei_replaces_one_way_more_often(void **state)
{
  struct opened o;
  unsigned missed = 0;

  (void)state;
  open_gpu(&o, "gtx560ti");
  for (unsigned shift = 7; shift < 18; shift++)
    for (unsigned bits = 2; bits < 8; bits++)
      if (1u << bits <= 4u << set_bits(shift, shift + bits))
        assert_int_equal(second_loop(o.model, shift, 1u << bits), 0);
  missed = second_loop(o.model, 12, 128);
  assert_in_range(missed, 128 * 6 / 10, 128 * 9 / 10);
  close_gpu(&o);
}

/* The miss rate of repeated walks, as in figure 9 from 16 to 24 KiB. */
static double miss_rate(struct gc_model *model, unsigned bytes)
{
  unsigned missed = 0;

  gc_model_launch(model, -1, 1, 0);
  misses(model, LINE, bytes / LINE);
  for (unsigned i = 0; i < 1000; i++)
    missed += misses(model, LINE, bytes / LINE);
  return missed / (1000. * (bytes / LINE));
}

/* With LRU, all loads miss as soon as each set gets one line too many. Mei et al. saw 50 % at most.
 * The weights of the ways give 40 % with one line too many in each set. With two it is 50 %, because a
 * way that was drawn is replaced three times. */
static void mei_walks_never_miss_always(void **state)
{
  struct opened o;

  (void)state;
  open_gpu(&o, "gtx560ti");
  assert_true(miss_rate(o.model, 16 << 10) == 0);
  assert_true(fabs(miss_rate(o.model, 20 << 10) - 0.40) < 0.02);
  assert_true(fabs(miss_rate(o.model, 24 << 10) - 0.50) < 0.02);
  close_gpu(&o);
  open_gpu(&o, "gtx470");
  assert_true(miss_rate(o.model, 16 << 10) == 0);
  assert_true(miss_rate(o.model, 20 << 10) == 1);
  close_gpu(&o);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(nugteren_loops_miss_once_or_always),
    cmocka_unit_test(mei_replaces_one_way_more_often),
    cmocka_unit_test(mei_walks_never_miss_always),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
