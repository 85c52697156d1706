/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the part of XML that hwloc's exporter writes: tags with attributes, comments, one XML
 * declaration, and one document type without a part in brackets. Everything else is refused, so
 * that nothing is expanded or loaded. This code runs in any application, on files that anybody may
 * have written. Mapping a complete XML library into a new process takes longer than reading a
 * record with this code. */
#include "record/xml.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tag {
  /* names and values in turn, ended by NULL */
  char *attributes[2 * GC_RECORD_MAX_ATTRIBUTES + 1];
};

struct parsing {
  const struct gc_xml_receiver *receiver;
  void *data;
  struct gc_error *err;
  bool complete; /* the outermost element has been closed */
  char *start, *at, *end;               /* the text, ended by a NUL */
  const char *open[GC_RECORD_MAX_DEPTH]; /* names of the open elements */
  unsigned depth;
};

static int wrong(struct parsing *parsing, const char *what)
{
  return gc_fail(parsing->err, -EBADMSG, "not well-formed XML: %s", what);
}

/* The classes of bytes. A record has about 18,000 bytes, and the reader looks each one up here
 * instead of comparing it with several characters. */
enum { SPACE = 1, OF_NAME = 2, CLEAR = 4 /* stands for itself in a value */ };
static const unsigned char classes[256] = {
    ['\t'] = SPACE,
    ['\n'] = SPACE,
    ['\r'] = SPACE,
    [' '] = SPACE | CLEAR,
    ['!'] = CLEAR,
    ['#' ... '%'] = CLEAR,
    ['(' ... ','] = CLEAR,
    ['-' ... '.'] = OF_NAME | CLEAR,
    ['/'] = CLEAR,
    ['0' ... '9'] = OF_NAME | CLEAR,
    [':' ... ';'] = CLEAR,
    ['=' ... '@'] = CLEAR,
    ['A' ... 'Z'] = OF_NAME | CLEAR,
    ['[' ... '^'] = CLEAR,
    ['_'] = OF_NAME | CLEAR,
    ['`'] = CLEAR,
    ['a' ... 'z'] = OF_NAME | CLEAR,
    ['{' ... '~'] = CLEAR,
};

/* The first byte from here on that is not of this class; the NUL at the end is of none. */
static char *skip(char *at, unsigned class)
{
  while (classes[(unsigned char)*at] & class)
    at++;
  return at;
}

static void skip_spaces(struct parsing *parsing)
{
  parsing->at = skip(parsing->at, SPACE);
}

/* Whether the text goes on with this word, which is then skipped. */
static bool take(struct parsing *parsing, const char *word)
{
  const size_t length = strlen(word);

  if ((size_t)(parsing->end - parsing->at) < length || memcmp(parsing->at, word, length))
    return false;
  parsing->at += length;
  return true;
}

/* Whether the text goes on with this byte, which is then skipped. */
static bool take_byte(struct parsing *parsing, char byte)
{
  const bool is_here = *parsing->at == byte;

  parsing->at += is_here;
  return is_here;
}

/* Skips everything up to and including this word. */
static int skip_to(struct parsing *parsing, const char *word)
{
  char *found = memmem(parsing->at, (size_t)(parsing->end - parsing->at), word, strlen(word));

  if (!found)
    return wrong(parsing, "the text is cut");
  parsing->at = found + strlen(word);
  return 0;
}

/* The length of the name here; 0: there is none. */
static size_t name_length(char *at)
{
  if ((*at >= '0' && *at <= '9') || *at == '-' || *at == '.')
    return 0;
  return (size_t)(skip(at, OF_NAME) - at);
}

/* Reads a reference after '&' and returns the character, or 0: it is not one of XML's own, or not
 * ASCII. */
static char reference(struct parsing *parsing)
{
  static const struct {
    const char *word;
    char c;
  } words[] = {{"lt;", '<'}, {"gt;", '>'}, {"amp;", '&'}, {"quot;", '"'}, {"apos;", '\''}};
  const bool is_hex = take(parsing, "#x"), is_decimal = !is_hex && take(parsing, "#");
  unsigned long long c;
  size_t digits;

  if (!is_hex && !is_decimal) {
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
      if (take(parsing, words[i].word))
        return words[i].c;
    return 0;
  }
  digits = strspn(parsing->at, is_hex ? "0123456789abcdefABCDEF" : "0123456789");
  if (!digits || digits > 6 || parsing->at[digits] != ';')
    return 0;
  c = strtoull(parsing->at, NULL, is_hex ? 16 : 10);
  parsing->at += digits + 1;
  return (c >= ' ' && c < 127) || c == '\t' || c == '\n' || c == '\r' ? (char)c : 0;
}

