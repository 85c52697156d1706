/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Fuzz target: a file of measure --raw, as plot and report read it. Whatever the text is, it is
 * refused with a sentence, or becomes a script for gnuplot and a figure of a page. Both contain
 * text of the file only as strings.
 */
#include "fuzz.h"

#include "tool/plot_script.h"
#include "tool/report/picture.h"

#include <string.h>

/* Each line of the script is a number, an array, a row of numbers, or a quoted string. */
static void check_line(const char *line)
{
  const char *quote = strchr(line, '\'');

  PROMISE(is_one_line(line));
  if (quote) {
    PROMISE(strspn(line, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_[]0123456789 =") ==
            (size_t)(quote - line));
    quote = strchr(quote + 1, '\'');
    PROMISE(quote && !quote[1] && !strchr(line, '\\'));
  } else {
    PROMISE(!strpbrk(line, "\"`\\;|"));
  }
}

static void check_script(char *text, const char *template)
{
  const char *data = strstr(text, "$data << EOD\n");
  char *rest = text, *line;

  PROMISE(data);
  if (!strcmp(template, "curve.gp"))
    PROMISE(strncmp(data + strlen("$data << EOD\n"), "EOD\n", 4));
  while ((line = strsep(&rest, "\n")))
    check_line(line);
}

static void draw(const struct gc_plot *plot)
{
  struct gc_error err = {""};
  char *text = NULL;
  size_t size = 0;
  FILE *script = open_memstream(&text, &size);
  const char *template;

  PROMISE(script);
  template = gc_plot_script(plot, script, &err);
  PROMISE(!fclose(script));
  PROMISE(template || (err.text[0] && is_one_line(err.text)));
  if (template)
    check_script(text, template);
  free(text);
}

static void draw_figure(const struct gc_plot *plot)
{
  struct gc_error err = {""};
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);

  PROMISE(out);
  if (gc_report_picture(out, plot, 1, &err))
    PROMISE(err.text[0] && is_one_line(err.text));
  PROMISE(!fclose(out));
  for (size_t i = 0; i < size; i++)
    PROMISE((unsigned char)text[i] >= ' ' || text[i] == '\n');
  PROMISE(!strcasestr(text, "<script"));
  free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  FILE *file = size ? fmemopen((void *)data, size, "r") : NULL;
  struct gc_error err = {""};
  struct gc_plot plot;

  if (!file)
    return 0;
  if (!gc_plot_parse(file, &plot, &err)) {
    draw(&plot);
    draw_figure(&plot);
    gc_plot_free(&plot);
  }
  fclose(file);
  return 0;
}
