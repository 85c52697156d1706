/* SPDX-License-Identifier: BSD-3-Clause */
#include "workers.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

unsigned long assignment_gpus(const struct assignment *a)
{
  unsigned long sum = 0;

  for (int group = 0; group < DRAWN_GROUPS; group++)
    sum += a->gpus[group];
  return sum;
}

/* The i-th GPU of all groups. */
static struct judged_gpu nth(const struct assignment *a, unsigned long i)
{
  int group = 0;

  for (; i >= a->gpus[group]; group++)
    i -= a->gpus[group];
  return (struct judged_gpu){.index = group == DRAWN_OTHER_PAGES
                                          ? draw_index_with_pages(&a->seeds, i)
                                      : group == DRAWN_ONCE ? a->first + i
                                                            : i,
                             .group = (enum drawn_group)group,
                             .unlimited = a->unlimited,
                             .only = a->only,
                             .earned = a->earned};
}

static bool has_key(const struct drawn_gpu *gpu, const char *key)
{
  const size_t length = strlen(key);
  const char *line = gpu->text;

  while (line && (strncmp(line, key, length) || line[length] != ' '))
    line = (line = strchr(line, '\n')) ? line + 1 : NULL;
  return line;
}

static int measure(const struct assignment *a, unsigned long i, int out)
{
  static struct verdict verdicts[VERDICTS_MAX];
  const struct judged_gpu judged = nth(a, i);
  struct drawn_gpu gpu;
  int n;

  draw_gpu(&a->seeds, judged.index, judged.group, &gpu);
  if (a->with && !has_key(&gpu, a->with))
    return 0;
  if ((n = judge_gpu(&gpu, &judged, verdicts)) < 0)
    return 1;
  for (int k = 0; k < n; k++)
    if (write(out, &verdicts[k], sizeof(*verdicts)) != sizeof(*verdicts))
      return 1;
  return 0;
}

/* Runs in a worker process: takes the next GPU that no other worker has taken, until none is
 * left. */
static int work(const struct assignment *a, unsigned long *next, int out)
{
  const unsigned long gpus = assignment_gpus(a);
  unsigned long i;

  while ((i = __atomic_fetch_add(next, 1, __ATOMIC_RELAXED)) < gpus)
    if (measure(a, i, out))
      return 1;
  return 0;
}

/* Forks the workers. They share *next, and write to one pipe. */
static bool start(const struct assignment *a, const int ends[2])
{
  unsigned long *next =
      mmap(NULL, sizeof(*next), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

  if (next == MAP_FAILED)
    return false;
  fflush(NULL);
  for (unsigned i = 0; i < a->workers; i++) {
    const pid_t pid = fork();

    if (pid < 0)
      return false;
    if (!pid) {
      close(ends[0]);
      _exit(work(a, next, ends[1]));
    }
  }
  return true;
}

bool workers_run(const struct assignment *a)
{
  struct verdict verdict;
  bool good;
  int ends[2], status;

  _Static_assert(sizeof(verdict) <= 512, "written in one piece");
  if (pipe(ends))
    return false;
  good = start(a, ends);
  close(ends[1]);
  while (read(ends[0], &verdict, sizeof(verdict)) == sizeof(verdict))
    a->verdict(a->data, &verdict);
  close(ends[0]);
  while (wait(&status) > 0)
    good &= WIFEXITED(status) && !WEXITSTATUS(status);
  return good;
}
