/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The two tables of show, and the facts of the whole GPU.
 */
#include "tool/print/html.h"
#include "tool/report/methods.h"
#include "tool/page/parts.h"
#include "tool/report/page.h"

#include "tool/describe/table.h"

#include <stdlib.h>

int gc_report_summary(FILE *out, const struct gc_report *report)
{
  struct gc_table holds, fast;
  int status = gc_show_make(report->record, 0, &holds, &fast);

  if (status)
    return status;
  fputs("<section id='tables'>\n<h2>Tables</h2>\n", out);
  gc_page_table(
      out, &holds, "holds", "holds",
      "What the elements hold. Capacity: what one instance can keep (of a TLB, its reach). Fetch: "
      "what one miss brings in. Confidence: the lowest of this element’s values.");
  if (fast.rows > 1)
    gc_page_table(
        out, &fast, "fast", "fast",
        "How fast they are. Cycles and ns: latency of a dependent load. Miss: what a miss "
        "adds. Read, write: of the whole GPU in GB/s, or of one SM or CU in bytes per cycle.");
  fputs("</section>\n", out);
  free(holds.cells);
  free(fast.cells);
  return 0;
}
