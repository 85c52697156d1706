/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The data behind the values, as files for people and plotting programs (measure --raw DIR). A file
 * is text with tabs: <gpu>-<element>-<property>.tsv, one for each step of the plan and form of
 * data. It begins with lines "# name: value", which describe the file and what was found. Then come
 * the names of the columns, then the rows.
 *
 * The runner states which step begins (gc_raw_begin). The functions in walk/chase.h record traces
 * and chains themselves. A step that walks arrays adds one line: gc_raw_runs(bench->raw, "sweep",
 * binning, runs, n); all other data need one line, too: gc_raw_row(bench->raw, "blocks\tGBps",
 * (double[]){blocks, gbps});
 *
 * Nothing here uses the device, and files are written only at the end. All functions but open and
 * close do nothing if raw is NULL. The first failure is kept, and gc_raw_close returns it.
 */
#ifndef GC_MEASURE_RAW_H
#define GC_MEASURE_RAW_H

#include "measure/raw/run.h"
#include "record/record.h"

#include <stdint.h>
#include <time.h>

struct gc_raw;

/* The GPU that is measured, and the command. */
struct gc_raw_source {
  const char *gpu;             /* file names begin with it */
  const char *id;              /* of the GPU, whatever its name */
  const char *model, *command; /* for people */
  time_t when;                 /* start of the measurement, as in its record */
  bool resumed; /* another process began this measurement; do not replace its files */
};

/* Creates the directory if it does not exist. 0, or a negative errno and a sentence: -EEXIST if the
 * directory has data of another GPU with this name. Copies the strings of source. */
int gc_raw_open(const char *dir, const struct gc_raw_source *source, struct gc_raw **raw,
                struct gc_error *err);

/* The following data belong to this step ("capacity") of this element. Drops earlier data of the
 * same step, because a disturbed step begins again. */
void gc_raw_begin(struct gc_raw *raw, enum gc_kind kind, const char *property);

/* Writes "# name: value" in the files of this step; before the first gc_raw_begin, in all files.
 * The last value of a name counts. */
void gc_raw_note(struct gc_raw *raw, const char *name, double value);

/* Form "curve": walks over arrays of many sizes. phase is any word. If the threshold is UINT32_MAX,
 * slow loads are counted from the histograms, with the threshold of later runs. */
void gc_raw_runs(struct gc_raw *raw, const char *phase, const struct gc_binning *binning,
                 const struct gc_run *runs, size_t n);

/* The following runs of this step belong to this carve-out, which gets a column. -1: no
 * preference. */
void gc_raw_carveout(struct gc_raw *raw, int percent);

/* Form "trace": blocks x loads values, raw cycles. Each call is a new repetition, counted from
 * 0. */
void gc_raw_trace(struct gc_raw *raw, const uint32_t *cycles, size_t blocks, size_t loads);

/* Form "repeats": the results of repetitions of the same measurement, cycles. */
void gc_raw_repeats(struct gc_raw *raw, const double *cycles, size_t n);

/* Form "table": a row with one value for each column. columns: their names, separated by tabs. The
 * first column is the x of a plot. */
void gc_raw_row(struct gc_raw *raw, const char *columns, const double *values);

/* The columns "SM" (its number) and this one: the latency of lines of L2 that are near to it. A
 * report draws them beside the GPCs. */
#define GC_RAW_NEAR "near"

/* Form "list": rows with text, for which plot draws no picture. row: with its tabs. */
void gc_raw_words(struct gc_raw *raw, const char *columns, const char *row);

/* Removes the files of earlier runs for this GPU (if there is anything to write), writes the files,
 * and releases everything. record (may be NULL) has the values. raw may be NULL. A file that --raw
 * did not write is never replaced: that is an error, and the other files are written. 0, or a
 * negative errno and a sentence. */
int gc_raw_close(struct gc_raw *raw, const struct gc_record *record, struct gc_error *err);

#endif
