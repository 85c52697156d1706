/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The GPU that a page describes.
 */
#ifndef GC_TOOL_REPORT_SUBJECT_H
#define GC_TOOL_REPORT_SUBJECT_H

#include "record/record.h"
#include "util/error.h"

#include <stdio.h>

struct gc_report {
  const struct gc_record *record;
  const char *source;  /* where the record is from: "gpu0" or the path of a file */
  const char *command; /* the command line */
  const char *raw;     /* the directory of measure --raw; NULL: none */
};

#endif
