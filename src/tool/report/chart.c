/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/report/chart.h"

#include "tool/report/html.h"

#include <math.h>
#include <string.h>

#define STYLES 8
#define KIB 1024.0
#define MIB (KIB * 1024)
#define MOST_TICKS 40 /* more come only from numbers that differ by less than a double can tell */
#define CHARACTER 6.6 /* pixels, on average */

void gc_chart_fit(double *low, double *high, double share)
{
  double more;

  if (!(*low <= *high))
    *low = *high = isfinite(*low) ? *low : 0;
  more = share * (*high - *low);
  if (!(more > 0))
    more = *high > 0 ? 0.05 * *high : 1;
  *low -= more;
  *high += more;
}

static double clamp(double value, double low, double high)
{
  return value > high ? high : value >= low ? value : low; /* also if it is no number */
}

static double to_x(const struct gc_chart *c, double x)
{
  const double at =
      c->octaves ? log2(x / c->x0) / log2(c->x1 / c->x0) : (x - c->x0) / (c->x1 - c->x0);

  return c->left + c->width * clamp(at, 0, 1);
}

static double to_y(const struct gc_chart *c, double y)
{
  return c->top + c->height * (1 - clamp((y - c->y0) / (c->y1 - c->y0), 0, 1));
}

static bool usable(const struct gc_chart *c, struct gc_point p)
{
  return isfinite(p.x) && isfinite(p.y) && (!c->octaves || p.x > 0);
}

/* --- axes ------------------------------------------------------------------------------------- */

/* 1, 2 or 5 times a power of ten: at most `most` of them in the range. */
static double step_of(double range, double most)
{
  const double raw = range / most, power = pow(10, floor(log10(raw)));

  return raw <= power       ? power
         : raw <= 2 * power ? 2 * power
         : raw <= 5 * power ? 5 * power
                            : 10 * power;
}

static void say_bytes(double bytes, char text[32])
{
  const double unit = bytes >= MIB ? MIB : bytes >= KIB ? KIB : 1;

  snprintf(text, 32, "%.4g %s", bytes / unit, unit == MIB ? "MiB" : unit == KIB ? "KiB" : "B");
}

static void x_tick(const struct gc_chart *c, double x, bool numbers)
{
  const double at = to_x(c, x), bottom = c->top + c->height;
  char text[32];

  fprintf(c->out, "<path class='grid' d='M%.1f %.1fV%.1f'/>", at, c->top, bottom);
  if (!numbers)
    return;
  if (c->bytes)
    say_bytes(x, text);
  else
    snprintf(text, sizeof text, "%.6g", x);
  fprintf(c->out, "<text class='q' text-anchor='middle' x='%.1f' y='%.1f'>", at, bottom + 17);
  gc_html(c->out, "$</text>\n", text);
}

static void x_ticks(const struct gc_chart *c, bool numbers)
{
  const double most = c->width / 75, unit = !c->bytes      ? 1
                                            : c->x1 >= MIB ? MIB
                                            : c->x1 >= KIB ? KIB
                                                           : 1;
  const double step = step_of((c->x1 - c->x0) / unit, most) * unit;

  if (c->octaves) {
    const double every = ceil((log2(c->x1 / c->x0) + 1) / most);

    for (unsigned i = 0; i < MOST_TICKS; i++) {
      const double x = exp2(ceil(log2(c->x0)) + i * every);

      if (x <= c->x1 && isfinite(x)) /* the range of large numbers may be infinite */
        x_tick(c, x, numbers);
    }
    return;
  }
  for (unsigned i = 0; i < MOST_TICKS; i++) {
    const double x = (ceil(c->x0 / step) + i) * step;

    if (x <= c->x1)
      x_tick(c, fabs(x) < step / 1e6 ? 0 : x, numbers);
  }
}

void gc_chart_axes(const struct gc_chart *c, const char *x_label, const char *y_label)
{
  const double bottom = c->top + c->height, middle = c->top + c->height / 2;
  const double step = step_of(c->y1 - c->y0, c->height / 38);

  x_ticks(c, x_label);
  for (unsigned i = 0; i < MOST_TICKS; i++) {
    const double y = (ceil(c->y0 / step) + i) * step;

    if (!(y <= c->y1))
      continue;
    fprintf(c->out, "<path class='grid' d='M%.1f %.1fH%.1f'/>", c->left, to_y(c, y),
            c->left + c->width);
    fprintf(c->out, "<text class='q' text-anchor='end' x='%.1f' y='%.1f'>%.6g</text>\n",
            c->left - 7, to_y(c, y) + 4.5, fabs(y) < step / 1e6 ? 0 : y);
  }
  fprintf(c->out, "<path class='axis' d='M%.1f %.1fV%.1fH%.1f'/>\n", c->left, c->top, bottom,
          c->left + c->width);
  if (x_label) {
    fprintf(c->out, "<text text-anchor='middle' x='%.1f' y='%.1f'>", c->left + c->width / 2,
            bottom + 37);
    gc_html(c->out, "$</text>\n", x_label);
  }
  fprintf(c->out, "<text text-anchor='middle' transform='translate(14 %.1f) rotate(-90)'>", middle);
  gc_html(c->out, "$</text>\n", y_label);
}

