/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads one file of measure --raw. It may come from another machine: nothing in it is trusted.
 */
#include "tool/plot_read.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_BYTES (256 << 20)
#define MAX_HEAD 256

/* Such a file begins with this text. */
static const char first[] = "# hwloc-gpucache ";

void gc_plot_free(struct gc_plot *plot)
{
  gc_infos_clear(&plot->head);
  free(plot->values);
  memset(plot, 0, sizeof *plot);
}

double gc_plot_number(const struct gc_plot *plot, const char *name)
{
  const char *text = gc_infos_get(&plot->head, name);
  char *end;
  double value = text ? strtod(text, &end) : NAN;

  return text && end != text && !*end ? value : NAN;
}

int gc_plot_column(const struct gc_plot *plot, const char *name)
{
  for (size_t i = 0; i < plot->width; i++)
    if (!strcmp(plot->columns[i], name))
      return (int)i;
  return -1;
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
  for (char *field, *end; (field = strsep(&line, "\t")); n++) {
    if (n == plot->width)
      break;
    row[n] = strtod(field, &end);
    if (end == field || *end || !isfinite(row[n]))
      row[n] = NAN;
  }
  if (n != plot->width || line)
    return gc_fail(err, -EBADMSG, "row %zu does not have %zu columns", plot->rows + 1, plot->width);
  plot->rows++;
  return 0;
}

static int read_lines(FILE *file, struct gc_plot *plot, struct gc_error *err)
{
  char *line = NULL;
  size_t size = 0, space = 0;
  ssize_t length = getline(&line, &size, file);
  int status = length > 0 && !strncmp(line, first, sizeof first - 1) ? 0 : -ENOMSG;

  while (!status && (length = getline(&line, &size, file)) > 0) {
    if (line[length - 1] == '\n')
      line[--length] = '\0';
    if (strlen(line) != (size_t)length)
      status = gc_fail(err, -EBADMSG, "it contains NUL characters");
    else if (*line == '#')
      status = plot->width ? 0 : read_head(plot, line);
    else if (!plot->width)
      status = read_columns(plot, line, err);
    else
      status = read_row(plot, line, &space, err);
  }
  if (!status && ferror(file))
    status = gc_fail(err, -EIO, "it cannot be read to its end");
  if (!status && !plot->rows)
    status = gc_fail(err, -EBADMSG, "it has no data");
  free(line);
  return status;
}

int gc_plot_is_data(const struct dirent *entry)
{
  const size_t length = strlen(entry->d_name), suffix = strlen(GC_PLOT_SUFFIX);

  return entry->d_name[0] != '.' && length > suffix &&
         !strcmp(entry->d_name + length - suffix, GC_PLOT_SUFFIX);
}

int gc_plot_parse(FILE *file, struct gc_plot *plot, struct gc_error *err)
{
  const char *form;
  int status;

  memset(plot, 0, sizeof *plot);
  status = read_lines(file, plot, err);
  if (!status && (form = gc_infos_get(&plot->head, "form")) && !strcmp(form, "list"))
    status = -ENOMSG;
  if (status)
    gc_plot_free(plot);
  return status == -ENOMEM ? gc_fail(err, status, "out of memory") : status;
}

int gc_plot_read(int dir, const char *name, struct gc_plot *plot, struct gc_error *err)
{
  int fd = openat(dir, name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC), status;
  struct stat st;
  FILE *file;

  if (fd < 0)
    return gc_fail(err, -errno, "%s", strerror(errno));
  if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size > MAX_BYTES) {
    close(fd);
    return gc_fail(err, -EBADMSG, "it is not a regular file, or it is too long");
  }
  file = fdopen(fd, "r");
  if (!file) {
    close(fd);
    return gc_fail(err, -ENOMEM, "out of memory");
  }
  status = gc_plot_parse(file, plot, err);
  fclose(file);
  return status;
}
