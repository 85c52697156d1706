/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A record from a text, or from its tags. A caller that reads a topology with other objects or
 * several GPUs passes the tags of one GPU.
 */
#ifndef GC_RECORD_READER_H
#define GC_RECORD_READER_H

#include "record/elements.h"
#include "util/error.h"

struct gc_reader {
  struct gc_record *record; /* what has been read so far */
  struct gc_error *err;
  bool any_order; /* objects inside one need not be in the order of a record */

  /* for reader.c */
  unsigned seen;    /* bit k: gc_identity_keys[k] has been read */
  unsigned depth;   /* open objects, and the topology */
  unsigned skipped; /* open XML elements since one that is not an object */
  bool in_gpu, in_info;
  size_t at; /* in_gpu: the innermost open element of the record */
};

/* Begins an empty record. 0; or -ENOMEM, with reader->record NULL. The caller owns the record. */
int gc_reader_new(struct gc_reader *reader, struct gc_error *err);

/* A start tag and an end tag, as in struct gc_xml_receiver; data: the reader. The first tag is that
 * of the topology. The record shares the strings of the attributes. */
int gc_reader_start(void *data, const char *name, char *const *attributes);
int gc_reader_end(void *data);

/* The value of an attribute, or NULL. */
char *gc_reader_attribute(char *const *attributes, const char *name);

/* The kind of an object with these attributes; GC_KIND_COUNT if it is none of ours. */
enum gc_kind gc_reader_kind(char *const *attributes);

/* Whether the record is complete after the last tag: 0, or -EBADMSG with a sentence. */
int gc_reader_check(const struct gc_reader *reader);

#endif
/* Reads a record from XML text as hwloc's exporter writes it (v2 format): the one OS device with
 * the subtype DeviceMemory and its children; other objects of the topology are skipped. Infos
 * that hwloc or lstopo added (Backend, hwlocVersion, ProcessName, lstopoStyle) are dropped.
 * Strict and bounded. Refuses with -EBADMSG and a sentence: text that is too long or not
 * well-formed, has its own DTD or uses entities; no or two DeviceMemory objects; unknown or
 * wrongly nested objects in the GPU; a value without the form of its key (values.h); an info that
 * occurs twice; more than the bounds of elements.h. Does not check whether identity, format and
 * method are current. 0, and *record, which the caller frees with gc_record_free;
 * -EBADMSG; -ENOMEM. Safe from any thread. */
int gc_record_read_xml(const char *text, size_t length, struct gc_record **record,
                       struct gc_error *err);

/* The same without a copy. text: malloc'ed, with a NUL at text[length]. It belongs to the record
 * from now on, and is freed on failure. */
int gc_record_read_text(char *text, size_t length, struct gc_record **record, struct gc_error *err);
