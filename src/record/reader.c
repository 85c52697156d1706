/* SPDX-License-Identifier: BSD-3-Clause */
/* What the elements of a record mean, one after the other. */
#include "record/reader.h"

#include <errno.h>
#include <string.h>

struct span {
  const char *start; /* NULL: absent */
  size_t length;
};

static int refuse(struct gc_reader *reader, const char *what, const char *which)
{
  return gc_fail(reader->err, -EBADMSG, "%s%.100s", what, which);
}

static struct span attribute(const struct gc_attributes *attributes, const char *name)
{
  for (int i = 0; i < attributes->count; i++) {
    const unsigned char **five = attributes->array + 5 * i;

    if (!five[1] && !strcmp((const char *)five[0], name))
      return (struct span){ (const char *)five[3], (size_t)(five[4] - five[3]) };
  }
  return (struct span){ NULL, 0 };
}

static bool span_is(struct span span, const char *text)
{
  return span.start && span.length == strlen(text) && !memcmp(span.start, text, span.length);
}

/* Copies text that fits and is printable, as all is that hwloc's exporter writes. */
static bool copy_plain(struct span span, char lowest, char *copy, size_t size)
{
  if (span.length >= size)
    return false;
  for (size_t i = 0; i < span.length; i++) {
    if (span.start[i] < lowest || span.start[i] > '~')
      return false;
    copy[i] = span.start[i];
  }
  copy[span.length] = '\0';
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

static int add_info(struct gc_reader *reader, struct gc_infos *infos, const char *name)
{
  size_t before = infos->count;
  int status;

  if (before >= GC_RECORD_MAX_INFOS)
    return refuse(reader, "too many infos", "");
  status = gc_infos_set(infos, name, reader->value);
  if (!status && infos->count == before)
    return refuse(reader, "there twice: ", name);
  return status;
}

/* An info about the whole GPU, name without prefix: a member of the record, or one of its infos. */
static int read_fact(struct gc_reader *reader, const char *name)
{
  struct gc_record *record = reader->record;
  const struct gc_identity_key *key = gc_identity_keys;
  unsigned bit;

  while (key->name && strcmp(key->name, name))
    key++;
  if (!key->name)
    return *name ? add_info(reader, &record->infos, name)
                 : refuse(reader, "an info without a name", "");
  bit = 1u << (key - gc_identity_keys);
  if (reader->seen & bit)
    return refuse(reader, "there twice: ", name);
  if (strlen(reader->value) >= key->size)
    return refuse(reader, "value too long: ", name);
  reader->seen |= bit;
  strcpy((char *)record + key->offset, reader->value);
  return 0;
}

static int not_just_an_info(struct gc_reader *reader)
{
  return refuse(reader, "an info that has not just a name and a value", "");
}

static int read_info(struct gc_reader *reader, const struct gc_attributes *attributes)
{
  struct gc_element *element = &reader->record->elements[reader->at];
  struct span name = attribute(attributes, "name"), value = attribute(attributes, "value");
  size_t prefix = strlen(gc_record_prefix);

  if (!name.start || !name.length || !value.start)
    return not_just_an_info(reader);
  if (!copy_plain(name, '!', reader->name, sizeof(reader->name)))
    return refuse(reader, "an info name that is too long or not plain ASCII", "");
  if (!copy_plain(value, ' ', reader->value, sizeof(reader->value)))
    return refuse(reader, "value too long or not plain ASCII: ", reader->name);
  reader->in_info = true;
  if (is_dropped(reader->name))
    return 0;
  if (element->kind == GC_DEVICE_MEMORY && !strncmp(reader->name, gc_record_prefix, prefix))
    return read_fact(reader, reader->name + prefix);
  if (!gc_value_ok(reader->name, reader->value))
    return refuse(reader, "not the number it should be: ", reader->name);
  return add_info(reader, &element->infos, reader->name);
}

/* The kind of an OS device object; GC_KIND_COUNT for any other object. */
static enum gc_kind kind_of(const struct gc_attributes *attributes)
{
  char subtype[32];
  struct span span = attribute(attributes, "subtype");

  if (!span_is(attribute(attributes, "type"), "OSDev") || !span.start ||
      !copy_plain(span, '!', subtype, sizeof(subtype)))
    return GC_KIND_COUNT;
  return gc_kind_by_subtype(subtype);
}

/* An object of the GPU. */
static int read_element(struct gc_reader *reader, enum gc_kind kind)
{
  struct gc_record *record = reader->record;
  size_t at = record->count;
  struct gc_element *element;

  if (kind == GC_KIND_COUNT)
    return refuse(reader, "an unknown object inside DeviceMemory", "");
  if (reader->depth > GC_RECORD_MAX_DEPTH || at >= GC_RECORD_MAX_ELEMENTS)
    return refuse(reader, "too many objects", "");
  if (kind == GC_DEVICE_MEMORY && at)
    return refuse(reader, "a second DeviceMemory", "");
  element = gc_record_add(record, kind);
  if (!element)
    return -ENOMEM;
  if (element != &record->elements[at] ||
      gc_record_parent(record, at) != (reader->in_gpu ? (long)reader->at : -1))
    return refuse(reader, "wrongly nested: ", gc_kinds[kind].subtype);
  reader->in_gpu = true;
  reader->at = at;
  reader->depth++;
  return 0;
}

/* An object of the topology: DeviceMemory, or one that may hold it. */
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

static int read_root(struct gc_reader *reader, const char *name,
                     const struct gc_attributes *attributes)
{
  struct span version = attribute(attributes, "version");

  if (strcmp(name, "topology"))
    return gc_fail(reader->err, -EBADMSG, "not a topology");
  if (!version.start || version.length < 2 || memcmp(version.start, "2.", 2))
    return gc_fail(reader->err, -EBADMSG, "not a topology in the XML format of hwloc 2");
  reader->depth = 1;
  return 0;
}

static int not_of_a_gpu(struct gc_reader *reader)
{
  return refuse(reader, "not an info, not an object, but inside ",
                gc_kinds[reader->record->elements[reader->at].kind].subtype);
}

static int read_start(struct gc_reader *reader, const char *name,
                      const struct gc_attributes *attributes)
{
  if (!reader->depth)
    return read_root(reader, name, attributes);
  if (reader->in_info)
    return not_just_an_info(reader);
  if (!strcmp(name, "object"))
    return reader->in_gpu ? read_element(reader, kind_of(attributes))
                          : read_object(reader, kind_of(attributes));
  if (!reader->in_gpu) {
    reader->skipped = 1;
    return 0;
  }
  return strcmp(name, "info") ? not_of_a_gpu(reader) : read_info(reader, attributes);
}

void gc_reader_start(struct gc_reader *reader, const char *name,
                     const struct gc_attributes *attributes)
{
  if (reader->status)
    return;
  if (reader->skipped)
    reader->skipped++;
  else
    reader->status = read_start(reader, name, attributes);
}

void gc_reader_end(struct gc_reader *reader)
{
  long parent;

  if (reader->status)
    return;
  if (reader->skipped) {
    reader->skipped--;
  } else if (reader->in_info) {
    reader->in_info = false;
  } else {
    reader->complete = --reader->depth == 0;
    if (!reader->in_gpu)
      return;
    parent = gc_record_parent(reader->record, reader->at);
    reader->in_gpu = parent >= 0;
    reader->at = (size_t)parent;
  }
}

void gc_reader_content(struct gc_reader *reader, bool is_blank)
{
  if (reader->status || !reader->in_gpu)
    return;
  if (reader->in_info)
    reader->status = not_just_an_info(reader);
  else if (!is_blank)
    reader->status = not_of_a_gpu(reader);
}
