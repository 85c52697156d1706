/* SPDX-License-Identifier: BSD-3-Clause */
/* Parsing. It happens in other people's processes on files that anyone may have written, so it
 * touches nothing global of libxml2, expands nothing, loads nothing, and believes nothing. The
 * record is read while libxml2 parses: to build a document first would double the time. */
#include "record/reader.h"

#include <errno.h>
#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <stdio.h>

struct parsing {
  struct gc_reader reader;
  xmlParserCtxt *parser;
  bool own_dtd; /* that is why the parser was stopped */
};

static struct parsing *parsing_of(void *data)
{
  return ((xmlParserCtxt *)data)->_private;
}

/* After whatever the reader was told: if it just refused that, the sentence gets the line. */
static void locate(struct parsing *parsing, int status_before)
{
  char line[32];

  if (parsing->reader.status == status_before || parsing->reader.status != -EBADMSG)
    return;
  snprintf(line, sizeof(line), "line %d", xmlSAX2GetLineNumber(parsing->parser));
  gc_fail_in(parsing->reader.err, -EBADMSG, line);
}

static void start_element(void *data, const xmlChar *name, const xmlChar *prefix,
                          const xmlChar *uri, int namespace_count, const xmlChar **namespaces,
                          int count, int defaulted, const xmlChar **array)
{
  const struct gc_attributes attributes = { array, count };
  struct parsing *parsing = parsing_of(data);
  int before = parsing->reader.status;

  (void)namespace_count, (void)namespaces, (void)defaulted;
  /* Nothing in a namespace is hwloc's. */
  gc_reader_start(&parsing->reader, prefix || uri ? "" : (const char *)name, &attributes);
  locate(parsing, before);
}

static void end_element(void *data, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri)
{
  (void)name, (void)prefix, (void)uri;
  gc_reader_end(&parsing_of(data)->reader);
}

static void content(void *data, bool is_blank)
{
  struct parsing *parsing = parsing_of(data);
  int before = parsing->reader.status;

  gc_reader_content(&parsing->reader, is_blank);
  locate(parsing, before);
}

static void text(void *data, const xmlChar *start, int length)
{
  while (length > 0 && (*start == ' ' || *start == '\n' || *start == '\t' || *start == '\r'))
    start++, length--;
  content(data, length == 0);
}

static void cdata(void *data, const xmlChar *start, int length)
{
  (void)start, (void)length;
  content(data, false);
}

static void instruction(void *data, const xmlChar *target, const xmlChar *rest)
{
  (void)target, (void)rest;
  content(data, false);
}

static void comment(void *data, const xmlChar *words)
{
  (void)words;
  content(data, true);
}

static void stop_at_dtd(xmlParserCtxt *parser)
{
  parsing_of(parser)->own_dtd = true;
  xmlStopParser(parser);
}

/* Called when the parser is through with the name of the DTD, and before what is in brackets. */
static void dtd(void *data, const xmlChar *name, const xmlChar *public_id, const xmlChar *system_id)
{
  xmlParserCtxt *parser = data;

  (void)name, (void)public_id, (void)system_id;
  if (*parser->input->cur == '[')
    stop_at_dtd(parser);
}

/* Should the brackets have been missed: attribute values are expanded whatever the options, so an
 * entity must not even be declared … */
static void entity(void *data, const xmlChar *name, int type, const xmlChar *public_id,
                   const xmlChar *system_id, xmlChar *content)
{
  (void)name, (void)type, (void)public_id, (void)system_id, (void)content;
  stop_at_dtd(data);
}

/* … nor used. Those of XML itself, &lt; and so on, are not asked for. */
static xmlEntity *use_of_entity(void *data, const xmlChar *name)
{
  struct parsing *parsing = parsing_of(data);
  struct gc_reader *reader = &parsing->reader;
  int before = reader->status;

  if (!before)
    reader->status = gc_fail(reader->err, -EBADMSG, "an entity: %.100s", (const char *)name);
  locate(parsing, before);
  return NULL;
}

