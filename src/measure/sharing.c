/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which of an SM's caches are the same storage: what is loaded through one path pushes out what
 * came through another (Größler 2022, section 4.5; Vanecek et al. (MT4G) 2025, IV-G), both ways.
 * L1 and shared memory share theirs when L1 keeps less the more of it shared memory gets. All pairs
 * are asked at once, when the first element wants to know.
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "measure/pair.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Caches, and at the end the two names of what a block has for itself: no GPU has both. */
static const enum gc_kind kinds[] = {GC_L1,          GC_TEXTURE,   GC_READ_ONLY,
                                     GC_CONSTANT_L1, GC_SCALAR_L1, GC_SHARED_MEMORY,
                                     GC_LDS};
#define KINDS (sizeof(kinds) / sizeof(*kinds))
#define CACHES (KINDS - 2)
#define BESIDE_SHARED (CACHES - 2) /* those that shared memory is compared with */

struct pair {
  enum gc_answer answer;
  double confidence;
};

struct gc_sharing {
  uint64_t
      repeats; /* of the bench when this was found: what was found while disturbed does not count */
  struct pair pairs[KINDS][KINDS];
  struct gc_asked asked;
};

static bool present(const struct gc_bench *bench, size_t i)
{
  return gc_path_of(kinds[i])->present(&bench->properties);
}

static bool known(const struct gc_bench *bench, size_t i)
{
  return present(bench, i) && gc_capacity_of(bench, gc_path_of(kinds[i]));
}

static struct pair as_pair(const struct gc_question *question)
{
  return (struct pair){question->answer, question->confidence};
}

/* Both directions must agree, where both could be asked. */
static struct pair agree(const struct pair *there, const struct pair *back, bool both)
{
  if (!both)
    return there->answer ? *there : *back;
  if (there->answer != back->answer)
    return (struct pair){GC_UNCLEAR, 0};
  return there->confidence < back->confidence ? *there : *back;
}

static int ask_caches(struct gc_bench *bench, struct gc_sharing *sharing)
{
  struct gc_question questions[CACHES * CACHES];
  struct pair there[CACHES][CACHES] = {{{GC_UNCLEAR, 0}}};
  size_t from[CACHES * CACHES], to[CACHES * CACHES], n = 0;
  int status;

  for (size_t a = 0; a < CACHES; a++)
    for (size_t b = 0; b < CACHES; b++) {
      if (a == b || !known(bench, a) || !present(bench, b))
        continue;
      questions[n] = (struct gc_question){.a = {.path = gc_path_of(kinds[a])},
                                          .b = {.path = gc_path_of(kinds[b])}};
      gc_fill_question(bench, &questions[n]);
      from[n] = a;
      to[n++] = b;
    }
  if (!n || (status = gc_ask(bench, questions, n, 0, 0, &sharing->asked)))
    return n ? status : 0;
  for (size_t i = 0; i < n; i++)
    there[from[i]][to[i]] = as_pair(&questions[i]);
  for (size_t a = 0; a < CACHES; a++)
    for (size_t b = 0; b < CACHES; b++)
      sharing->pairs[a][b] = agree(&there[a][b], &there[b][a], known(bench, a) && known(bench, b));
  return 0;
}

/* Would it be seen, if shared memory took its storage from this cache? Three quarters of the cache are
 * looked at, and what the driver reserves for all the blocks that fit is taken in any case. */
static bool makes_room(const struct gc_bench *bench, const struct gc_path *path)
{
  const struct gc_properties *p = &bench->properties;
  const uint64_t by_threads = p->threads_per_sm / p->warp;
  const uint64_t blocks = p->blocks_per_sm < by_threads ? p->blocks_per_sm : by_threads;
  const uint64_t reserved = p->shared_reserved * blocks;

  return p->shared_per_sm > reserved && p->shared_per_sm - reserved >= gc_capacity_of(bench, path) / 2;
}

