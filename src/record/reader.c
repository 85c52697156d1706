/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/reader.h"

#include "record/values.h"
#include "record/xml.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int refuse(struct gc_reader *reader, const char *what, const char *which)
{
  return gc_fail(reader->err, -EBADMSG, "%s%.100s", what, which);
}

char *gc_reader_attribute(char *const *attributes, const char *name)
{
  for (; *attributes; attributes += 2)
    if (!strcmp(attributes[0], name))
      return attributes[1];
  return NULL;
}

static bool is(const char *value, const char *text)
{
  return value && !strcmp(value, text);
}

/* Whether the text has at most `most` characters, all of them printable ASCII from `lowest` on;
 * hwloc's exporter writes only printable text. */
static bool is_plain(const char *text, char lowest, size_t most)
{
  const char *at = text;

  while (*at >= lowest && *at <= '~')
    at++;
  return !*at && (size_t)(at - text) <= most;
}

static bool is_dropped(const char *name)
{
  static const char *const names[] = { "Backend", "hwlocVersion", "ProcessName", "lstopoStyle" };

  for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
    if (names[i][0] == name[0] && !strcmp(names[i], name))
      return true;
  return false;
}

static int add_info(struct gc_reader *reader, struct gc_infos *infos, char *name, char *value)
{
  int status;

  if (infos->count >= GC_RECORD_MAX_INFOS)
    return refuse(reader, "too many infos", "");
  if (!gc_value_ok(name, value))
    return refuse(reader, "a value without the form that its key requires: ", name);
  status = gc_infos_add_shared(infos, name, value);
  return status == -EEXIST ? refuse(reader, "duplicate info: ", name) : status;
}

/* An info about the whole GPU (name without prefix) is a member of the record, or one of its
 * infos. */
static int read_fact(struct gc_reader *reader, char *name, char *value)
{
  struct gc_record *record = reader->record;
  const struct gc_identity_key *key = gc_identity_keys;
  unsigned bit;

  while (key->name && strcmp(key->name, name))
    key++;
  if (!key->name)
    return *name ? add_info(reader, &record->infos, name, value)
                 : refuse(reader, "an info without a name", "");
  bit = 1u << (key - gc_identity_keys);
  if (reader->seen & bit)
    return refuse(reader, "duplicate info: ", name);
  if (strlen(value) >= key->size)
    return refuse(reader, "value too long: ", name);
  reader->seen |= bit;
  strcpy((char *)record + key->offset, value);
  return 0;
}

static int not_just_an_info(struct gc_reader *reader)
{
  return refuse(reader, "an info with more than a name and a value", "");
}

static int read_info(struct gc_reader *reader, char *const *attributes)
{
  struct gc_element *element = &reader->record->elements[reader->at];
  char *name = gc_reader_attribute(attributes, "name"), *value = gc_reader_attribute(attributes, "value");
  size_t prefix = strlen(gc_record_prefix);

  if (!name || !*name || !value)
    return not_just_an_info(reader);
  if (!is_plain(name, '!', GC_RECORD_MAX_NAME))
    return refuse(reader, "an info name that is too long or not plain ASCII", "");
  if (!is_plain(value, ' ', GC_RECORD_MAX_VALUE))
    return refuse(reader, "value too long or not plain ASCII: ", name);
  reader->in_info = true;
  if (is_dropped(name))
    return 0;
  if (element->kind == GC_DEVICE_MEMORY && !strncmp(name, gc_record_prefix, prefix))
    return read_fact(reader, name + prefix, value);
  return add_info(reader, &element->infos, name, value);
}

enum gc_kind gc_reader_kind(char *const *attributes)
{
  const char *subtype = gc_reader_attribute(attributes, "subtype");

  return subtype && is(gc_reader_attribute(attributes, "type"), "OSDev") ? gc_kind_by_subtype(subtype)
                                                               : GC_KIND_COUNT;
}

/* An object inside the GPU. */
static int read_element(struct gc_reader *reader, enum gc_kind kind)
{
  struct gc_record *record = reader->record;
  size_t at = record->count;
  struct gc_element *element;
  bool in_order;

  if (kind == GC_KIND_COUNT)
    return refuse(reader, "an unknown object inside DeviceMemory", "");
  if (reader->depth > GC_RECORD_MAX_DEPTH || at >= GC_RECORD_MAX_ELEMENTS)
    return refuse(reader, "too many objects", "");
  if (kind == GC_DEVICE_MEMORY && at)
    return refuse(reader, "a second DeviceMemory", "");
  element = gc_record_add(record, kind);
  if (!element)
    return -ENOMEM;
  in_order = element == &record->elements[at];
  /* what encloses the element is before it, and has not moved */
  at = (size_t)(element - record->elements);
  if ((!in_order && !reader->any_order) ||
      gc_record_parent(record, at) != (reader->in_gpu ? (long)reader->at : -1))
    return refuse(reader, "wrongly nested: ", gc_kinds[kind].subtype);
  reader->in_gpu = true;
  reader->at = at;
  reader->depth++;
  return 0;
}

