/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Fuzz target: a file of measure --raw, as plot and report read it. Whatever the text is, it is
 * refused with a sentence, or becomes a picture in a file and the same in a page. Both contain text
 * of the file only as text, and all points are in the picture.
 */
#include "fuzz.h"

#include "tool/plot/picture.h"

#include <stdlib.h>
#include <string.h>

/* A path begins with "M" and has only numbers that are not negative. */
static void check_paths(const char *svg)
{
  for (const char *d = svg; (d = strstr(d, " d='"));) {
    d += strlen(" d='");
    PROMISE(*d == 'M' || *d == '\'');
    PROMISE(d[strspn(d, "MLHVZzh0123456789. ")] == '\'');
    for (; *d != '\''; d++)
      if (strchr("MLHV ", *d))
        PROMISE(strtod(d + 1, NULL) < 5000);
  }
}

/* No control characters, and no markup but that of the pictures. */
static void check_text(const char *text)
{
  static const char *const tags[] = {"<?xml ",  "<svg ",    "<title",   "<desc",
                                     "<style>", "<rect ",   "<text ",   "<path ",
                                     "<g ",     "<figure>", "<strong>", "<figcaption>"};

  for (const char *at = text; *at; at++) {
    PROMISE((unsigned char)*at >= ' ' || *at == '\n');
    if (*at == '<' && at[1] != '/') {
      size_t i = 0;

      while (i < sizeof tags / sizeof *tags && strncmp(at, tags[i], strlen(tags[i])))
        i++;
      PROMISE(i < sizeof tags / sizeof *tags);
    }
  }
}

static char *draw(const struct gc_plot *plot, bool page)
{
  struct gc_error err = {""};
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  int status;

  PROMISE(out);
  status = page ? gc_picture_figure(out, plot, 1, &err) : gc_picture_file(out, plot, &err);
  PROMISE(!fclose(out));
  PROMISE(!status == (size > 0));
  PROMISE(!status || (err.text[0] && is_one_line(err.text)));
  check_text(text);
  check_paths(text);
  return text;
}

/* The drawing of the file is in the page, too. */
static void check_same(const char *file, const char *page)
{
  const char *start = strstr(file, "<g transform="), *end = strstr(file, "</g>\n</svg>");

  PROMISE(start && end && (start = strchr(start, '\n') + 1) <= end);
  PROMISE(memmem(page, strlen(page), start, (size_t)(end - start)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct gc_error err = {""};
  struct gc_plot plot;
  char *text = malloc(size + 1), *file, *page;

  PROMISE(text);
  if (size)
    memcpy(text, data, size);
  text[size] = '\0';
  if (!gc_plot_parse(text, size, &plot, &err)) {
    file = draw(&plot, false);
    page = draw(&plot, true);
    if (*file)
      check_same(file, page);
    free(file);
    free(page);
    gc_plot_free(&plot);
  }
  free(text);
  return 0;
}
