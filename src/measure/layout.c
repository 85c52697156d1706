/* SPDX-License-Identifier: BSD-3-Clause */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "measure/known.h"
#include "measure/layout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_MIN 512u /* bytes between pairs */
#define EMPTY_PASSES 6
#define EMPTY_MORE ((uint64_t)32 << 20) /* besides twice the L2, where there is one */
#define EMPTY_STRIDE 64 /* twice the shortest line of an L2, see below */
#define SMS_MAX 32      /* enough to walk pairs; more only take longer to read back */
#define TRIES 64        /* random slots of a block until one is free */

uint64_t gc_layout_room(const struct gc_bench *bench, enum gc_form form)
{
  return form == GC_FORM_CONSTANT  ? GPU_CONSTANT_BYTES
         : form == GC_FORM_TEXTURE ? bench->texture_bytes
                                   : bench->arena_bytes;
}

int gc_layout_open(struct gc_layout *layout, struct gc_bench *bench, enum gc_form form,
                   uint64_t bytes)
{
  memset(layout, 0, sizeof(*layout));
  layout->bench = bench;
  layout->form = form;
  layout->bytes = bytes < gc_layout_room(bench, form) ? bytes : gc_layout_room(bench, form);
  layout->image = calloc(1, layout->bytes);
  layout->taken = calloc(layout->bytes / GC_SLOT, sizeof(*layout->taken));
  if (layout->image && layout->taken)
    return 0;
  gc_layout_close(layout);
  return gc_fail(bench->err, -ENOMEM, "out of memory");
}

void gc_layout_close(struct gc_layout *layout)
{
  free(layout->image);
  free(layout->taken);
  layout->image = NULL;
  layout->taken = NULL;
}

/* splitmix64 */
uint32_t gc_layout_random(struct gc_layout *layout, uint32_t n)
{
  uint64_t z = layout->random += 0x9e3779b97f4a7c15;

  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return (uint32_t)(((z ^ z >> 31) >> 32) * n >> 32);
}

void gc_layout_shuffle(struct gc_layout *layout, uint32_t *order, uint32_t n)
{
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t k = gc_layout_random(layout, i + 1);

    order[i] = order[k];
    order[k] = i;
  }
}

uint64_t gc_layout_take(struct gc_layout *layout, uint64_t start, uint32_t bytes, uint32_t flip)
{
  const uint32_t slots = bytes / GC_SLOT, first = gc_layout_random(layout, slots);

  /* at random, and when that fails too often, one after the other */
  for (uint32_t i = 0; i < TRIES + slots; i++) {
    const uint32_t which = i < TRIES ? gc_layout_random(layout, slots) : (first + i) % slots;
    const uint64_t slot = start + (uint64_t)which * GC_SLOT;

    if (layout->taken[slot / GC_SLOT] || layout->taken[(slot ^ flip) / GC_SLOT])
      continue;
    layout->taken[slot / GC_SLOT] = layout->taken[(slot ^ flip) / GC_SLOT] = true;
    return slot;
  }
  return UINT64_MAX;
}

void gc_layout_link(struct gc_layout *layout, uint64_t from, uint64_t to)
{
  const uint64_t next = gc_bench_address(layout->bench, layout->form, to);
  const uint32_t texel = (uint32_t)next;

  if (layout->form == GC_FORM_TEXTURE)
    memcpy(layout->image + from, &texel, sizeof(texel));
  else
    memcpy(layout->image + from, &next, sizeof(next));
}

int gc_layout_upload(struct gc_layout *layout)
{
  struct gc_bench *bench = layout->bench;

  return layout->form == GC_FORM_CONSTANT
             ? bench->ops->upload_constant(bench->device, 0, layout->image, layout->bytes,
                                           bench->err)
             : bench->ops->upload(bench->device, bench->arena, layout->image, layout->bytes,
                                  bench->err);
}

/* One block for each pair, in random order, so that reaches alternate at random places. */
static int lay_pairs(struct gc_pairs *pairs, const uint32_t *reaches, uint32_t n)
{
  struct gc_layout *layout = &pairs->layout;
  uint32_t *order = calloc(pairs->count, sizeof(*order));

  if (!order)
    return gc_fail(layout->bench->err, -ENOMEM, "out of memory");
  gc_layout_shuffle(layout, order, pairs->count);
  for (uint32_t i = 0; i < pairs->count; i++)
    pairs->firsts[i] =
        gc_layout_take(layout, (uint64_t)order[i] * pairs->block, pairs->block, reaches[i % n] / 2);
  for (uint32_t i = 0; i < pairs->count; i++) {
    const uint64_t second = pairs->firsts[i] ^ reaches[i % n] / 2;

    gc_layout_link(layout, pairs->firsts[i], second);
    gc_layout_link(layout, second, pairs->firsts[(i + 1) % pairs->count]);
  }
  free(order);
  return gc_layout_upload(layout);
}

