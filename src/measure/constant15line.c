/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The line of a constant L1.5 beyond 64 KiB. One half and a half as many bytes as it holds are
 * walked, a load in every second piece of them. As long as two pieces lie in one line, all lines
 * come in and most are gone at the second walk; once a piece is a line, only half of them come in,
 * and stay. The smallest such piece is the line. (Smaller caches are asked as all others are:
 * line.c.)
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "measure/pair.h"
#include "measure/turns.h"

#define SMALLEST 32
#define LARGEST 2048

static int put_absent(struct gc_bench *bench, struct gc_element *element, const char *why)
{
  const int status = gc_put_absent(element, HWLOC_GPUCACHE_LINE, why);

  return status ? gc_fail(bench->err, status, "out of memory") : 0;
}

/* *line 0: no piece of those tried is one. */
static int find_line(struct gc_turns *turns, uint64_t bytes, uint32_t *line,
                     struct gc_question *question)
{
  double least = 1;
  int status = 0;

  *line = 0;
  for (uint32_t piece = SMALLEST; piece <= LARGEST && !*line && !status; piece *= 2) {
    if ((status = gc_turns_lay(turns, piece)) ||
        (status = gc_turns_ask(turns, bytes, false, question)) || !question->answer)
      break;
    least = question->confidence < least ? question->confidence : least;
    if (question->answer == GC_NO)
      *line = piece;
  }
  question->confidence = least;
  return status;
}

static int tell(struct gc_bench *bench, struct gc_element *element, struct gc_turns *turns,
                uint64_t capacity)
{
  const uint64_t more = capacity + capacity / 2;
  const uint64_t bytes =
      (more < GC_TURN_MAX_BYTES ? more : GC_TURN_MAX_BYTES) & ~(2 * LARGEST - 1ull);
  struct gc_question question = {0};
  uint32_t line;
  int status;

  if (bytes < capacity + capacity / 4)
    return put_absent(bench, element, "it is larger than what can be walked");
  if ((status = find_line(turns, bytes, &line, &question)))
    return status;
  if (turns->failed)
    return put_absent(bench, element, "launches that should run together did not");
  if (!question.answer)
    return put_absent(bench, element, "whether lines stay cannot be told");
  if (line <= SMALLEST)
    return put_absent(bench, element,
                      line ? "shorter than what was tried" : "longer than what was tried");
  status = gc_put_measured(element, HWLOC_GPUCACHE_LINE_BYTES, HWLOC_GPUCACHE_LINE, line,
                           question.confidence);
  return status ? gc_fail(bench->err, status, "out of memory") : 0;
}

int gc_step_constant15_line(struct gc_bench *bench, struct gc_element *element)
{
  const uint64_t capacity = gc_capacity_of(bench, gc_path_of(GC_CONSTANT_L15));
  struct gc_turns *turns;
  int status;

  if (capacity < GPU_CONSTANT_BYTES)
    return gc_step_line(bench, element);
  if ((status = gc_turns_open(bench, &turns)))
    return status;
  if (!turns)
    return gc_step_line(bench, element);
  status = tell(bench, element, turns, capacity);
  gc_turns_close(turns);
  return status;
}
