/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads one file of measure --raw. It may come from another machine: nothing in it is trusted.
 */
#include "tool/plot/raw_data.h"

#include "tool/print/format.h"
#include "util/regular.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_BYTES (32 << 20) /* thirty times the longest that was seen */
#define MAX_HEAD 256

/* Such a file begins with this text. */
static const char first[] = "# hwloc-gpucache ";

void gc_plot_free(struct gc_plot *plot)
{
  gc_infos_clear(&plot->head);
  free(plot->values);
  memset(plot, 0, sizeof *plot);
}

const char *gc_plot_text(const struct gc_plot *plot, const char *name)
{
  const char *text = gc_infos_get(&plot->head, name);

  return text ? text : "";
}

bool gc_plot_is(const struct gc_plot *plot, const char *name, const char *value)
{
  return !strcmp(gc_plot_text(plot, name), value);
}

static double number_of(const char *text)
{
  char *end;
  const double value = strtod(text, &end);

  return end != text && !*end && isfinite(value) ? value : NAN;
}

double gc_plot_number(const struct gc_plot *plot, const char *name)
{
  return number_of(gc_plot_text(plot, name));
}

double gc_plot_timing(const struct gc_plot *plot)
{
  const double cycles = gc_plot_number(plot, "timing");

  return isfinite(cycles) ? cycles : 0;
}

int gc_plot_column(const struct gc_plot *plot, const char *name)
{
  for (size_t i = 0; i < plot->width; i++)
    if (!strcmp(plot->columns[i], name))
      return (int)i;
  return -1;
}

double gc_plot_at(const struct gc_plot *plot, size_t row, int column)
{
  return plot->values[row * plot->width + (size_t)column];
}

int gc_plot_ascending(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

double gc_plot_median(double *values, size_t n)
{
  qsort(values, n, sizeof *values, gc_plot_ascending);
  return n % 2 ? values[n / 2] : values[n / 2 - 1] / 2 + values[n / 2] / 2;
}

void gc_plot_bytes(double bytes, char *text, size_t size)
{
  *text = '\0';
  if (bytes >= 0 && bytes < 1e18)
    gc_format_bytes((uint64_t)bytes, text, size);
}

/* "# name: value" */
static int read_head(struct gc_plot *plot, char *line)
{
  char *colon = strstr(line, ": ");

  if (!colon || line[1] != ' ' || plot->head.count >= MAX_HEAD)
    return 0;
  *colon = '\0';
  return gc_infos_set(&plot->head, line + 2, colon + 2);
}

static int read_columns(struct gc_plot *plot, char *line, struct gc_error *err)
{
  for (char *name; (name = strsep(&line, "\t"));) {
    if (!*name || plot->width == GC_PLOT_COLUMNS)
      return gc_fail(err, -EBADMSG, "the names of its columns are not valid");
    snprintf(plot->columns[plot->width++], sizeof *plot->columns, "%s", name);
  }
  return 0;
}

static int read_row(struct gc_plot *plot, char *line, size_t *space, struct gc_error *err)
{
  double *row;
  size_t n = 0;

  if (plot->rows == *space) {
    *space = 2 * *space + 256;
    row = realloc(plot->values, *space * plot->width * sizeof *row);
    if (!row)
      return -ENOMEM;
    plot->values = row;
  }
  row = plot->values + plot->rows * plot->width;
  for (char *field; (field = strsep(&line, "\t")); n++) {
    if (n == plot->width)
      break;
    row[n] = number_of(field);
  }
  if (n != plot->width || line)
    return gc_fail(err, -EBADMSG, "row %zu does not have %zu columns", plot->rows + 1, plot->width);
  plot->rows++;
  return 0;
}

static int read_lines(char *text, struct gc_plot *plot, struct gc_error *err)
{
  size_t space = 0;
  int status = 0;

  for (char *line; !status && (line = strsep(&text, "\n")) && (text || *line);)
    if (*line == '#')
      status = plot->width ? 0 : read_head(plot, line);
    else
      status = plot->width ? read_row(plot, line, &space, err) : read_columns(plot, line, err);
  return status || plot->rows ? status : gc_fail(err, -EBADMSG, "it has no data");
}

int gc_plot_is_data(const struct dirent *entry)
{
  const size_t length = strlen(entry->d_name), suffix = strlen(GC_PLOT_SUFFIX);

  return entry->d_name[0] != '.' && length > suffix &&
         !strcmp(entry->d_name + length - suffix, GC_PLOT_SUFFIX);
}

int gc_plot_parse(char *text, size_t length, struct gc_plot *plot, struct gc_error *err)
{
  int status;

  memset(plot, 0, sizeof *plot);
  if (strncmp(text, first, sizeof first - 1))
    return -ENOMSG;
  if (strlen(text) != length)
    return gc_fail(err, -EBADMSG, "it contains NUL characters");
  status = read_lines(text, plot, err);
  if (!status && gc_plot_is(plot, "form", "list"))
    status = -ENOMSG;
  if (status)
    gc_plot_free(plot);
  return status == -ENOMEM ? gc_fail(err, status, "out of memory") : status;
}

int gc_plot_read(int dir, const char *name, struct gc_plot *plot, struct gc_error *err)
{
  uint64_t size;
  size_t length;
  char *text = NULL;
  const int fd = gc_regular_open_in(dir, name, &size);
  int status = fd < 0 ? fd : gc_regular_read(fd, MAX_BYTES, &text, &length);

  if (fd >= 0)
    close(fd);
  if (status)
    return gc_fail(err, status, "%s",
                   status == -EBADMSG ? "it is not a regular file"
                   : status == -ELOOP ? "it is a symbolic link"
                   : status == -EFBIG ? "it is too long"
                                      : strerror(-status));
  status = gc_plot_parse(text, length, plot, err);
  free(text);
  return status;
}
