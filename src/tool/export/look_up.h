/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Values of a record as numbers, for the formats of other programs: optional ones, and those
 * without which a format is refused.
 */
#ifndef GC_TOOL_EXPORT_LOOK_UP_H
#define GC_TOOL_EXPORT_LOOK_UP_H

#include "record/record.h"
#include "util/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* CUDA always reports the compute capability; no other interface does. */
bool gc_is_nvidia(const struct gc_record *record);

/* The value of an element, which may be NULL. False: there is none, or it is 0, or no number.
 * *value is then unchanged. */
bool gc_whole(const struct gc_element *element, const char *key, uint64_t *value);
bool gc_real(const struct gc_element *element, const char *key, double *value);

/* The text of a value of an element that is a number above 0, or NULL. */
const char *gc_number_text(const struct gc_element *element, const char *key);

/* Collects the names of required values that a record lacks. Zero it before use. */
struct gc_missing {
  char names[300];
};
void gc_missing_add(struct gc_missing *missing, const char *name);

/* The fact of the whole GPU with this key (without prefix), from 1 to most. 0: there is none, and
 * its name (with prefix) is added to missing, which may be NULL. */
uint64_t gc_fact(const struct gc_record *record, const char *key, uint64_t most,
                 struct gc_missing *missing);

/* 0 if nothing is missing; or -ENODATA with a sentence that names the values and the format. */
int gc_missing_status(const struct gc_missing *missing, const char *format, struct gc_error *err);

/* Numbers of the instruction set: compute capability 9.0; gfx90a is 9.0 (as HIP reports it). False:
 * the record does not have them. */
bool gc_architecture(const struct gc_record *record, unsigned *major, unsigned *minor);

/* Cores (lanes for single precision) of an SM or CU: the fact CoresPerSM, or else a table by
 * architecture. 0: unknown. */
uint64_t gc_cores_per_sm(const struct gc_record *record);

/* Bytes of constant memory that the vendor's interface states: the fact ConstantBytes, or else the
 * same for all GPUs of that vendor. */
uint64_t gc_constant_bytes(const struct gc_record *record);

/* Whether SharedWith of an element, which may be NULL, names this subtype. */
bool gc_shares(const struct gc_element *element, const char *subtype);

/* Writes "measured: LatencyCycles of L1Cache is 32.0, confidence 0.9975", without newline. */
void gc_put_origin(const struct gc_element *element, const char *subtype, const char *key,
                   const char *property, FILE *out);

#endif
