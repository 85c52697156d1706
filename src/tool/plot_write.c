/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/plot_write.h"

#include "util/error.h"

#include <math.h>
#include <stdlib.h>

#define KIB 1024.0
#define MIB (KIB * 1024)

void gc_plot_text(FILE *script, const char *name, const char *text)
{
  fprintf(script, "%s = '", name);
  while (text && *text) {
    const size_t length = gc_printable_character(text);

    if (*text != '\'' && *text != '\\')
      fwrite(text, 1, length, script);
    text += length ? length : 1;
  }
  fputs("'\n", script);
}

void gc_plot_say(FILE *script, const char *name, double value)
{
  if (isfinite(value))
    fprintf(script, "%s = %.9g\n", name, value);
  else
    fprintf(script, "%s = NaN\n", name);
}

void gc_plot_bytes(FILE *script, const char *name, double bytes)
{
  const double unit = bytes >= MIB ? MIB : bytes >= KIB ? KIB : 1;
  char text[48];

  snprintf(text, sizeof text, "%.*f %s", fmod(bytes, unit) != 0 ? 2 : 0, bytes / unit,
           unit == MIB ? "MiB" : unit == KIB ? "KiB" : "B");
  gc_plot_text(script, name, isfinite(bytes) ? text : "");
}

double gc_plot_timing(const struct gc_plot *plot)
{
  const double cycles = gc_plot_number(plot, "timing");

  return isfinite(cycles) ? cycles : 0;
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
  return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}
