/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads a record from XML.
 */
#ifndef GC_RECORD_XML_H
#define GC_RECORD_XML_H

#include "record/elements.h"
#include "util/error.h"

/* Reads a record from XML text as hwloc's exporter writes it (v2 format): the one OS device with
 * the subtype DeviceMemory and its children; other objects of the topology are skipped. Infos
 * that hwloc or lstopo added (Backend, hwlocVersion, ProcessName, lstopoStyle) are dropped.
 * Strict and bounded. Refuses with -EBADMSG and a sentence: text that is too long or not
 * well-formed, has its own DTD or uses entities; no or two DeviceMemory objects; unknown or
 * wrongly nested objects in the GPU; a value that is not a number although its key requires one;
 * an info that occurs twice; more than the bounds of elements.h. Does not check whether identity,
 * format and method are current. 0, and *record, which the caller frees with gc_record_free;
 * -EBADMSG; -ENOMEM. Safe from any thread. */
int gc_record_read_xml(const char *text, size_t length, struct gc_record **record,
                       struct gc_error *err);

/* The same without a copy. text: malloc'ed, with a NUL at text[length]. It belongs to the record
 * from now on, and is freed on failure. */
int gc_record_read_text(char *text, size_t length, struct gc_record **record, struct gc_error *err);

#endif
