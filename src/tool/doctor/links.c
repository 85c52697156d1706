/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What all links use.
 */
#include "tool/doctor/links.h"

#include "tool/print/messages.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void gc_doctor_add(struct gc_doctor *doctor, enum gc_link_status status, const char *remedy,
                   const char *format, ...)
{
  struct gc_link_finding *more =
      realloc(doctor->findings, (doctor->count + 1) * sizeof *doctor->findings);
  struct gc_link_finding *finding;
  va_list args;

  if (!more) {
    gc_say(NULL, "%s: out of memory", doctor->link);
    return;
  }
  doctor->findings = more;
  finding = &more[doctor->count];
  finding->link = doctor->link;
  finding->status = status;
  snprintf(finding->remedy, sizeof finding->remedy, "%s", remedy ? remedy : "");
  va_start(args, format);
  vsnprintf(finding->found, sizeof finding->found, format, args);
  va_end(args);
  gc_make_printable(finding->found);
  gc_make_printable(finding->remedy);
  doctor->count++;
}
