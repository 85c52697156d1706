/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static void print_line(const char *line, const char *style)
{
  const size_t indent = strspn(line, " ");
  size_t before = indent;

  for (line += indent;; before = indent + 2) {
    size_t fit = gc_terminal_fit(line, GC_TEXT_WIDTH - before), length = fit;

    while (line[fit] == ' ')
      fit++;
    while (line[fit] && length && line[length - 1] == ' ')
      length--;
    printf("%*s%s%.*s%s\n", (int)before, "", style ? style : "", (int)length, line,
           style ? GC_PLAIN : "");
    line += fit;
    if (!*line)
      return;
  }
}

void gc_terminal_print(const char *text, const char *style)
{
  for (size_t length; *text; text += length + (text[length] == '\n')) {
    char *line;

    length = strcspn(text, "\n");
    line = strndup(text, length);
    if (line)
      print_line(line, style);
    else
      printf("%.*s\n", (int)length, text); /* out of memory: as it is */
    free(line);
  }
}
