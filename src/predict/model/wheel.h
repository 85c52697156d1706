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

#include <stddef.h>
#include <stdint.h>

#define GC_WHEEL_SLOTS 1024 /* cycles of a revolution; a power of two, at least 64 */

enum gc_event_kind { GC_EVENT_WARP, GC_EVENT_LINE };

struct gc_event {
  struct gc_event *next; /* for whoever holds the event */
  uint64_t time;         /* cycles */
  enum gc_event_kind kind;
};

struct gc_wheel {
  uint64_t now;                            /* all events before it have been taken */
  uint64_t earliest;                       /* no event in a slot is before it */
  uint64_t count;                          /* of all events */
  struct gc_event *due;                    /* events of now that have left their slot, in order */
  struct gc_event *newest[GC_WHEEL_SLOTS]; /* of each slot; its next is the one added before */
  uint64_t full[GC_WHEEL_SLOTS / 64];      /* bit i: slot i is not empty */
};

#define GC_NEVER UINT64_MAX

/* Empty, at time 0. The events belong to the caller. */
void gc_wheel_clear(struct gc_wheel *wheel);

/* An event of the past happens now. */
void gc_wheel_add(struct gc_wheel *wheel, struct gc_event *event, uint64_t time);

/* The time of the first event, or GC_NEVER. */
uint64_t gc_wheel_next(const struct gc_wheel *wheel);

/* For gc_wheel_take: moves the events of the next time that is not after until to wheel->due. */
void gc_wheel_turn(struct gc_wheel *wheel, uint64_t until);

/* Takes the first event if its time is not after until; NULL: there is none, and until is now. */
static inline struct gc_event *gc_wheel_take(struct gc_wheel *wheel, uint64_t until)
{
  struct gc_event *event;

  if (!wheel->due && wheel->earliest <= until)
    gc_wheel_turn(wheel, until);
  event = wheel->due;
  if (event && event->time <= until) {
    wheel->due = event->next;
    wheel->count--;
    return event;
  }
  if (wheel->now < until)
    wheel->now = until;
  return NULL;
}

/* An event in the slot of this time, which may be one of another revolution, or NULL: for hints. */
static inline const struct gc_event *gc_wheel_peek(const struct gc_wheel *wheel, uint64_t time)
{
  return wheel->newest[time % GC_WHEEL_SLOTS];
}

#endif
