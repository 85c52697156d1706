/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The lists in the variables of both vendors, for the files that implement visible.h.
 */
#ifndef GC_GPUS_VISIBLE_LIST_H
#define GC_GPUS_VISIBLE_LIST_H

#include "gpus/visible.h"

#include <ctype.h>
#include <string.h>

#define GC_MOST_SHOWN 256

/* The GPUs that a list shows, as numbers or indices, in its order. */
struct gc_shown {
  size_t array[GC_MOST_SHOWN];
  size_t count;
  bool uncertain; /* the library may read the list in another way */
};

static inline bool gc_shown_has(const struct gc_shown *shown, size_t number)
{
  for (size_t i = 0; i < shown->count; i++)
    if (shown->array[i] == number)
      return true;
  return false;
}

/* False: the list is full. */
static inline bool gc_shown_append(struct gc_shown *shown, size_t number)
{
  if (shown->count == GC_MOST_SHOWN)
    return false;
  shown->array[shown->count++] = number;
  return true;
}

/* An entry of a comma list. */
struct gc_entry {
  const char *text;
  size_t length;
};

/* Takes the next entry. False: there is none. *rest: the beginning of the next entry, or NULL. */
static inline bool gc_take_entry(const char **rest, struct gc_entry *entry)
{
  const char *comma;

  if (!*rest)
    return false;
  comma = strchr(*rest, ',');
  entry->text = *rest;
  entry->length = comma ? (size_t)(comma - *rest) : strlen(*rest);
  *rest = comma ? comma + 1 : NULL;
  return true;
}

static inline struct gc_entry gc_trimmed(struct gc_entry entry)
{
  while (entry.length && isspace((unsigned char)entry.text[0])) {
    entry.text++;
    entry.length--;
  }
  while (entry.length && isspace((unsigned char)entry.text[entry.length - 1]))
    entry.length--;
  return entry;
}

static inline struct gc_decision gc_decide(enum gc_visibility visibility, const char *variable,
                                           const char *value)
{
  return visibility == GC_VISIBLE ? (struct gc_decision){.visibility = GC_VISIBLE}
                                  : (struct gc_decision){visibility, variable, value};
}

static inline size_t gc_count_of(struct gc_seen_list gpus, enum gc_counted counted)
{
  size_t count = 0;

  for (size_t i = 0; i < gpus.count; i++)
    count += gpus.array[i].counted == counted;
  return count;
}

#endif
