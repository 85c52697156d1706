/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which caches of an SM are the same storage: loads through one path evict what came through the
 * other, in both directions. L1 and shared memory are the same storage if L1 keeps its lines while
 * no shared memory is requested, and loses them while all of it is requested. The step of the first
 * element tests all pairs at once. An early step compares L1 with the texture and the read-only
 * path, for which only the capacity of L1 must be known: those that are the same storage need no
 * search of their own, only a confirmation. doc/methods.md, "Sharing"; Größler 2022, section 4.5;
 * Vanecek et al. (MT4G) 2025, IV-G.
 */
#include "measure/core/memo.h"
#include "measure/topology/eviction.h"
#include "measure/topology/topology.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Caches, then the two names of the memory of a block; every GPU has only one of these two. */
static const enum gc_kind kinds[] = {GC_L1,        GC_TEXTURE,       GC_READ_ONLY, GC_CONSTANT_L1,
                                     GC_SCALAR_L1, GC_SHARED_MEMORY, GC_LDS};
#define KINDS (sizeof(kinds) / sizeof(*kinds))
#define CACHES (KINDS - 2)
#define BESIDE_SHARED (CACHES - 2) /* caches that are compared with shared memory */
/* A path is only confirmed, not searched, if it is so sure that it is one storage with L1: all of
 * eight runs agree in both directions. */
#define SURE 0.99

struct sharing {
  struct gc_vote votes[KINDS][KINDS]; /* are the two the same storage? */
  struct gc_eviction_log log;
  bool complete; /* false: only the early test has run */
};

static void release_sharing(void *memo)
{
  gc_eviction_log_free(&((struct sharing *)memo)->log);
}

static const struct gc_memo_type sharing_memo = {sizeof(struct sharing), release_sharing};

static bool present(const struct gc_measurement *m, size_t i)
{
  return gc_present(&m->bench.properties, kinds[i]);
}

static bool has_capacity(const struct gc_measurement *m, size_t i)
{
  return present(m, i) && gc_capacity(&m->results->element[kinds[i]]);
}

/* The common answer of both directions; `both`: both could be tested. */
static struct gc_vote agree(const struct gc_vote *there, const struct gc_vote *back, bool both)
{
  if (!both)
    return there->answer ? *there : *back;
  if (there->answer != back->answer)
    return (struct gc_vote){GC_UNCLEAR, 0};
  return there->confidence < back->confidence ? *there : *back;
}

static struct gc_eviction eviction_of(const struct gc_measurement *m, size_t a, size_t b,
                                      uint64_t capacity)
{
  struct gc_eviction eviction = {.a = {.path = gc_path_of(kinds[a])},
                                 .b = {.path = b < CACHES ? gc_path_of(kinds[b]) : NULL}};

  gc_eviction_fill(m, capacity, &eviction);
  return eviction;
}

/* Whether b need not be compared: it is the same storage as L1, which is. */
static bool is_l1(const struct gc_measurement *m, const struct sharing *sharing, size_t b)
{
  return sharing->votes[0][b].answer == GC_YES && has_capacity(m, 0);
}

static int test_caches(struct gc_measurement *m, struct sharing *sharing)
{
  struct gc_eviction evictions[CACHES * CACHES];
  struct gc_vote there[CACHES][CACHES] = {{{GC_UNCLEAR, 0}}};
  size_t from[CACHES * CACHES], to[CACHES * CACHES], n = 0;
  bool known[CACHES]; /* by the early test; the votes below must not change it */
  int status;

  for (size_t a = 0; a < CACHES; a++)
    known[a] = is_l1(m, sharing, a);
  for (size_t a = 0; a < CACHES; a++)
    for (size_t b = 0; b < CACHES; b++) {
      if (a == b || !has_capacity(m, a) || !present(m, b) || sharing->votes[a][b].answer ||
          known[a] || known[b])
        continue;
      evictions[n] = eviction_of(m, a, b, gc_capacity(&m->results->element[kinds[a]]));
      from[n] = a;
      to[n++] = b;
    }
  if (!n)
    return 0;
  status = gc_find_evictions(m, evictions, n, &(struct gc_eviction_launch){0, 0}, &sharing->log);
  if (status)
    return status;
  for (size_t i = 0; i < n; i++)
    there[from[i]][to[i]] = evictions[i].vote;
  for (size_t a = 0; a < CACHES; a++)
    for (size_t b = 0; b < CACHES; b++)
      if (!sharing->votes[a][b].answer && !known[a] && !known[b])
        sharing->votes[a][b] =
            agree(&there[a][b], &there[b][a], has_capacity(m, a) && has_capacity(m, b));
  return 0;
}

