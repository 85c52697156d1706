/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/provisional.h"

#include "util/clock.h"

#include <errno.h>
#include <string.h>

/* The clocks of machines that share a home directory may differ a little. */
#define SKEW_SECONDS 60

const char *gc_provisional_why(const struct gc_record *record)
{
  return gc_infos_get(&record->infos, GC_PROVISIONAL);
}

uint64_t gc_provisional_tries(const struct gc_record *record)
{
  uint64_t tries;

  if (!gc_provisional_why(record))
    return 0;
  return gc_infos_get_u64(&record->infos, GC_PROVISIONAL_TRIES, &tries) || !tries ? 1 : tries;
}

time_t gc_provisional_wait(uint64_t tries)
{
  time_t seconds = GC_PROVISIONAL_FIRST_SECONDS;

  for (; tries > 1 && seconds < GC_PROVISIONAL_MOST_SECONDS; tries--)
    seconds *= 2;
  return seconds < GC_PROVISIONAL_MOST_SECONDS ? seconds : GC_PROVISIONAL_MOST_SECONDS;
}

/* When the GPU was last tried; 0: the record does not say. */
static time_t tried(const struct gc_record *record)
{
  const char *date = gc_infos_get(&record->infos, GC_PROVISIONAL_TRIED);
  time_t when;

  return date && gc_date_read(date, &when) ? when : 0;
}

time_t gc_provisional_next(const struct gc_record *record)
{
  const time_t last = tried(record);

  return last ? last + gc_provisional_wait(gc_provisional_tries(record)) : 0;
}

bool gc_provisional_is_due(const struct gc_record *record, time_t now)
{
  return gc_provisional_why(record) &&
         (now >= gc_provisional_next(record) || tried(record) > now + SKEW_SECONDS);
}

int gc_provisional_note_try(struct gc_record *record, uint64_t before, time_t now)
{
  char date[GC_DATE];

  if (!gc_provisional_why(record))
    return 0;
  gc_date_write(now, date);
  return gc_infos_set_u64(&record->infos, GC_PROVISIONAL_TRIES, before + 1) ||
                 gc_infos_set(&record->infos, GC_PROVISIONAL_TRIED, date)
             ? -ENOMEM
             : 0;
}
