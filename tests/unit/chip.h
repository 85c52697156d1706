/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The parts of a simulated chip: two caches in an SM, one cache for every two SMs, and an L2.
 */
#ifndef TESTS_UNIT_CHIP_H
#define TESTS_UNIT_CHIP_H

#include "model/truth.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define BASE 0x7f0000000000ull

#define CHIP                                                                                        \
  "model = T\ncompute = 7.0\nsms = 6\nclock_khz = 1000000\nthreads_per_sm = 2048\n"                  \
  "blocks_per_sm = 32\nmemory = 1 GiB\nshared_per_sm = 64 KiB\nshared_per_block = 48 KiB\n"          \
  "shared_reserved = 1 KiB\nclock_overhead = 5\n"
#define UNIFIED "[unified]\ntotal = 96 KiB\ncarveouts = 0 8 32 64 KiB\n"
#define L1 "[cache L1]\nsize = unified\nlost = 7 KiB\nline = 128\nsector = 32\nways = 4\nreplacement = lru\n"
#define L1_SLRU "[cache L1]\nsize = unified\nlost = 7 KiB\nline = 128\nsector = 32\nways = 4\nreplacement = slru\n"
#define RO "[cache RO]\nsize = 12 KiB\ninstances = 2\nline = 32\nways = 4\nreplacement = lru\n"
#define C15 "[cache C]\nscope = group 2\nsize = 4 KiB\nline = 256\nways = 4\nreplacement = lru\n"
#define L2 "[cache L2]\nscope = chip\nsize = 256 KiB\nline = 128\nsector = 32\nways = 16\nreplacement = lru\n"
#define L2_RANDOM "[cache L2]\nscope = chip\nsize = 256 KiB\nline = 128\nsector = 32\nways = 16\nreplacement = random\n"
/* One that is kept in another way, because it is large (wide.h); its partitions are, too. */
#define L2_WIDE "[cache L2]\nscope = chip\nsize = 512 KiB\nline = 128\nsector = 32\nways = 2\nreplacement = lru\n"
#define TWO_PARTS "partitions = 2\nfar_cycles = 50\npartition_sms = 1\n"
#define SPACES                                                                                      \
  "[space ca]\npath = L1 30, L2 200, memory 500\n[space cg]\npath = L2 200, memory 500\n"            \
  "[space nc]\npath = RO 40, L2 210, memory 510\n[space texture]\npath = L1 60, L2 220, memory 520\n" \
  "[space constant]\npath = C 70, L2 230, memory 530\n[space shared]\npath = memory 20\n"

/* The L2 fetches whole lines, the L3 sectors of 32 bytes. */
#define L2_L3                                                                                       \
  "[cache L2]\nscope = chip\nsize = 256 KiB\nline = 128\nways = 16\nreplacement = lru\n"          \
  "[cache L3]\nscope = chip\nsize = 1 MiB\nline = 128\nsector = 32\nways = 16\nreplacement = lru\n"
/* The lines of both are one sector. */
#define L2_L3_LINES                                                                                 \
  "[cache L2]\nscope = chip\nsize = 256 KiB\nline = 128\nways = 16\nreplacement = lru\n"          \
  "[cache L3]\nscope = chip\nsize = 1 MiB\nline = 128\nways = 16\nreplacement = lru\n"
#define SPACES_L3                                                                                   \
  "[space ca]\npath = L1 30, L2 200, L3 300, memory 500\n"                                          \
  "[space cg]\npath = L2 200, L3 300, memory 500\n[space shared]\npath = memory 20\n"
/* Two caches inside the SMs, one behind the other, with lines unlike those of L2. */
#define K "[cache K]\nsize = 2 KiB\nline = 64\nways = 4\nreplacement = lru\n"
#define K_RANDOM "[cache K]\nsize = 2 KiB\nline = 64\nsector = 32\nways = 4\nreplacement = random\n"
#define SPACES_K                                                                                    \
  "[space ca]\npath = K 30, C 70, L2 200, memory 500\n[space cg]\npath = L2 200, memory 500\n"   \
  "[space shared]\npath = memory 20\n"
#define SPACES_K_L3                                                                                 \
  "[space ca]\npath = K 30, C 70, L2 200, L3 300, memory 500\n"                                    \
  "[space cg]\npath = L2 200, L3 300, memory 500\n[space shared]\npath = memory 20\n"
#define TLB(name, lines) "[tlb " name "]\ncovers = 64 KiB\npenalty = 100\n" lines
#define SPACES_L2                                                                                   \
  "[space ca]\npath = L2 200, memory 500\n[space cg]\npath = L2 200, memory 500\n"                 \
  "[space shared]\npath = memory 20\n"

static inline struct gc_model *make(const char *text)
{
  struct gc_model *model;
  struct gc_error err = {""};

  if (gc_model_new("test", text, strlen(text), &model, &err))
    fail_msg("%s", err.text);
  return model;
}

/* Loads of `from` cycles or more in a pass over `bytes` after a warm-up pass, both by this SM. */
static inline unsigned slow(struct gc_model *model, uint32_t sm, enum gc_space space, uint64_t bytes,
                            uint32_t stride, uint32_t from)
{
  unsigned count = 0;

  for (uint64_t at = 0; at < bytes; at += stride)
    gc_model_touch(model, sm, space, BASE + at);
  for (uint64_t at = 0; at < bytes; at += stride)
    count += gc_model_load(model, sm, space, BASE + at) >= from;
  return count;
}

#endif
