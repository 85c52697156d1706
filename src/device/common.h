/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Helpers for all back ends: the table of kernels, checks of arguments before a driver sees them,
 * and messages for errors of a vendor's library.
 */
#ifndef GC_DEVICE_COMMON_H
#define GC_DEVICE_COMMON_H

#include "device/device.h"
#include "util/symbols.h"

#include <stdarg.h>
#include <stddef.h>

/* The columns "need" and "work" of GPU_KERNELS; kernels/args.h explains their values. */
enum gc_need {
  GC_NEED_ANY,
  GC_NEED_READ_ONLY,
  GC_NEED_TEXTURE,
  GC_NEED_CONSTANT,
  GC_NEED_SCALAR,
  GC_NEED_CLUSTERS,
  GC_NEED_BULK,
  GC_NEED_CODE
};
enum gc_kernel_work {
  GC_WORK_PLAIN,
  GC_WORK_LATENCY,
  GC_WORK_TICKETS,
  GC_WORK_TURNS,
  GC_WORK_LOADED
};

/* A kernel: its name ("clock"), its entry point in an object ("gpu_clock"), the length of its
 * arguments. */
struct gc_kernel_facts {
  const char *name, *entry;
  size_t args_bytes;
  enum gc_need need;
  enum gc_kernel_work work;
};
extern const struct gc_kernel_facts gc_kernels[GC_KERNEL_COUNT];

/* -EINVAL unless args_bytes of the launch is the length of its kernel's arguments. */
int gc_check_args(const struct gc_launch *launch, struct gc_error *err);

/* -EINVAL unless percent is between -1 and 100. */
int gc_check_carveout(int percent, struct gc_error *err);

/* Counts device memory that was allocated or released. */
void gc_count_alloc(struct gc_device_counts *counts, uint64_t bytes);
void gc_count_release(struct gc_device_counts *counts, uint64_t bytes);

/* A property that is one attribute of the vendor's interface, and its member in struct
 * gc_properties. */
struct gc_attribute {
  int attribute;
  size_t offset, bytes;
};
#define GC_PROPERTY(field)                                                                         \
  offsetof(struct gc_properties, field), sizeof(((struct gc_properties *)0)->field)

/* Stores a value into a member of type bool, uint32_t or uint64_t. Ignores values that are not
 * positive: the interface uses them for unknown. */
void gc_put_attribute(struct gc_properties *properties, const struct gc_attribute *attribute,
                      int value);

/* The errno for an error of a vendor's interface. */
struct gc_meaning {
  unsigned int error;
  int status;
};

/* The negative errno for an error: -EIO if the list does not contain it. */
int gc_status_of(unsigned int error, const struct gc_meaning *meanings, size_t n);

/* Writes the message of a failed call: "cannot <doing>: <name of the error>". Returns status. */
int gc_call_failed(struct gc_error *err, int status, const char *name, const char *doing,
                   va_list args);

/* Checks that an environment variable (CUDA_VISIBLE_DEVICES or a similar one) shows a GPU. -ENODEV
 * "… it hides every <hides>" if it shows none. The vendors' libraries ignore the first invalid
 * entry of such a list and all entries after it. So a list that begins with an invalid entry, such
 * as "-1" or "NoDevFiles", shows no GPU. empty_counts: an empty list shows none either. */
int gc_check_visible(const char *variable, bool empty_counts, const char *hides,
                     struct gc_error *err);

#endif
