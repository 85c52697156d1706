/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs several commands side by side under one deadline, from inside any process: one with hundreds
 * of descriptors and threads, one that ignores SIGCHLD, one with children of its own that must not be
 * reaped by us. Nothing is left behind: no process, no zombie, no descriptor.
 */
#ifndef GC_UTIL_SPAWN_H
#define GC_UTIL_SPAWN_H

#include <stdbool.h>
#include <stddef.h>

/* How a command ended. */
enum gc_end {
  GC_END_NOT_STARTED, /* status: errno of the attempt */
  GC_END_EXITED,      /* status: exit status */
  GC_END_KILLED,      /* status: signal number */
  GC_END_LATE,        /* still running at the deadline, and killed then */
  GC_END_UNKNOWN      /* over, but this process has its children reaped by the kernel */
};

struct gc_command {
  const char *const *argv; /* argv[0] is the program's path; ends with NULL */
  int input;               /* descriptors, 3 or more, that become its stdin … */
  int output;              /* … and stdout; 0: /dev/null */
  _Atomic int pid;         /* these are filled in; pid: while it runs, else 0, for other threads */
  enum gc_end end;
  int status;
  char message[256];       /* its last line on stderr that began with GC_SPAWN_PREFIX, without that */
};

#define GC_SPAWN_PREFIX "hwloc-gpucache: "
/* No deadline that anybody gives is later than a day. */
#define GC_MOST_SECONDS 86400

struct gc_spawn_options {
  double seconds;             /* deadline from the start of the call; 0: none */
  const char *const *set_env; /* "NAME=VALUE" entries that replace those of the caller; NULL: none.
                                 Ends with NULL */
  /* Leave stderr as it is instead of collecting messages. The commands then also stay in the caller's
   * process group, so that ^C on the terminal reaches them; otherwise each gets a group of its own,
   * which is killed as a whole once the command is over or late. */
  bool pass_stderr;
  /* Also called with each line that a command writes to its stderr, whatever it begins with, and
   * with data; NULL: no call. Not with pass_stderr. */
  void (*on_line)(const struct gc_command *command, const char *line, void *data);
  void *data;
};

/* Starts all commands and returns when all have ended. They see default signal dispositions, an empty
 * signal mask, /dev/null as stdin and stdout (unless input and output say otherwise), and no descriptor
 * beyond 2. */
void gc_spawn(struct gc_command *commands, size_t count, const struct gc_spawn_options *options);

#endif
