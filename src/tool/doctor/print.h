/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints the findings to stdout.
 */
#ifndef GC_TOOL_DOCTOR_PRINT_H
#define GC_TOOL_DOCTOR_PRINT_H

#include "tool/doctor/links.h"

/* As text for people, with a last line that says what lstopo will show. */
void gc_doctor_print(const struct gc_doctor *doctor);

/* As a JSON array of objects with link, status ("ok", "not ok", "not applicable"), found and remedy
 * (null: nothing is to be done). 0 or -ENOMEM. */
int gc_doctor_print_json(const struct gc_doctor *doctor);

#endif
