/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Between raw.c, which collects, and raw_files.c, which writes.
 */
#ifndef GC_MEASURE_RAW_FILES_H
#define GC_MEASURE_RAW_FILES_H

#include "measure/bench.h"

#include <stdio.h>

enum gc_raw_form { GC_RAW_CURVE, GC_RAW_TRACE, GC_RAW_REPEATS, GC_RAW_TABLE, GC_RAW_LIST, GC_RAW_FORMS };

struct gc_raw_notes {
  struct gc_raw_note {
    char name[32];
    double value;
  } array[16];
  size_t count;
};

/* One walk over an array of one size. */
struct gc_raw_run {
  struct gc_run run;
  struct gc_window window;
  char phase[24];
  int carveout; /* of those that have a column for it */
  unsigned repeat; /* how many runs of that size came before */
};

/* What becomes a file. */
struct gc_raw_set {
  enum gc_kind kind;
  char property[48];
  enum gc_raw_form form;
  char *columns;
  struct gc_raw_notes notes;
  unsigned repeats;        /* traces so far */
  struct gc_raw_run *runs; /* of a curve */
  size_t count, room;
  FILE *rows;              /* of all others: text, as it will be in the file */
  char *text;
  size_t length;
};

struct gc_raw {
  int dir;
  char gpu[32], id[128], model[128], command[512];
  bool resumed;
  struct gc_raw_notes notes; /* for all files */
  bool begun;
  enum gc_kind kind;         /* what comes next belongs to */
  char property[48];
  struct gc_raw_notes here;  /* notes of the step that came before its data */
  bool by_carveout;
  int carveout;
  struct gc_raw_set **sets;  /* a stream knows where its text is: they stay where they are */
  size_t count;
  struct gc_error problem;   /* the first one */
  int status;
};

/* Writes the file of sets[i]. 0, or a negative errno and a sentence. */
int gc_raw_put(const struct gc_raw *raw, size_t i, const struct gc_record *record, struct gc_error *err);

/* raw_earlier.c: what earlier runs wrote for a GPU of this name. -EEXIST and a sentence if that was another
 * GPU; 0 otherwise. */
int gc_raw_check_earlier(const struct gc_raw *raw, struct gc_error *err);
/* Removes it. Whatever was not written by --raw, or for another name, stays. 0, or a negative errno and a
 * sentence. */
int gc_raw_remove_earlier(const struct gc_raw *raw, struct gc_error *err);
/* -EEXIST and a sentence if what has this name is none of these. */
int gc_raw_check_place(const struct gc_raw *raw, const char *name, struct gc_error *err);

#endif
