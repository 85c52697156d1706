/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The GPUs that the command line names.
 */
#ifndef GC_TOOL_GPUS_TARGETS_H
#define GC_TOOL_GPUS_TARGETS_H

#include "gpus/gpus.h"
#include "tool/tool.h"

struct gc_targets {
  struct gc_gpus gpus;     /* all GPUs */
  struct gc_gpu **chosen;  /* the named ones, or all; each once */
  size_t count;
};

/* Whether this argument means a file or directory: it contains '/', it ends like the name of a file
 * (".xml"), or a file of that name exists and it does not look like the name of a GPU ("gpu0").
 * Other arguments name GPUs of this machine. */
bool gc_targets_is_path(const char *word);

/* Lists the GPUs and finds the named ones. GC_EXIT_DONE, and the caller calls gc_targets_free;
 * or another exit code after a message, with nothing to free. */
int gc_targets_find(const struct gc_tool *tool, struct gc_targets *targets);

/* The same, but if words name no GPU, targets still has the list and the GPUs that other words
 * name. The caller always calls gc_targets_free. */
int gc_targets_find_known(const struct gc_tool *tool, struct gc_targets *targets);
void gc_targets_free(struct gc_targets *targets);

/* Lists all GPUs that count for this command line, and prints nothing. The caller calls
 * gc_gpus_restrict, and frees the list with gc_gpus_free. 0 or -ENOMEM. */
int gc_targets_list(const struct gc_tool *tool, struct gc_gpus *gpus);

/* The comma list of the simulated GPUs among them; the caller frees it. NULL: out of memory. */
char *gc_targets_sims(const struct gc_tool *tool);

/* False: the word for a simulated GPU names no profile; gpu->problem has the message. */
bool gc_targets_is_there(const struct gc_gpu *gpu);

/* Whether gpu->problem itself names all simulated GPUs that have it: no profile was found. */
bool gc_targets_is_shared(const struct gc_gpu *gpu);

/* Whether it is shared with an earlier GPU of the list, and so need not be printed again. */
bool gc_targets_is_repeated(const struct gc_gpus *gpus, const struct gc_gpu *gpu);

#endif
