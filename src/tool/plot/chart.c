/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Series are the palette of Okabe and Ito, darkened for a contrast of at least 3:1 on paper; they
 * also differ in their dashes. Vermilion is left for what was found. Text has a contrast of at
 * least 4.5:1. The colours are no variables of CSS, because many programs that draw SVG have none.
 */
#include "tool/plot/chart.h"

#include "tool/print/html.h"

#include <math.h>
#include <string.h>

#define STYLES 8
#define KIB 1024.0
#define MIB (KIB * 1024)
#define GIB (MIB * 1024)
#define LARGEST 1e300
#define SAME 1e-9 /* numbers that differ by less of their size are drawn as one */
#define MOST_TICKS 40
#define FEW 40        /* points of a line that are marked */
#define LEVEL 16      /* pixels from one slanted text to the next */

const char gc_chart_style[] =
    "svg text { fill: #1c1f23; font: 13px Helvetica, Arial, sans-serif; }\n"
    "svg .name { font-weight: 700; }\n"
    "svg .q { fill: #565d66; }\n"
    "svg .found { fill: #b94a00; font-weight: 700; }\n"
    ".grid { stroke: #c9ced6; stroke-width: .7; }\n"
    ".axis { fill: none; stroke: #565d66; }\n"
    ".line { fill: none; stroke-width: 1.8; stroke-linejoin: round; }\n"
    ".band { fill: #0072b2; stroke: #0072b2; opacity: .25; }\n"
    ".bar { fill: #0072b2; }\n"
    ".mark { stroke: #b94a00; stroke-width: 2; stroke-dasharray: 6 4; }\n"
    ".s0 { stroke: #0072b2; } .s1 { stroke: #007a5a; stroke-dasharray: 7 3; }\n"
    ".s2 { stroke: #8e4a86; stroke-dasharray: 2 3; }\n"
    ".s3 { stroke: #a87200; stroke-dasharray: 9 3 2 3; }\n"
    ".s4 { stroke: #444; stroke-dasharray: 4 4; }\n"
    ".s5 { stroke: #2f7ea8; stroke-dasharray: 12 4; }\n"
    ".s6 { stroke: #a0522d; stroke-dasharray: 3 2; }\n"
    ".s7 { stroke: #76767a; stroke-dasharray: 5 2 1 2; }\n"
    ".level { fill: none; stroke-width: 1.2; stroke-dasharray: 2 3; }\n"
    ".dots, .squares, .points { fill: none; stroke-width: 5; stroke-linecap: round;\n"
    "  stroke-dasharray: none; }\n"
    ".squares { stroke-width: 4; stroke-linecap: square; }\n"
    ".points { stroke-width: 2.5; }\n";

/* Makes low and high finite and not larger than what their difference can be computed of. */
static void limit(struct gc_axis *a)
{
  if (!(a->low <= a->high))
    a->low = a->high = isfinite(a->low) ? a->low : 0;
  a->low = fmin(fmax(a->low, -LARGEST), LARGEST);
  a->high = fmin(fmax(a->high, -LARGEST), LARGEST);
}

void gc_axis_fit(struct gc_axis *a, double share)
{
  double more;

  limit(a);
  more = share * (a->high - a->low);
  if (!(a->high - a->low > SAME * fmax(fabs(a->low), fabs(a->high))))
    more = a->low != 0 ? 0.05 * fabs(a->low) : 1;
  a->low -= more;
  a->high += more;
}

void gc_axis_from_zero(struct gc_axis *a, double high)
{
  a->base = 0;
  a->low = 0;
  a->high = high;
  gc_axis_fit(a, 0);
  a->low = 0;
}

void gc_axis_fit_powers(struct gc_axis *a, unsigned base, double most)
{
  limit(a);
  a->base = a->low > 1 / LARGEST && a->high / most > a->low ? base : 0;
  if (!a->base) {
    gc_axis_fit(a, 0.03);
    return;
  }
  a->low /= 1.03;
  a->high *= 1.03;
}

/* Where the value is on the axis: 0 to 1. */
static double along(const struct gc_axis *a, double value)
{
  const double at = a->base ? (log(value) - log(a->low)) / (log(a->high) - log(a->low))
                            : (value - a->low) / (a->high - a->low);

  return at > 1 ? 1 : at >= 0 ? at : 0; /* also if it is no number */
}

static double to_x(const struct gc_chart *c, double x)
{
  return c->left + c->width * along(&c->x, x);
}

static double to_y(const struct gc_chart *c, double y)
{
  return c->top + c->height * (1 - along(&c->y, y));
}

static bool is_on(const struct gc_axis *a, double value)
{
  return value >= a->low && value <= a->high;
}

/* --- axes ------------------------------------------------------------------------------------- */

static double unit_of(double bytes)
{
  return bytes >= GIB ? GIB : bytes >= MIB ? MIB : bytes >= KIB ? KIB : 1;
}

/* 1, 2 or 5 times a power of ten: at most `most` of them in the range. */
static double step_of(double range, double most)
{
  const double raw = range / most, power = pow(10, floor(log10(raw)));

  return raw <= power       ? power
         : raw <= 2 * power ? 2 * power
         : raw <= 5 * power ? 5 * power
                            : 10 * power;
}

