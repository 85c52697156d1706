/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "tool/predict/predicted_page.h"

#include "predict/demangle.h"
#include "tool/page/parts.h"
#include "tool/plot/picture.h"
#include "tool/predict/cells.h"
#include "tool/predict/hit_curve.h"
#include "tool/predict/sentences.h"
#include "tool/predict/summary.h"
#include "tool/print/html.h"
#include "util/clock.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Names of kernels with a section, for each GPU: a browser has to draw them all. */
#define MOST_SECTIONS 200

struct page {
  FILE *out;
  struct gc_error *err;
  size_t gpu;               /* the number of the current GPU on the command line, from 1 */
  unsigned figures, tables; /* so many are there */
};

static void table_of(struct page *page, struct gc_table *table, const char *caption)
{
  char id[32];

  snprintf(id, sizeof id, "table-%u", ++page->tables);
  gc_page_table(page->out, table, id, "fast", caption);
  free(table->cells);
}

static int no_memory(const struct page *page)
{
  return gc_fail(page->err, -ENOMEM, "out of memory");
}

static void write_header(struct page *page, const char *command,
                         const struct gc_predicted *predicted, size_t count)
{
  char date[GC_DATE], name[32];

  gc_date_write(time(NULL), date);
  fputs("<header>\n<h1>Predicted cache hit rates</h1>\n<p>The cache model of "
        "hwloc-gpucache predicts them from memory traces. Nothing here was counted on a "
        "GPU.</p>\n<dl>\n",
        page->out);
  for (size_t i = 0; i < count; i++) {
    snprintf(name, sizeof name, count > 1 ? "GPU %zu" : "GPU", i + 1);
    gc_html(page->out, "<dt>$</dt><dd>$, $$$</dd>\n", name,
            predicted[i].source->record->identity.model, predicted[i].source->name,
            predicted[i].failed ? ": " : "", predicted[i].failed ? predicted[i].why.text : "");
  }
  gc_page_item(page->out, "Page written", date);
  gc_page_item(page->out, "By", "hwloc-gpucache " PACKAGE_VERSION);
  gc_page_item(page->out, "Command", command);
  fputs("</dl>\n</header>\n", page->out);
}

/* Kernels that cannot be read: the same for all GPUs. */
static void write_left_out(struct page *page, const struct gc_selection *selection)
{
  char number[24];

  for (size_t i = 0; i < selection->unreadable_count && i < GC_REASONS_MOST; i++) {
    snprintf(number, sizeof number, "%" PRIu64, selection->unreadable[i].number);
    if (selection->unreadable[i].number)
      gc_html(page->out, "<p class='note'>Kernel $ is left out: $.</p>\n", number,
              selection->unreadable[i].why.text);
    else
      gc_html(page->out, "<p class='note'>$.</p>\n", selection->unreadable[i].why.text);
  }
  if (selection->unreadable_count > GC_REASONS_MOST)
    fputs("<p class='note'>More kernels are left out.</p>\n", page->out);
}

/* The same for all GPUs, too. */
static void write_ignored(struct page *page, const struct gc_trace_ignored *ignored)
{
  char text[GC_SENTENCE];

  for (int i = 0; i < GC_IGNORED_SENTENCES; i++) {
    gc_ignored_sentence(ignored, i, text);
    if (*text)
      gc_html(page->out, "<p class='note'>$.</p>\n", text);
  }
}

static int write_side_by_side(struct page *page, const struct gc_predicted *predicted, size_t count)
{
  struct gc_table table;
  size_t next = 0;
  int more;

  fputs("<section>\n<h2>All GPUs</h2>\n", page->out);
  while ((more = gc_side_by_side_table(predicted, count, &next, &table, NULL)) > 0)
    table_of(page, &table, "Hit rates of L1 and L2, and bytes read from memory.");
  fputs("</section>\n", page->out);
  return more ? no_memory(page) : 0;
}

static void write_sentences(struct page *page, const struct gc_kernel_prediction *kernel)
{
  char text[GC_SENTENCE];

  fputs("<ul>\n", page->out);
  for (int i = 0; i < GC_SENTENCES; i++) {
    gc_predict_sentence(kernel, (enum gc_predict_sentences)i, text);
    if (*text)
      gc_html(page->out, "<li>$</li>\n", text);
  }
  fputs("</ul>\n", page->out);
}

static int write_figure(struct page *page, const struct gc_predicted *predicted, size_t kernel,
                        gc_curve_function *make)
{
  char *text = NULL;
  size_t length;
  struct gc_plot plot;
  int status = make(predicted->source, &predicted->sweep, kernel, &text, &length, page->err);

  if (!status)
    status = gc_plot_parse(text, length, &plot, page->err);
  free(text);
  if (status)
    return status;
  status = gc_picture_figure(page->out, &plot, ++page->figures, page->err);
  gc_plot_free(&plot);
  return status;
}

