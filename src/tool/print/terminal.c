/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/print/terminal.h"

#include "util/number.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* On a terminal that is narrower, lines wrap in the middle of words. */
#define NARROWEST 20

bool gc_terminal_can(const char *when)
{
  return !strcmp(when, "auto") || !strcmp(when, "always") || !strcmp(when, "never");
}

bool gc_terminal_colour(const char *when)
{
  const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

  if (when && strcmp(when, "auto"))
    return !strcmp(when, "always");
  return (!no || !*no) && term && *term && strcmp(term, "dumb") && isatty(STDOUT_FILENO);
}

size_t gc_terminal_real_width(int fd)
{
  struct winsize size;

  return isatty(fd) && !ioctl(fd, TIOCGWINSZ, &size) ? size.ws_col : 0;
}

size_t gc_terminal_width(void)
{
  uint64_t wanted;

  if (gc_number_whole(secure_getenv("COLUMNS"), &wanted) && wanted && wanted <= INT_MAX)
    return wanted;
  return gc_terminal_real_width(STDOUT_FILENO);
}

/* The longest line to print where there are so many columns; 0: not known. */
static size_t line_width(size_t columns)
{
  if (!columns || columns > GC_TEXT_WIDTH)
    return GC_TEXT_WIDTH;
  return columns < NARROWEST ? NARROWEST : columns;
}

size_t gc_terminal_text_width(void)
{
  return line_width(gc_terminal_width());
}

static bool starts_character(char byte)
{
  return ((unsigned char)byte & 0xc0) != 0x80;
}

size_t gc_terminal_columns(const char *text)
{
  size_t columns = 0;

  for (; *text; text++)
    columns += starts_character(*text);
  return columns;
}

size_t gc_terminal_fit(const char *text, size_t columns)
{
  size_t used = 0, end = 0, divide = 0;

  for (; text[end]; end++) {
    if (starts_character(text[end]) && used++ == columns)
      break;
    if (text[end] == ' ' || text[end] == ',')
      divide = end + 1;
  }
  if (!text[end])
    return end;
  /* a blank after the last column is no reason to divide an earlier word */
  if (text[end] == ' ')
    return end;
  return divide ? divide : end ? end : 1;
}

static void print_line(FILE *out, const char *line, const char *style, size_t width)
{
  const size_t indent = strspn(line, " ");
  size_t before = indent;

  for (line += indent;; before = indent + 2) {
    size_t fit = gc_terminal_fit(line, before < width ? width - before : 1), length = fit;

    while (line[fit] == ' ')
      fit++;
    while (line[fit] && length && line[length - 1] == ' ')
      length--;
    fprintf(out, "%*s%s%.*s%s\n", (int)before, "", style ? style : "", (int)length, line,
            style ? GC_PLAIN : "");
    line += fit;
    if (!*line)
      return;
  }
}

static void print_lines(FILE *out, const char *text, const char *style, size_t width)
{
  for (size_t length; *text; text += length + (text[length] == '\n')) {
    char *line;

    length = strcspn(text, "\n");
    line = strndup(text, length);
    if (line)
      print_line(out, line, style, width);
    else
      fprintf(out, "%.*s\n", (int)length, text); /* out of memory: as it is */
    free(line);
  }
}

void gc_terminal_print(const char *text, const char *style)
{
  print_lines(stdout, text, style, gc_terminal_text_width());
}

char *gc_terminal_wrap(const char *text, size_t columns)
{
  char *lines = NULL;
  size_t size;
  FILE *out = open_memstream(&lines, &size);

  if (!out)
    return NULL;
  print_lines(out, text, NULL, line_width(columns));
  if (!fclose(out))
    return lines;
  free(lines);
  return NULL;
}

void gc_terminal_print_from(const char *text, size_t column)
{
  const size_t width = gc_terminal_text_width();

  for (;;) {
    size_t length = gc_terminal_fit(text, width > column ? width - column : 1);

    /* not after a comma of a path or list, which somebody may copy */
    while (length && text[length] && text[length] != ' ' && text[length - 1] != ' ')
      length--;
    if (length < strcspn(text, " ")) /* a long path: it is not cut */
      length = strcspn(text, " ");
    while (length > 1 && text[length - 1] == ' ')
      length--;
    printf("%.*s\n", (int)length, text);
    text += length;
    text += strspn(text, " ");
    if (!*text)
      return;
    printf("%*s", (int)column, "");
  }
}

void gc_terminal_say(const char *format, ...)
{
  char *text = NULL;
  va_list values, again;

  va_start(values, format);
  va_copy(again, values);
  if (gc_terminal_width() && vasprintf(&text, format, again) >= 0) {
    gc_terminal_print(text, NULL);
    free(text);
  } else { /* not wrapped, also if memory runs out */
    vprintf(format, values);
    putchar('\n');
  }
  va_end(again);
  va_end(values);
}
