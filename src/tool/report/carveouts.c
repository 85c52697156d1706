/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The capacity that each carve-out for shared memory leaves, as bars with their numbers; and the
 * partitions of an L2.
 */
#include "tool/print/html.h"
#include "tool/report/page.h"

#include "record/lists.h"
#include "tool/print/format.h"

#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ENTRIES 102 /* 0 to 100 %, and default */

static size_t read_entries(const char *list, struct gc_carveout_entry entries[ENTRIES])
{
  size_t n = 0;

  while (n < ENTRIES && gc_carveout_next(&list, &entries[n]))
    n++;
  return n;
}

#define ROW 26
#define LEFT 84
#define LENGTH 360

static void draw_bars(FILE *out, const char *subtype, const struct gc_carveout_entry *entries,
                      size_t n)
{
  uint64_t most = 1;

  for (size_t i = 0; i < n; i++)
    most = entries[i].bytes > most ? entries[i].bytes : most;
  fprintf(out, "<svg viewBox='0 0 560 %zu' role='img' aria-labelledby='", ROW * n + 4);
  gc_html(out,
          "bars-$ bars-$-desc'>\n<title id='bars-$'>Capacity of $ by carve-out</title>\n"
          "<desc id='bars-$-desc'>A bar for each carve-out, with its number of bytes.</desc>\n",
          subtype, subtype, subtype, subtype, subtype);
  for (size_t i = 0; i < n; i++) {
    const double length = LENGTH * (double)entries[i].bytes / (double)most;
    char size[32], asked[GC_CARVEOUT_ASKED];

    gc_format_bytes(entries[i].bytes, size, sizeof size);
    gc_carveout_asked(&entries[i], asked);
    fprintf(out, "<text x='%d' y='%zu' text-anchor='end'>", LEFT - 10, ROW * i + 18);
    gc_html(out, "$</text>", asked);
    fprintf(out, "<rect class='bar' x='%d' y='%zu' width='%.1f' height='%d'/>", LEFT, ROW * i + 4,
            length, ROW - 7);
    fprintf(out, "<text x='%.1f' y='%zu'>", LEFT + length + 8, ROW * i + 18);
    gc_html(out, "$</text>\n", size);
  }
  fputs("</svg>\n", out);
}

/* The first entries of larger blocks, up to where the table is the same as that of one warp. */
static void write_larger_blocks(FILE *out, const struct gc_element *element, const char *one)
{
  const char *table = gc_infos_get(&element->infos, HWLOC_GPUCACHE_CARVEOUT_TABLE_32_WARPS);
  struct gc_carveout_entry entries[ENTRIES];
  const size_t n = read_entries(table, entries);
  char size[32], asked[GC_CARVEOUT_ASKED];

  if (!n || !strcmp(table, one))
    return;
  fputs("<p>Blocks of 32 warps leave:", out);
  for (size_t i = 0; i < n; i++) {
    gc_format_bytes(entries[i].bytes, size, sizeof size);
    gc_carveout_asked(&entries[i], asked);
    gc_html(out, "$ $: $", i ? "," : "", asked, size);
  }
  fputs(".</p>\n", out);
}

void gc_report_carveouts(FILE *out, const struct gc_report *report)
{
  for (size_t i = 0; i < report->record->count; i++) {
    const struct gc_element *element = &report->record->elements[i];
    const char *table = gc_infos_get(&element->infos, HWLOC_GPUCACHE_CARVEOUT_TABLE);
    const char *blocks = gc_infos_get(&element->infos, HWLOC_GPUCACHE_CARVEOUT_BLOCKS);
    const char *sure = gc_infos_get(&element->infos,
                                    HWLOC_GPUCACHE_CARVEOUT_TABLE HWLOC_GPUCACHE_CONFIDENCE_SUFFIX);
    const char *subtype = gc_kinds[element->kind].subtype;
    struct gc_carveout_entry entries[ENTRIES];
    const size_t n = read_entries(table, entries);

    if (!n)
      continue;
    gc_html(
        out,
        "<section id='carveouts'>\n<h2>Carve-outs</h2>\n<p>$ and shared memory are one storage. "
        "A kernel asks for a share of the largest shared memory; the bars show the $ that each "
        "share leaves. A share between two rows leaves what the row above leaves. "
        "“default” is a kernel that asks for nothing.",
        subtype, subtype);
    if (sure)
      gc_html(out, " Confidence: $.", sure);
    if (blocks)
      gc_html(out, " The bars are valid if $ blocks of the kernel can reside on an SM.", blocks);
    gc_html(out, "</p>\n<div class='wide bars' tabindex='0' role='region' "
                 "aria-label='Capacity by carve-out'>\n");
    draw_bars(out, subtype, entries, n);
    fputs("</div>\n", out);
    write_larger_blocks(out, element, table);
    fputs("</section>\n", out);
  }
}

/* "66,66": a row for each partition. */
static void write_partitions(FILE *out, const struct gc_element *element, const char *sms)
{
  const char *near = gc_infos_get(&element->infos, HWLOC_GPUCACHE_NEAR_LATENCY_CYCLES);
  const char *far = gc_infos_get(&element->infos, HWLOC_GPUCACHE_FAR_LATENCY_CYCLES);
  unsigned number = 0;

  fputs("<div class='wide' tabindex='0' role='region' aria-label='L2 partitions'><table>\n"
        "<thead><tr><th scope='col'>Partition</th>"
        "<th scope='col' class='n'>SMs near to it</th>"
        "<th scope='col' class='n'>Latency for these</th>"
        "<th scope='col' class='n'>Latency for the others</th></tr></thead>\n<tbody>\n",
        out);
  for (size_t length; *sms; sms += length + (sms[length] == ',')) {
    char count[24], which[16];

    length = strcspn(sms, ",");
    snprintf(count, sizeof count, "%.*s", (int)(length < 20 ? length : 20), sms);
    snprintf(which, sizeof which, "%u", ++number);
    gc_html(out,
            "<tr><th scope='row'>$</th><td class='n'>$</td><td class='n'>$$</td>"
            "<td class='n'>$$</td></tr>\n",
            which, count, near ? near : "–", near ? " cycles" : "", far ? far : "–",
            far ? " cycles" : "");
  }
  fputs("</tbody></table></div>\n", out);
}

void gc_report_partitions(FILE *out, const struct gc_report *report)
{
  for (size_t i = 0; i < report->record->count; i++) {
    const struct gc_element *element = &report->record->elements[i];
    const char *count = gc_infos_get(&element->infos, HWLOC_GPUCACHE_PARTITIONS);
    const char *sms = gc_infos_get(&element->infos, HWLOC_GPUCACHE_PARTITION_SMS);
    const char *sure =
        gc_infos_get(&element->infos, HWLOC_GPUCACHE_PARTITIONS HWLOC_GPUCACHE_CONFIDENCE_SUFFIX);

    if (!count)
      continue;
    fputs("<section id='partitions'>\n<h2>L2 partitions</h2>\n", out);
    if (!strcmp(count, "1"))
      fputs("<p>This L2 has one partition: it is equally near to all SMs.", out);
    else
      gc_html(out,
              "<p>This L2 has $ partitions. Each partition keeps a copy of the lines that its SMs "
              "read, so one SM can use no more than one partition.",
              count);
    if (sure)
      gc_html(out, " Confidence: $.", sure);
    fputs("</p>\n", out);
    if (strcmp(count, "1") && sms)
      write_partitions(out, element, sms);
    fputs("</section>\n", out);
  }
}