/* An object of the topology: DeviceMemory, or one that may enclose it. */
static int read_object(struct gc_reader *reader, enum gc_kind kind)
{
  if (kind == GC_DEVICE_MEMORY)
    return read_element(reader, kind);
  if (kind != GC_KIND_COUNT)
    return refuse(reader, "not inside DeviceMemory: ", gc_kinds[kind].subtype);
  if (reader->depth > GC_RECORD_MAX_DEPTH)
    return refuse(reader, "objects nested too deep", "");
  reader->depth++;
  return 0;
}

static int read_root(struct gc_reader *reader, const char *name, char *const *attributes)
{
  const char *version = gc_reader_attribute(attributes, "version");

  if (strcmp(name, "topology"))
    return gc_fail(reader->err, -EBADMSG, "not a topology");
  if (!version || strncmp(version, "2.", 2))
    return gc_fail(reader->err, -EBADMSG, "not a topology in the XML format of hwloc 2");
  reader->depth = 1;
  return 0;
}

static int not_of_a_gpu(struct gc_reader *reader)
{
  return refuse(reader, "neither an info nor an object, inside ",
                gc_kinds[reader->record->elements[reader->at].kind].subtype);
}

static int read_start(struct gc_reader *reader, const char *name, char *const *attributes)
{
  if (!reader->depth)
    return read_root(reader, name, attributes);
  if (reader->in_info)
    return not_just_an_info(reader);
  if (!strcmp(name, "object"))
    return reader->in_gpu ? read_element(reader, gc_reader_kind(attributes))
                          : read_object(reader, gc_reader_kind(attributes));
  if (!reader->in_gpu) {
    reader->skipped = 1;
    return 0;
  }
  return strcmp(name, "info") ? not_of_a_gpu(reader) : read_info(reader, attributes);
}

int gc_reader_start(void *data, const char *name, char *const *attributes)
{
  struct gc_reader *reader = data;

  if (reader->skipped >= GC_RECORD_MAX_DEPTH)
    return refuse(reader, "XML elements nested too deep", "");
  if (!reader->skipped)
    return read_start(reader, name, attributes);
  reader->skipped++;
  return 0;
}

int gc_reader_end(void *data)
{
  struct gc_reader *reader = data;
  long parent;

  if (reader->skipped) {
    reader->skipped--;
  } else if (reader->in_info) {
    reader->in_info = false;
  } else {
    reader->depth--;
    if (!reader->in_gpu)
      return 0;
    parent = gc_record_parent(reader->record, reader->at);
    reader->in_gpu = parent >= 0;
    reader->at = (size_t)parent;
  }
  return 0;
}

static int content(void *data, bool is_blank)
{
  struct gc_reader *reader = data;

  if (!reader->in_gpu)
    return 0;
  if (reader->in_info)
    return not_just_an_info(reader);
  return is_blank ? 0 : not_of_a_gpu(reader);
}

int gc_reader_new(struct gc_reader *reader, struct gc_error *err)
{
  *reader = (struct gc_reader){.record = gc_record_new(NULL), .err = err};
  if (!reader->record)
    return -ENOMEM;
  /* If the text states neither, both stay empty. */
  reader->record->format[0] = reader->record->method[0] = '\0';
  return 0;
}

int gc_reader_check(const struct gc_reader *reader)
{
  if (!reader->record->count)
    return gc_fail(reader->err, -EBADMSG, "a topology without a DeviceMemory object");
  if (!gc_id_ok(reader->record->identity.id))
    return gc_fail(reader->err, -EBADMSG, "a DeviceMemory object without the id of its GPU");
  return 0;
}

int gc_record_read_text(char *text, size_t length, struct gc_record **record, struct gc_error *err)
{
  static const struct gc_xml_receiver receiver = {gc_reader_start, gc_reader_end, content};
  struct gc_reader reader = {.record = NULL};
  int status;

  if (length > GC_RECORD_MAX_BYTES)
    status = gc_fail(err, -EBADMSG, "longer than %u bytes", GC_RECORD_MAX_BYTES);
  else if (!(status = gc_reader_new(&reader, err)) &&
           !(status = gc_xml_parse(text, length, &receiver, &reader, err)))
    status = gc_reader_check(&reader);
  if (status == -ENOMEM)
    gc_fail(err, status, "out of memory");
  if (status) {
    gc_record_free(reader.record);
    free(text);
    return status;
  }
  reader.record->text = text;
  *record = reader.record;
  return 0;
}

int gc_record_read_xml(const char *text, size_t length, struct gc_record **record,
                       struct gc_error *err)
{
  char *copy;

  if (length > GC_RECORD_MAX_BYTES)
    return gc_fail(err, -EBADMSG, "longer than %u bytes", GC_RECORD_MAX_BYTES);
  copy = malloc(length + 1);
  if (!copy)
    return gc_fail(err, -ENOMEM, "out of memory");
  memcpy(copy, text, length);
  copy[length] = '\0';
  return gc_record_read_text(copy, length, record, err);
}
