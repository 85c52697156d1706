/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The result for each GPU: its record, or why there is none; and the messages about several of
 * them.
 */
#ifndef GC_TOOL_GPUS_RESULTS_H
#define GC_TOOL_GPUS_RESULTS_H

#include "gpus/gpus.h"
#include "tool/tool.h"

struct gc_result {
  const struct gc_gpu *gpu;  /* with its driver tables */
  struct gc_record *record;  /* NULL: there is none, and problem says why */
  struct gc_record *earlier; /* its earlier valid record, while the GPU is measured again; NULL:
                                none, or not looked up */
  bool fresh;                /* measured just now */
  bool kept; /* the earlier record stays in the store: the new one determines less */
  int status;                /* enum gc_exit */
  int error;                 /* negative errno of the problem; 0: none */
  struct gc_error problem;
};

void gc_results_free(struct gc_result *results, size_t count);

/* Whether the driver tables are all that can be shown of this GPU, which is a real one. */
bool gc_has_tables_only(const struct gc_result *result);

/* The names of these GPUs of one list, in this order, for a sentence: "gpu2, gpu4 to gpu19". If
 * there is no room for all of them, the text ends with ", ...". */
void gc_names_of(const struct gc_gpu *const *gpus, size_t count, char *text, size_t size);

/* Prints each different sentence once, for all GPUs that it is about: "gpu0 to gpu7: sentence".
 * Without their names if the sentence has those of the simulated GPUs. sentences[i] is about
 * results[i]; NULL or "": none. */
void gc_say_once(const struct gc_result *results, const char *const *sentences, size_t count);

/* Warns about AMD GPUs, because nobody has checked the methods on one. fresh: only about GPUs
 * that were measured just now. */
void gc_say_caveats(const struct gc_result *results, size_t count, bool fresh);

/* The exit code for all results: the worst of theirs, with these exceptions when no GPU was
 * named: a GPU that cannot be measured (gpu->problem) counts only if none can, and a GPU without
 * a record beside others is a failure. tables: showing the driver tables of a GPU is enough. */
int gc_results_status(const struct gc_tool *tool, const struct gc_result *results, size_t count,
                      bool tables);

#endif
