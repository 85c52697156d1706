/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the back ends have in common: the kernels by name, arguments that are checked before a driver
 * sees them, a vendor's library found at run time, its errors as sentences.
 */
#ifndef GC_DEVICE_COMMON_H
#define GC_DEVICE_COMMON_H

#include "device/device.h"

#include <stdarg.h>
#include <stddef.h>

/* A kernel: "clock", its entry point in an object "gpu_clock", the length of its arguments. */
struct gc_kernel_facts {
  const char *name, *entry;
  size_t args_bytes;
};
extern const struct gc_kernel_facts gc_kernels[GC_KERNEL_COUNT];

/* -EINVAL unless the launch brings as many bytes of arguments as its kernel takes. */
int gc_check_args(const struct gc_launch *launch, struct gc_error *err);

/* -EINVAL unless percent is a carve-out: -1 to 100. */
int gc_check_carveout(int percent, struct gc_error *err);

/* Device memory that was allocated or given back. */
void gc_count_alloc(struct gc_device_counts *counts, uint64_t bytes);
void gc_count_release(struct gc_device_counts *counts, uint64_t bytes);

/* A property that is one attribute of the vendor's interface: where it goes, and how wide that is. */
struct gc_attribute {
  int attribute;
  size_t offset, bytes;
};
#define GC_PROPERTY(field)                                                                         \
  offsetof(struct gc_properties, field), sizeof(((struct gc_properties *)0)->field)

/* Stores what the interface said into a bool, uint32_t or uint64_t member. A value that is not positive
 * says nothing and changes nothing. */
void gc_put_attribute(struct gc_properties *properties, const struct gc_attribute *attribute, int value);

/* A function of a vendor's library, and where its address goes in the table of functions. */
struct gc_symbol {
  const char *name;
  size_t offset;
};

/* Fills the table from an open library. -ENODEV "LIBRARY has no NAME: <advice>". */
int gc_find_symbols(void *library, const char *library_name, const struct gc_symbol *symbols,
                    size_t n, void *table, const char *advice, struct gc_error *err);

/* What some errors of an interface mean. */
struct gc_meaning {
  unsigned int error;
  int status;
};

/* The status of an error: -EIO where the list does not say more. */
int gc_status_of(unsigned int error, const struct gc_meaning *meanings, size_t n);

/* The sentence of a call that failed: "cannot <doing>: <name of the error>". Returns status. */
int gc_call_failed(struct gc_error *err, int status, const char *name, const char *doing,
                   va_list args);

/* -ENODEV "… it hides every <hides>" when this variable, CUDA_VISIBLE_DEVICES or one like it, shows no GPU at
 * all. Such a list ends at the first entry that is no GPU: where that is the first of all, "-1" or "NoDevFiles"
 * for example, there are none. An empty one shows none where empty_counts. */
int gc_check_visible(const char *variable, bool empty_counts, const char *hides, struct gc_error *err);

#endif