/* Reads a value in quotes and decodes it in place. */
static int read_value(struct parsing *parsing, char **value)
{
  const char quote = *parsing->at;
  char *to;

  if (quote != '"' && quote != '\'')
    return wrong(parsing, "an attribute without a value in quotes");
  *value = ++parsing->at;
  to = parsing->at = skip(parsing->at, CLEAR);
  while (parsing->at < parsing->end && *parsing->at != quote) {
    char c = *parsing->at++;

    if (c == '&' && !(c = reference(parsing)))
      return wrong(parsing, "an entity, or a reference to a character that is not plain ASCII");
    else if (c == '<' && parsing->at[-1] == '<')
      return wrong(parsing, "'<' in a value");
    *to++ = c;
  }
  if (parsing->at == parsing->end)
    return wrong(parsing, "the text is cut");
  parsing->at++;
  *to = '\0';
  return 0;
}

static bool has_attribute(const struct tag *tag, unsigned count, const char *name)
{
  for (unsigned i = 0; i < count; i++)
    if (!strcmp(tag->attributes[2 * i], name))
      return true;
  return false;
}

/* Reads the attributes up to '>' or '/>', which are not skipped. */
static int read_attributes(struct parsing *parsing, struct tag *tag)
{
  unsigned count = 0;

  for (;;) {
    const bool has_space = classes[(unsigned char)*parsing->at] & SPACE;
    char *name;
    size_t length;
    int status;

    skip_spaces(parsing);
    name = parsing->at;
    length = name_length(name);
    if (!length)
      break;
    if (!has_space)
      return wrong(parsing, "no space before an attribute");
    if (count == GC_RECORD_MAX_ATTRIBUTES)
      return gc_fail(parsing->err, -EBADMSG, "too many attributes");
    parsing->at += length;
    skip_spaces(parsing);
    if (!take_byte(parsing, '='))
      return wrong(parsing, "an attribute without a value");
    skip_spaces(parsing);
    status = read_value(parsing, &tag->attributes[2 * count + 1]);
    if (status)
      return status;
    name[length] = '\0';
    if (has_attribute(tag, count, name))
      return wrong(parsing, "an attribute occurs twice");
    if (!strcmp(name, "xmlns"))
      return gc_fail(parsing->err, -EBADMSG, "a namespace");
    tag->attributes[2 * count++] = name;
  }
  tag->attributes[2 * count] = NULL;
  return 0;
}

static int close_element(struct parsing *parsing)
{
  parsing->complete = --parsing->depth == 0;
  return parsing->receiver->end(parsing->data);
}

static int read_start_tag(struct parsing *parsing)
{
  char *name = parsing->at;
  const size_t length = name_length(name);
  struct tag tag; /* not cleared, because it has 1 KiB */
  bool is_empty;
  int status;

  if (!length)
    return wrong(parsing, "'<' without a name");
  if (parsing->depth == GC_RECORD_MAX_DEPTH)
    return gc_fail(parsing->err, -EBADMSG, "objects nested too deep");
  parsing->at += length;
  status = read_attributes(parsing, &tag);
  if (status)
    return status;
  is_empty = take_byte(parsing, '/');
  if (!take_byte(parsing, '>'))
    return wrong(parsing, "a tag without an end");
  name[length] = '\0';
  parsing->open[parsing->depth++] = name;
  status = parsing->receiver->start(parsing->data, name, tag.attributes);
  return status || !is_empty ? status : close_element(parsing);
}

static int read_end_tag(struct parsing *parsing)
{
  char *name = parsing->at;
  const size_t length = name_length(name);

  parsing->at += length;
  skip_spaces(parsing);
  if (!take_byte(parsing, '>') || !parsing->depth)
    return wrong(parsing, "an end tag at a wrong place");
  if (strlen(parsing->open[parsing->depth - 1]) != length ||
      memcmp(parsing->open[parsing->depth - 1], name, length))
    return wrong(parsing, "an end tag does not match its start tag");
  return close_element(parsing);
}

