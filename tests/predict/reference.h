/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Reuse distances the slow ways, to compare with, and streams of accesses. All memory is for the
 * whole stream; a failed allocation ends the program.
 */
#ifndef TESTS_PREDICT_REFERENCE_H
#define TESTS_PREDICT_REFERENCE_H

#include "predict/distance/distance.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static inline void *need(void *memory)
{
  if (!memory)
    abort();
  return memory;
}

/* A stack of lines, the last one on top: O(m) per access. */
struct stack {
  uint64_t *lines;
  size_t depth, capacity;
};

static inline uint64_t stack_access(struct stack *stack, uint64_t line)
{
  size_t i = stack->depth;
  uint64_t distance;

  while (i && stack->lines[i - 1] != line)
    i--;
  distance = i ? stack->depth - i : GC_DISTANCE_INFINITE;
  if (!i) {
    if (stack->depth == stack->capacity) {
      stack->capacity = stack->capacity ? 2 * stack->capacity : 64;
      stack->lines = need(realloc(stack->lines, stack->capacity * sizeof(*stack->lines)));
    }
    i = ++stack->depth;
  }
  memmove(&stack->lines[i - 1], &stack->lines[i], (stack->depth - i) * sizeof(*stack->lines));
  stack->lines[stack->depth - 1] = line;
  return distance;
}

/* The textbook: a Fenwick tree over all times, and the time of the last access of each line. Lines
 * are below lines, times from 1 to times. O(log N) per access, memory O(N). */
struct fenwick {
  uint32_t *sums, *last;
  uint32_t times, now, live;
};

static inline struct fenwick fenwick_new(size_t lines, uint32_t times)
{
  return (struct fenwick){
      .sums = need(calloc((size_t)times + 1, 4)), .last = need(calloc(lines, 4)), .times = times};
}

static inline void fenwick_free(struct fenwick *fenwick)
{
  free(fenwick->sums);
  free(fenwick->last);
}

static inline void fenwick_add(struct fenwick *fenwick, uint32_t time, uint32_t change)
{
  for (; time <= fenwick->times; time += time & -time)
    fenwick->sums[time] += change;
}

static inline uint64_t fenwick_access(struct fenwick *fenwick, uint64_t line)
{
  const uint32_t before = fenwick->last[line];
  uint64_t distance = GC_DISTANCE_INFINITE;

  fenwick->last[line] = ++fenwick->now;
  if (before) {
    distance = fenwick->live;
    for (uint32_t time = before; time; time &= time - 1)
      distance -= fenwick->sums[time];
    fenwick_add(fenwick, before, UINT32_MAX);
  } else {
    fenwick->live++;
  }
  fenwick_add(fenwick, fenwick->now, 1);
  return distance;
}

/* The same numbers on every machine. */
static inline uint64_t next_random(uint64_t *state)
{
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

enum shape { STREAMING, UNIFORM, STENCIL, ZIPF, NEAR, SHAPES };

static const char *const shape_names[] = {"streaming", "uniform", "stencil", "zipf", "near"};

/* Line number i of a stream over lines 0 to lines - 1. */
static inline uint64_t shape_line(enum shape shape, uint64_t i, uint64_t lines, uint64_t *state)
{
  const uint64_t row = (uint64_t)sqrt((double)lines);
  const uint64_t points[] = {0, lines - 1, 1, lines - row, row};

  switch (shape) {
  case STREAMING: /* again and again: each distance is lines - 1 */
    return i % lines;
  case UNIFORM:
    return next_random(state) % lines;
  case STENCIL:
    return (i / 5 + points[i % 5]) % lines;
  case ZIPF: /* line k with a probability of about 1 / (k + 1); popular lines are not neighbours */
    return (uint64_t)exp((double)(next_random(state) >> 11) / 9007199254740992.0 *
                         log((double)lines)) *
           7919 % lines;
  default: /* a window that moves slowly */
    return (i / 8 + next_random(state) % 64) % lines;
  }
}

#endif
