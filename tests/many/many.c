/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Loads a topology in many processes or threads at the same moment and compares what they get.
 * Usage: many processes|threads COUNT [LOOPS], with LOOPS busy loops in the background. Prints:
 *   loads COUNT            loads that returned
 *   trees N                different XML exports among them
 *   written N              records that appeared in $HWLOC_GPUCACHE_DIR meanwhile
 *   took MEDIAN MAX        milliseconds of a load
 *   waited MEDIAN MAX      the same without the time that the thread ran, or was ready to run while
 *                          other processes had the processors
 *   without MEDIAN MAX     the same as took, of a load with HWLOC_GPUCACHE=off, by the same process
 *                          just before; only with LOOPS
 *   without-waited MEDIAN MAX   the same as waited, of that load
 *   status N TEXT          for each different GPUCacheStatus of the first GPU
 * The processes are fresh: each is started by exec, waits until all are ready, and loads once.
 */
#include "many.h"

#include <hwloc/gpucache.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Ends a run that hangs. */
#define MOST_SECONDS 300

static double now(void)
{
  struct timespec t;

  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void die(const char *what)
{
  fprintf(stderr, "many: %s: %s\n", what, strerror(errno));
  exit(1);
}

/* Milliseconds for which this thread has run or was ready to run; 0: the kernel does not count. */
static double ready_time(void)
{
  FILE *file = fopen("/proc/thread-self/schedstat", "re");
  double ran = 0, ready = 0;

  if (file && fscanf(file, "%lf %lf", &ran, &ready) != 2)
    ran = ready = 0;
  if (file)
    fclose(file);
  return (ran + ready) / 1e6;
}

static hwloc_topology_t load(struct times *times)
{
  const double start = now(), ready = ready_time();
  hwloc_topology_t topology;

  if (hwloc_topology_init(&topology) ||
      hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_IMPORTANT) ||
      hwloc_topology_load(topology))
    die("the topology does not load");
  times->took = now() - start;
  times->waited = times->took - (ready_time() - ready);
  return topology;
}

/* The status of the first GPU. Without a record it is on the PCI device, or on the root if hwloc
 * does not show that. */
static const char *find_status(hwloc_topology_t topology)
{
  hwloc_obj_t obj = hwloc_gpucache_get_next_gpu(topology, NULL);
  const char *status = NULL;

  if (obj)
    return hwloc_obj_get_info_by_name(obj, "GPUCacheStatus");
  while (!status && (obj = hwloc_get_next_pcidev(topology, obj)))
    status = hwloc_obj_get_info_by_name(obj, "GPUCacheStatus");
  return status ? status
                : hwloc_obj_get_info_by_name(hwloc_get_root_obj(topology), "GPUCacheStatus");
}

/* Writes the tree's hash (FNV-1a) and the status of its first GPU. */
static void examine(hwloc_topology_t topology, struct seen *seen)
{
  const char *status = find_status(topology);
  char *xml;
  int length;

  if (hwloc_topology_export_xmlbuffer(topology, &xml, &length, 0))
    die("the topology cannot be exported");
  seen->tree = 0xcbf29ce484222325;
  for (int i = 0; i < length; i++)
    seen->tree = (seen->tree ^ (unsigned char)xml[i]) * 0x100000001b3;
  hwloc_free_xmlbuffer(topology, xml);
  snprintf(seen->status, sizeof(seen->status), "%s", status ? status : "no status");
  hwloc_topology_destroy(topology);
}

/* The process that loads. Descriptor 3: ends when all are ready; 4: takes a byte when this one is
 * ready; 5: takes the result. */
static int one(int paired)
{
  struct seen seen = {0};
  char byte = 0;

  if (write(4, &byte, 1) != 1 || close(4) || read(3, &byte, 1) != 0)
    die("cannot wait for the others");
  close(3);
  if (paired) {
    setenv("HWLOC_GPUCACHE", "off", 1);
    hwloc_topology_destroy(load(&seen.without));
    unsetenv("HWLOC_GPUCACHE");
  }
  examine(load(&seen.with), &seen);
  return write(5, &seen, sizeof(seen)) == sizeof(seen) ? 0 : 1;
}

static pid_t start_one(const int fds[3], int paired)
{
  const pid_t child = fork();
  int moved[3];

  if (child < 0)
    die("fork");
  if (child)
    return child;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  /* out of the way of 3 to 5 first */
  for (int i = 0; i < 3; i++)
    moved[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, 6);
  for (int i = 0; i < 3; i++)
    if (dup2(moved[i], 3 + i) < 0)
      _exit(1);
  execl("/proc/self/exe", "many", paired ? "one-paired" : "one", (char *)NULL);
  _exit(1);
}

