/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/replay/trace.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Reads a decimal number and the comma or line end after it. NULL: something else is there. */
static char *number(char *text, uint64_t most, uint64_t *value)
{
  char *end;

  if (!isdigit((unsigned char)*text))
    return NULL;
  errno = 0;
  *value = strtoull(text, &end, 10);
  if (errno || *value > most)
    return NULL;
  if (*end == ',')
    return end + 1;
  return *end == '\0' ? end : NULL;
}

static int parse_row(char *line, struct trace_row *row)
{
  size_t commas = 0;
  uint64_t cycles;
  char *at;

  for (at = line; *at; at++)
    commas += *at == ',';
  if (!commas || at[-1] == ',' || !(at = number(line, UINT64_MAX, &row->bytes)))
    return -EINVAL;
  if (!(row->cycles = malloc(commas * sizeof(*row->cycles))))
    return -ENOMEM;
  for (row->loads = 0; row->loads < commas; row->loads++) {
    if (!(at = number(at, UINT32_MAX, &cycles)))
      break;
    row->cycles[row->loads] = (uint32_t)cycles;
  }
  if (row->loads == commas)
    return 0;
  free(row->cycles);
  return -EINVAL;
}

static int append(struct trace *trace, const struct trace_row *row)
{
  struct trace_row *rows = realloc(trace->rows, (trace->n + 1) * sizeof(*rows));

  if (!rows)
    return -ENOMEM;
  trace->rows = rows;
  rows[trace->n++] = *row;
  return 0;
}

/* Turns a row of a line-size file into one of a size file: removes the stride. */
static void without_stride(struct trace_row *row)
{
  row->bytes = row->cycles[0];
  row->loads--;
  memmove(row->cycles, row->cycles + 1, row->loads * sizeof(*row->cycles));
}

/* stride 0: a size file. */
static int read_rows(FILE *file, uint64_t stride, struct trace *trace, char *problem, size_t size)
{
  char *line = NULL;
  size_t room = 0;
  int status = 0;
  ssize_t length;

  *trace = (struct trace){0};
  while (!status && (length = getline(&line, &room, file)) >= 0) {
    struct trace_row row;

    line[strcspn(line, "\r\n")] = '\0';
    if ((status = parse_row(line, &row))) {
      snprintf(problem, size, "row %zu is not bytes,cycles,...", trace->n + 1);
      break;
    }
    if (stride && (row.bytes != stride || row.loads < 2)) {
      free(row.cycles);
      continue;
    }
    if (stride)
      without_stride(&row);
    if (trace->n && row.bytes <= trace->rows[trace->n - 1].bytes) {
      snprintf(problem, size, "row %zu is not larger than the one before", trace->n + 1);
      free(row.cycles);
      status = -EINVAL;
    } else if ((status = append(trace, &row))) {
      snprintf(problem, size, "out of memory");
      free(row.cycles);
    }
  }
  free(line);
  if (!status && (ferror(file) || !trace->n)) {
    snprintf(problem, size, ferror(file) ? "cannot be read" : "is empty");
    status = -EINVAL;
  }
  if (status)
    trace_free(trace);
  return status;
}

int trace_read(FILE *file, struct trace *trace, char *problem, size_t size)
{
  return read_rows(file, 0, trace, problem, size);
}

int trace_open(const char *path, struct trace *trace, char *problem, size_t size)
{
  return trace_open_stride(path, 0, trace, problem, size);
}

int trace_open_stride(const char *path, uint64_t stride, struct trace *trace, char *problem, size_t size)
{
  FILE *file = fopen(path, "r");
  int status;

  *trace = (struct trace){0};
  if (!file) {
    snprintf(problem, size, "cannot be opened: %s", strerror(errno));
    return -errno;
  }
  status = read_rows(file, stride, trace, problem, size);
  fclose(file);
  return status;
}

void trace_free(struct trace *trace)
{
  for (size_t i = 0; i < trace->n; i++)
    free(trace->rows[i].cycles);
  free(trace->rows);
  *trace = (struct trace){0};
}

size_t trace_slow(const struct trace_row *row, double cycles)
{
  size_t slow = 0;

  for (size_t i = 0; i < row->loads; i++)
    slow += row->cycles[i] >= cycles;
  return slow;
}

const struct trace_row *trace_at(const struct trace *trace, uint64_t bytes)
{
  const struct trace_row *found = NULL;

  for (size_t i = 0; i < trace->n && trace->rows[i].bytes <= bytes; i++)
    found = &trace->rows[i];
  return found;
}
