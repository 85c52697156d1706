/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/report/curves.h"

#include "tool/plot_read.h"
#include "tool/report/html.h"
#include "tool/report/picture.h"
#include "util/file.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A file of measure --raw that can be drawn. */
struct curve {
  char *name;
  struct gc_plot plot;
};

struct curves {
  const struct gc_report *report;
  struct curve *array;
  size_t count;
  char
      id[sizeof(((struct gc_identity *)0)->id)]; /* of the GPU whose files are used; "": none yet */
};

static const char *head(const struct gc_plot *plot, const char *name)
{
  const char *value = gc_infos_get(&plot->head, name);

  return value ? value : "";
}

/* Takes the file if it belongs to a GPU that can be used. A file of the record's own GPU comes
 * before those of another one of that model. */
static int consider(struct curves *curves, const char *name, struct gc_plot *plot)
{
  const struct gc_identity *gpu = &curves->report->record->identity;
  const char *id = head(plot, "id"), *model = head(plot, "model");
  const bool own = *id && !strcmp(id, gpu->id);
  struct curve *more;
  char *copy;

  if (own && strcmp(curves->id, id)) {
    for (size_t i = 0; i < curves->count; i++) {
      gc_plot_free(&curves->array[i].plot);
      free(curves->array[i].name);
    }
    curves->count = 0;
    *curves->id = '\0';
  }
  if (!*curves->id && *id && *model && (own || !strcmp(model, gpu->model)))
    snprintf(curves->id, sizeof curves->id, "%s", id);
  if (!*curves->id || strcmp(curves->id, id)) {
    gc_plot_free(plot);
    return 0;
  }
  more = reallocarray(curves->array, curves->count + 1, sizeof *more);
  copy = strdup(name);
  if (more)
    curves->array = more;
  if (!more || !copy) {
    free(copy);
    gc_plot_free(plot);
    return -ENOMEM;
  }
  curves->array[curves->count++] = (struct curve){copy, *plot};
  return 0;
}

static int read_all(struct curves *curves, struct gc_error *err)
{
  const char *path = curves->report->raw;
  const int dir = gc_file_open_dir(path, err);
  struct dirent **names = NULL;
  int status = 0, count;

  if (dir < 0)
    return gc_fail_in(err, dir, path);
  count = scandirat(dir, ".", &names, gc_plot_is_data, versionsort);
  if (count < 0)
    status = gc_fail(err, -errno, "%s: %s", path, strerror(errno));
  for (int i = 0; i < count; i++) {
    struct gc_error why = {""};
    struct gc_plot plot;
    int bad = status ? -ENOMSG : gc_plot_read(dir, names[i]->d_name, &plot, &why);

    if (!bad && consider(curves, names[i]->d_name, &plot))
      status = gc_fail(err, -ENOMEM, "out of memory");
    else if (bad && bad != -ENOMSG) /* another file, or a list: no curve */
      status = gc_fail(err, bad, "%.120s/%.120s: %.240s", path, names[i]->d_name, why.text);
    free(names[i]);
  }
  free(names);
  close(dir);
  if (!status && !curves->count)
    status = gc_fail(err, -ENODATA,
                     "%s has no curve of %s or of another GPU of this model; "
                     "measure --raw DIR writes them",
                     path, curves->report->record->identity.id);
  return status;
}

static void write_heading(FILE *out, const struct curves *curves)
{
  const struct gc_plot *plot = &curves->array[0].plot;

  gc_html(
      out,
      "<section id='curves'>\n<h2>Curves</h2>\n"
      "<p>The data behind the values, as measure --raw wrote them on $. A dashed line marks the "
      "value that was found. The cost of the timing is subtracted from all latencies.</p>\n",
      head(plot, "date"));
  if (strcmp(curves->id, curves->report->record->identity.id))
    gc_html(out,
            "<p class='note'>Note: these are curves of another GPU of this model, $. Their marked "
            "values can differ from the values above.</p>\n",
            curves->id);
  else if (strcmp(head(plot, "date"), gc_infos_get(&curves->report->record->infos, "Measured")
                                          ? gc_infos_get(&curves->report->record->infos, "Measured")
                                          : ""))
    fputs(
        "<p class='note'>Note: these curves are of another measurement of this GPU than the values "
        "above, so the marked values can differ a little.</p>\n",
        out);
}

/* The pictures of one element, unless an earlier file began with it. */
static int write_element(FILE *out, struct curves *curves, size_t first, unsigned *number,
                         struct gc_error *err)
{
  const char *element = head(&curves->array[first].plot, "element");
  int status = 0;

  for (size_t i = 0; i < first; i++)
    if (!strcmp(head(&curves->array[i].plot, "element"), element))
      return 0;
  gc_html(out, "<h3>$</h3>\n<div class='curves'>\n", element);
  for (size_t i = first; i < curves->count && !status; i++) {
    struct gc_error why = {""};

    if (strcmp(head(&curves->array[i].plot, "element"), element))
      continue;
    status = gc_report_picture(out, &curves->array[i].plot, ++*number, &why);
    if (status)
      gc_fail(err, status, "%.120s/%.120s: %.240s", curves->report->raw, curves->array[i].name,
              why.text);
  }
  fputs("</div>\n", out);
  return status;
}

int gc_report_curves(FILE *out, const struct gc_report *report, struct gc_error *err)
{
  struct curves curves = {.report = report};
  unsigned number = 0;
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
  status = read_all(&curves, err);
  if (!status)
    write_heading(out, &curves);
  for (size_t i = 0; i < curves.count && !status; i++)
    status = write_element(out, &curves, i, &number, err);
  fputs("</section>\n", out);
  for (size_t i = 0; i < curves.count; i++) {
    gc_plot_free(&curves.array[i].plot);
    free(curves.array[i].name);
  }
  free(curves.array);
  return status;
}
