/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Parts of all pages.
 */
#include "config.h"

#include "tool/page/parts.h"

#include "tool/plot/chart.h"
#include "tool/print/html.h"

#include <string.h>

/* The policy forbids scripts and all other files, also for a page that somebody has changed. */
void gc_page_head(FILE *out, const char *title)
{
  gc_html(out,
          "<!DOCTYPE html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'/>\n"
          "<meta http-equiv='Content-Security-Policy' "
          "content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n"
          "<meta name='viewport' content='width=device-width, initial-scale=1'/>\n"
          "<meta name='generator' content='hwloc-gpucache $'/>\n"
          "<title>$</title>\n<style>\n",
          PACKAGE_VERSION, title);
  fprintf(out, "%s%s</style>\n</head>\n<body>\n", gc_chart_style, gc_page_style);
}

void gc_page_item(FILE *out, const char *name, const char *value)
{
  if (value && *value)
    gc_html(out, "<dt>$</dt><dd>$</dd>\n", name, value);
}

/* Row 0 has the headings, column 0 the names, indented by two blanks for each level. */
void gc_page_table(FILE *out, const struct gc_table *table, const char *id, const char *class,
                   const char *caption)
{
  gc_html(out,
          "<p class='side' id='$'>$</p>\n<div class='wide' tabindex='0' role='region' "
          "aria-labelledby='$'><table class='$' aria-describedby='$'>\n",
          id, caption, id, class, id);
  for (size_t row = 0; row < table->rows; row++) {
    fputs(row == 0 ? "<thead><tr>" : row == 1 ? "<tbody>\n<tr>" : "<tr>", out);
    for (size_t i = 0; i < table->columns; i++) {
      const char *cell = table->cells[row][i];
      const char *align = table->right >> i & 1 ? " class='n'" : "";
      const size_t indent = i ? 0 : strspn(cell, " ");

      if (!row)
        fprintf(out, "<th scope='col'%s>", align);
      else if (!i)
        fprintf(out, "<th scope='row' style='padding-left: %.1fem'>", 0.6 + 0.5 * (double)indent);
      else
        fprintf(out, "<td%s>", align);
      gc_html_text(out, *cell ? cell + indent : "–");
      fputs(row && i ? "</td>" : "</th>", out);
    }
    fputs(row ? "</tr>\n" : "</tr></thead>\n", out);
  }
  fputs(table->rows > 1 ? "</tbody></table></div>\n" : "</table></div>\n", out);
}
