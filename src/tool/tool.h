/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The hwloc-gpucache command, as its files see each other. Results go to stdout, sentences to
 * stderr. Every subcommand returns one of the exit codes; nothing below main() calls exit().
 */
#ifndef GC_TOOL_TOOL_H
#define GC_TOOL_TOOL_H

#include "gpus/gpus.h"
#include "record/record.h"
#include "util/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GC_TOOL_NAME "hwloc-gpucache"

enum gc_exit { GC_EXIT_DONE, GC_EXIT_FAILED, GC_EXIT_USAGE, GC_EXIT_NO_GPU };

/* What the command line said. */
struct gc_tool {
  const char *sims;     /* --sim: only these; NULL: real GPUs, and those of $HWLOC_GPUCACHE_SIM */
  const char *only;     /* --only: comma list of subtypes; NULL: all */
  const char *raw;      /* --raw: directory for the data that values are told from; NULL: none */
  bool made_raw;        /* that directory was not there before */
  const char *command;  /* the whole command line, for people */
  unsigned resume;      /* --resume: step of the plan to go on with, in the record on stdin; 0: none. Not
                           for people, and not in --help: rest.c gives it */
  double timeout;       /* --timeout: seconds for all of it; 0: no limit */
  bool times;           /* --verbose, but not $HWLOC_GPUCACHE_VERBOSE: what each step of measuring costs */
  bool verbose, force, no_store, json, xml, all;
  bool of_records;      /* purge: words may name a record that no GPU has */
  bool must_store;      /* measure: a record that cannot be stored is a failure, not a warning */
  char **words;         /* the arguments after the subcommand */
  size_t count;
};

/* The subcommands, one file each. */
int gc_tool_list(const struct gc_tool *tool);
int gc_tool_measure(const struct gc_tool *tool);
int gc_tool_show(const struct gc_tool *tool);
int gc_tool_purge(const struct gc_tool *tool);
int gc_tool_plot(const struct gc_tool *tool);

