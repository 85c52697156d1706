/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Hosts: processes in odd states (host_states.c) and odd places (host_places.c) that load a
 * topology, and processes whose command is bad (host_commands.c). hosts.c runs them and compares
 * each process before and after.
 */
#ifndef TESTS_LIMITS_HOSTS_H
#define TESTS_LIMITS_HOSTS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define HOST_SKIPPED 77
#define HOST_NOBODY 65534

/* The process that loads. */
struct host {
  const char *dir;     /* of this process only; its working directory at the beginning */
  const char *records; /* the directory of records, in dir */
  const char *record;  /* the file with the record of the GPU, in records */
  size_t stack;      /* the load runs in a thread with a stack of that many bytes; 0: it does not */
  pid_t children[2]; /* its own children: one that runs, and one that has ended; 0: none */
};

struct host_state {
  const char *name;
  int (*set)(struct host *host); /* 0, HOST_SKIPPED: not possible here, or another value: failed */
  /* A part of the status of the GPU, without a record and with one. NULL: measured; "": no GPU, or
   * any status. */
  const char *cold, *warm;
};

/* A program that takes the place of the command. Exactly one of `path` and `run` is set. */
struct host_command {
  const char *name;
  int (*path)(const char *path);              /* makes what the path of the command names */
  int (*run)(const char *record, int number); /* in the process of the command; its exit status */
  int number;
  bool late, escapes; /* it never ends; it leaves a process that nobody can find */
  const char *status; /* as cold of a state */
};

extern const struct host_state host_states[], host_places[];
extern const size_t host_states_count, host_places_count;
extern const struct host_command host_commands[];
extern const size_t host_commands_count;

/* AddressSanitizer reserves terabytes of address space, and reads /proc/self/maps. */
bool host_is_sanitized(void);
/* Writes a file. 0 or 1. */
int host_write(const char *path, const void *bytes, size_t size);
/* Writes the first bytes of the right record there. 0 or 1. */
int host_put_record(const char *path, size_t most);

#endif
