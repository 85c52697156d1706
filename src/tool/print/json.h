/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * JSON values of all subcommands, made with jansson. A value is NULL if memory ran out. The
 * functions accept that: an object or array that should have got such a member is released, and
 * becomes NULL too. So only gc_json_print() has to be checked.
 */
#ifndef GC_TOOL_PRINT_JSON_H
#define GC_TOOL_PRINT_JSON_H

#include <jansson.h>
#include <stdint.h>

/* A text of a driver or a file may not be UTF-8: only that value is then lost. */
json_t *gc_json_text(const char *text);

/* (*object)[key] = value, and the same at the end of an array. The value is taken over. */
void gc_json_set(json_t **object, const char *key, json_t *value);
void gc_json_add(json_t **array, json_t *value);

/* Members with values of these kinds. _real: null for NaN and infinity, which JSON does not have.
 */
void gc_json_set_text(json_t **object, const char *key, const char *text);
void gc_json_set_real(json_t **object, const char *key, double number);
void gc_json_set_whole(json_t **object, const char *key, uint64_t number);

/* Prints to stdout, with real numbers of so many digits, and releases the value. 0, or -ENOMEM if it
 * is NULL. main() checks whether writing failed. */
int gc_json_print(json_t *value, size_t digits);

#endif
