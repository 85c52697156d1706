/* SPDX-License-Identifier: BSD-3-Clause */
/* The reader. It runs in other people's processes on files that anyone may have written, so it
 * touches nothing global of libxml2, expands nothing, loads nothing, and believes nothing. */
#include "record/record.h"

#include <errno.h>
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <string.h>

struct reader {
  struct gc_record *record;
  struct gc_error *err;
  unsigned seen; /* bit k: gc_identity_keys[k] was there */
};

static int refuse(struct reader *reader, const xmlNode *node, const char *what, const char *which)
{
  return gc_fail(reader->err, -EBADMSG, "line %ld: %s%.100s", xmlGetLineNo((xmlNode *)node), what,
                 which);
}

static bool is_element(const xmlNode *node, const char *name)
{
  return node->type == XML_ELEMENT_NODE && !node->ns && !strcmp((const char *)node->name, name);
}

/* An attribute's text; NULL when absent. Entity references, which make it more than one text node,
 * cannot come from hwloc: NULL too. */
static const char *attribute(const xmlNode *node, const char *name)
{
  for (const xmlAttr *attr = node->properties; attr; attr = attr->next) {
    if (attr->ns || strcmp((const char *)attr->name, name))
      continue;
    if (!attr->children)
      return "";
    if (attr->children->type != XML_TEXT_NODE || attr->children->next)
      return NULL;
    return (const char *)attr->children->content;
  }
  return NULL;
}

/* hwloc's exporter writes nothing else either. */
static bool printable(const char *text, char lowest)
{
  for (; *text; text++)
    if (*text < lowest || *text > '~')
      return false;
  return true;
}

static bool is_dropped(const char *name)
{
  static const char *const names[] = { "Backend", "hwlocVersion", "ProcessName", "lstopoStyle" };

  for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
    if (!strcmp(names[i], name))
      return true;
  return false;
}

/* An info about the whole GPU, name without prefix: a member of the record, or one of its infos. */
static int read_fact(struct reader *reader, const xmlNode *node, const char *name,
                     const char *value)
{
  struct gc_record *record = reader->record;
  const struct gc_identity_key *key = gc_identity_keys;

  while (key->name && strcmp(key->name, name))
    key++;
  if (key->name) {
    unsigned bit = 1u << (key - gc_identity_keys);

    if (reader->seen & bit)
      return refuse(reader, node, "there twice: ", name);
    if (strlen(value) >= key->size)
      return refuse(reader, node, "value too long: ", name);
    reader->seen |= bit;
    strcpy((char *)record + key->offset, value);
    return 0;
  }
  if (!*name)
    return refuse(reader, node, "an info without a name", "");
  if (gc_infos_get(&record->infos, name))
    return refuse(reader, node, "there twice: ", name);
  if (record->infos.count >= GC_RECORD_MAX_INFOS)
    return refuse(reader, node, "too many infos", "");
  return gc_infos_set(&record->infos, name, value);
}

static int read_info(struct reader *reader, const xmlNode *node, size_t at)
{
  struct gc_element *element = &reader->record->elements[at];
  const char *name = attribute(node, "name"), *value = attribute(node, "value");
  size_t prefix = strlen(gc_record_prefix);

  if (!name || !*name || !value || node->children)
    return refuse(reader, node, "an info that has not just a name and a value", "");
  if (strlen(name) > GC_RECORD_MAX_NAME || !printable(name, '!'))
    return refuse(reader, node, "an info name that is too long or not plain ASCII", "");
  if (strlen(value) > GC_RECORD_MAX_VALUE || !printable(value, ' '))
    return refuse(reader, node, "value too long or not plain ASCII: ", name);
  if (is_dropped(name))
    return 0;
  if (element->kind == GC_DEVICE_MEMORY && !strncmp(name, gc_record_prefix, prefix))
    return read_fact(reader, node, name + prefix, value);
  if (!gc_value_ok(name, value))
    return refuse(reader, node, "not the number it should be: ", name);
  if (gc_infos_get(&element->infos, name))
    return refuse(reader, node, "there twice: ", name);
  if (element->infos.count >= GC_RECORD_MAX_INFOS)
    return refuse(reader, node, "too many infos", "");
  return gc_infos_set(&element->infos, name, value);
}

static bool is_blank(const xmlNode *node)
{
  return node->type == XML_COMMENT_NODE || (node->type == XML_TEXT_NODE && xmlIsBlankNode(node));
}

/* The kind of an OS device object; GC_KIND_COUNT for any other object. */
static enum gc_kind kind_of(const xmlNode *node)
{
  const char *type = attribute(node, "type"), *subtype = attribute(node, "subtype");

  if (!type || strcmp(type, "OSDev") || !subtype)
    return GC_KIND_COUNT;
  return gc_kind_by_subtype(subtype);
}

/* An object of the GPU, and all that is in it. parent: index of the element it is in, -1 for
 * none. */
