/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * XML as hwloc's exporter writes it.
 */
#ifndef GC_RECORD_XML_H
#define GC_RECORD_XML_H

#include "record/elements.h"
#include "util/error.h"

/* Receives the tags of a text in its order. attributes: name and value in turn, ended by NULL; the
 * strings are parts of the text. content: what is between tags, text (is_blank: false) or a
 * comment. Each returns 0, or a negative errno, with a sentence if it is -EBADMSG; it ends the
 * parsing. */
struct gc_xml_receiver {
  int (*start)(void *data, const char *name, char *const *attributes);
  int (*end)(void *data);
  int (*content)(void *data, bool is_blank);
};

/* Splits the text into tags, and changes it. There must be a NUL at text[length]. Allocates
 * nothing. Takes a time proportional to the length. 0, or -EBADMSG with a sentence that names the
 * line: not well-formed; its own DTD, entities other than those of XML, or references to characters
 * that are not ASCII; more attributes or depth than the bounds of elements.h; or what the receiver
 * returned. */
int gc_xml_parse(char *text, size_t length, const struct gc_xml_receiver *receiver, void *data,
                 struct gc_error *err);

#endif