#if LIBXML_VERSION >= 21200
typedef const xmlError *parse_error;
#else
typedef xmlError *parse_error;
#endif

/* Without a handler of its own, a context reports to whatever handler the application has set. */
static void ignore_error(void *data, parse_error error)
{
  (void)data;
  (void)error;
}

static int parse_failed(xmlParserCtxt *parser, struct gc_error *err)
{
  const xmlError *error = xmlCtxtGetLastError(parser);
  struct gc_error text;

  if (!error)
    return gc_fail(err, -EBADMSG, "not well-formed XML");
  if (error->code == XML_ERR_NO_MEMORY)
    return -ENOMEM;
  gc_fail(&text, 0, "%.200s", error->message ? error->message : "");
  for (char *c = text.text; *c; c++)
    if (*c < ' ' || *c > '~')
      *c = c[1] ? '?' : '\0';
  return gc_fail(err, -EBADMSG, "line %d: not well-formed XML: %s", error->line, text.text);
}

/* The handlers that there are; nothing that makes a document. */
static const xmlSAXHandler handlers = {
  .initialized = XML_SAX2_MAGIC,
  .internalSubset = dtd,
  .entityDecl = entity,
  .getEntity = use_of_entity,
  .startElementNs = start_element,
  .endElementNs = end_element,
  .characters = text,
  .ignorableWhitespace = text,
  .cdataBlock = cdata,
  .processingInstruction = instruction,
  .comment = comment,
  .serror = ignore_error,
};

static int parse(struct parsing *parsing, const char *document, size_t length)
{
  /* NOENT for attribute values as they are meant: without it "&amp;" is handed over as "&#38;".
   * There is no entity that it could expand. */
  int options = XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_NOENT;
  struct gc_reader *reader = &parsing->reader;
  xmlParserCtxt *parser = parsing->parser;

#if LIBXML_VERSION >= 21300
  options |= XML_PARSE_NO_XXE;
#endif
  parser->_private = parsing;
  *parser->sax = handlers;
  /* The encoding is given, so that the text cannot ask for one. */
  xmlFreeDoc(xmlCtxtReadMemory(parser, document, (int)length, NULL, "UTF-8", options));
  if (parsing->own_dtd)
    return gc_fail(reader->err, -EBADMSG, "a DTD of its own");
  /* Asked first, because a text that was cut off or spoilt can be anything else as well. */
  if (!parser->wellFormed || (!reader->status && !reader->complete))
    return parse_failed(parser, reader->err);
  if (reader->status)
    return reader->status;
  if (!reader->record->count)
    return gc_fail(reader->err, -EBADMSG, "a topology without a DeviceMemory object");
  if (!gc_id_ok(reader->record->identity.id))
    return gc_fail(reader->err, -EBADMSG, "a DeviceMemory object that does not say whose");
  return 0;
}

int gc_record_read_xml(const char *text, size_t length, struct gc_record **record,
                       struct gc_error *err)
{
  static const struct gc_identity nobody;
  struct parsing parsing = { .reader.err = err };
  int status = -ENOMEM;

  if (length > GC_RECORD_MAX_BYTES)
    return gc_fail(err, -EBADMSG, "longer than %u bytes", GC_RECORD_MAX_BYTES);
  parsing.parser = xmlNewParserCtxt();
  parsing.reader.record = gc_record_new(&nobody);
  if (parsing.parser && parsing.reader.record) {
    /* Only what is stated counts. */
    parsing.reader.record->format[0] = parsing.reader.record->method[0] = '\0';
    status = parse(&parsing, text, length);
  }
  if (status)
    gc_record_free(parsing.reader.record);
  else
    *record = parsing.reader.record;
  xmlFreeParserCtxt(parsing.parser);
  if (status == -ENOMEM)
    gc_fail(err, status, "out of memory");
  return status;
}
