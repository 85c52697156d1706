/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs several commands in parallel under one deadline, from inside any process: it may have
 * hundreds of descriptors and threads, ignore SIGCHLD, or have other children, which are not reaped
 * here. Leaves nothing behind: no process, no zombie, no descriptor. The one exception is a process
 * that cannot be killed (GC_END_ABANDONED).
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
  GC_END_LATE,        /* still running at the deadline, then killed; or not yet started */
  GC_END_ABANDONED,   /* killed at the deadline, but it did not end within 0.5 s: it is in an
                         uninterruptible sleep (a dead file system, a driver that hangs), or belongs
                         to another user. status: its process id. It may still run, and stays as a
                         zombie after its end */
  GC_END_UNKNOWN      /* ended, but another one has reaped it: the kernel, because this process
                         ignores SIGCHLD, or another thread with waitpid(-1) */
};

struct gc_command {
  const char *const *argv; /* argv[0] is the program's path; ends with NULL */
  int input;               /* descriptor, 3 or more, that becomes its stdin; 0: /dev/null */
  int output;              /* descriptor, 3 or more, that becomes its stdout; 0: /dev/null */
  bool waits;              /* it starts when fewer than at_once commands run; else at once */
  /* gc_spawn fills in the rest. */
  _Atomic int pid;         /* while it runs, else 0; other threads may read it */
  enum gc_end end;
  int status;
  bool lacks_null;         /* GC_END_NOT_STARTED, because /dev/null cannot be opened */
  char message[256];       /* its last line on stderr with GC_SPAWN_PREFIX, without it */
};

#define GC_SPAWN_PREFIX "hwloc-gpucache: "
/* The latest deadline that a user may set: a day. */
#define GC_MOST_SECONDS 86400

struct gc_spawn_options {
  double seconds;             /* deadline from the start of the call; 0: none */
  size_t at_once;             /* see gc_command.waits; at least 1 if a command waits */
  const char *const *set_env; /* "NAME=VALUE" entries that replace those of the caller, and "NAME"
                                 entries that remove them, ended by NULL; NULL: none */
  /* The whole environment of the commands; set_env is then not used. NULL: that of the caller.
   * Other threads than that of the application must give one (gc_env_merge). */
  char *const *environment;
  /* Leaves stderr as it is instead of collecting messages. The commands then also stay in the
   * caller's process group, so that ^C on the terminal reaches them. Otherwise each command gets a
   * process group of its own, which is killed as a whole once the command has ended or is late. */
  bool pass_stderr;
  /* Called with data for each line that a command writes to stderr, whatever its prefix. NULL: no
   * call. Not used with pass_stderr. */
  void (*on_line)(const struct gc_command *command, const char *line, void *data);
  void *data;
};

/* Starts all commands, in their order, and returns when all have ended or are abandoned, at most
 * 0.5 s after the deadline. The commands get default signal dispositions, an empty signal mask,
 * /dev/null as stdin and stdout (unless input and output name a descriptor), and no descriptor
 * above 2. Failures are in end and status of each command.
 *
 * Processes that a command leaves in its process group are killed. They are also reaped if they
 * become children of this process, because it is process 1 of a container or a subreaper.
 *
 * The start itself may hang, for example when a command is on a dead file system. A caller that
 * cannot accept that calls gc_spawn in a thread of its own, and keeps commands, options and what
 * they point to until gc_spawn returns. gc_spawn uses nothing else of the caller. After its return,
 * no command runs beyond the deadline. */
void gc_spawn(struct gc_command *commands, size_t count, const struct gc_spawn_options *options);

/* Writes why a command was not started (GC_END_NOT_STARTED): "No such file or directory". */
void gc_spawn_why(const struct gc_command *command, char *why, size_t size);

#endif
