/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * This program in another process, to measure one GPU there.
 */
#ifndef GC_TOOL_PROCESS_CHILD_H
#define GC_TOOL_PROCESS_CHILD_H

#include "gpus/gpus.h"
#include "tool/tool.h"
#include "util/spawn.h"

/* The command line of the child. */
struct gc_child {
  const char *argv[26];
  char timeout[32], resume[16];
};
void gc_child_prepare(struct gc_child *child, const struct gc_tool *tool, const char *sims,
                      const struct gc_gpu *gpu);

/* The variables that children need: the list of GPUs, so that a GPU has the same name in the child,
 * and the process id of the parent. entries is for gc_spawn_options.set_env. Such a child gets
 * SIGTERM when the thread that started it ends, for any reason; so start it from a thread that
 * lives as long as the process. 0 or -ENOMEM, with nothing to free. */
struct gc_child_variables {
  const char *entries[7]; /* with space for one more */
  char parent[64], *sims, *root;
};
int gc_child_environment(struct gc_child_variables *environment, const char *sims);
void gc_child_environment_free(struct gc_child_variables *environment);

/* Call it first in main(): if the environment names a parent, makes this process end with it. */
void gc_child_follow_parent(void);

/* The most bytes that a child can write: 64 MiB, or less if the limit for files is lower (ulimit -f).
 * A topology of a large machine has a few megabytes. */
size_t gc_child_bytes(void);

/* A memory file for the output of a child, or for its input, on a descriptor of 3 or more; -1 with
 * errno. A child can write gc_child_bytes() at most, and cannot shorten the file. */
int gc_child_file(void);

/* How many bytes a child has printed: it shares the position of the descriptor. */
size_t gc_child_printed(int fd);

/* Reads the record that a child printed to that file. 0 and *record, which the caller frees, or
 * a negative errno. */
int gc_child_read(int fd, struct gc_record **record, struct gc_error *err);

/* With --resume, a child reports a failure on stdout in place of the record, so that its parent
 * gets the same errno: a line "failed 16 the GPU is busy". status: negative errno. */
void gc_child_report(int status, const char *sentence);

/* Reads such a report: a negative errno with the sentence, or 0 when there is none. */
int gc_child_failure(int fd, struct gc_error *err);

/* Writes a sentence about how the child ended. */
void gc_child_problem(const struct gc_command *command, struct gc_error *err);

/* Ends the children that run and waits up to a second for them. May be called from another
 * thread. */
void gc_child_end(const struct gc_command *commands, size_t count);

#endif
