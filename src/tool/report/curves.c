/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/report/page.h"

#include "tool/plot/picture.h"
#include "tool/plot/raw_data.h"
#include "tool/print/html.h"
#include "tool/print/messages.h"
#include "util/file.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A file of measure --raw that can be drawn. It is read again for that: all files together can be
 * larger than the memory. */
struct curve {
  char *name, *element, *date;
};

struct curves {
  const struct gc_report *report;
  int dir;
  struct curve *array;
  size_t count;
  struct gc_infos lost; /* files that could not be used, each with the reason */
  char
      id[sizeof(((struct gc_identity *)0)->id)]; /* of the GPU whose files are used; "": none yet */
};

static void forget(struct curves *curves)
{
  for (size_t i = 0; i < curves->count; i++) {
    free(curves->array[i].name);
    free(curves->array[i].element);
    free(curves->array[i].date);
  }
  curves->count = 0;
}

/* A file that cannot be used costs only itself. */
static void leave_out(struct curves *curves, const char *name, const struct gc_error *why)
{
  gc_say(NULL, "%s/%s: %s", curves->report->raw, name, why->text);
  gc_infos_set(&curves->lost, name, why->text); /* without memory, the message must do */
}

/* Takes the file if it belongs to a GPU that can be used. A file of the record's own GPU comes
 * before those of another one of that model. */
static int consider(struct curves *curves, const char *name, const struct gc_plot *plot)
{
  const struct gc_identity *gpu = &curves->report->record->identity;
  const char *id = gc_plot_text(plot, "id"), *model = gc_plot_text(plot, "model");
  const bool own = *id && !strcmp(id, gpu->id);
  struct curve *more, *curve;

  if (own && strcmp(curves->id, id)) {
    forget(curves);
    *curves->id = '\0';
  }
  if (!*curves->id && *id && *model && (own || !strcmp(model, gpu->model)))
    snprintf(curves->id, sizeof curves->id, "%s", id);
  if (!*curves->id || strcmp(curves->id, id))
    return 0;
  more = reallocarray(curves->array, curves->count + 1, sizeof *more);
  if (!more)
    return -ENOMEM;
  curves->array = more;
  curve = &more[curves->count++];
  *curve = (struct curve){strdup(name), strdup(gc_plot_text(plot, "element")),
                          strdup(gc_plot_text(plot, "date"))};
  return curve->name && curve->element && curve->date ? 0 : -ENOMEM;
}

static int read_all(struct curves *curves, struct gc_error *err)
{
  const char *path = curves->report->raw;
  struct dirent **names = NULL;
  const int count = scandirat(curves->dir, ".", &names, gc_plot_is_data, versionsort);
  int status = count < 0 ? gc_fail(err, -errno, "%s: %s", path, strerror(errno)) : 0;

  for (int i = 0; i < count; i++) {
    struct gc_error why = {""};
    struct gc_plot plot;
    const int bad = status ? -ENOMSG : gc_plot_read(curves->dir, names[i]->d_name, &plot, &why);

    if (!bad) {
      if (consider(curves, names[i]->d_name, &plot))
        status = gc_fail(err, -ENOMEM, "out of memory");
      gc_plot_free(&plot);
    } else if (bad != -ENOMSG) { /* another file, or a list: no curve */
      leave_out(curves, names[i]->d_name, &why);
    }
    free(names[i]);
  }
  free(names);
  return status;
}

static void write_heading(FILE *out, const struct curves *curves)
{
  const char *measured = gc_infos_get(&curves->report->record->infos, "Measured");
  const char *date = curves->array[0].date;

  gc_html(
      out,
      "<section id='curves'>\n<h2>Curves</h2>\n"
      "<p>The data behind the values, as measure --raw wrote them on $. A dashed line marks the "
      "value that was found. The cost of the timing is subtracted from all latencies.</p>\n",
      date);
  if (strcmp(curves->id, curves->report->record->identity.id))
    gc_html(out,
            "<p class='note'>Note: these are curves of another GPU of this model, $. Their marked "
            "values can differ from the values above.</p>\n",
            curves->id);
  else if (strcmp(date, measured ? measured : ""))
    fputs(
        "<p class='note'>Note: these curves are of another measurement of this GPU than the values "
        "above, so the marked values can differ a little.</p>\n",
        out);
}

/* Draws a file. Whether it could. */
static bool draw(FILE *out, struct curves *curves, const char *name, unsigned number)
{
  struct gc_error why = {""};
  struct gc_plot plot;
  int status = gc_plot_read(curves->dir, name, &plot, &why);

  if (!status) {
    status = gc_picture_figure(out, &plot, number, &why);
    if (!status)
      gc_report_sms(out, curves->report->record, &plot);
    gc_plot_free(&plot);
  }
  if (status)
    leave_out(curves, name, &why);
  return !status;
}

/* The pictures of one element, unless an earlier file began with it. Returns how many. */
static unsigned write_element(FILE *out, struct curves *curves, size_t first, unsigned number)
{
  const char *element = curves->array[first].element;
  unsigned drawn = 0;

  for (size_t i = 0; i < first; i++)
    if (!strcmp(curves->array[i].element, element))
      return 0;
  gc_html(out, "<h3>$</h3>\n<div class='curves'>\n", element);
  for (size_t i = first; i < curves->count; i++)
    if (!strcmp(curves->array[i].element, element))
      drawn += draw(out, curves, curves->array[i].name, number + drawn + 1);
  fputs("</div>\n", out);
  return drawn;
}

static int write_all(FILE *out, struct curves *curves, struct gc_error *err)
{
  unsigned drawn = 0;
  int status = read_all(curves, err);

  if (status)
    return status;
  if (curves->count)
    write_heading(out, curves);
  for (size_t i = 0; i < curves->count; i++)
    drawn += write_element(out, curves, i, drawn);
  if (!drawn)
    return gc_fail(err, -ENODATA,
                   "%s has no curve of %s or of another GPU of this model; "
                   "measure --raw DIR writes them",
                   curves->report->raw, curves->report->record->identity.id);
  for (size_t i = 0; i < curves->lost.count; i++)
    gc_html(out, "<p class='note'>Note: the file $ is not drawn: $.</p>\n",
            curves->lost.array[i].name, curves->lost.array[i].value);
  fputs("</section>\n", out);
  return curves->lost.count != 0;
}

int gc_report_curves(FILE *out, const struct gc_report *report, struct gc_error *err)
{
  struct curves curves = {.report = report};
  int status;

  if (!report->raw) {
    fputs(
        "<section id='curves'>\n<h2>Curves</h2>\n"
        "<p>This page has no curves. <code>hwloc-gpucache measure --raw DIR</code> writes the data "
        "behind the values into DIR, and <code>hwloc-gpucache report FILE.html --raw DIR</code> "
        "then draws them here.</p>\n</section>\n",
        out);
    return 0;
  }
  curves.dir = gc_file_open_dir(report->raw, err);
  if (curves.dir < 0)
    return curves.dir;
  status = write_all(out, &curves, err);
  forget(&curves);
  gc_infos_clear(&curves.lost);
  free(curves.array);
  close(curves.dir);
  return status;
}
