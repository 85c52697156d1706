/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The line of a constant L1.5 beyond 64 KiB. The array has one and a half times the capacity and is
 * divided into equal pieces, with a load in every second one. If two pieces fit in a line, all
 * lines are brought in, and most of them miss in the second walk. If a piece is as long as a line,
 * only half of the lines are brought in, and they stay. The smallest such piece is the line. No
 * line is shorter than what one miss fetches, so pieces of this size and of its half come first.
 * Smaller caches are measured like those inside the SM (line.c). doc/methods.md, "Cache line".
 */
#include "measure/geometry/geometry.h"
#include "measure/core/step_memory.h"
#include "measure/walk/banks.h"

#include <errno.h>
#include <string.h>

#define SMALLEST 32
#define LARGEST 2048

/* --- which half of a block has the load ------------------------------------------------------ */

/* One block of two has a load in its second half rather than its first. Blocks of any distance from
 * each other, of which a cache may have one set or two, must have as many loads in first halves as
 * in second ones; otherwise some sets get more lines than they hold. So each block takes the half
 * that fewer blocks at such distances before it took; those far apart count more, because fewer are
 * in such a row. (By the parity of the bits of its number, as before, most multiples of 3 would
 * take the first half.) Distances up to half as many again as the 64 sets of a cache of 64 KiB with
 * lines of 256 bytes in 4 ways. */
static void balance_halves(bool second[], size_t count)
{
  enum { distances = 96 };
  int balance[distances + 1][distances], rest[distances + 1] = {0}; /* rest[d]: i modulo d */

  memset(balance, 0, sizeof(balance));
  for (size_t i = 0; i < count; i++) {
    int64_t more = 0;

    for (int d = 1; d <= distances; d++)
      more += (int64_t)d * d * balance[d][rest[d]];
    second[i] = more ? more < 0 : __builtin_parityll(i);
    for (int d = 1; d <= distances; d++) {
      balance[d][rest[d]] += second[i] ? 1 : -1;
      rest[d] = rest[d] + 1 < d ? rest[d] + 1 : 0;
    }
  }
}

#define CACHES_MAX 64 /* no number of lines has more divisors, if powers of two count twice */
#define ROUNDS 8      /* few blocks change after the second one */

/* A cache of the measured capacity whose lines are as long as a piece. */
struct possible {
  uint32_t sets, ways;
  bool hashed;     /* the set is the exclusive or of two parts of the line's number */
  uint16_t *lines; /* in each set: pieces with a load */
};

/* The set of piece 2 * block, or of the piece behind it. */
static uint16_t *set_of(const struct possible *cache, uint32_t block, bool second)
{
  const uint32_t piece = 2 * block + second, set = piece % cache->sets;

  return &cache->lines[cache->hashed ? set ^ piece / cache->sets % cache->sets : set];
}

/* Returns how many caches are possible; 0: there is no memory. */
static size_t list_possible(struct gc_bench *bench, uint32_t lines, struct possible caches[])
{
  size_t n = 0;

  for (uint32_t sets = 2; sets <= lines && n + 2 <= CACHES_MAX; sets++)
    for (int hashed = 0; hashed <= !(sets & (sets - 1)) && lines % sets == 0; hashed++) {
      uint16_t *counts = gc_step_alloc(bench, sets, sizeof(*counts));

      if (!counts)
        return 0;
      caches[n++] = (struct possible){sets, lines / sets, hashed, counts};
    }
  return n;
}

/* In how many possible caches a set would lose a line that is too many if the load of a block moved
 * to its other half, less in how many a set would get one. */
static int gain_of(const struct possible caches[], size_t n, uint32_t block, bool second)
{
  int gain = 0;

  for (size_t k = 0; k < n; k++) {
    const uint16_t *from = set_of(&caches[k], block, second);
    const uint16_t *to = set_of(&caches[k], block, !second);

    if (from != to)
      gain += (*from > caches[k].ways) - (*to >= caches[k].ways);
  }
  return gain;
}

/* Moves loads to the other half of their block, until no set of any possible cache gets more lines
 * than it has ways, or until no move makes such lines fewer. Distances are not enough for this if
 * the number of sets is odd: then first halves of some blocks and second halves of others share
 * sets. */