/* Sets values to those of at most about `most` ticks; returns how many. */
static size_t place_ticks(const struct gc_axis *a, double most, double values[MOST_TICKS])
{
  const double unit = a->bytes ? unit_of(a->high) : 1;
  const double first = a->base ? log(a->low) / log(a->base) : a->low / unit;
  const double last = a->base ? log(a->high) / log(a->base) : a->high / unit;
  const double step = a->base ? fmax(1, ceil((last - first) / most)) : step_of(last - first, most);
  size_t n = 0;

  for (unsigned i = 0; a->names && i <= a->high && n < MOST_TICKS; i++)
    if (a->names[i] && i >= a->low)
      values[n++] = i;
  for (unsigned i = 0; !a->names && i < MOST_TICKS; i++) {
    const double at = (ceil(first / step) + i) * step;
    const double value = a->base ? pow(a->base, at) : fabs(at) < step / 1e6 ? 0 : at * unit;

    if (is_on(a, value))
      values[n++] = value;
  }
  return n;
}

/* As many digits as neighbouring ticks need to differ. */
static void say_tick(const struct gc_axis *a, double value, char text[32])
{
  const double unit = a->bytes ? unit_of(a->base ? value : a->high) : 1;
  const double largest = fmax(fabs(a->low), fabs(a->high));
  const double digits = a->base ? 0 : 2 + ceil(log10(largest / (a->high - a->low)));
  const double least = a->bytes ? 4 : 6;

  if (a->names) {
    snprintf(text, 32, "%s", a->names[(unsigned)value]);
    return;
  }
  snprintf(text, 32, "%.*g%s", (int)fmin(fmax(digits, least), 15), value / unit,
           !a->bytes     ? ""
           : unit == GIB ? " GiB"
           : unit == MIB ? " MiB"
           : unit == KIB ? " KiB"
                         : " B");
}

void gc_chart_axes(const struct gc_chart *c, const char *x_label, const char *y_label)
{
  const double bottom = c->top + c->height, right = c->left + c->width;
  double ticks[MOST_TICKS];
  size_t n = place_ticks(&c->x, c->width / 75, ticks);
  char text[32];

  for (size_t i = 0; i < n; i++) {
    const double at = to_x(c, ticks[i]);

    fprintf(c->out, "<path class='grid' d='M%.1f %.1fV%.1f'/>", at, c->top, bottom);
    if (!x_label)
      continue;
    say_tick(&c->x, ticks[i], text);
    fprintf(c->out, "<text class='q' text-anchor='middle' x='%.1f' y='%.1f'>%s</text>\n", at,
            bottom + 17, text);
  }
  n = place_ticks(&c->y, c->height / 38, ticks);
  for (size_t i = 0; i < n; i++) {
    const double at = to_y(c, ticks[i]);

    say_tick(&c->y, ticks[i], text);
    fprintf(c->out, "<path class='grid' d='M%.1f %.1fH%.1f'/>", c->left, at, right);
    fprintf(c->out, "<text class='q' text-anchor='end' x='%.1f' y='%.1f'>%s</text>\n", c->left - 7,
            at + 4.5, text);
  }
  fprintf(c->out, "<path class='axis' d='M%.1f %.1fV%.1fH%.1f'/>\n", c->left, c->top, bottom,
          right);
  if (x_label) {
    fprintf(c->out, "<text text-anchor='middle' x='%.1f' y='%.1f'>", c->left + c->width / 2,
            bottom + 37);
    gc_html(c->out, "$</text>\n", x_label);
  }
  fprintf(c->out,
          "<text text-anchor='middle' transform='translate(14 %.1f) rotate(-90) scale(%.2g)'>",
          c->top + c->height / 2,
          fmin(1, (c->height + 20) / (GC_CHART_CHARACTER * (double)strlen(y_label) + 1)));
  gc_html(c->out, "$</text>\n", y_label);
}

/* --- series ----------------------------------------------------------------------------------- */

/* Writes the points as commands of a path, without those at the place of the one before. first,
 * next: the commands of the first point and of the others; after: what follows each. Whether there
 * are any. */
static bool write_points(const struct gc_chart *c, const struct gc_series *points,
                         const char *first, const char *next, const char *after)
{
  char last[64] = "", at[64];

  for (size_t i = 0; i < points->n; i++) {
    const double x = points->x[(ptrdiff_t)i * points->stride];
    const double y = points->y[(ptrdiff_t)i * points->stride];

    if (!isfinite(x) || !isfinite(y))
      continue;
    snprintf(at, sizeof at, "%.1f %.1f", to_x(c, x), to_y(c, y));
    if (strcmp(at, last))
      fprintf(c->out, "%s%s%s", *last ? next : first, at, after);
    strcpy(last, at);
  }
  return *last;
}

static const char *shape_class(enum gc_shape shape, unsigned series)
{
  return shape == GC_LINE         ? "line"
         : shape == GC_SMALL_DOTS ? "points"
         : series % 2             ? "squares"
                                  : "dots";
}

