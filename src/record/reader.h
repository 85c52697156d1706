/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Between the two halves of gc_record_read_xml: xml.c has the text parsed and tells here what comes,
 * in the order of the text; reader.c knows what it means. Internal to this room.
 */
#ifndef GC_RECORD_READER_H
#define GC_RECORD_READER_H

#include "record/record.h"

struct gc_reader {
  struct gc_record *record; /* what was read so far */
  struct gc_error *err;
  /* 0, or why the record is none: the first refusal (-EBADMSG, with a sentence) or -ENOMEM. What
   * comes after it is ignored. */
  int status;
  bool complete; /* the topology has been closed */

  /* reader.c's own */
  unsigned seen;    /* bit k: gc_identity_keys[k] was there */
  unsigned depth;   /* objects that are open, and the topology */
  unsigned skipped; /* elements that are open, from one on that is not an object */
  bool in_gpu, in_info;
  size_t at; /* in_gpu: innermost element of the record that is open */
  char name[GC_RECORD_MAX_NAME + 1], value[GC_RECORD_MAX_VALUE + 1];
};

/* Attributes as libxml2 hands them over, five pointers each: name, prefix, namespace, the value's
 * first character and the one after its last. */
struct gc_attributes {
  const unsigned char **array;
  int count;
};

/* A start tag, an end tag, and what else there is between tags: text, comments and so on. */
void gc_reader_start(struct gc_reader *reader, const char *name,
                     const struct gc_attributes *attributes);
void gc_reader_end(struct gc_reader *reader);
void gc_reader_content(struct gc_reader *reader, bool is_blank);

#endif
