/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The elements as nested boxes. An element that contains others spans the width of its box; the
 * others stand side by side below it.
 */
#include "tool/print/html.h"
#include "tool/report/page.h"

#include "tool/print/format.h"

#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define WIDTH 800
#define PAD 10
#define LINE 17
#define LEAF 175 /* the least width of a box without others inside */

#define LINES 4
struct label {
  char lines[LINES][128];
  unsigned count;
};

static void add(struct label *label, const char *text)
{
  if (*text)
    snprintf(label->lines[label->count++], sizeof *label->lines, "%s", text);
}

static void say_capacity(const struct gc_record *record, size_t i, char text[128])
{
  const struct gc_infos *infos = &record->elements[i].infos;
  uint64_t bytes, nominal;
  char size[32], other[32];

  *text = '\0';
  if (!gc_infos_get_u64(infos, HWLOC_GPUCACHE_CAPACITY_BYTES, &bytes)) {
    gc_format_bytes(bytes, size, sizeof size);
    snprintf(text, 128, "%s", size);
    if (!gc_infos_get_u64(infos, HWLOC_GPUCACHE_NOMINAL_BYTES, &nominal) && nominal != bytes) {
      gc_format_bytes(nominal, other, sizeof other);
      snprintf(text, 128, "%s (nominal %s)", size, other);
    }
  } else if (!gc_infos_get_u64(infos, HWLOC_GPUCACHE_CAPACITY_AT_LEAST_BYTES, &bytes)) {
    gc_format_bytes(bytes, size, sizeof size);
    snprintf(text, 128, "at least %s", size);
  } else if (!gc_infos_get_u64(infos, HWLOC_GPUCACHE_REACH_BYTES, &bytes)) {
    gc_format_bytes(bytes, size, sizeof size);
    snprintf(text, 128, "reach %s", size);
  } else {
    snprintf(text, 128, "capacity absent");
  }
}

static void make_label(const struct gc_record *record, size_t i, struct label *label)
{
  const struct gc_infos *infos = &record->elements[i].infos;
  const char *cycles = gc_infos_get(infos, HWLOC_GPUCACHE_LATENCY_CYCLES);
  const char *ns = gc_infos_get(infos, HWLOC_GPUCACHE_LATENCY_NS);
  const char *instances = gc_infos_get(infos, HWLOC_GPUCACHE_INSTANCES);
  const char *per_sm = gc_infos_get(infos, HWLOC_GPUCACHE_PER_SM);
  char text[128];

  label->count = 0;
  add(label, gc_kinds[record->elements[i].kind].subtype);
  say_capacity(record, i, text);
  add(label, text);
  if (cycles) {
    snprintf(text, sizeof text, "%.20s cycles%s%.20s%s", cycles, ns ? ", " : "", ns ? ns : "",
             ns ? " ns" : "");
    add(label, text);
  }
  if (instances) {
    snprintf(text, sizeof text, "%.20s instance%s%s%.20s%s%s", instances,
             strcmp(instances, "1") ? "s" : "", per_sm ? ", " : "", per_sm ? per_sm : "",
             per_sm ? " per " : "", per_sm ? gc_record_unit(record) : "");
    add(label, text);
  }
}

static bool has_inside(const struct gc_record *record, size_t i)
{
  return i + 1 < record->count && gc_record_parent(record, i + 1) == (long)i;
}

static unsigned columns_of(unsigned width)
{
  return (width - PAD) / (LEAF + PAD) ? (width - PAD) / (LEAF + PAD) : 1;
}

/* Draws the box of element i, or computes only its height (out: NULL). */
static unsigned box(FILE *out, const struct gc_record *record, size_t i, const unsigned at[3]);

