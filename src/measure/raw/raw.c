/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Collects the data of --raw in memory.
 */
#include "measure/raw/raw.h"

#include "measure/raw/earlier.h"
#include "measure/raw/files.h"
#include "util/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RUN_COLUMNS "bytes\tloads\tslow\tmin\tp01\tmedian\tp99\tmax\tmean\tsm\trepeat\tphase"

static void fail(struct gc_raw *raw, int status, const char *why)
{
  if (!raw->status)
    raw->status = gc_fail(&raw->problem, status, "%s", why);
}

int gc_raw_open(const char *dir, const struct gc_raw_source *source, struct gc_raw **raw,
                struct gc_error *err)
{
  bool made;
  const int fd = gc_file_dir(dir, &made, err);
  int status;

  *raw = NULL;
  if (fd < 0)
    return fd;
  *raw = calloc(1, sizeof(**raw));
  if (!*raw) {
    close(fd);
    return gc_fail(err, -ENOMEM, "out of memory");
  }
  (*raw)->dir = fd;
  snprintf((*raw)->gpu, sizeof((*raw)->gpu), "%s", source->gpu);
  snprintf((*raw)->id, sizeof((*raw)->id), "%s", source->id);
  snprintf((*raw)->model, sizeof((*raw)->model), "%s", source->model);
  snprintf((*raw)->command, sizeof((*raw)->command), "%s", source->command);
  gc_date_write(source->when, (*raw)->date);
  (*raw)->resumed = source->resumed;
  status = gc_raw_check_earlier(*raw, err);
  if (status) {
    gc_raw_close(*raw, NULL, NULL);
    *raw = NULL;
    return gc_fail_in(err, status, dir);
  }
  return 0;
}

static void note(struct gc_raw_notes *notes, const char *name, double value)
{
  size_t i = 0;

  while (i < notes->count && strcmp(notes->array[i].name, name))
    i++;
  if (i == sizeof(notes->array) / sizeof(*notes->array))
    return;
  snprintf(notes->array[i].name, sizeof(notes->array[i].name), "%s", name);
  notes->array[i].value = value;
  notes->count += i == notes->count;
}

static bool is_current(const struct gc_raw *raw, const struct gc_raw_set *set)
{
  return set->kind == raw->kind && !strcmp(set->property, raw->property);
}

static void free_set(struct gc_raw_set *set)
{
  if (set->rows)
    fclose(set->rows);
  free(set->text);
  free(set->columns);
  free(set->runs);
  free(set);
}

/* Drops the data of the current step. */
static void forget(struct gc_raw *raw)
{
  size_t kept = 0;

  for (size_t i = 0; i < raw->count; i++)
    if (is_current(raw, raw->sets[i]))
      free_set(raw->sets[i]);
    else
      raw->sets[kept++] = raw->sets[i];
  raw->count = kept;
}

void gc_raw_begin(struct gc_raw *raw, enum gc_kind kind, const char *property)
{
  if (!raw)
    return;
  raw->begun = true;
  raw->kind = kind;
  raw->step_notes.count = 0;
  raw->by_carveout = false;
  snprintf(raw->property, sizeof(raw->property), "%s", property);
  forget(raw);
}

void gc_raw_note(struct gc_raw *raw, const char *name, double value)
{
  if (!raw)
    return;
  note(raw->begun ? &raw->step_notes : &raw->notes, name, value);
  for (size_t i = 0; raw->begun && i < raw->count; i++)
    if (is_current(raw, raw->sets[i]))
      note(&raw->sets[i]->notes, name, value);
}

static struct gc_raw_set *new_set(struct gc_raw *raw, enum gc_raw_form form, const char *columns)
{
  struct gc_raw_set **sets = realloc(raw->sets, (raw->count + 1) * sizeof(*sets)), *set = NULL;

  if (sets) {
    raw->sets = sets;
    set = calloc(1, sizeof(*set));
  }
  if (set && (!(set->columns = strdup(columns)) ||
              (form != GC_RAW_CURVE && !(set->rows = open_memstream(&set->text, &set->length))))) {
    free_set(set);
    set = NULL;
  }
  if (!set) {
    fail(raw, -ENOMEM, "out of memory");
    return NULL;
  }
  raw->sets[raw->count++] = set;
  set->kind = raw->kind;
  set->form = form;
  set->notes = raw->step_notes;
  snprintf(set->property, sizeof(set->property), "%s", raw->property);
  return set;
}