/* The curve, and the histogram of reuse distances. */
static int write_figures(struct page *page, const struct gc_predicted *predicted, size_t kernel)
{
  int status;

  fputs("<div class='curves'>\n", page->out);
  status = write_figure(page, predicted, kernel, gc_curve_text);
  if (!status)
    status = write_figure(page, predicted, kernel, gc_curve_distances);
  fputs("</div>\n", page->out);
  return status;
}

static int write_tables(struct page *page, const struct gc_kernel_prediction *kernel)
{
  struct gc_table table;
  size_t shown = 0;

  if (gc_caches_table(kernel, &table)) {
    free(table.cells);
    return no_memory(page);
  }
  table_of(page, &table, "Sectors of loads. Range: the least and the most of all runs.");
  if (!kernel->load_count)
    return 0;
  if (gc_loads_table(kernel, &table, &shown)) {
    free(table.cells);
    return no_memory(page);
  }
  table_of(page, &table,
           shown < kernel->load_count
               ? "The loads that miss most in L1, by their offset in the function."
               : "The loads, by their offset in the function.");
  return 0;
}

/* Of all launches with the name of this kernel, the one with the most misses in L1; *launches is
 * their number. prediction->count: an earlier kernel has this name. */
static size_t worst_launch(const struct gc_prediction *prediction, size_t kernel, size_t *launches)
{
  const struct gc_kernel_prediction *kernels = prediction->kernels;
  size_t worst = kernel;

  *launches = 0;
  for (size_t i = 0; i < prediction->count; i++) {
    if (strcmp(kernels[i].launch.name, kernels[kernel].launch.name))
      continue;
    if (i < kernel)
      return prediction->count;
    ++*launches;
    if (kernels[i].counts.l1_loads.misses > kernels[worst].counts.l1_loads.misses ||
        (kernels[worst].cannot_run && !kernels[i].cannot_run))
      worst = i;
  }
  return worst;
}

/* Those of the curve. */
static int write_distances(struct page *page, const struct gc_kernel_prediction *kernel)
{
  struct gc_table table;

  if (gc_distances_table(&kernel->distances, kernel->gpu.l1_line_bytes, &table)) {
    free(table.cells);
    return no_memory(page);
  }
  table_of(page, &table,
           "Reuse distances: how many other lines the SM loads between two loads of a line. An LRU "
           "cache of so many bytes has all lines up to this distance, if loads take no time.");
  return 0;
}

#define KERNEL_ID 48

/* The id of the section of a kernel. */
static void write_id(size_t gpu, const struct gc_kernel_prediction *kernel, char id[KERNEL_ID])
{
  snprintf(id, KERNEL_ID, "kernel-%zu-%" PRIu64, gpu, kernel->launch.number);
}

static int write_kernel(struct page *page, const struct gc_predicted *predicted, size_t index,
                        size_t launches)
{
  const struct gc_kernel_prediction *kernel = &predicted->prediction->kernels[index];
  char name[GC_NAME], number[24], id[KERNEL_ID];
  int status;

  gc_demangle(kernel->launch.name, name, sizeof name);
  snprintf(number, sizeof number, "%" PRIu64, kernel->launch.number);
  write_id(page->gpu, kernel, id);
  gc_html(
      page->out, "<h3 id='$'>$</h3>\n<p>Kernel $$</p>\n", id, *name ? name : "(no name)", number,
      launches > 1 ? ": of the launches with this name, the one with the most misses in L1." : ".");
  write_sentences(page, kernel);
  if (kernel->cannot_run)
    return 0;
  status = write_tables(page, kernel);
  if (status || !kernel->counts.l1_loads.accesses)
    return status;
  status = write_figures(page, predicted, index);
  return status ? status
                : write_distances(page, &predicted->sweep.points[0].prediction->kernels[index]);
}

/* The kernel of the next section; *next begins with 0, and *launches is the number of launches with
 * its name. prediction->count: there are no more. */
static size_t next_section(const struct gc_prediction *prediction, size_t *next, size_t *launches)
{
  while (*next < prediction->count) {
    const size_t worst = worst_launch(prediction, (*next)++, launches);

    if (worst < prediction->count)
      return worst;
  }
  return prediction->count;
}