/* The boxes inside element i, below `top`. Returns where they end. */
static unsigned inside(FILE *out, const struct gc_record *record, size_t i, const unsigned at[3],
                       unsigned top)
{
  const unsigned x = at[0], width = at[2], columns = columns_of(width);
  const unsigned leaf = (width - PAD) / columns - PAD;
  unsigned column = 0, row = 0;

  for (size_t k = i + 1; k < record->count; k++)
    if (gc_record_parent(record, k) == (long)i && has_inside(record, k))
      top += box(out, record, k, (unsigned[3]){x + PAD, top, width - 2 * PAD}) + PAD;
  for (size_t k = i + 1; k < record->count; k++) {
    unsigned height;

    if (gc_record_parent(record, k) != (long)i || has_inside(record, k))
      continue;
    if (column == columns) {
      top += row + PAD;
      column = row = 0;
    }
    height = box(out, record, k, (unsigned[3]){x + PAD + column++ * (leaf + PAD), top, leaf});
    row = height > row ? height : row;
  }
  return column ? top + row + PAD : top;
}

static unsigned box(FILE *out, const struct gc_record *record, size_t i, const unsigned at[3])
{
  const bool wide = has_inside(record, i);
  struct label label;
  unsigned top, bottom;

  make_label(record, i, &label);
  /* a wide box has its label in one line, a narrow one in several */
  top = at[1] + PAD + LINE * (wide ? 1 : label.count) + (wide ? PAD : 0);
  bottom = wide ? inside(NULL, record, i, at, top) : top + PAD / 2;
  if (!out)
    return bottom - at[1];
  fprintf(out, "<rect class='box%s' x='%u' y='%u' width='%u' height='%u' rx='3'/>\n",
          gc_kinds[record->elements[i].kind].is_memory ? " memory" : "", at[0], at[1], at[2],
          bottom - at[1]);
  if (wide)
    fprintf(out, "<text x='%u' y='%u'>", at[0] + PAD, at[1] + PAD + 11);
  for (unsigned l = 0; l < label.count; l++) {
    if (!wide)
      fprintf(out, "<text x='%u' y='%u'>", at[0] + PAD, at[1] + PAD + 11 + LINE * l);
    gc_html(out,
            wide && l ? "<tspan> · $</tspan>"
            : l       ? "$"
                      : "<tspan class='name'>$</tspan>",
            label.lines[l]);
    if (!wide)
      fputs("</text>\n", out);
  }
  if (wide)
    fputs("</text>\n", out);
  if (wide)
    inside(out, record, i, at, top);
  return bottom - at[1];
}

void gc_report_hierarchy(FILE *out, const struct gc_report *report)
{
  const struct gc_record *record = report->record;
  unsigned height = 1;

  for (size_t i = 0; i < record->count; i++)
    if (gc_record_parent(record, i) < 0)
      height += box(NULL, record, i, (unsigned[3]){1, height, WIDTH - 2}) + PAD;
  if (!record->count)
    return;
  fputs("<section id='hierarchy'>\n<h2>Memory hierarchy</h2>\n"
        "<div class='wide tree' tabindex='0' role='region' aria-label='Memory hierarchy'>\n",
        out);
  fprintf(out, "<svg viewBox='0 0 %u %u' role='img' aria-labelledby='tree-title tree-desc'>\n",
          WIDTH, height - PAD + 1);
  fputs("<title id='tree-title'>Memory hierarchy of the GPU</title>\n"
        "<desc id='tree-desc'>Nested boxes: an element is inside the one that its misses go to. "
        "The tables below have the same values.</desc>\n",
        out);
  height = 1;
  for (size_t i = 0; i < record->count; i++)
    if (gc_record_parent(record, i) < 0)
      height += box(out, record, i, (unsigned[3]){1, height, WIDTH - 2}) + PAD;
  fputs(
      "</svg></div>\n<p class='side'>An element is inside the one that its misses go to. Memories "
      "are tinted, caches are not. Each box has the capacity of one instance (of a TLB, its "
      "reach), "
      "its latency, and the number of instances.</p>\n</section>\n",
      out);
}
