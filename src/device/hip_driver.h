/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The HIP library: found at run time, its functions in a table, its errors as sentences.
 */
#ifndef GC_DEVICE_HIP_DRIVER_H
#define GC_DEVICE_HIP_DRIVER_H

#include "device/hip_symbols.h"
#include "util/error.h"

#define HIP_MEMBER(type, name, parameters) type(*name) parameters;
struct gc_hip_driver {
  void *library;
  char name[48]; /* "libamdhip64.so.6" */
  HIP_SYMBOLS(HIP_MEMBER)
};
#undef HIP_MEMBER

/* Loads libamdhip64.so.7, .6, .5 or the one without a number, whichever comes first, from where the linker
 * looks or else from where ROCm's packages put it, and fills the table. -ENODEV when there is none, or a
 * function is missing. */
int gc_hip_driver_load(struct gc_hip_driver *driver, struct gc_error *err);
/* Only for a library whose hipInit was not called: afterwards it has threads. */
void gc_hip_driver_unload(struct gc_hip_driver *driver);

/* Turns the result of a call into a status: 0, or negative with the sentence
 * "cannot <what was being done>: hipError…". */
int gc_hip_status(const struct gc_hip_driver *driver, hipError_t result, struct gc_error *err,
                  const char *doing, ...) __attribute__((format(printf, 4, 5)));

/* The name of an error; a number in `buffer` when HIP knows no name for it. */
const char *gc_hip_error_name(const struct gc_hip_driver *driver, hipError_t result,
                              char buffer[32]);

#endif
