/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What happens later in one SM: warps wake up, lines arrive. A hashed timing wheel (Varghese and
 * Lauck 1987): adding and taking an event costs the same whatever their number. Events of the same
 * time come in the order in which they were added.
 */
#ifndef GC_PREDICT_MODEL_WHEEL_H
#define GC_PREDICT_MODEL_WHEEL_H

#include <stddef.h>
#include <stdint.h>

#define GC_WHEEL_SLOTS 1024 /* cycles of a revolution; a power of two, at least 64 */

enum gc_event_kind { GC_EVENT_WARP, GC_EVENT_LINE };

struct gc_event {
  struct gc_event *next; /* for whoever holds the event: the wheel or a queue of the SM */
  uint64_t time;         /* cycles */
  enum gc_event_kind kind;
};

struct gc_wheel {
  uint64_t now;      /* all events before it have been taken */
  uint64_t earliest; /* no event is before it */
  uint64_t count;
  struct gc_event *last[GC_WHEEL_SLOTS]; /* of each slot; its next is the first one */
  uint64_t full[GC_WHEEL_SLOTS / 64];    /* bit i: slot i is not empty */
};

#define GC_NEVER UINT64_MAX

/* Empty, at time 0. The events belong to the caller. */
void gc_wheel_clear(struct gc_wheel *wheel);

/* An event of the past happens now. */
void gc_wheel_add(struct gc_wheel *wheel, struct gc_event *event, uint64_t time);

/* Takes the first event if its time is not after until; NULL: there is none, and until is now. */
struct gc_event *gc_wheel_take_due(struct gc_wheel *wheel, uint64_t until);
static inline struct gc_event *gc_wheel_take(struct gc_wheel *wheel, uint64_t until)
{
  if (wheel->earliest <= until)
    return gc_wheel_take_due(wheel, until);
  if (wheel->now < until)
    wheel->now = until;
  return NULL;
}

/* The time of the first event, or GC_NEVER. */
uint64_t gc_wheel_next(const struct gc_wheel *wheel);

#endif
