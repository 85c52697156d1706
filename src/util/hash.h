/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The FNV-1a hash with 64 bits, to find out whether a text has changed. It does not protect against
 * somebody who wants two texts to have the same hash.
 */
#ifndef GC_UTIL_HASH_H
#define GC_UTIL_HASH_H

#include <stddef.h>
#include <stdint.h>

/* The hash of no bytes. */
#define GC_HASH_START UINT64_C(0xcbf29ce484222325)

/* The hash of a longer text: hash is that of its beginning, bytes are the rest. */
uint64_t gc_hash(uint64_t hash, const void *bytes, size_t length);

#endif
