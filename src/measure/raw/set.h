/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The data of --raw in memory. raw.c collects them, files.c writes them, earlier.c replaces older
 * files.
 */
#ifndef GC_MEASURE_RAW_SET_H
#define GC_MEASURE_RAW_SET_H

#include "measure/raw/run.h"
#include "record/record.h"
#include "util/clock.h"

#include <stdbool.h>

#include <stdio.h>

/* The kind of data in a file. plot draws each form in its own way. */
enum gc_raw_form {
  GC_RAW_CURVE,
  GC_RAW_TRACE,
  GC_RAW_REPEATS,
  GC_RAW_TABLE,
  GC_RAW_LIST,
  GC_RAW_FORMS
};

struct gc_raw_notes {
  struct gc_raw_named {
    char name[32];
    double value;
  } array[16];
  size_t count;
};

/* One walk over an array of one size. */
struct gc_raw_run {
  struct gc_run run;
  struct gc_binning binning;
  char phase[24];
  int carveout;    /* percent, -1: no preference; used if there is a column for it */
  unsigned repeat; /* number of earlier runs of this size */
};

/* The contents of one file. */
struct gc_raw_set {
  enum gc_kind kind;
  char property[48];
  enum gc_raw_form form;
  char *columns;
  struct gc_raw_notes notes;
  unsigned repeats;        /* traces so far */
  struct gc_raw_run *runs; /* of a curve */
  size_t count, capacity;  /* of runs */
  FILE *rows;              /* of all other forms: text, as in the file */
  char *text;
  size_t length;
};

struct gc_raw {
  int dir;
  char gpu[32], id[128], model[128], command[512], date[GC_DATE];
  bool resumed;
  struct gc_raw_notes notes; /* written to all files */
  bool begun;
  enum gc_kind kind; /* the element and the step that the following data belong to */
  char property[48];
  struct gc_raw_notes step_notes; /* notes of the current step that came before its data */
  bool by_carveout;
  int carveout;
  struct gc_raw_set **sets; /* pointers, because streams point into a set */
  size_t count;
  struct gc_error problem; /* the first failure */
  int status;
};

#endif