static void make_pipe(int ends[2])
{
  if (pipe2(ends, O_CLOEXEC))
    die("pipe");
}

/* Busy loops, which end with this process. They must not keep the gate closed. */
static void spin(long loops, pid_t *spinning, int gate)
{
  for (long i = 0; i < loops; i++) {
    spinning[i] = fork();
    if (spinning[i] < 0)
      die("fork");
    if (spinning[i] == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      close(gate);
      for (volatile unsigned long n = 0;; n++)
        ;
    }
  }
  if (loops)
    sleep(1);
}

static void run_processes(struct seen *seen, long count, long loops)
{
  pid_t *spinning = calloc((size_t)loops + 1, sizeof(*spinning));
  int gate[2], ready[2], results[2], failed = 0, status;
  char byte;

  make_pipe(gate);
  make_pipe(ready);
  make_pipe(results);
  for (long i = 0; i < count; i++)
    start_one((const int[]){gate[0], ready[1], results[1]}, loops > 0);
  for (long i = 0; i < count; i++)
    if (read(ready[0], &byte, 1) != 1)
      die("a process does not start");
  close(results[1]);
  spin(loops, spinning, gate[1]);
  close(gate[1]);
  for (long i = 0; i < count; i++)
    if (read(results[0], &seen[i], sizeof(*seen)) != sizeof(*seen))
      die("a load did not return");
  for (long i = 0; i < loops; i++)
    kill(spinning[i], SIGKILL);
  while (wait(&status) > 0)
    failed += WIFEXITED(status) && WEXITSTATUS(status);
  if (failed)
    die("a process failed");
  free(spinning);
}

struct in_thread {
  pthread_t thread;
  pthread_barrier_t *together;
  struct times times;
  hwloc_topology_t topology;
};

static void *load_in_thread(void *data)
{
  struct in_thread *in = data;

  pthread_barrier_wait(in->together);
  in->topology = load(&in->times);
  return NULL;
}

static void run_threads(struct seen *seen, long count)
{
  struct in_thread *threads = calloc((size_t)count, sizeof(*threads));
  pthread_barrier_t together;

  pthread_barrier_init(&together, NULL, (unsigned)count);
  for (long i = 0; i < count; i++) {
    threads[i].together = &together;
    if ((errno = pthread_create(&threads[i].thread, NULL, load_in_thread, &threads[i])))
      die("cannot start a thread");
  }
  for (long i = 0; i < count; i++)
    pthread_join(threads[i].thread, NULL);
  for (long i = 0; i < count; i++) {
    seen[i].with = threads[i].times;
    examine(threads[i].topology, &seen[i]);
  }
  free(threads);
}

/* The number of records that were renamed into the watched directory. */
static unsigned count_written(int watch)
{
  char buffer[16384] __attribute__((aligned(__alignof__(struct inotify_event))));
  unsigned written = 0;
  ssize_t length;

  while ((length = read(watch, buffer, sizeof(buffer))) > 0)
    for (char *at = buffer; at < buffer + length;) {
      const struct inotify_event *event = (const struct inotify_event *)at;
      const char *end = event->len ? strrchr(event->name, '.') : NULL;

      written += end && !strcmp(end, ".xml");
      at += sizeof(*event) + event->len;
    }
  return written;
}

int main(int argc, char **argv)
{
  const char *dir = getenv("HWLOC_GPUCACHE_DIR");
  const int watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  long count, loops;
  struct seen *seen;

  if (argc == 2)
    return one(!strcmp(argv[1], "one-paired"));
  count = argc > 2 ? atol(argv[2]) : 0;
  loops = argc > 3 ? atol(argv[3]) : 0;
  if (count < 1 || loops < 0 || !dir) {
    fprintf(stderr, "usage: HWLOC_GPUCACHE_DIR=... many processes|threads COUNT [LOOPS]\n");
    return 2;
  }
  if (watch < 0 || inotify_add_watch(watch, dir, IN_MOVED_TO) < 0)
    die("cannot watch HWLOC_GPUCACHE_DIR");
  alarm(MOST_SECONDS);
  seen = calloc((size_t)count, sizeof(*seen));
  if (!strcmp(argv[1], "processes"))
    run_processes(seen, count, loops);
  else
    run_threads(seen, count);
  report(seen, (size_t)count, loops > 0, count_written(watch));
  free(seen);
  return 0;
}