/* Lines that stay while no shared memory is asked for, and do not while all of it is. */
static int ask_shared_memory(struct gc_bench *bench, struct gc_sharing *sharing)
{
  const size_t shared = present(bench, KINDS - 1) ? KINDS - 1 : KINDS - 2;
  struct gc_question without[BESIDE_SHARED], with[BESIDE_SHARED];
  size_t which[BESIDE_SHARED], n = 0;
  int status;

  for (size_t a = 0; a < BESIDE_SHARED; a++)
    if (known(bench, a)) {
      without[n] = (struct gc_question){.a = {.path = gc_path_of(kinds[a])}};
      gc_fill_question(bench, &without[n]);
      with[n] = without[n];
      which[n++] = a;
    }
  if (!n)
    return 0;
  if ((status = gc_ask(bench, without, n, 0, 0, &sharing->asked)))
    return status;
  for (size_t i = 0; i < n; i++)
    with[i].hit = without[i].hit;
  if ((status = gc_ask(bench, with, n, 100, (uint32_t)bench->properties.shared_per_block,
                       &sharing->asked)))
    return status;
  for (size_t i = 0; i < n; i++)
    if (without[i].answer == GC_NO &&
        (with[i].answer != GC_NO || makes_room(bench, with[i].a.path))) {
      sharing->pairs[which[i]][shared] = as_pair(&with[i]);
      sharing->pairs[shared][which[i]] = as_pair(&with[i]);
    }
  return 0;
}

/* What cannot be told directly may follow: who is the same storage as c shares with all that c shares
 * with, and with nobody else. */
static void infer(struct gc_sharing *sharing)
{
  for (size_t a = 0; a < KINDS; a++)
    for (size_t b = 0; b < KINDS; b++)
      for (size_t c = 0; c < KINDS && a != b && !sharing->pairs[a][b].answer; c++) {
        const struct pair *same = &sharing->pairs[a][c], *other = &sharing->pairs[c][b];

        if (same->answer != GC_YES || !other->answer)
          continue;
        sharing->pairs[a][b] =
          (struct pair){other->answer, same->confidence * other->confidence};
        sharing->pairs[b][a] = sharing->pairs[a][b];
      }
}

static int ask(struct gc_bench *bench, const struct gc_sharing **out)
{
  int status;

  *out = bench->sharing;
  if (bench->sharing && bench->sharing->repeats == bench->repeats)
    return 0;
  gc_sharing_free(bench->sharing);
  *out = bench->sharing = calloc(1, sizeof(*bench->sharing));
  if (!bench->sharing)
    return gc_fail(bench->err, -ENOMEM, "out of memory");
  bench->sharing->repeats = bench->repeats;
  if (!(status = ask_caches(bench, bench->sharing)))
    status = ask_shared_memory(bench, bench->sharing);
  infer(bench->sharing);
  if (status) {
    gc_sharing_free(bench->sharing);
    bench->sharing = NULL;
  }
  return status;
}

/* Constants have nothing to do with shared memory: no carve-out of theirs is known. */
static bool compared(size_t a, size_t b)
{
  return a != b && !(a >= BESIDE_SHARED && b >= BESIDE_SHARED);
}

static int tell(struct gc_bench *bench, struct gc_element *element,
                const struct gc_sharing *sharing, size_t a)
{
  char list[128] = "", why[160];
  double confidence = 1;
  size_t asked = 0;
  int status;

  for (size_t b = 0; b < KINDS; b++) {
    const struct pair *pair = &sharing->pairs[a][b];

    if (!compared(a, b) || !present(bench, b))
      continue;
    if (!pair->answer) {
      snprintf(why, sizeof(why), "whether %s shares it cannot be told%s", gc_kinds[kinds[b]].subtype,
               known(bench, a) || known(bench, b) ? "" : " without a capacity");
      status = gc_put_absent(element, HWLOC_GPUCACHE_SHARED_WITH, why);
      return status ? gc_fail(bench->err, status, "out of memory") : 0;
    }
    if (pair->answer == GC_YES)
      snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s", *list ? "," : "",
               gc_kinds[kinds[b]].subtype);
    confidence = pair->confidence < confidence ? pair->confidence : confidence;
    asked++;
  }
  if (!asked)
    status = gc_put_absent(element, HWLOC_GPUCACHE_SHARED_WITH,
                           "there is no other cache to compare it with");
  else if (*list)
    status = gc_put_text(element, HWLOC_GPUCACHE_SHARED_WITH, list, confidence);
  else
    status = gc_put_known(element, HWLOC_GPUCACHE_SHARED_WITH, confidence);
  return status ? gc_fail(bench->err, status, "out of memory") : 0;
}

int gc_step_sharing(struct gc_bench *bench, struct gc_element *element)
{
  const struct gc_sharing *sharing;
  size_t a = 0;
  int status = ask(bench, &sharing);

  if (status)
    return status;
  while (kinds[a] != element->kind)
    a++;
  gc_asked_tell(&sharing->asked, bench->raw, element->kind);
  return tell(bench, element, sharing, a);
}

void gc_sharing_free(struct gc_sharing *sharing)
{
  if (sharing)
    gc_asked_free(&sharing->asked);
  free(sharing);
}
