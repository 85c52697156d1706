/* SPDX-License-Identifier: BSD-3-Clause */
#include "predict/threads.h"

#include "util/cpus.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

struct team {
  struct gc_pass *passes;
  size_t count;
  atomic_size_t next;
  atomic_bool failed;
  struct outcome {
    int status;
    struct gc_error err;
  } * outcomes; /* of each pass */
};

static void *work(void *data)
{
  struct team *team = data;

  for (size_t i; !team->failed && (i = team->next++) < team->count;) {
    team->outcomes[i].status = gc_pass_run(&team->passes[i], &team->outcomes[i].err);
    if (team->outcomes[i].status)
      team->failed = true;
  }
  return NULL;
}

#define MOST_THREADS 64

/* Starts up to `most` helpers and returns their number. Signals are for the threads of the program:
 * a helper inherits the mask of this moment. */
static unsigned start_helpers(pthread_t *helpers, size_t most, struct team *team)
{
  sigset_t all, before;
  unsigned started = 0;

  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  while (started < most && !pthread_create(&helpers[started], NULL, work, team))
    started++;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return started;
}

static size_t least(size_t a, size_t b)
{
  return a < b ? a : b;
}

int gc_passes_run(struct gc_pass *passes, size_t count, unsigned threads, struct gc_error *err)
{
  struct team team = {.passes = passes, .count = count};
  pthread_t helpers[MOST_THREADS];
  unsigned started;
  size_t most;
  int status = 0;

  team.outcomes = calloc(count ? count : 1, sizeof *team.outcomes);
  if (!team.outcomes)
    return gc_fail(err, -ENOMEM, "out of memory");
  threads = threads ? threads : gc_cpus();
  /* this thread works, too; without further threads, it does everything */
  most = least(threads, count);
  started = most ? start_helpers(helpers, least(most - 1, MOST_THREADS), &team) : 0;
  work(&team);
  while (started)
    pthread_join(helpers[--started], NULL);
  for (size_t i = 0; i < count && !status; i++) {
    status = team.outcomes[i].status;
    if (status)
      *err = team.outcomes[i].err;
  }
  free(team.outcomes);
  return status;
}
