/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The hwloc-gpucache command: what its command line said, and its exit codes. Results go to stdout,
 * messages to stderr. Every subcommand returns an exit code; only main() ends the process.
 */
#ifndef GC_TOOL_TOOL_H
#define GC_TOOL_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GC_TOOL_NAME "hwloc-gpucache"

enum gc_exit { GC_EXIT_DONE, GC_EXIT_FAILED, GC_EXIT_USAGE, GC_EXIT_NO_GPU };

/* The values of an option that can be repeated. */
struct gc_values {
  const char **array; /* NULL: the command does not have that option */
  size_t count;
};

/* The command line. The strings belong to argv. */
struct gc_tool {
  const char *sims;     /* --sim: only these; NULL: real GPUs, and those of $HWLOC_GPUCACHE_SIM */
  const char *only;     /* --only: comma list of subtypes; NULL: all */
  const char *element;  /* --element: comma list of subtypes; NULL: all */
  unsigned elements;    /* the same as a set of kinds, as gc_show_has; 0: all */
  const char *color;    /* --color: see gc_terminal_colour; NULL: not given */
  const char *raw;      /* --raw: directory for raw data; NULL: none */
  bool made_raw;        /* that directory was created for this run */
  const char *subcommand; /* "measure" */
  const char *command;  /* the whole command line as one string, for people */
  unsigned resume;      /* --resume: the step of the plan to go on with; 0: none. The results of the
                           earlier steps are on stdin. Only rest_of_plan.c uses this option. */
  const char *probe;    /* --probe: what the child of doctor tries; NULL: none */
  const char *format;   /* --format of export; NULL: the main one */
  const char *output;   /* --output of export: a file; NULL: stdout */
  struct gc_values records, gpus; /* --record and --gpu of predict: files, GPUs of this machine */
  const char *sweep;    /* --sweep of predict: what varies; NULL: nothing */
  const char *kernel;   /* --kernel: a regular expression for names of kernels; NULL: all */
  uint64_t launches[2]; /* --launches: the first and the last kernel, from 1; 0: no limit */
  uint64_t blocks;      /* --blocks of trace; see struct gc_trace_settings; 0: not given */
  uint64_t limit;       /* --limit of trace: bytes of a trace before compression, for each process */
  char **program;       /* the words after "--", which end with NULL; NULL: there is no "--" */
  unsigned threads;     /* --threads of predict; 0: not given */
  unsigned sms;         /* --sms of predict; 0: not given */
  int seeds;            /* --seeds of predict; -1: not given */
  const char *plot;     /* --plot of predict: a directory; NULL: no pictures */
  bool reuse;           /* --reuse of predict: reuse distances */
  const char *html;     /* --html of predict: a page; NULL: none */
  int carveout;         /* --carveout of predict: per cent; -1: not given */
  double timeout;       /* --timeout: seconds for the whole command; 0: no limit */
  double tolerance;     /* --tolerance: per cent; -1: not given */
  bool times;           /* --verbose (not $HWLOC_GPUCACHE_VERBOSE): print the cost of each step */
  bool python;          /* doctor: examine pyhwloc, not lstopo */
  bool peers;           /* measure: how the GPUs reach each other, and nothing else */
  bool verbose, force, replace, no_store, json, xml, all; /* replace: force is set, too */
  /* all: show and measure print everything; purge removes all records */
  bool of_records;      /* purge: a word may name a record that no GPU has */
  bool of_files;        /* a word may name a file or directory of records */
  bool must_store;      /* measure: a record that cannot be stored is a failure, not a warning */
  char **words;         /* the arguments after the subcommand */
  size_t count;
};

/* The worse of two exit codes, from best to worst: done, no GPU, usage, failed. */
static inline int gc_worse(int a, int b)
{
  static const int weight[] = {[GC_EXIT_DONE] = 0, [GC_EXIT_NO_GPU] = 1, [GC_EXIT_USAGE] = 2,
                               [GC_EXIT_FAILED] = 3};

  return weight[a] >= weight[b] ? a : b;
}

#endif
