/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/report/html.h"

#include <string.h>

/* The length of the UTF-8 character at the beginning of the text; 0: these bytes are no character
 * that an XML document may have. */
static size_t character(const unsigned char *text)
{
  static const unsigned long least[] = {0, 0, 0x80, 0x800, 0x10000};
  const size_t length = *text < 0x80       ? 1
                        : *text >> 5 == 6  ? 2
                        : *text >> 4 == 14 ? 3
                        : *text >> 3 == 30 ? 4
                                           : 0;
  unsigned long code = length > 1 ? *text & (0x7f >> length) : *text;

  for (size_t i = 1; i < length; i++) {
    if ((text[i] & 0xc0) != 0x80)
      return 0;
    code = code << 6 | (text[i] & 0x3f);
  }
  return length && code >= least[length] && code >= ' ' && !(code >= 0x7f && code < 0xa0) &&
                 !(code >= 0xd800 && code < 0xe000) && (code & 0xfffe) != 0xfffe && code < 0x110000
             ? length
             : 0;
}

void gc_html_text(FILE *out, const char *text)
{
  while (text && *text) {
    const size_t length = character((const unsigned char *)text);

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