/* Would the test show that shared memory and this cache are the same storage? It walks only three
 * quarters of the cache, and the bytes that the driver reserves for all resident blocks are taken
 * in any case. */
static bool would_show(const struct gc_measurement *m, enum gc_kind cache)
{
  const struct gc_properties *p = &m->bench.properties;
  const uint64_t by_threads = p->threads_per_sm / p->warp;
  const uint64_t blocks = p->blocks_per_sm < by_threads ? p->blocks_per_sm : by_threads;
  const uint64_t reserved = p->shared_reserved * blocks;

  return p->shared_per_sm > reserved &&
         p->shared_per_sm - reserved >= gc_capacity(&m->results->element[cache]) / 2;
}

/* Do lines stay while no shared memory is requested, and not while all of it is requested? */
static int test_shared_memory(struct gc_measurement *m, struct sharing *sharing)
{
  const size_t shared = present(m, KINDS - 1) ? KINDS - 1 : KINDS - 2;
  const struct gc_eviction_launch none = {0, 0};
  const struct gc_eviction_launch all = {100, (uint32_t)m->bench.properties.shared_per_block};
  struct gc_eviction without[BESIDE_SHARED], with[BESIDE_SHARED];
  size_t which[BESIDE_SHARED], n = 0;
  int status;

  for (size_t a = 0; a < BESIDE_SHARED; a++)
    if (has_capacity(m, a) && !is_l1(m, sharing, a)) {
      without[n] = eviction_of(m, a, CACHES, gc_capacity(&m->results->element[kinds[a]]));
      with[n] = without[n];
      which[n++] = a;
    }
  if (!n)
    return 0;
  if ((status = gc_find_evictions(m, without, n, &none, &sharing->log)))
    return status;
  for (size_t i = 0; i < n; i++)
    with[i].hit = without[i].hit;
  if ((status = gc_find_evictions(m, with, n, &all, &sharing->log)))
    return status;
  for (size_t i = 0; i < n; i++)
    if (without[i].vote.answer == GC_NO &&
        (with[i].vote.answer != GC_NO || would_show(m, kinds[which[i]]))) {
      sharing->votes[which[i]][shared] = with[i].vote;
      sharing->votes[shared][which[i]] = with[i].vote;
    }
  return 0;
}

/* Derives answers that were not measured: if a and c are the same storage, a shares with exactly
 * those caches that c shares with. */
static void infer(struct sharing *sharing)
{
  for (size_t a = 0; a < KINDS; a++)
    for (size_t b = 0; b < KINDS; b++)
      for (size_t c = 0; c < KINDS && a != b && !sharing->votes[a][b].answer; c++) {
        const struct gc_vote *same = &sharing->votes[a][c], *other = &sharing->votes[c][b];

        if (same->answer != GC_YES || !other->answer)
          continue;
        sharing->votes[a][b] =
            (struct gc_vote){other->answer, same->confidence * other->confidence};
        sharing->votes[b][a] = sharing->votes[a][b];
      }
}

/* The memo, with what the early test has found. It is made now if there is none, or if a step that
 * failed has dropped it. NULL: out of memory. */
static struct sharing *get_memo(struct gc_measurement *m)
{
  struct sharing *memo = gc_memo_find(m->memos, &sharing_memo);

  if (memo || !(memo = gc_memo_keep(&m->memos, &sharing_memo, m->bench.err)))
    return memo;
  for (size_t b = 1; b < BESIDE_SHARED; b++)
    if (m->results->with_l1[kinds[b]] > 0)
      memo->votes[0][b] = memo->votes[b][0] =
          (struct gc_vote){GC_YES, m->results->with_l1[kinds[b]]};
  return memo;
}

