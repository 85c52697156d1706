/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/print/html.h"

#include "util/error.h"

void gc_html_text(FILE *out, const char *text)
{
  while (text && *text) {
    const size_t length = gc_printable_character(text);

    switch (*text) {
    case '&':
      fputs("&amp;", out);
      break;
    case '<':
      fputs("&lt;", out);
      break;
    case '>':
      fputs("&gt;", out);
      break;
    case '"':
      fputs("&quot;", out);
      break;
    case '\'':
      fputs("&#39;", out);
      break;
    default:
      if (length)
        fwrite(text, 1, length, out);
      else
        fputs("\xef\xbf\xbd", out); /* U+FFFD */
    }
    text += length ? length : 1;
  }
}

void gc_html_fill(FILE *out, const char *const *parts, size_t count)
{
  size_t next = 1;

  for (const char *at = parts[0]; *at; at++)
    if (*at != '$')
      putc(*at, out);
    else if (next < count)
      gc_html_text(out, parts[next++]);
}
