/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/walk/cold_pages.h"

#include "measure/walk/evict.h"
#include "measure/walk/ring.h"

/* Where line i of a page is, in an order that no prefetcher follows. */
static uint64_t line_of(uint64_t i)
{
  return i % GC_OF_PAGE * 3 % GC_OF_PAGE * (GC_PAGE / GC_OF_PAGE);
}

/* One launch for each line of a page: the value of a slot is the address of a line of the same page
 * (`fill` writes that of the next slot, so the ring begins one page too early), or of the next
 * page. */
int gc_page_chain_lay(struct gc_bench *bench, uint64_t address, uint64_t pages)
{
  int status = 0;

  for (uint64_t i = 0; i < GC_OF_PAGE && !status; i++) {
    const bool last = i + 1 == GC_OF_PAGE;
    const struct gpu_fill_args args = {.base = address + line_of(i),
                                       .count = last ? pages : pages + 1,
                                       .stride = GC_PAGE,
                                       .multiplier = last ? gc_ring_scatter(pages) : 1,
                                       .first = address + line_of(i + 1) - (last ? 0 : GC_PAGE),
                                       .step = GC_PAGE,
                                       .slot_bytes = GC_SLOT_BYTES};

    status = gc_bench_launch(bench, GC_KERNEL_fill, bench->properties.sms, 256, 0, &args);
  }
  return status;
}

int gc_cold_pages_lay(struct gc_bench *bench, uint64_t pages)
{
  const int status = gc_page_chain_lay(bench, gc_ring_address(bench, GC_ADDRESS_GLOBAL, 0), pages);

  return status ? status : gc_empty_caches(bench);
}

uint64_t gc_page_chain_at(uint64_t address, uint64_t pages, uint64_t n)
{
  return address + n * gc_ring_scatter(pages) % pages * GC_PAGE + line_of(0);
}

uint64_t gc_cold_pages_at(const struct gc_bench *bench, uint64_t pages, uint64_t n)
{
  return gc_page_chain_at(gc_ring_address(bench, GC_ADDRESS_GLOBAL, 0), pages, n);
}
