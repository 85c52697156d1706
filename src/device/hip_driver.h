/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The HIP library: loaded at run time, its functions in a table, its errors as messages.
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

/* Loads libamdhip64.so.7, .6, .5 or the one without a number, whichever is found first, from the
 * linker's path or from the directory of ROCm's packages, and fills the table. -ENODEV if there is
 * none, or if one of its functions is missing. */
int gc_hip_driver_load(struct gc_hip_driver *driver, struct gc_error *err);
/* Only before hipInit: afterwards the library has threads. */
void gc_hip_driver_unload(struct gc_hip_driver *driver);

/* Converts the result of a call: 0, or a negative errno and the message "cannot <what was being
 * done>: hipError…". */
int gc_hip_status(const struct gc_hip_driver *driver, hipError_t result, struct gc_error *err,
                  const char *doing, ...) __attribute__((format(printf, 4, 5)));

/* The name of an error; if HIP has none, the number in `buffer`. */
const char *gc_hip_error_name(const struct gc_hip_driver *driver, hipError_t result,
                              char buffer[32]);

#endif
