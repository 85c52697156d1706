/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/process/stack.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>

#define ENOUGH_BYTES (8u << 20)

struct call {
  int (*work)(int argc, char **argv);
  int argc;
  char **argv;
  int result;
};

static void *run(void *data)
{
  struct call *call = data;

  call->result = call->work(call->argc, call->argv);
  return NULL;
}

/* The stack of the first thread grows up to the present limit. */
static bool raise_limit(void)
{
  struct rlimit limit;

  if (getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur >= ENOUGH_BYTES)
    return true;
  if (limit.rlim_max < ENOUGH_BYTES)
    return false;
  limit.rlim_cur = ENOUGH_BYTES;
  return !setrlimit(RLIMIT_STACK, &limit);
}

int gc_with_stack(int (*work)(int argc, char **argv), int argc, char **argv)
{
  struct call call = {work, argc, argv, 0};
  pthread_attr_t attributes;
  bool started = false;
  pthread_t thread;
  sigset_t all;

  if (!raise_limit() && !pthread_attr_init(&attributes)) {
    started = !pthread_attr_setstacksize(&attributes, ENOUGH_BYTES) &&
              !pthread_create(&thread, &attributes, run, &call);
    pthread_attr_destroy(&attributes);
  }
  if (!started)
    return work(argc, argv);
  /* Signals are for the thread that works. It may block them. */
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, NULL);
  pthread_join(thread, NULL);
  return call.result;
}
