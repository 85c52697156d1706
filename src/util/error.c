/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Marks, embeddings, overrides and isolates of the bidirectional algorithm, which can show a text
 * as another one, and separators of lines and paragraphs. */
static int changes_order(unsigned long code)
{
  return code == 0x61c || code == 0x200e || code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069);
}

size_t gc_printable_character(const char *bytes)
{
  const unsigned char *text = (const unsigned char *)bytes;
  static const unsigned long least[] = {0, 0, 0xa0, 0x800, 0x10000};
  const size_t length = *text >> 5 == 6 ? 2 : *text >> 4 == 14 ? 3 : *text >> 3 == 30 ? 4 : 0;
  unsigned long code = *text & (0x7f >> length);

  if (*text < 0x80)
    return *text >= ' ' && *text != 0x7f;
  for (size_t i = 1; i < length; i++) {
    if ((text[i] & 0xc0) != 0x80)
      return 0;
    code = code << 6 | (text[i] & 0x3f);
  }
  return length && code >= least[length] && !(code >= 0xd800 && code < 0xe000) &&
                 (code & 0xfffe) != 0xfffe && code < 0x110000 && !changes_order(code)
             ? length
             : 0;
}

char *gc_strip(char *word)
{
  size_t length;

  word += strspn(word, " \t");
  length = strlen(word);
  while (length && strchr(" \t", word[length - 1]))
    word[--length] = '\0';
  return word;
}

void gc_make_printable(char *text)
{
  while (*text) {
    const size_t length = gc_printable_character(text);

    if (!length)
      *text = '?';
    text += length ? length : 1;
  }
}

size_t gc_whole_characters(const char *text, size_t bytes)
{
  const size_t all = strnlen(text, bytes);

  if (all < bytes || !text[bytes])
    return all;
  while (bytes && ((unsigned char)text[bytes] & 0xc0) == 0x80)
    bytes--;
  return bytes;
}

int gc_fail(struct gc_error *err, int status, const char *format, ...)
{
  va_list args;

  if (!err)
    return status;
  va_start(args, format);
  vsnprintf(err->text, sizeof(err->text), format, args);
  va_end(args);
  gc_make_printable(err->text);
  return status;
}

int gc_fail_in(struct gc_error *err, int status, const char *prefix)
{
  struct gc_error inner;

  if (!err)
    return status;
  inner = *err;
  return gc_fail(err, status, "%.160s: %.340s", prefix, inner.text);
}

void gc_few_add(struct gc_few_names *few, const char *name)
{
  enum { MOST = 3 };
  char *const end = few->text + few->shown;
  const size_t room = sizeof few->text - few->shown;

  if (few->count++ >= MOST)
    snprintf(end, room, " %s %zu more", few->last ? few->last : "or", few->count - MOST);
  else
    few->shown += (size_t)snprintf(end, room, "%s'%.*s'", few->count > 1 ? ", " : "",
                                   (int)gc_whole_characters(name, 120), name);
}
