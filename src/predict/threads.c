/* SPDX-License-Identifier: BSD-3-Clause */
#include "predict/threads.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
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

static unsigned processors(void)
{
  cpu_set_t set;

  return sched_getaffinity(0, sizeof set, &set) ? 1 : (unsigned)CPU_COUNT(&set);
}

#define MOST_THREADS 64

int gc_passes_run(struct gc_pass *passes, size_t count, unsigned threads, struct gc_error *err)
{
  struct team team = {.passes = passes, .count = count};
  pthread_t helpers[MOST_THREADS];
  unsigned started = 0;
  int status = 0;

  team.outcomes = calloc(count ? count : 1, sizeof *team.outcomes);
  if (!team.outcomes)
    return gc_fail(err, -ENOMEM, "out of memory");
  threads = threads ? threads : processors();
  /* this thread works, too; without further threads, it does everything */
  while (started + 1 < threads && started + 1 < count && started < MOST_THREADS &&
         !pthread_create(&helpers[started], NULL, work, &team))
    started++;
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