void gc_chart_draw(const struct gc_chart *c, enum gc_shape shape, unsigned series,
                   const struct gc_series *points)
{
  fprintf(c->out, "<path class='%s s%u' d='", shape_class(shape, series), series % STYLES);
  if (shape == GC_LINE)
    write_points(c, points, "M", "L", "");
  else
    write_points(c, points, "M", "M", "h.1"); /* some programs draw nothing without length */
  fputs("'/>\n", c->out);
  if (shape == GC_LINE && points->n < FEW)
    gc_chart_draw(c, GC_DOTS, series, points);
}

void gc_chart_band(const struct gc_chart *c, const struct gc_series *low, const double *high)
{
  const ptrdiff_t last = (ptrdiff_t)(low->n - 1) * low->stride;
  const struct gc_series back = {low->x + last, high + last, -low->stride, low->n};
  bool any;

  fputs("<path class='band' d='", c->out);
  any = write_points(c, low, "M", "L", "");
  any |= write_points(c, &back, any ? "L" : "M", "L", "");
  fputs(any ? "Z'/>\n" : "'/>\n", c->out);
}

void gc_chart_bars(const struct gc_chart *c, const struct gc_series *points, double width)
{
  const double bottom = c->top + c->height;

  fputs("<path class='bar' d='", c->out);
  for (size_t i = 0; i < points->n; i++) {
    const double x = points->x[(ptrdiff_t)i * points->stride];
    const double y = points->y[(ptrdiff_t)i * points->stride];

    if (y > 0)
      fprintf(c->out, "M%.1f %.1fV%.1fH%.1fV%.1fz", to_x(c, x - width / 2), bottom, to_y(c, y),
              to_x(c, x + width / 2), bottom);
  }
  fputs("'/>\n", c->out);
}

/* --- marks ------------------------------------------------------------------------------------ */

void gc_chart_mark_x(const struct gc_chart *c, double x, const char *text)
{
  const double at = to_x(c, x);
  const bool right = at < c->left + 0.7 * c->width; /* of the line, where there is more space */

  if (!is_on(&c->x, x))
    return;
  fprintf(c->out, "<path class='mark' d='M%.1f %.1fV%.1f'/>", at, c->top, c->top + c->height);
  fprintf(c->out, "<text class='found' text-anchor='%s' x='%.1f' y='%.1f'>",
          right ? "start" : "end", at + (right ? 6 : -6), c->top + 13);
  gc_html(c->out, "$</text>\n", text);
}

void gc_chart_mark_y(const struct gc_chart *c, double y)
{
  if (is_on(&c->y, y))
    fprintf(c->out, "<path class='mark' d='M%.1f %.1fH%.1f'/>\n", c->left, to_y(c, y),
            c->left + c->width);
}

void gc_chart_level_y(const struct gc_chart *c, double y, const char *text)
{
  const double right = c->left + c->width;

  if (!is_on(&c->y, y))
    return;
  fprintf(c->out, "<path class='s7 level' d='M%.1f %.1fH%.1f'/>", c->left, to_y(c, y), right);
  fprintf(c->out, "<text class='q' x='%.1f' y='%.1f'>", right + 5, to_y(c, y) + 4.5);
  gc_html(c->out, "$</text>\n", text);
}

double gc_chart_level_x(const struct gc_chart *c, double x, unsigned series, const char *text,
                        double taken)
{
  const double at = to_x(c, x);

  if (!is_on(&c->x, x))
    return taken;
  fprintf(c->out, "<path class='s%u level' d='M%.1f %.1fV%.1f'/>", series % STYLES, at, c->top,
          c->top + c->height);
  if (!*text || fabs(at - taken) < LEVEL)
    return taken;
  fprintf(c->out, "<text class='q' transform='translate(%.1f %.1f) rotate(-60)'>", at + 4,
          c->top - 4);
  gc_html(c->out, "$</text>\n", text);
  return at;
}

double gc_chart_legend(const struct gc_chart *c, double y, const struct gc_chart_key *keys,
                       size_t n)
{
  double x = c->left;

  for (size_t i = 0; i < n; i++) {
    const double width = 34 + GC_CHART_CHARACTER * (double)strlen(keys[i].name);
    const bool line = keys[i].shape == GC_LINE;

    if (x > c->left && x + width > c->left + c->width) {
      x = c->left;
      y += 18;
    }
    if (keys[i].shape == GC_BAND)
      fprintf(c->out, "<rect class='band' x='%.1f' y='%.1f' width='22' height='10'/>", x, y - 9);
    else
      fprintf(c->out, "<path class='%s s%u' d='M%.1f %.1fh%s'/>",
              shape_class(keys[i].shape, keys[i].series), keys[i].series % STYLES,
              x + (line ? 0 : 11), y - 4, line ? "22" : ".1");
    fprintf(c->out, "<text x='%.1f' y='%.1f'>", x + 28, y);
    gc_html(c->out, "$</text>\n", keys[i].name);
    x += width + 8;
  }
  return y + 18;
}
