/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The line of a constant L1.5 beyond 64 KiB. The array has one and a half times the capacity and is
 * divided into equal pieces, with a load in every second one. If two pieces fit in a line, all
 * lines are brought in, and most of them miss in the second walk. If a piece is as long as a line,
 * only half of the lines are brought in, and they stay. The smallest such piece is the line.
 * Smaller caches are measured like those inside the SM (line.c). doc/methods.md, "Cache line".
 */
#include "measure/geometry/geometry.h"
#include "measure/walk/banks.h"

#define SMALLEST 32
#define LARGEST 2048

/* *line 0: no piece that was tried is as long as a line. */
static int find_line(struct gc_banks *banks, uint64_t bytes, uint32_t *line, struct gc_vote *vote)
{
  double least = 1;
  int status = 0;

  *line = 0;
  for (uint32_t piece = SMALLEST; piece <= LARGEST && !*line && !status; piece *= 2) {
    if ((status = gc_banks_lay(banks, piece)) ||
        (status = gc_banks_ask(banks, bytes, false, vote)) || vote->answer == GC_UNCLEAR)
      break;
    least = vote->confidence < least ? vote->confidence : least;
    if (vote->answer == GC_NO)
      *line = piece;
  }
  vote->confidence = least;
  return status;
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
  if ((status = find_line(banks, bytes, &line, &vote)))
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