int gc_pairs_open(struct gc_pairs *pairs, struct gc_bench *bench, const struct gc_path *path,
                  const uint32_t *reaches, uint32_t n, uint32_t each)
{
  int status;

  memset(pairs, 0, sizeof(*pairs));
  pairs->path = path;
  pairs->block = reaches[n - 1] > BLOCK_MIN ? reaches[n - 1] : BLOCK_MIN;
  if ((status =
           gc_layout_open(&pairs->layout, bench, path->form, (uint64_t)n * each * pairs->block)))
    return status;
  pairs->count = (uint32_t)(pairs->layout.bytes / pairs->block) / n * n;
  pairs->sms = bench->properties.sms < SMS_MAX ? bench->properties.sms : SMS_MAX;
  if (path->kind == GC_L2 || path->form == GC_FORM_CONSTANT || path->alone) {
    pairs->sms = pairs->sms < pairs->count / 8 ? pairs->sms : pairs->count / 8;
    pairs->each = pairs->count / pairs->sms;
  } else {
    pairs->each = pairs->count;
  }
  pairs->firsts = calloc(pairs->count, sizeof(*pairs->firsts));
  pairs->trace = calloc((size_t)pairs->sms * pairs->each * 2, sizeof(*pairs->trace));
  if (!pairs->firsts || !pairs->trace)
    status = gc_fail(bench->err, -ENOMEM, "out of memory");
  else
    status = lay_pairs(pairs, reaches, n);
  if (status)
    gc_pairs_close(pairs);
  return status;
}

void gc_pairs_close(struct gc_pairs *pairs)
{
  gc_layout_close(&pairs->layout);
  free(pairs->firsts);
  free(pairs->trace);
  pairs->firsts = NULL;
  pairs->trace = NULL;
}

static bool is_prime(uint64_t n)
{
  for (uint64_t factor = 2; factor * factor <= n; factor++)
    if (n % factor == 0)
      return false;
  return true;
}

uint64_t gc_ring_stride(uint64_t room, uint64_t slots, uint64_t line)
{
  uint64_t lines = room / slots / line;

  if (lines > 3)
    lines--; /* what is left over is room for rings next to this one */
  while (lines > 2 && !is_prime(lines))
    lines--;
  return (lines > 2 ? lines : 1) * line;
}

int gc_empty_l2(struct gc_bench *bench)
{
  const uint64_t half = bench->arena_bytes / 2, l2 = bench->properties.l2_bytes;
  const uint64_t most = bench->properties.l3_bytes / 4; /* which has to keep what it has */
  const uint64_t more = most && most < EMPTY_MORE ? most : EMPTY_MORE;
  const uint64_t enough = bench->properties.l2_count > 1 ? 2 * l2 : 2 * l2 + more;
  const uint64_t bytes = half < enough ? half : enough;
  int status = gc_fill_l2(bench, half, bytes, EMPTY_STRIDE, EMPTY_PASSES / 2);

  /* the other halves: where lines are that short, they are in other sets */
  return status ? status
                : gc_fill_l2(bench, half + EMPTY_STRIDE / 2, bytes - EMPTY_STRIDE, EMPTY_STRIDE,
                             EMPTY_PASSES / 2);
}

const char gc_constant_l1_hides[] = "the constant L1 is too large to see what lies behind it, or not known";

bool gc_passes_constant_l1(const struct gc_bench *bench, uint64_t bytes)
{
  static const char *const keys[] = {HWLOC_GPUCACHE_CAPACITY_BYTES,
                                     HWLOC_GPUCACHE_CAPACITY_AT_LEAST_BYTES,
                                     HWLOC_GPUCACHE_CENSUS_BYTES};
  const struct gc_element *l1 = gc_record_find(bench->record, GC_CONSTANT_L1);
  uint64_t known;

  for (size_t i = 0; l1 && i < sizeof(keys) / sizeof(*keys); i++)
    if (!gc_infos_get_u64(&l1->infos, keys[i], &known))
      return 2 * known <= bytes;
  return !l1; /* then nobody wanted to know it */
}

const char *gc_l2_stays(const struct gc_bench *bench)
{
  return bench->arena_bytes / 2 < bench->properties.l2_bytes ? "too little free device memory" : NULL;
}

int gc_pairs_run(struct gc_pairs *pairs)
{
  struct gc_bench *bench = pairs->layout.bench;
  uint64_t *starts = calloc(pairs->sms, sizeof(*starts));
  int status = 0;

  if (!starts)
    return gc_fail(bench->err, -ENOMEM, "out of memory");
  for (uint32_t i = 0; i < pairs->sms; i++)
    starts[i] = gc_bench_address(bench, pairs->path->form,
                                 pairs->firsts[gc_pairs_at(pairs, i * pairs->each)]);
  /* a launch empties what is inside the SM */
  if (pairs->path->kind == GC_L2)
    status = gc_empty_l2(bench);
  if (!status)
    status =
        gc_bench_trace(bench, pairs->path, starts, pairs->sms, 0, 2 * pairs->each, pairs->trace);
  free(starts);
  return status;
}
