/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * From addresses to requests: as a simple loop over all bytes of all threads does it. Threads in a
 * row, in the whole warp or in a part of it, with a gap, with one thread elsewhere, and anywhere.
 */
#include "predict/model/coalesce.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define CASES 20000

static uint64_t state = 1;

static uint32_t draw(uint32_t n)
{
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(state >> 33) % n;
}

static unsigned simple(const struct gc_trace_instruction *in, uint32_t line, uint32_t sector,
                       struct gc_request *requests)
{
  const uint32_t part = line < GC_LINE_PARTS ? 1 : line / GC_LINE_PARTS;
  unsigned n = 0;

  for (unsigned lane = 0; lane < GC_TRACE_LANES; lane++)
    for (uint32_t byte = 0; byte < in->bytes && in->mask >> lane & 1; byte++) {
      const uint64_t address = in->addresses[lane] + byte;
      unsigned i = 0;

      while (i < n && requests[i].line != address / line)
        i++;
      if (i == n)
        requests[n++] = (struct gc_request){.line = address / line};
      requests[i].sectors |= UINT32_C(1) << address % line / sector;
      requests[i].parts |= UINT32_C(1) << address % line / part;
    }
  return n;
}

static void draw_instruction(struct gc_trace_instruction *in)
{
  static const uint8_t sizes[] = {1, 2, 4, 8, 16};
  const unsigned first = draw(GC_TRACE_LANES), count = 1 + draw(GC_TRACE_LANES - first);
  const unsigned kind = draw(4);
  const uint64_t start = (UINT64_C(1) << 40) + draw(4096);

  memset(in, 0, sizeof(*in));
  in->bytes = sizes[draw(sizeof(sizes))];
  for (unsigned lane = first; lane < first + count; lane++) {
    in->mask |= UINT64_C(1) << lane;
    in->addresses[lane] = kind == 3 ? start + draw(2048) : start + (lane - first) * in->bytes;
  }
  if (kind == 1)
    in->mask &= ~(UINT64_C(1) << (first + draw(count)));
  if (kind == 2)
    in->addresses[first + draw(count)] = start + draw(8192);
}

static void equals_a_simple_loop(void **unused)
{
  static const uint32_t geometries[][2] = {{128, 32}, {64, 64}, {16, 16}, {32, 8}, {256, 32}};

  (void)unused;
  for (unsigned i = 0; i < CASES; i++) {
    const uint32_t *geometry = geometries[draw(sizeof(geometries) / sizeof(*geometries))];
    struct gc_request seen[GC_REQUESTS_MAX], right[GC_REQUESTS_MAX];
    struct gc_trace_instruction in;
    struct gc_coalescer coalescer;
    unsigned n;

    draw_instruction(&in);
    gc_coalescer_init(&coalescer, geometry[0], geometry[1]);
    n = simple(&in, geometry[0], geometry[1], right);
    assert_int_equal(gc_coalesce(&coalescer, &in, seen), n);
    for (unsigned k = 0; k < n; k++) {
      assert_int_equal(seen[k].line, right[k].line);
      assert_int_equal(seen[k].sectors, right[k].sectors);
      assert_int_equal(seen[k].parts, right[k].parts);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(equals_a_simple_loop)};

  return cmocka_run_group_tests(tests, NULL, NULL);
}
