/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The two halves of gc_record_read_xml: xml.c splits the text into tags and calls these functions
 * in the order of the text; reader.c interprets it. Internal to src/record.
 */
#ifndef GC_RECORD_READER_H
#define GC_RECORD_READER_H

#include "record/elements.h"
#include "util/error.h"

struct gc_reader {
  struct gc_record *record; /* what has been read so far */
  struct gc_error *err;
  /* 0, or the first failure: -EBADMSG with a sentence, or -ENOMEM. The rest of the text is then
   * ignored. */
  int status;
  bool complete; /* the topology has been closed */

  /* for reader.c */
  unsigned seen;    /* bit k: gc_identity_keys[k] has been read */
  unsigned depth;   /* open objects, and the topology */
  unsigned skipped; /* open XML elements since one that is not an object */
  bool in_gpu, in_info;
  size_t at; /* in_gpu: the innermost open element of the record */
};

/* A start tag, an end tag, and everything between tags: text, comments and so on. attributes: name
 * and value in turn, ended by NULL. The record shares these strings. */
void gc_reader_start(struct gc_reader *reader, const char *name, char *const *attributes);
void gc_reader_end(struct gc_reader *reader);
void gc_reader_content(struct gc_reader *reader, bool is_blank);

#endif