/* What may precede the topology: <?xml …?> at the very beginning, and <!DOCTYPE …>. */
static int read_declaration(struct parsing *parsing, bool *has_type)
{
  if (take(parsing, "<?xml ") && parsing->at == parsing->start + strlen("<?xml "))
    return skip_to(parsing, "?>");
  if (*has_type || !take(parsing, "<!DOCTYPE "))
    return wrong(parsing, "a declaration at a wrong place");
  *has_type = true;
  while (parsing->at < parsing->end && *parsing->at != '>' && *parsing->at != '[')
    parsing->at++;
  if (*parsing->at == '[')
    return gc_fail(parsing->err, -EBADMSG, "has its own DTD");
  return skip_to(parsing, ">");
}

/* Reads the text between two tags. */
static int read_text(struct parsing *parsing)
{
  int status;

  skip_spaces(parsing);
  if (parsing->at == parsing->end || *parsing->at == '<')
    return 0;
  if (!parsing->depth)
    return wrong(parsing, "text outside of the topology");
  status = parsing->receiver->content(parsing->data, false);
  while (parsing->at < parsing->end && *parsing->at != '<')
    parsing->at++;
  return status;
}

static int read_comment(struct parsing *parsing)
{
  const int status = parsing->receiver->content(parsing->data, true);

  return status ? status : skip_to(parsing, "-->");
}

static int parse(struct parsing *parsing)
{
  bool has_type = false;
  int status = read_text(parsing);

  while (!status && parsing->at < parsing->end) {
    const char second = parsing->at[1]; /* the NUL at the end, perhaps */

    if (second == '!' && take(parsing, "<!--"))
      status = read_comment(parsing);
    else if (!parsing->depth && !parsing->complete &&
             (second == '!' || second == '?'))
      status = read_declaration(parsing, &has_type);
    else if (second == '/' && take(parsing, "</"))
      status = read_end_tag(parsing);
    else if (parsing->depth || !parsing->complete)
      status = take_byte(parsing, '<') ? read_start_tag(parsing) : wrong(parsing, "no tag");
    else
      status = wrong(parsing, "something follows the topology");
    if (!status)
      status = read_text(parsing);
  }
  if (!status && !parsing->complete)
    status = wrong(parsing, "the text is cut");
  return status;
}

/* Adds the line to the sentence. */
static int locate(const struct parsing *parsing, int status)
{
  char line[32];
  unsigned long number = 1;

  for (const char *c = parsing->start; c < parsing->at; c++)
    number += *c == '\n';
  snprintf(line, sizeof(line), "line %lu", number);
  return gc_fail_in(parsing->err, status, line);
}

/* Whether any of these eight bytes is below ' '. */
static bool has_low(const char *text)
{
  const uint64_t ones = UINT64_MAX / 255;
  uint64_t bytes;

  memcpy(&bytes, text, sizeof(bytes));
  return ((bytes - ones * ' ') & ~bytes & (ones << 7)) != 0;
}

/* Whether the text has bytes that XML does not allow. */
static bool has_control_bytes(const char *text, size_t length)
{
  size_t i = 0;

  while (i < length) {
    if (length - i >= sizeof(uint64_t) && !has_low(text + i)) {
      i += sizeof(uint64_t);
      continue;
    }
    if ((unsigned char)text[i] < ' ' && !(classes[(unsigned char)text[i]] & SPACE))
      return true;
    i++;
  }
  return false;
}

int gc_xml_parse(char *text, size_t length, const struct gc_xml_receiver *receiver, void *data,
                 struct gc_error *err)
{
  struct parsing parsing = {.receiver = receiver,
                            .data = data,
                            .err = err,
                            .start = text,
                            .at = text,
                            .end = text + length};
  int status;

  if (text[strspn(text, " \t\r\n")] != '<')
    return gc_fail(err, -EBADMSG, length ? "not XML" : "the file is empty");
  if (has_control_bytes(text, length))
    return gc_fail(err, -EBADMSG, "not well-formed XML: a control character");
  status = parse(&parsing);
  if (status == -EBADMSG)
    locate(&parsing, status);
  return status;
}
