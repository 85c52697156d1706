/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/report/script.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void gc_script_free(struct gc_script *script)
{
  gc_infos_clear(&script->variables);
  free(script->values);
  memset(script, 0, sizeof *script);
}

static double number(const char *text)
{
  char *end;
  const double value = strtod(text, &end);

  return end != text && !*end && isfinite(value) ? value : NAN;
}

/* "name = 'text'" or "name = 1.5" */
static int read_variable(struct gc_script *script, char *line)
{
  char *value = strstr(line, " = ");
  size_t length;

  if (!value)
    return 0;
  *value = '\0';
  value += 3;
  length = strlen(value);
  if (*value == '\'' && length > 1) {
    value[length - 1] = '\0';
    value++;
  }
  return gc_infos_set(&script->variables, line, value);
}

static int read_row(struct gc_script *script, char *line, size_t *space)
{
  size_t n = 0;

  if (!script->width) {
    script->width = 1;
    for (const char *at = line; *at; at++)
      script->width += *at == ' ';
  }
  if (script->rows == *space) {
    double *more;

    *space = 2 * *space + 256;
    more = reallocarray(script->values, *space * script->width, sizeof *more);
    if (!more)
      return -ENOMEM;
    script->values = more;
  }
  for (char *field; n < script->width; n++)
    script->values[script->rows * script->width + n] =
        (field = strsep(&line, " ")) ? number(field) : NAN;
  script->rows++;
  return 0;
}

int gc_script_read(char *text, struct gc_script *script, struct gc_error *err)
{
  size_t space = 0;
  bool data = false, gap = true;
  int status = 0;

  memset(script, 0, sizeof *script);
  for (char *line; !status && (line = strsep(&text, "\n"));) {
    if (!strcmp(line, "$data << EOD")) {
      data = true;
    } else if (!strcmp(line, "EOD")) {
      data = false;
    } else if (!data) {
      status = read_variable(script, line);
    } else if (!*line) {
      gap = true;
    } else {
      if (gap && script->blocks < GC_SCRIPT_BLOCKS)
        script->starts[script->blocks++] = script->rows;
      gap = false;
      status = read_row(script, line, &space);
    }
  }
  script->starts[script->blocks] = script->rows;
  if (status) {
    gc_script_free(script);
    return gc_fail(err, status, "out of memory");
  }
  return 0;
}

const char *gc_script_text(const struct gc_script *script, const char *name, size_t index)
{
  char key[64];
  const char *value;

  snprintf(key, sizeof key, index ? "%s[%zu]" : "%s", name, index);
  value = gc_infos_get(&script->variables, key);
  return value ? value : "";
}

double gc_script_number(const struct gc_script *script, const char *name, size_t index)
{
  return number(gc_script_text(script, name, index));
}

double gc_script_at(const struct gc_script *script, size_t row, size_t column)
{
  return column < script->width ? script->values[row * script->width + column] : NAN;
}
