/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Lays rings and computes their addresses and strides.
 */
#include "measure/walk/ring.h"

#include "util/scattered_order.h"

#include <errno.h>
#include <math.h>
#include <string.h>

uint64_t gc_ring_limit(const struct gc_bench *bench, enum gc_address_space space)
{
  return space == GC_ADDRESS_CONSTANT  ? GPU_CONSTANT_BYTES
         : space == GC_ADDRESS_TEXTURE ? bench->texture_bytes
                                       : bench->arena_bytes;
}

uint64_t gc_ring_address(const struct gc_bench *bench, enum gc_address_space space, uint64_t offset)
{
  switch (space) {
  case GC_ADDRESS_GLOBAL:
    return bench->arena + offset;
  case GC_ADDRESS_TEXTURE:
    return offset / GC_TEXEL_BYTES;
  case GC_ADDRESS_CONSTANT:
    return bench->constant_base + offset;
  case GC_ADDRESS_SHARED:
    break;
  }
  return offset;
}

static int constant_ring(struct gc_bench *bench, uint64_t bytes, uint32_t stride)
{
  uint64_t bank[GPU_CONSTANT_BYTES / GC_SLOT_BYTES];

  memset(bank, 0, sizeof(bank));
  for (uint64_t at = 0; at < bytes; at += stride)
    bank[at / GC_SLOT_BYTES] = bench->constant_base + (at + stride < bytes ? at + stride : 0);
  return bench->ops->upload_constant(bench->device, 0, bank, sizeof(bank), bench->err);
}

uint64_t gc_ring_scatter_other(uint64_t count, uint64_t which)
{
  const double golden = 0.6180339887, part = 2 * golden - 0.5 + golden * (double)which;

  return gc_ring_step(count, (uint64_t)((double)count * (0.25 + (part - floor(part)) / 2)) | 1);
}

uint64_t gc_ring_step(uint64_t count, uint64_t least)
{
  return gc_coprime(count, least ? least : 1);
}

uint64_t gc_ring_scatter(uint64_t count)
{
  return gc_ring_scatter_other(count, 0);
}

int gc_ring_lay(struct gc_bench *bench, enum gc_address_space space, uint64_t bytes,
                uint32_t stride, uint64_t multiplier)
{
  const bool texture = space == GC_ADDRESS_TEXTURE;
  const struct gpu_fill_args args = {.base = bench->arena,
                                     .count = bytes / stride,
                                     .stride = stride,
                                     .multiplier = multiplier,
                                     .first = gc_ring_address(bench, space, 0),
                                     .step = texture ? stride / GC_TEXEL_BYTES : stride,
                                     .slot_bytes = texture ? GC_TEXEL_BYTES : GC_SLOT_BYTES};

  if (space == GC_ADDRESS_SHARED)
    return 0;
  if (bytes > gc_ring_limit(bench, space))
    return gc_fail(bench->err, -EINVAL, "a ring of %llu bytes is larger than the %llu bytes for it",
                   (unsigned long long)bytes, (unsigned long long)gc_ring_limit(bench, space));
  if (space == GC_ADDRESS_CONSTANT)
    return constant_ring(bench, bytes, stride);
  return gc_bench_launch(bench, GC_KERNEL_fill, bench->properties.sms * 2, 256, 0, &args);
}

static bool is_prime(uint64_t n)
{
  for (uint64_t factor = 2; factor * factor <= n; factor++)
    if (n % factor == 0)
      return false;
  return true;
}

uint64_t gc_ring_stride(uint64_t bytes, uint64_t slots, uint64_t line)
{
  uint64_t lines = bytes / slots / line;

  if (lines > 3)
    lines--; /* the remainder is for other rings */
  while (lines > 2 && !is_prime(lines))
    lines--;
  return (lines > 2 ? lines : 1) * line;
}
