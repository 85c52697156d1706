/*
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "predict/model/wheel.h"

#include <string.h>

#define WORDS (GC_WHEEL_SLOTS / 64)

void gc_wheel_clear(struct gc_wheel *wheel)
{
  memset(wheel, 0, sizeof *wheel);
  wheel->earliest = GC_NEVER;
}

void gc_wheel_add(struct gc_wheel *wheel, struct gc_event *event, uint64_t time)
{
  uint64_t at = time < wheel->now ? wheel->now : time;
  unsigned slot = at % GC_WHEEL_SLOTS;

  event->time = at;
  event->next = wheel->newest[slot];
  wheel->newest[slot] = event;
  wheel->full[slot / 64] |= UINT64_C(1) << slot % 64;
  wheel->count++;
  if (at < wheel->earliest)
    wheel->earliest = at;
}

/* The first time from then on, within one revolution, whose slot is not empty; else GC_NEVER. */
static inline uint64_t next_full(const struct gc_wheel *wheel, uint64_t from)
{
  const unsigned slot = from % GC_WHEEL_SLOTS, first = slot / 64;
  uint64_t bits = wheel->full[first] >> slot % 64;

  if (bits)
    return from + (unsigned)__builtin_ctzll(bits);
  for (unsigned i = 1; i <= WORDS; i++) {
    bits = wheel->full[(first + i) % WORDS];
    if (i == WORDS)
      bits &= ~(UINT64_MAX << slot % 64);
    if (bits)
      return from - slot % 64 + 64 * i + (unsigned)__builtin_ctzll(bits);
  }
  return GC_NEVER;
}

/* Moves the events of this time from their slot to wheel->due. Those of later revolutions stay, in
 * their order. */
static void take_slot(struct gc_wheel *wheel, uint64_t time)
{
  const unsigned slot = time % GC_WHEEL_SLOTS;
  struct gc_event *event = wheel->newest[slot], *next, **stay = &wheel->newest[slot];

  for (; event; event = next) {
    next = event->next;
    if (event->time == time) {
      event->next = wheel->due;
      wheel->due = event;
    } else {
      *stay = event;
      stay = &event->next;
    }
  }
  *stay = NULL;
  if (!wheel->newest[slot])
    wheel->full[slot / 64] &= ~(UINT64_C(1) << slot % 64);
}

/* Over revolutions in which nothing happens, at once. */
static void skip_revolutions(struct gc_wheel *wheel, uint64_t until)
{
  wheel->earliest = gc_wheel_next(wheel);
  wheel->now = wheel->earliest < until ? wheel->earliest : until;
}

void gc_wheel_turn(struct gc_wheel *wheel, uint64_t until)
{
  while (!wheel->due && wheel->count > 0 && wheel->now <= until) {
    const uint64_t time = wheel->earliest;

    if (time > until)
      return;
    take_slot(wheel, time);
    wheel->now = wheel->due ? time : time + 1;
    wheel->earliest = next_full(wheel, wheel->now);
    if (!wheel->due && until - time > GC_WHEEL_SLOTS)
      skip_revolutions(wheel, until);
  }
}

/* The time of the first event of a slot; due is the first one that it can have. */
static uint64_t first_of_slot(const struct gc_event *event, uint64_t due)
{
  uint64_t first = GC_NEVER;

  for (; event && first > due; event = event->next)
    if (event->time < first)
      first = event->time;
  return first;
}

uint64_t gc_wheel_next(const struct gc_wheel *wheel)
{
  uint64_t first = GC_NEVER, from = wheel->now, end = wheel->now + GC_WHEEL_SLOTS;

  if (wheel->due)
    return wheel->due->time;
  if (wheel->count == 0)
    return GC_NEVER;
  /* Events of this revolution are in the order of their slots; the first one due ends the search.
   */
  while (from < end) {
    uint64_t time = next_full(wheel, from), at;

    if (time >= end)
      break;
    at = first_of_slot(wheel->newest[time % GC_WHEEL_SLOTS], time);
    if (at < first)
      first = at;
    if (first <= time)
      break;
    from = time + 1;
  }
  return first;
}