/* *sharing: the memo, with all answers. */
static int get_sharing(struct gc_measurement *m, const struct sharing **sharing)
{
  struct sharing *found = get_memo(m);
  int status = 0;

  *sharing = found;
  if (!found)
    return -ENOMEM;
  if (found->complete)
    return 0;
  if (!(status = test_caches(m, found)) && !(status = test_shared_memory(m, found)))
    infer(found);
  found->complete = true;
  if (status)
    gc_memo_drop(&m->memos, &sharing_memo);
  return status;
}

/* Whether both directions found one storage. They have the cache, the SMs and the launch in common,
 * so they are no surer together than the less sure one. A "no" is left to the later test, which
 * knows the capacity of the other cache. */
static struct gc_vote both(const struct gc_vote *there, const struct gc_vote *back)
{
  const struct gc_vote vote = agree(there, back, true);

  return vote.answer == GC_YES ? vote : (struct gc_vote){GC_UNCLEAR, 0};
}

int gc_step_storage(struct gc_measurement *m, struct gc_measured *element)
{
  struct gc_eviction evictions[2 * BESIDE_SHARED];
  const uint64_t capacity = gc_capacity(element);
  struct sharing *sharing;
  size_t with[BESIDE_SHARED], n = 0;
  int status;

  memset(m->results->with_l1, 0, sizeof(m->results->with_l1));
  for (size_t b = 1; b < BESIDE_SHARED; b++)
    if (present(m, b) && capacity && !gc_walks_alone(&m->bench, gc_path_of(GC_L1))) {
      evictions[2 * n] = eviction_of(m, 0, b, capacity);
      evictions[2 * n + 1] = eviction_of(m, b, 0, capacity);
      with[n++] = b;
    }
  if (!n)
    return 0;
  if (!(sharing = get_memo(m)))
    return -ENOMEM;
  status = gc_find_evictions(m, evictions, 2 * n, &(struct gc_eviction_launch){0, 0}, &sharing->log);
  for (size_t i = 0; i < n && !status; i++) {
    const struct gc_vote vote = both(&evictions[2 * i].vote, &evictions[2 * i + 1].vote);

    sharing->votes[0][with[i]] = sharing->votes[with[i]][0] = vote;
    m->results->with_l1[kinds[with[i]]] = vote.confidence >= SURE ? vote.confidence : 0;
  }
  if (status)
    gc_memo_drop(&m->memos, &sharing_memo);
  else
    gc_eviction_log_raw(&sharing->log, m->bench.raw, element->kind);
  return status;
}

/* Are the two compared? Constant and scalar caches have no carve-out, so they are not compared with
 * shared memory. */
static bool compared(size_t a, size_t b)
{
  return a != b && !(a >= BESIDE_SHARED && b >= BESIDE_SHARED);
}

static int report(const struct gc_measurement *m, struct gc_measured *element,
                  const struct sharing *sharing, size_t a)
{
  uint32_t with = 0;
  double confidence = 1;
  size_t tested = 0;

  for (size_t b = 0; b < KINDS; b++) {
    const struct gc_vote *vote = &sharing->votes[a][b];

    if (!compared(a, b) || !present(m, b))
      continue;
    if (!vote->answer) {
      char why[160];

      snprintf(why, sizeof(why), "whether it shares storage with %s is unclear%s",
               gc_kinds[kinds[b]].subtype,
               has_capacity(m, a) || has_capacity(m, b) ? "" : " without a capacity");
      return gc_set_absent(element, GC_SHARED_WITH, why);
    }
    if (vote->answer == GC_YES)
      with |= 1u << kinds[b];
    confidence = vote->confidence < confidence ? vote->confidence : confidence;
    tested++;
  }
  if (!tested)
    return gc_set_absent(element, GC_SHARED_WITH, "there is no other cache to compare it with");
  element->shared_with = with;
  return gc_set_measured(element, GC_SHARED_WITH, confidence);
}

int gc_step_sharing(struct gc_measurement *m, struct gc_measured *element)
{
  const struct sharing *sharing;
  size_t a = 0;
  int status = get_sharing(m, &sharing);

  if (status)
    return status;
  while (kinds[a] != element->kind)
    a++;
  gc_eviction_log_raw(&sharing->log, m->bench.raw, element->kind);
  return report(m, element, sharing, a);
}