/* say.c: "hwloc-gpucache: gpu0: sentence" on stderr, as one write; gpu may be NULL. */
void gc_say(const char *gpu, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The worse of two exit codes: a failure outweighs a missing GPU, which outweighs success. */
int gc_worse(int a, int b);

/* targets.c: the GPUs that the command line means. */
struct gc_targets {
  struct gc_gpus gpus;     /* all of them */
  struct gc_gpu **chosen;  /* those named, or all; each once */
  size_t count;
};
/* GC_EXIT_DONE, or another exit code (said why) with nothing to free. */
int gc_targets_find(const struct gc_tool *tool, struct gc_targets *targets);
/* The comma list of simulated GPUs among them; malloc'ed. NULL: out of memory. */
char *gc_targets_sims(const struct gc_tool *tool);
void gc_targets_free(struct gc_targets *targets);
/* False: a simulated GPU was asked for by a word that names no profile, which problem says. */
bool gc_targets_is_there(const struct gc_gpu *gpu);
/* Where /proc and /sys are, for gc_gpus_list and gc_gpus_know. */
const char *gc_targets_root(void);

/* obtain.c: the record of each GPU, from the store or by measuring now. */
struct gc_result {
  const struct gc_gpu *gpu; /* its known is read */
  struct gc_record *record; /* NULL: could not be had, said why in problem */
  struct gc_record *partial; /* the valid record that is measured again, because steps failed when it was made */
  bool fresh;               /* measured just now */
  int status;               /* gc_exit */
  int error;                /* negative errno of the problem; 0: it has none */
  struct gc_error problem;
};
/* Results for the chosen GPUs, in their order; failures have been said on stderr. Caller frees.
 * NULL: out of memory. */
struct gc_result *gc_obtain(const struct gc_tool *tool, const struct gc_targets *targets);
void gc_results_free(struct gc_result *results, size_t count);
/* Whether only what the kernel driver states can be shown of this GPU, which is a real one. */
bool gc_is_known_only(const struct gc_result *result);
/* Says each sentence once, for all GPUs that it is about: "gpu0 to gpu7: sentence". sentences[i] is of
 * results[i]; NULL or "": nothing to say. */
void gc_say_once(const struct gc_result *results, const char *const *sentences, size_t count);
/* Says on stderr what has to be said of AMD GPUs as long as nobody has checked the methods on one. fresh: only
 * of those that were measured just now. */
void gc_say_caveats(const struct gc_result *results, size_t count, bool fresh);
/* The exit status that they make: the worst, but when no GPU was named, one that cannot be measured
 * (problem) counts only if none can, and one that could not be had beside others is a failure. tables: it
 * is enough that the kernel driver's tables can be shown. */
int gc_results_status(const struct gc_tool *tool, const struct gc_result *results, size_t count,
                      bool tables);

/* here.c: measures one GPU in this process. fleet.c: several, each in a process of its own. */
void gc_measure_here(const struct gc_tool *tool, struct gc_result *result);
void gc_measure_fleet(const struct gc_tool *tool, struct gc_result **results, size_t count);
/* Whether a real device was left open here, so that main() must end with _exit. */
bool gc_left_open(void);

/* measure.c: removes the directory of --raw, if it was made for nothing. */
void gc_leave_raw(const struct gc_tool *tool);

/* rest.c: has the steps from `next` on measured by another process, when this one can do no more with
 * the GPU, and gets *record back whole. command: of that process, for at_end of the watch. 0, or
 * negative, and *said when that process has said why. */
struct gc_command;
int gc_measure_rest(const struct gc_tool *tool, const struct gc_gpu *gpu, unsigned next,
                    struct gc_command *command, struct gc_record **record, bool *said,
                    struct gc_error *err);

/* child.c: this program in a process of its own, for one GPU. */
struct gc_child {
  const char *argv[26];
  char timeout[32], resume[16];
};
void gc_child_prepare(struct gc_child *child, const struct gc_tool *tool, const char *sims,
                      const struct gc_gpu *gpu);
/* For its environment: which process it belongs to. It ends as by SIGTERM when that one is gone, however it
 * ended. To be called, and the child started, by a thread that lives as long as the process. */
void gc_child_name_parent(char setting[64]);
/* In the child, first of all. */
void gc_child_follow_parent(void);
/* A memory file for what it prints, on a descriptor that is no standard one; -1 with errno. */
int gc_child_file(void);
/* The record that was printed. 0 or negative errno. */
int gc_child_read(int fd, struct gc_record **record, struct gc_error *err);
/* With --resume, a failure is told on stdout in place of the record, so that it is the same to the process
 * that began: a line "failed 16 the GPU is busy", 16 being errno. */
void gc_child_tell(int status, const char *sentence);
/* What was told: negative errno with the sentence; 0: nothing. */
int gc_child_failure(int fd, struct gc_error *err);
/* How it ended, in a sentence. */
void gc_child_problem(const struct gc_command *command, struct gc_error *err);
/* Ends those that run, and waits a moment so that none outlives us; for other threads. */
void gc_child_end(const struct gc_command *commands, size_t count);

/* export.c: the record as hwloc writes it; *xml is malloc'ed. 0 or negative errno. */
int gc_export(const struct gc_record *record, const char *gpu, char **xml, size_t *length,
              struct gc_error *err);
int gc_report_xml(const struct gc_result *results, size_t count);

/* report.c, json.c: results on stdout. GC_EXIT_DONE, or GC_EXIT_FAILED without memory (said). */
int gc_report(const struct gc_record *record, const char *gpu);
int gc_report_json(const struct gc_result *results, size_t count);
/* report_notes.c: what stands below the tables; whether a source says that there is no value. */
void gc_report_notes(const struct gc_record *record);
bool gc_report_is_absent(const char *source);
/* 222208 -> "217 KiB"; what is no multiple keeps two digits after the point. */
void gc_report_bytes(uint64_t bytes, char *text, size_t size);

/* table.c: columns for people. */
#define GC_TABLE_COLUMNS 11
#define GC_CELL 640
struct gc_table {
  char (*cells)[GC_TABLE_COLUMNS][GC_CELL];
  size_t rows, columns;
  unsigned right; /* bit i: column i is flush right */
};
/* The next row, with `columns` empty cells; NULL: out of memory. */
char (*gc_table_row(struct gc_table *table))[GC_CELL];
void gc_table_print(struct gc_table *table, const char *indent); /* and empties it */

/* progress.c: one line on a terminal, erased before anything else is written; safe from threads. */
void gc_progress(const char *who, unsigned done, unsigned total, const char *what);
void gc_progress_erase(void);

/* watch.c: signals and the deadline end the program in good order. From start to stop, SIGINT,
 * SIGQUIT, SIGTERM, SIGHUP and the deadline first wait until nobody holds the watch, then call at_end(data),
 * then end the process: by that signal, or with a sentence and GC_EXIT_FAILED. */
int gc_watch_start(double seconds, const char *gpu, void (*at_end)(void *data), void *data,
                   struct gc_error *err);
void gc_watch_hold(void);
void gc_watch_release(void);
void gc_watch_stop(void);

#endif
