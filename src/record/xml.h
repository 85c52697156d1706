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

#endif
