/*
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "predict/model/wheel.h"

#include "predict/model/host_table.h"

#include <string.h>

#define EVENTS_AT_FIRST 64

void gc_wheel_clear(struct gc_wheel *wheel)
{
  *wheel = (struct gc_wheel){
      .events = wheel->events, .next = wheel->next, .room = wheel->room, .earliest = GC_NEVER};
}

void gc_wheel_fini(struct gc_wheel *wheel)
{
  free(wheel->events);
  free(wheel->next);
  memset(wheel, 0, sizeof *wheel);
}

bool gc_wheel_grow(struct gc_wheel *wheel)
{
  const uint32_t room = wheel->room ? 2 * wheel->room : EVENTS_AT_FIRST;
  struct gc_event *events = gc_host_table(room * sizeof *events);
  uint32_t *next = realloc(wheel->next, room * sizeof *next);

  if (next)
    wheel->next = next;
  if (!events || !next) {
    free(events);
    return false;
  }
  if (wheel->events)
    memcpy(events, wheel->events, wheel->room * sizeof *events);
  free(wheel->events);
  wheel->events = events;
  wheel->room = room;
  return true;
}

/* Moves the events of this time from their slot to wheel->due. Those of later revolutions stay, in
 * their order. */
static void take_slot(struct gc_wheel *wheel, uint64_t time)
{
  const unsigned slot = time % GC_WHEEL_SLOTS;
  uint32_t *stay = &wheel->newest[slot], next;

  for (uint32_t number = *stay; number; number = next) {
    next = wheel->next[number];
    if (wheel->events[number].time == time) {
      wheel->next[number] = wheel->due;
      wheel->due = number;
    } else {
      *stay = number;
      stay = &wheel->next[number];
    }
  }
  *stay = 0;
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
    wheel->earliest = gc_wheel_next_full(wheel, wheel->now);
    if (!wheel->due && until - time > GC_WHEEL_SLOTS)
      skip_revolutions(wheel, until);
  }
}

/* The time of the first event of a slot; due is the first one that it can have. */
static uint64_t first_of_slot(const struct gc_wheel *wheel, uint32_t number, uint64_t due)
{
  uint64_t first = GC_NEVER;

  for (; number && first > due; number = wheel->next[number])
    if (wheel->events[number].time < first)
      first = wheel->events[number].time;
  return first;
}

uint64_t gc_wheel_next(const struct gc_wheel *wheel)
{
  uint64_t first = GC_NEVER, from = wheel->now, end = wheel->now + GC_WHEEL_SLOTS;

  if (wheel->due)
    return wheel->events[wheel->due].time;
  if (wheel->count == 0)
    return GC_NEVER;
  /* Events of this revolution are in the order of their slots; the first one due ends the search.
   */
  while (from < end) {
    uint64_t time = gc_wheel_next_full(wheel, from), at;

    if (time >= end)
      break;
    at = first_of_slot(wheel, wheel->newest[time % GC_WHEEL_SLOTS], time);
    if (at < first)
      first = at;
    if (first <= time)
      break;
    from = time + 1;
  }
  return first;
}
