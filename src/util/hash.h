/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * FNV-1a, 64 bit: tells changed text from the same one. Not for what somebody may want to forge.
 */
#ifndef GC_UTIL_HASH_H
#define GC_UTIL_HASH_H

#include <stddef.h>
#include <stdint.h>

/* The hash of nothing. */
#define GC_HASH_START UINT64_C(0xcbf29ce484222325)

/* The hash of what hash is of, and these bytes behind it. */
uint64_t gc_hash(uint64_t hash, const void *bytes, size_t length);

#endif
