/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What happens later in one SM: warps wake up, lines arrive. A hashed timing wheel (Varghese and
 * Lauck 1987): adding and taking an event costs the same whatever their number. Events of the same
 * time come in the order in which they were added. Adding an event does not read other events: they
 * may be in no cache of the host.
 */
#ifndef GC_PREDICT_MODEL_WHEEL_H
#define GC_PREDICT_MODEL_WHEEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GC_WHEEL_SLOTS 1024 /* cycles of a revolution; a power of two, at least 64 */

struct gc_event {
  uint64_t time; /* cycles */
  /* For whoever adds the event. */
  uint64_t line;         /* that arrives */
  uint32_t set, sectors; /* of it; no sectors: a warp wakes up */
  uint32_t warp;         /* its number */
  uint32_t place;        /* of the line in L1 when it was requested, or GC_NO_LINE */
};

struct gc_wheel {
  uint64_t now;      /* all events before it have been taken */
  uint64_t earliest; /* no event in a slot is before it */
  /* Lists of numbers of events; 0 ends a list. The links are apart from the events, so that hints
   * for the caches of the host find events without reading others. */
  struct gc_event *events;
  uint32_t *next;
  uint32_t room, used; /* numbers below room have memory; those up to used have been in use */
  uint32_t free;       /* the list of those of them that are not in use now */
  uint32_t count;      /* of events that have not been taken */
  uint32_t due;        /* events of now that have left their slot, in order */
  uint32_t newest[GC_WHEEL_SLOTS];    /* of each slot; its next is the one added before */
  uint64_t full[GC_WHEEL_SLOTS / 64]; /* bit i: slot i is not empty */
};

#define GC_NEVER UINT64_MAX

/* Empty, at time 0; *wheel is zero or has been used. */
void gc_wheel_clear(struct gc_wheel *wheel);
void gc_wheel_fini(struct gc_wheel *wheel);

/* Room for more events. false: no memory. */
bool gc_wheel_grow(struct gc_wheel *wheel);

/* The time of the first event, or GC_NEVER. */
uint64_t gc_wheel_next(const struct gc_wheel *wheel);

/* For gc_wheel_take: moves the events of the next time that is not after until to wheel->due. */
void gc_wheel_turn(struct gc_wheel *wheel, uint64_t until);

/* A new event, of which the caller fills what it needs; one of the past happens now. Valid until
 * the next one is added. NULL: no memory. */
static inline struct gc_event *gc_wheel_add(struct gc_wheel *wheel, uint64_t time)
{
  const uint64_t at = time < wheel->now ? wheel->now : time;
  const unsigned slot = at % GC_WHEEL_SLOTS;
  uint32_t number = wheel->free;
  struct gc_event *event;

  if (!number && wheel->used + 1 >= wheel->room && !gc_wheel_grow(wheel))
    return NULL;
  if (!number)
    number = ++wheel->used;
  event = &wheel->events[number];
  if (wheel->free)
    wheel->free = wheel->next[number];
  event->time = at;
  wheel->next[number] = wheel->newest[slot];
  wheel->newest[slot] = number;
  wheel->full[slot / 64] |= UINT64_C(1) << slot % 64;
  wheel->count++;
  if (at < wheel->earliest)
    wheel->earliest = at;
  return event;
}

/* Takes the first event if its time is not after until. NULL: there is none, and wheel->now becomes
 * until. Valid until an event is added. */
static inline const struct gc_event *gc_wheel_take(struct gc_wheel *wheel, uint64_t until)
{
  if (!wheel->due && wheel->earliest <= until)
    gc_wheel_turn(wheel, until);
  if (wheel->due && wheel->events[wheel->due].time <= until) {
    const uint32_t number = wheel->due;

    wheel->due = wheel->next[number];
    wheel->next[number] = wheel->free;
    wheel->free = number;
    wheel->count--;
    return &wheel->events[number];
  }
  if (wheel->now < until)
    wheel->now = until;
  return NULL;
}

/* The first time from then on, within one revolution, whose slot is not empty; else GC_NEVER. The
 * events of the slot may be some of other revolutions. */
static inline uint64_t gc_wheel_next_full(const struct gc_wheel *wheel, uint64_t from)
{
  const unsigned words = GC_WHEEL_SLOTS / 64;
  const unsigned slot = from % GC_WHEEL_SLOTS, first = slot / 64;
  uint64_t bits = wheel->full[first] >> slot % 64;

  if (bits)
    return from + (unsigned)__builtin_ctzll(bits);
  for (unsigned i = 1; i <= words; i++) {
    bits = wheel->full[(first + i) % words];
    if (i == words)
      bits &= ~(UINT64_MAX << slot % 64);
    if (bits)
      return from - slot % 64 + 64 * i + (unsigned)__builtin_ctzll(bits);
  }
  return GC_NEVER;
}

#endif