/* --- series ----------------------------------------------------------------------------------- */

void gc_chart_line(const struct gc_chart *c, unsigned series, const struct gc_point *points,
                   size_t n)
{
  char command = 'M';

  fprintf(c->out, "<path class='line s%u' d='", series % STYLES);
  for (size_t i = 0; i < n; i++)
    if (usable(c, points[i])) {
      fprintf(c->out, "%c%.1f %.1f", command, to_x(c, points[i].x), to_y(c, points[i].y));
      command = 'L';
    }
  fputs(command == 'M' ? "M0 0'/>\n" : "'/>\n", c->out);
}

void gc_chart_dots(const struct gc_chart *c, unsigned series, const struct gc_point *points,
                   size_t n)
{
  char last[48] = "", dot[48];

  fprintf(c->out, "<path class='%s s%u' d='M0 0", series % 2 ? "squares" : "dots", series % STYLES);
  for (size_t i = 0; i < n; i++) {
    if (!usable(c, points[i]))
      continue;
    snprintf(dot, sizeof dot, "M%.1f %.1fh0", to_x(c, points[i].x), to_y(c, points[i].y));
    if (strcmp(dot, last))
      fputs(dot, c->out);
    strcpy(last, dot);
  }
  fputs("'/>\n", c->out);
}

void gc_chart_band(const struct gc_chart *c, const struct gc_point *low,
                   const struct gc_point *high, size_t n)
{
  char command = 'M';

  fputs("<path class='band' d='", c->out);
  for (size_t i = 0; i < 2 * n; i++) {
    const struct gc_point p = i < n ? low[i] : high[2 * n - 1 - i];

    if (!usable(c, p))
      continue;
    fprintf(c->out, "%c%.1f %.1f", command, to_x(c, p.x), to_y(c, p.y));
    command = 'L';
  }
  fputs(command == 'M' ? "M0 0'/>\n" : "Z'/>\n", c->out);
}

void gc_chart_bars(const struct gc_chart *c, const struct gc_point *points, size_t n, double width)
{
  fputs("<path class='bar' d='M0 0", c->out);
  for (size_t i = 0; i < n; i++)
    if (usable(c, points[i]) && points[i].y > 0)
      fprintf(c->out, "M%.1f %.1fV%.1fH%.1fV%.1fz", to_x(c, points[i].x - width / 2),
              c->top + c->height, to_y(c, points[i].y), to_x(c, points[i].x + width / 2),
              c->top + c->height);
  fputs("'/>\n", c->out);
}

/* --- marks ------------------------------------------------------------------------------------ */

void gc_chart_mark_x(const struct gc_chart *c, double x, const char *text)
{
  const double at = to_x(c, x);
  const bool right = at < c->left + 0.7 * c->width; /* of the line, where there is more space */

  if (!isfinite(x) || x < c->x0 || x > c->x1)
    return;
  fprintf(c->out, "<path class='mark' d='M%.1f %.1fV%.1f'/>", at, c->top, c->top + c->height);
  fprintf(c->out, "<text class='found' text-anchor='%s' x='%.1f' y='%.1f'>",
          right ? "start" : "end", at + (right ? 6 : -6), c->top + 13);
  gc_html(c->out, "$</text>\n", text);
}

void gc_chart_mark_y(const struct gc_chart *c, double y, const char *text)
{
  const double at = to_y(c, y);

  if (!isfinite(y) || y < c->y0 || y > c->y1)
    return;
  fprintf(c->out, "<path class='mark' d='M%.1f %.1fH%.1f'/>", c->left, at, c->left + c->width);
  fprintf(c->out, "<text class='found' text-anchor='end' x='%.1f' y='%.1f'>", c->left + c->width,
          at < c->top + 20 ? at + 15 : at - 6);
  gc_html(c->out, "$</text>\n", text);
}

void gc_chart_level(const struct gc_chart *c, double y, const char *text)
{
  if (!isfinite(y) || y < c->y0 || y > c->y1)
    return;
  fprintf(c->out, "<path class='level' d='M%.1f %.1fH%.1f'/>", c->left, to_y(c, y),
          c->left + c->width);
  fprintf(c->out, "<text class='q' x='%.1f' y='%.1f'>", c->left + c->width + 5, to_y(c, y) + 4.5);
  gc_html(c->out, "$</text>\n", text);
}

double gc_chart_legend(const struct gc_chart *c, double y, bool dots, const char *const *names,
                       size_t n)
{
  double x = c->left;

  for (size_t i = 0; i < n; i++) {
    const double width = 34 + CHARACTER * (double)strlen(names[i]);

    if (x > c->left && x + width > c->left + c->width) {
      x = c->left;
      y += 18;
    }
    if (dots)
      fprintf(c->out, "<path class='%s s%zu' d='M%.1f %.1fh0'/>", i % 2 ? "squares" : "dots",
              i % STYLES, x + 10, y - 4);
    else
      fprintf(c->out, "<path class='line s%zu' d='M%.1f %.1fh22'/>", i % STYLES, x, y - 4);
    fprintf(c->out, "<text x='%.1f' y='%.1f'>", x + 28, y);
    gc_html(c->out, "$</text>\n", names[i]);
    x += width + 8;
  }
  return y + 18;
}
