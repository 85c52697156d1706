/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The CUDA driver library: loaded at run time, its functions in a table, its errors as messages.
 */
#ifndef GC_DEVICE_CUDA_DRIVER_H
#define GC_DEVICE_CUDA_DRIVER_H

#include "device/cuda_symbols.h"
#include "util/error.h"

#define CUDA_MEMBER(name, parameters) CUresult(*name) parameters;
struct gc_cuda_driver {
  void *library;
  CUDA_SYMBOLS(CUDA_MEMBER)
  /* NULL if the driver is too old: */
  CUDA_CLUSTER_SYMBOLS(CUDA_MEMBER)
  CUDA_ALIAS_SYMBOLS(CUDA_MEMBER)
  CUDA_HOST_SYMBOLS(CUDA_MEMBER)
  CUDA_PEER_SYMBOLS(CUDA_MEMBER)
};
#undef CUDA_MEMBER

/* Loads libcuda.so.1 and fills the table. -ENODEV if the library or one of its functions that are
 * not optional is missing. */
int gc_cuda_driver_load(struct gc_cuda_driver *driver, struct gc_error *err);
void gc_cuda_driver_unload(struct gc_cuda_driver *driver);

/* Converts the result of a driver call: 0, or a negative errno and the message "cannot <what was
 * being done>: CUDA_ERROR_…". */
int gc_cuda_status(const struct gc_cuda_driver *driver, CUresult result, struct gc_error *err,
                   const char *doing, ...) __attribute__((format(printf, 4, 5)));

/* The name of an error; if the driver has none, the number in `buffer`. */
const char *gc_cuda_error_name(const struct gc_cuda_driver *driver, CUresult result,
                               char buffer[32]);

#endif