/* The set for data of this form. NULL: --raw was not requested, or memory is short. */
static struct gc_raw_set *set_of(struct gc_raw *raw, enum gc_raw_form form, const char *columns)
{
  if (!raw || !raw->begun || raw->status)
    return NULL;
  for (size_t i = 0; i < raw->count; i++)
    if (raw->sets[i]->form == form && is_current(raw, raw->sets[i]) &&
        !strcmp(raw->sets[i]->columns, columns))
      return raw->sets[i];
  return new_set(raw, form, columns);
}

void gc_raw_carveout(struct gc_raw *raw, int percent)
{
  if (!raw)
    return;
  raw->by_carveout = true;
  raw->carveout = percent;
}

void gc_raw_runs(struct gc_raw *raw, const char *phase, const struct gc_binning *binning,
                 const struct gc_run *runs, size_t n)
{
  const bool by_carveout = raw && raw->by_carveout;
  struct gc_raw_set *set =
      set_of(raw, GC_RAW_CURVE, by_carveout ? RUN_COLUMNS "\tcarve-out" : RUN_COLUMNS);

  if (!set)
    return;
  if (set->count + n > set->capacity) {
    const size_t capacity = 2 * set->capacity + n;
    struct gc_raw_run *more = realloc(set->runs, capacity * sizeof(*more));

    if (!more) {
      fail(raw, -ENOMEM, "out of memory");
      return;
    }
    set->runs = more;
    set->capacity = capacity;
  }
  for (size_t i = 0; i < n; i++) {
    struct gc_raw_run *to = &set->runs[set->count];

    *to = (struct gc_raw_run){.run = runs[i], .binning = *binning, .carveout = raw->carveout};
    snprintf(to->phase, sizeof(to->phase), "%s", phase);
    for (size_t k = 0; k < set->count; k++)
      to->repeat += set->runs[k].run.bytes == runs[i].bytes &&
                    (!by_carveout || set->runs[k].carveout == raw->carveout);
    set->count++;
  }
}

void gc_raw_trace(struct gc_raw *raw, const uint32_t *cycles, size_t blocks, size_t loads)
{
  struct gc_raw_set *set = set_of(raw, GC_RAW_TRACE, "repeat\tblock\tload\tcycles");

  if (!set)
    return;
  for (size_t i = 0; i < blocks * loads; i++)
    fprintf(set->rows, "%u\t%zu\t%zu\t%u\n", set->repeats, i / loads, i % loads, cycles[i]);
  set->repeats++;
}

void gc_raw_repeats(struct gc_raw *raw, const double *cycles, size_t n)
{
  struct gc_raw_set *set = set_of(raw, GC_RAW_REPEATS, "repeat\tcycles");

  for (size_t i = 0; set && i < n; i++)
    fprintf(set->rows, "%u\t%.6g\n", ++set->repeats, cycles[i]);
}

void gc_raw_row(struct gc_raw *raw, const char *columns, const double *values)
{
  struct gc_raw_set *set = set_of(raw, GC_RAW_TABLE, columns);
  const char *end = "";

  if (!set)
    return;
  for (const char *column = columns; column; column = strchr(column + 1, '\t')) {
    fprintf(set->rows, "%s%.12g", end, *values++);
    end = "\t";
  }
  putc('\n', set->rows);
}

void gc_raw_words(struct gc_raw *raw, const char *columns, const char *row)
{
  struct gc_raw_set *set = set_of(raw, GC_RAW_LIST, columns);

  if (set)
    fprintf(set->rows, "%s\n", row);
}

/* Writes all files. Keeps the first failure, and writes the other files nevertheless. */
static void put_all(struct gc_raw *raw, const struct gc_record *record)
{
  for (size_t i = 0; i < raw->count; i++) {
    struct gc_error problem;
    int status = gc_raw_put(raw, i, record, &problem);

    if (status)
      fail(raw, status, problem.text);
  }
}

int gc_raw_close(struct gc_raw *raw, const struct gc_record *record, struct gc_error *err)
{
  int status;

  if (!raw)
    return 0;
  if (raw->count && !raw->status && !raw->resumed)
    raw->status = gc_raw_remove_earlier(raw, &raw->problem);
  for (size_t i = 0; i < raw->count; i++) {
    struct gc_raw_set *set = raw->sets[i];

    if (set->rows && !gc_file_close(set->rows))
      fail(raw, -ENOMEM, "out of memory");
    set->rows = NULL;
  }
  if (!raw->status)
    put_all(raw, record);
  status = raw->status ? gc_fail(err, raw->status, "%s", raw->problem.text) : 0;
  for (size_t i = 0; i < raw->count; i++)
    free_set(raw->sets[i]);
  free(raw->sets);
  close(raw->dir);
  free(raw);
  return status;
}
