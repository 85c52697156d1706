/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void gc_make_printable(char *text)
{
  for (; *text; text++)
    if ((unsigned char)*text < ' ' || *text == 127)
      *text = '?';
}

int gc_fail(struct gc_error *err, int status, const char *format, ...)
{
  va_list args;

  if (!err)
    return status;
  va_start(args, format);
  vsnprintf(err->text, sizeof(err->text), format, args);
  va_end(args);
  gc_make_printable(err->text);
  return status;
}

int gc_fail_in(struct gc_error *err, int status, const char *prefix)
{
  struct gc_error inner;

  if (!err)
    return status;
  inner = *err;
  return gc_fail(err, status, "%.160s: %.340s", prefix, inner.text);
}