static int write_kernels(struct page *page, const struct gc_predicted *predicted)
{
  const struct gc_prediction *prediction = predicted->prediction;
  size_t next = 0, launches, kernel;
  int status = 0;

  for (size_t i = 0; !status; i++) {
    kernel = next_section(prediction, &next, &launches);
    if (kernel == prediction->count)
      break;
    if (i == MOST_SECTIONS) {
      fputs("<p class='note'>Further kernels have no section.</p>\n", page->out);
      break;
    }
    status = write_kernel(page, predicted, kernel, launches);
  }
  return status;
}

bool *gc_predicted_page_shows(const struct gc_prediction *prediction)
{
  bool *shown = calloc(prediction->count, sizeof *shown);
  size_t next = 0, launches, kernel;

  for (size_t i = 0; i < MOST_SECTIONS && shown; i++) {
    kernel = next_section(prediction, &next, &launches);
    if (kernel == prediction->count)
      break;
    shown[kernel] = true;
  }
  return shown;
}

static void write_contents_of(struct page *page, const struct gc_predicted *predicted, size_t gpu)
{
  const struct gc_prediction *prediction = predicted->prediction;
  size_t next = 0, launches, kernel;
  char id[KERNEL_ID], name[GC_NAME];

  snprintf(id, sizeof id, "gpu-%zu", gpu);
  gc_html(page->out, "<li><a href='#$'>$</a></li>\n", id,
          predicted->source->record->identity.model);
  for (size_t i = 0; i < MOST_SECTIONS; i++) {
    kernel = next_section(prediction, &next, &launches);
    if (kernel == prediction->count)
      break;
    gc_demangle(prediction->kernels[kernel].launch.name, name, sizeof name);
    write_id(gpu, &prediction->kernels[kernel], id);
    gc_html(page->out, "<li><a href='#$'>$</a></li>\n", id, *name ? name : "(no name)");
  }
}

static void write_contents(struct page *page, const struct gc_predicted *predicted, size_t count)
{
  fputs("<nav aria-label='Contents'><ul>\n", page->out);
  for (size_t i = 0; i < count; i++)
    if (!predicted[i].failed)
      write_contents_of(page, &predicted[i], i + 1);
  fputs("</ul></nav>\n", page->out);
}

static void write_assumptions(struct page *page, const struct gc_assumptions *assumptions)
{
  if (!assumptions->count)
    return;
  fputs("<h3>What the model assumes</h3>\n<p>The record lacks some of these values, or they cannot "
        "be used.</p>\n<dl>\n",
        page->out);
  for (size_t i = 0; i < assumptions->count; i++)
    gc_page_item(page->out, assumptions->array[i].what, assumptions->array[i].assumed);
  fputs("</dl>\n", page->out);
}

/* number: of the GPU on the command line, from 1. */
static int write_gpu(struct page *page, const struct gc_predicted *predicted, size_t number)
{
  struct gc_table table;
  char which[32] = "", id[KERNEL_ID], text[GC_SENTENCE];
  int status;

  if (predicted->several)
    snprintf(which, sizeof which, "GPU %zu: ", number);
  page->gpu = number;
  snprintf(id, sizeof id, "gpu-%zu", number);
  gc_html(page->out, "<section>\n<h2 id='$'>$$</h2>\n<p class='side'>$</p>\n", id, which,
          predicted->source->record->identity.model, predicted->source->name);
  if (gc_summary_table(predicted->prediction, &table, NULL)) {
    free(table.cells);
    return no_memory(page);
  }
  table_of(page, &table,
           "All kernels. Sectors: of loads in L1. Mostly: the reason of most misses in L1. Helps "
           "most: what would add most points to the hit rate of L1, by the model.");
  gc_recorded_sentence(predicted->prediction, text);
  if (*text)
    gc_html(page->out, "<p class='note'>$.</p>\n", text);
  status = write_kernels(page, predicted);
  write_assumptions(page, &predicted->prediction->assumptions);
  fputs("</section>\n", page->out);
  return status;
}

int gc_predicted_page(FILE *out, const char *command, const struct gc_predicted *predicted,
                      size_t count, struct gc_error *err)
{
  struct page page = {.out = out, .err = err};
  size_t good = 0;
  int status = 0;

  while (predicted[good].failed)
    good++;
  gc_page_head(out, "Predicted cache hit rates");
  write_header(&page, command, predicted, count);
  write_contents(&page, predicted, count);
  fputs("<main>\n", out);
  write_left_out(&page, &predicted[good].prediction->selection);
  write_ignored(&page, &predicted[good].prediction->ignored);
  if (count > 1)
    status = write_side_by_side(&page, predicted, count);
  for (size_t i = good; i < count && !status; i++)
    if (!predicted[i].failed)
      status = write_gpu(&page, &predicted[i], i + 1);
  fputs("</main>\n</body>\n</html>\n", out);
  return status;
}
