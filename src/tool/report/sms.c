/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The SMs by GPC, each with the latency of L2 that it sees: a row for each GPC, darker where the
 * latency is longer. The latencies are in the data of measure --raw, the GPCs in the record.
 */
#include "measure/raw/raw.h"
#include "record/lists.h"
#include "tool/print/html.h"
#include "tool/report/page.h"

#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define SMS_MOST 1024
#define IN_ROW 20 /* longer rows go on in the next line */
#define LEFT 60
#define WIDE 33 /* from box to box */
#define HIGH 34
#define FAINT 0.08 /* opacity of the fastest SM; the slowest: */
#define FULL 0.9

struct sms {
  FILE *out;
  const struct gc_plot *plot;
  int near; /* the column */
  double least, most;
  unsigned in_row, line; /* where the next box is */
};

/* NAN: no row has this number. */
static double latency_of(const struct sms *s, uint64_t number)
{
  for (size_t i = 0; i < s->plot->rows; i++)
    if (gc_plot_at(s->plot, i, 0) == (double)number)
      return gc_plot_at(s->plot, i, s->near);
  return NAN;
}

static void draw_box(struct sms *s, uint64_t number)
{
  const double cycles = latency_of(s, number);
  const double share = s->most > s->least ? (cycles - s->least) / (s->most - s->least) : 0;
  unsigned x, y;

  if (s->in_row == IN_ROW) {
    s->in_row = 0;
    s->line++;
  }
  x = LEFT + WIDE * s->in_row++;
  y = 2 + HIGH * s->line;
  if (isfinite(share))
    fprintf(s->out, "<rect class='bar' fill-opacity='%.2f' x='%u' y='%u' width='%d' height='%d'/>",
            FAINT + (FULL - FAINT) * fmin(fmax(share, 0), 1), x, y, WIDE - 2, HIGH - 2);
  fprintf(s->out, "<text class='q' x='%u' y='%u'>%u</text>", x + 3, y + 13, (unsigned)number);
  if (isfinite(cycles) && cycles < 1e5)
    fprintf(s->out, "<text x='%u' y='%u'>%.0f</text>", x + 3, y + 28, cycles);
  putc('\n', s->out);
}

static void draw_gpcs(struct sms *s, const char *gpcs)
{
  unsigned gpc = 0, n = 0;
  uint64_t number;
  bool first = true, last;

  for (; n < SMS_MOST && gc_member_next(&gpcs, &number, &last); n++) {
    if (first)
      fprintf(s->out, "<text x='0' y='%u'>GPC %u</text>\n", 22 + HIGH * s->line, gpc++);
    draw_box(s, number);
    first = last;
    if (last) {
      s->in_row = 0;
      s->line++;
    }
  }
}

static void draw_all(struct sms *s)
{
  for (size_t i = 0; i < s->plot->rows && i < SMS_MOST; i++) {
    const double number = gc_plot_at(s->plot, i, 0);

    if (number >= 0 && number < 1e6)
      draw_box(s, (uint64_t)number);
  }
  s->line++;
}

void gc_report_sms(FILE *out, const struct gc_record *record, const struct gc_plot *plot)
{
  const char *gpcs = gc_infos_get(&record->infos, "GPCSMs");
  struct sms s = {.plot = plot, .near = gc_plot_column(plot, GC_RAW_NEAR), .least = INFINITY};
  char *boxes = NULL;
  size_t size;

  if (gc_plot_column(plot, "SM") != 0 || s.near < 0 ||
      !*gc_plot_text(plot, HWLOC_GPUCACHE_LATENCY_BY_SM))
    return;
  for (size_t i = 0; i < plot->rows; i++)
    if (isfinite(gc_plot_at(plot, i, s.near))) {
      s.least = fmin(s.least, gc_plot_at(plot, i, s.near));
      s.most = fmax(s.most, gc_plot_at(plot, i, s.near));
    }
  if (!(s.out = open_memstream(&boxes, &size)))
    return;
  if (gpcs)
    draw_gpcs(&s, gpcs);
  else
    draw_all(&s);
  if (!fclose(s.out) && s.line) {
    gc_html(out,
            "<figure>\n<figcaption><strong>latency by SM</strong>: number of each SM$, and the "
            "latency of near L2 in cycles</figcaption>\n",
            gpcs ? ", by GPC" : "");
    fprintf(out, "<svg viewBox='0 0 %d %u' role='img' aria-labelledby='sms sms-desc'>\n",
            LEFT + WIDE * IN_ROW, HIGH * s.line + 4);
    gc_html(
        out,
        "<title id='sms'>Latency of L2 on each SM</title><desc id='sms-desc'>A box for each SM, "
        "darker where the latency is longer.</desc>\n");
    fprintf(out, "%s</svg>\n</figure>\n", boxes);
  }
  free(boxes);
}
