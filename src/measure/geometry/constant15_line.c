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
#include "measure/walk/banks.h"

#define SMALLEST 32
#define LARGEST 2048

/* Whether pieces of so many bytes share lines. */
static int ask(struct gc_banks *banks, uint32_t piece, uint64_t bytes, double *least,
               struct gc_vote *vote)
{
  int status = gc_banks_lay(banks, piece);

  if (status || (status = gc_banks_ask(banks, bytes, false, vote)))
    return status;
  *least = vote->confidence < *least ? vote->confidence : *least;
  return 0;
}

/* Goes from `piece` to longer pieces until they share no line any more, or to shorter ones until
 * they do. *line 0: no piece that was tried is as long as a line. */
static int find_line(struct gc_banks *banks, uint64_t bytes, uint32_t piece, uint32_t *line,
                     struct gc_vote *vote)
{
  double least = 1;
  int status = ask(banks, piece, bytes, &least, vote);
  const bool longer = vote->answer == GC_YES;

  *line = vote->answer == GC_NO ? piece : 0;
  while (!status && vote->answer == (longer ? GC_YES : GC_NO) &&
         (longer ? piece < LARGEST : piece > SMALLEST)) {
    piece = longer ? 2 * piece : piece / 2;
    status = ask(banks, piece, bytes, &least, vote);
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
  const uint64_t bytes = most & ~(2 * LARGEST - 1ull);
  struct gc_vote vote = {0};
  uint32_t line;
  int status;

  if (bytes < capacity + capacity / 4)
    return gc_set_absent(element, GC_LINE, "it is larger than what can be walked");
  if ((status = find_line(banks, bytes, first_piece(element), &line, &vote)))
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
