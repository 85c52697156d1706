/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which kernels of the traces are predicted: those that the caller wants and that can be read. The
 * traces are read once for this, before any model runs.
 */
#ifndef GC_PREDICT_SELECT_H
#define GC_PREDICT_SELECT_H

#include "predict/wanted.h"
#include "util/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum gc_selected { GC_KERNEL_PREDICTED, GC_KERNEL_UNWANTED, GC_KERNEL_UNREADABLE };

struct gc_selection {
  uint8_t *kernels; /* enum gc_selected of each kernel of all traces */
  size_t count;
  /* Kernels, and ends of traces, that cannot be read; of the first GC_REASONS_MOST, why. */
  struct gc_unreadable {
    uint64_t number; /* over all traces, from 1; 0: something after the end of a trace */
    int status;
    struct gc_error why;
  } * unreadable;
  size_t unreadable_count;
};
#define GC_REASONS_MOST 100

/* 0; or a negative errno with a sentence: a trace cannot be opened, there is no memory, or names is
 * no regular expression. The caller always calls gc_selection_clear. */
int gc_selection_make(struct gc_selection *selection, const struct gc_wanted *wanted,
                      const char *const *traces, size_t count, struct gc_error *err);
void gc_selection_clear(struct gc_selection *selection);

#endif
