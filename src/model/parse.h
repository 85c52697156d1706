/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The parser of profiles: "key = value" lines under [section] lines. keys.c lists the keys.
 */
#ifndef GC_MODEL_PARSE_H
#define GC_MODEL_PARSE_H

#include "model/profile.h"

/* Parses a text of `length` bytes. name: for messages. 0, or -EINVAL with "NAME:LINE: what is
 * wrong". */
int gc_profile_parse(const char *name, const char *text, size_t length, struct gc_profile *profile,
                     struct gc_error *err);

#endif
