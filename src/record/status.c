/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/status.h"

#include "record/provisional.h"

#include <stdio.h>

void gc_record_status(const struct gc_record *record, const char *why_not, char *text, size_t size)
{
  const char *why = gc_provisional_why(record);

  if (why && why_not)
    snprintf(text, size,
             GC_STATUS_MEASURED " earlier, but provisional: %.300s; not measured again: %.400s",
             why, why_not);
  else if (why)
    snprintf(text, size, GC_STATUS_MEASURED ", but provisional: %.300s", why);
  else if (why_not)
    snprintf(text, size, GC_STATUS_MEASURED " earlier, not refreshed: %.600s", why_not);
  else
    snprintf(text, size, GC_STATUS_MEASURED);
}
