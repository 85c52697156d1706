/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * hwloc-gpucache plot: a picture for each file of measure --raw, beside it.
 */
#include "tool/commands.h"

#include "tool/plot/picture.h"
#include "tool/plot/raw_data.h"
#include "tool/print/messages.h"
#include "util/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The last line of a picture: the next run may replace only files with this line. */
static const char mark[] = "<!-- drawn by hwloc-gpucache plot -->\n";

/* Draws one file as name.svg in memory and puts it beside its data. -ENOMSG: it is not to be
 * drawn. */
static int draw_file(int dir, const char *data, const char *name, struct gc_error *err)
{
  struct gc_plot plot;
  char *svg = NULL;
  size_t size;
  FILE *out;
  int status = gc_plot_read(dir, data, &plot, err);

  if (status)
    return status;
  status = gc_file_is_own(dir, name, mark, true, err);
  if (!status && !(out = open_memstream(&svg, &size)))
    status = gc_fail(err, -ENOMEM, "out of memory");
  if (!status) {
    status = gc_picture_file(out, &plot, err);
    fputs(mark, out);
    if (!gc_file_close(out) && !status)
      status = gc_fail(err, -ENOMEM, "out of memory");
  }
  gc_plot_free(&plot);
  if (!status)
    status = gc_file_put(dir, name, svg, size, err);
  free(svg);
  return status;
}

static int draw_all(const char *path, int dir, struct dirent **names, size_t count)
{
  int status = GC_EXIT_DONE;
  bool any = false;

  for (size_t i = 0; i < count; i++) {
    char *data = names[i]->d_name, name[300];
    struct gc_error err = {""};
    int failed;

    snprintf(name, sizeof name, "%.*s.svg", (int)(strlen(data) - strlen(GC_PLOT_SUFFIX)), data);
    failed = draw_file(dir, data, name, &err);
    any |= failed != -ENOMSG;
    if (failed && failed != -ENOMSG) {
      gc_say(NULL, "%s/%s: %s", path, data, err.text);
      status = GC_EXIT_FAILED;
    } else if (!failed) {
      gc_make_printable(name); /* it is that of a file, which may be another user's */
      printf("%s/%s\n", path, name);
    }
  }
  if (any)
    return status;
  gc_say(NULL, "%s has no file of measure --raw that can be drawn", path);
  return GC_EXIT_FAILED;
}

int gc_tool_plot(const struct gc_tool *tool)
{
  const char *path = tool->words[0];
  struct gc_error err = {""};
  struct dirent **names = NULL;
  const int dir = gc_file_dir(path, NULL, &err);
  int count, status = GC_EXIT_FAILED;

  if (dir < 0) {
    gc_say(NULL, "%s", err.text);
    return GC_EXIT_FAILED;
  }
  count = scandirat(dir, ".", &names, gc_plot_is_data, alphasort);
  if (count > 0)
    status = draw_all(path, dir, names, (size_t)count);
  else
    gc_say(NULL, "%s has no " GC_PLOT_SUFFIX " file; measure --raw DIR writes them", path);
  for (int i = 0; i < count; i++)
    free(names[i]);
  free(names);
  close(dir);
  return status;
}
