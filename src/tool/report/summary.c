/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The two tables of show, and the facts of the whole GPU.
 */
#include "tool/print/html.h"
#include "tool/report/methods.h"
#include "tool/report/page.h"

#include "tool/describe/table.h"

#include <stdlib.h>
#include <string.h>

/* Row 0 has the headings, column 0 the names, indented by two blanks for each level. */
static void write_table(FILE *out, const struct gc_table *table, const char *class,
                        const char *caption)
{
  gc_html(out,
          "<p class='side' id='$'>$</p>\n<div class='wide' tabindex='0' role='region' "
          "aria-labelledby='$'><table class='$' aria-describedby='$'>\n",
          class, caption, class, class, class);
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

int gc_report_summary(FILE *out, const struct gc_report *report)
{
  struct gc_table holds, fast;
  int status = gc_show_make(report->record, 0, &holds, &fast);

  if (status)
    return status;
  fputs("<section id='tables'>\n<h2>Tables</h2>\n", out);
  write_table(out, &holds, "holds",
              "What the elements hold. Capacity: what one instance can keep. Fetch: what one miss "
              "brings in. Confidence: the lowest of this element’s values.");
  if (fast.rows > 1)
    write_table(
        out, &fast, "fast",
        "How fast they are. Cycles and ns: latency of a dependent load. Miss: what a miss "
        "adds. Read, write: of the whole GPU in GB/s, or of one SM or CU in bytes per cycle.");
  fputs("</section>\n", out);
  free(holds.cells);
  free(fast.cells);
  return 0;
}