static int read_element(struct reader *reader, const xmlNode *node, long parent, unsigned depth)
{
  struct gc_record *record = reader->record;
  enum gc_kind kind = kind_of(node);
  size_t at = record->count;
  struct gc_element *element;
  int status;

  if (kind == GC_KIND_COUNT)
    return refuse(reader, node, "an unknown object inside DeviceMemory", "");
  if (depth > GC_RECORD_MAX_DEPTH || at >= GC_RECORD_MAX_ELEMENTS)
    return refuse(reader, node, "too many objects", "");
  if (kind == GC_DEVICE_MEMORY && at)
    return refuse(reader, node, "a second DeviceMemory", "");
  element = gc_record_add(record, kind);
  if (!element)
    return -ENOMEM;
  if (element != &record->elements[at] || gc_record_parent(record, at) != parent)
    return refuse(reader, node, "wrongly nested: ", gc_kinds[kind].subtype);

  for (const xmlNode *child = node->children; child; child = child->next) {
    if (is_blank(child))
      continue;
    if (is_element(child, "info"))
      status = read_info(reader, child, at);
    else if (is_element(child, "object"))
      status = read_element(reader, child, (long)at, depth + 1);
    else
      status = refuse(reader, child, "not an info, not an object, but inside ",
                      gc_kinds[kind].subtype);
    if (status)
      return status;
  }
  return 0;
}

/* Looks for DeviceMemory among the objects of a topology. */
static int read_objects(struct reader *reader, const xmlNode *node, unsigned depth)
{
  int status = 0;

  if (depth > GC_RECORD_MAX_DEPTH)
    return refuse(reader, node, "objects nested too deep", "");
  for (const xmlNode *child = node->children; child && !status; child = child->next) {
    if (!is_element(child, "object"))
      continue;
    switch (kind_of(child)) {
    case GC_KIND_COUNT:
      status = read_objects(reader, child, depth + 1);
      break;
    case GC_DEVICE_MEMORY:
      status = read_element(reader, child, -1, depth + 1);
      break;
    default:
      status = refuse(reader, child, "not inside DeviceMemory: ", attribute(child, "subtype"));
    }
  }
  return status;
}

static int read_document(struct reader *reader, xmlDoc *doc)
{
  const xmlNode *root = xmlDocGetRootElement(doc);
  const char *version;
  int status;

  if (doc->intSubset && doc->intSubset->children)
    return refuse(reader, root, "a DTD of its own", "");
  if (!root || !is_element(root, "topology"))
    return gc_fail(reader->err, -EBADMSG, "not a topology");
  version = attribute(root, "version");
  if (!version || strncmp(version, "2.", 2))
    return gc_fail(reader->err, -EBADMSG, "not a topology in the XML format of hwloc 2");
  status = read_objects(reader, root, 0);
  if (status)
    return status;
  if (!reader->record->count)
    return gc_fail(reader->err, -EBADMSG, "a topology without a DeviceMemory object");
  if (!gc_id_ok(reader->record->identity.id))
    return gc_fail(reader->err, -EBADMSG, "a DeviceMemory object that does not say whose");
  return 0;
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

/* Attribute values are expanded whatever the options, so an entity must not even be declared. */
static void stop_at_entity(void *data, const xmlChar *name, int type, const xmlChar *public_id,
                           const xmlChar *system_id, xmlChar *content)
{
  xmlParserCtxt *parser = data;
  bool *stopped = parser->_private;

  (void)name, (void)type, (void)public_id, (void)system_id, (void)content;
  *stopped = true;
  xmlStopParser(parser);
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

int gc_record_read_xml(const char *text, size_t length, struct gc_record **record,
                       struct gc_error *err)
{
  static const struct gc_identity nobody;
  int options = XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_COMPACT;
  struct reader reader = { .err = err };
  bool stopped = false;
  xmlParserCtxt *parser;
  xmlDoc *doc;
  int status = -ENOMEM;

#if LIBXML_VERSION >= 21300
  options |= XML_PARSE_NO_XXE;
#endif
  if (length > GC_RECORD_MAX_BYTES)
    return gc_fail(err, -EBADMSG, "longer than %u bytes", GC_RECORD_MAX_BYTES);
  parser = xmlNewParserCtxt();
  if (!parser)
    return gc_fail(err, -ENOMEM, "out of memory");
  parser->_private = &stopped;
  parser->sax->serror = ignore_error;
  parser->sax->entityDecl = stop_at_entity;
  parser->sax->externalSubset = NULL;
  /* The encoding is given, so that the text cannot ask for one. */
  doc = xmlCtxtReadMemory(parser, text, (int)length, NULL, "UTF-8", options);
  /* Asked first: libxml2 2.9 calls what it had read when it was stopped a document. */
  if (stopped) {
    status = gc_fail(err, -EBADMSG, "a DTD of its own");
    goto no_record;
  }
  if (!doc) {
    status = parse_failed(parser, err);
    goto no_record;
  }
  reader.record = gc_record_new(&nobody);
  if (!reader.record)
    goto no_record;
  /* Only what is stated counts. */
  reader.record->format[0] = reader.record->method[0] = '\0';
  status = read_document(&reader, doc);
  if (status)
    gc_record_free(reader.record);
  else
    *record = reader.record;

no_record:
  xmlFreeDoc(doc);
  xmlFreeParserCtxt(parser);
  if (status == -ENOMEM)
    gc_fail(err, status, "out of memory");
  return status;
}