static int fit_halves(struct gc_bench *bench, bool second[], uint32_t blocks, uint32_t lines)
{
  struct possible caches[CACHES_MAX];
  const size_t n = list_possible(bench, lines, caches);
  bool moved = true;

  if (!n)
    return -ENOMEM;
  for (uint32_t i = 0; i < blocks; i++)
    for (size_t k = 0; k < n; k++)
      ++*set_of(&caches[k], i, second[i]);
  for (int round = 0; round < ROUNDS && moved; round++) {
    moved = false;
    for (uint32_t i = 0; i < blocks; i++)
      if (gain_of(caches, n, i, second[i]) > 0) {
        for (size_t k = 0; k < n; k++) {
          --*set_of(&caches[k], i, second[i]);
          ++*set_of(&caches[k], i, !second[i]);
        }
        second[i] = !second[i];
        moved = true;
      }
  }
  gc_step_free(bench, caches[0].lines); /* and all after it */
  return 0;
}

/* --- the line -------------------------------------------------------------------------------- */

/* The constants that are walked: the capacity of the cache, and their bytes. */
struct array {
  uint64_t capacity, bytes;
};

/* Whether pieces of so many bytes share lines. */
static int ask(struct gc_banks *banks, uint32_t piece, const struct array *array, double *least,
               struct gc_vote *vote)
{
  const uint32_t lines = (uint32_t)((array->capacity + piece / 2) / piece);
  int status;

  balance_halves(banks->second, GC_COPIES_MAX * GPU_CONSTANT_BYTES / (2 * piece));
  status =
      fit_halves(&banks->m->bench, banks->second, (uint32_t)(array->bytes / (2 * piece)), lines);
  if (status || (status = gc_banks_lay(banks, piece)) ||
      (status = gc_banks_ask(banks, array->bytes, false, vote)))
    return status;
  *least = vote->confidence < *least ? vote->confidence : *least;
  return 0;
}

/* Goes from `piece` to longer pieces until they share no line any more, or to shorter ones until
 * they do. *line 0: no piece that was tried is as long as a line. */
static int find_line(struct gc_banks *banks, const struct array *array, uint32_t piece,
                     uint32_t *line, struct gc_vote *vote)
{
  double least = 1;
  int status = ask(banks, piece, array, &least, vote);
  const bool longer = vote->answer == GC_YES;

  *line = vote->answer == GC_NO ? piece : 0;
  while (!status && vote->answer == (longer ? GC_YES : GC_NO) &&
         (longer ? piece < LARGEST : piece > SMALLEST)) {
    piece = longer ? 2 * piece : piece / 2;
    status = ask(banks, piece, array, &least, vote);
    if (vote->answer == GC_NO)
      *line = piece;
  }
  vote->confidence = least;
  return status;
}

/* Half of what one miss fetches. */
static uint32_t first_piece(const struct gc_measured *element)
{
  const uint64_t half = gc_found(element, GC_FETCH) ? element->fetch_bytes / 2 : 0;

  return half < SMALLEST ? SMALLEST : half > LARGEST ? LARGEST : (uint32_t)half;
}

static int measure(struct gc_banks *banks, struct gc_measured *element)
{
  const uint64_t capacity = gc_capacity(element), wanted = capacity + capacity / 2;
  const uint64_t most = wanted < GC_BANKS_BYTES_MAX ? wanted : GC_BANKS_BYTES_MAX;
  const struct array array = {capacity, most & ~(2 * LARGEST - 1ull)};
  struct gc_vote vote = {0};
  uint32_t line;
  int status;

  if (array.bytes < capacity + capacity / 4)
    return gc_set_absent(element, GC_LINE, "it is larger than what can be walked");
  if ((status = find_line(banks, &array, first_piece(element), &line, &vote)))
    return status;
  if (banks->failed)
    return gc_set_absent(element, GC_LINE, "launches that should run together did not");
  if (vote.answer == GC_UNCLEAR)
    return gc_set_absent(element, GC_LINE, "it is not clear whether lines stay");
  if (!line)
    return gc_set_absent(element, GC_LINE, "longer than what was tried");
  if (line == SMALLEST)
    return gc_set_absent(element, GC_LINE, "shorter than what was tried");
  element->line_bytes = line;
  return gc_set_measured(element, GC_LINE, vote.confidence);
}

int gc_step_constant15_line(struct gc_measurement *m, struct gc_measured *element)
{
  struct gc_banks *banks = NULL;
  int status;

  if (gc_capacity(element) < GPU_CONSTANT_BYTES)
    return gc_step_line(m, element);
  if ((status = gc_banks_open(m, &banks)))
    return status;
  if (!banks)
    return gc_step_line(m, element);
  status = measure(banks, element);
  gc_banks_close(banks);
  return status;
}
