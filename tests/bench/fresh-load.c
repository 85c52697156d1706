/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The time that a topology load takes in a fresh process, as in a rank of an MPI job, where
 * plugins are mapped and nothing is in memory yet.
 *
 *   fresh-load PROCESSES -- [NAME=VALUE…] -- [NAME=VALUE…] …
 *     Runs so many processes for each "--", in alternation, with these additional variables. Each
 *     loads a topology with all I/O objects. For each "--" it prints: GPUs with a hierarchy; the
 *     median microseconds of the load and of the whole process; the medians of the differences to
 *     the first one, in pairs.
 *   fresh-load together ROUNDS PROCESSES -- [NAME=VALUE…] …
 *     Starts so many processes for each "--", in alternation, ROUNDS times. They begin to load at
 *     the same time. For each "--" it prints: GPUs with a hierarchy; the median microseconds of all
 *     loads; the median of the slowest load of each round.
 *   fresh-load read FILE…    prints the microseconds of reading each file once
 */
#define _GNU_SOURCE
#include <hwloc.h>

#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOST_PROCESSES 10000
#define MOST_VARIANTS 8

struct variant {
  char **variables;
  int count;
  int gpus;
  double *load, *process;
};

static double now(void)
{
  struct timespec t;

  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int die(const char *what)
{
  fprintf(stderr, "fresh-load: %s\n", what);
  exit(1);
}

/* In the fresh process: prints the time, and how many GPUs have a hierarchy. A process that is one
 * of several first reports that it is ready, and waits until its input ends. */
static int load(bool together)
{
  hwloc_topology_t topology;
  hwloc_obj_t obj = NULL;
  double start, taken;
  int gpus = 0;
  char end;

  if (together && (write(1, "ready\n", 6) != 6 || read(0, &end, 1)))
    die("cannot wait for the others");
  start = now();
  if (hwloc_topology_init(&topology) ||
      hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_ALL) ||
      hwloc_topology_load(topology))
    die("the topology does not load");
  taken = now() - start;
  while ((obj = hwloc_get_next_osdev(topology, obj)))
    gpus += obj->subtype && !strcmp(obj->subtype, "DeviceMemory");
  start = now();
  hwloc_topology_destroy(topology);
  printf("%.1f %d\n", taken + now() - start, gpus);
  return 0;
}

static int read_files(char **files)
{
  static char text[1 << 16];

  for (; *files; files++) {
    const double start = now();
    const int fd = open(*files, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
      die(*files);
    while (read(fd, text, sizeof(text)) > 0)
      ;
    close(fd);
    printf("%.1f\n", now() - start);
  }
  return 0;
}

static void unset(const struct variant *variant)
{
  for (int i = 0; i < variant->count; i++) {
    char name[256];

    snprintf(name, sizeof(name), "%.*s", (int)strcspn(variant->variables[i], "="),
             variant->variables[i]);
    unsetenv(name);
  }
}

static void run(const char *self, struct variant *variant, int n)
{
  char *argv[] = {(char *)self, "load", NULL};
  posix_spawn_file_actions_t actions;
  int ends[2], status, gpus = 0;
  char line[64] = "";
  double start;
  pid_t child;

  for (int i = 0; i < variant->count; i++)
    putenv(variant->variables[i]);
  if (pipe2(ends, O_CLOEXEC) || posix_spawn_file_actions_init(&actions) ||
      posix_spawn_file_actions_adddup2(&actions, ends[1], 1))
    die("no pipe");
  start = now();
  if (posix_spawn(&child, "/proc/self/exe", &actions, NULL, argv, environ))
    die("cannot start a process");
  close(ends[1]);
  if (waitpid(child, &status, 0) != child || status)
    die("a process failed");
  variant->process[n] = now() - start;
  if (read(ends[0], line, sizeof(line) - 1) <= 0 ||
      sscanf(line, "%lf %d", &variant->load[n], &gpus) != 2 || (n && gpus != variant->gpus))
    die("a process printed something else than the others");
  variant->gpus = gpus;
  close(ends[0]);
  posix_spawn_file_actions_destroy(&actions);
  unset(variant);
}

/* Appends the loads of n processes that start together to variant->load, and the slowest of them
 * to variant->process. */
static void run_together(const char *self, struct variant *variant, int round, int n)
{
  char *argv[] = {(char *)self, "wait", NULL};
  posix_spawn_file_actions_t actions;
  int start[2], results[2], status;
  double *loads = variant->load + round * n, *slowest = &variant->process[round];
  char line[64];
  FILE *lines;

  for (int i = 0; i < variant->count; i++)
    putenv(variant->variables[i]);
  if (pipe2(start, O_CLOEXEC) || pipe2(results, O_CLOEXEC) ||
      posix_spawn_file_actions_init(&actions) ||
      posix_spawn_file_actions_adddup2(&actions, start[0], 0) ||
      posix_spawn_file_actions_adddup2(&actions, results[1], 1) ||
      !(lines = fdopen(results[0], "r")))
    die("no pipe");
  for (int i = 0; i < n; i++)
    if (posix_spawn(&(pid_t){0}, "/proc/self/exe", &actions, NULL, argv, environ))
      die("cannot start a process");
  close(start[0]);
  close(results[1]);
  for (int i = 0; i < n; i++)
    if (!fgets(line, sizeof(line), lines))
      die("a process is not ready");
  close(start[1]);
  *slowest = 0;
  for (int i = 0; i < n; i++) {
    if (!fgets(line, sizeof(line), lines) ||
        sscanf(line, "%lf %d", &loads[i], &variant->gpus) != 2)
      die("a process failed");
    if (loads[i] > *slowest)
      *slowest = loads[i];
  }
  fclose(lines);
  while (wait(&status) > 0)
    if (status)
      die("a process failed");
  posix_spawn_file_actions_destroy(&actions);
  unset(variant);
}

static int ascending(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

/* Of values, or of their differences to other values. */
static double median(const double *values, const double *other, int n)
{
  static double sorted[MOST_PROCESSES];

  for (int i = 0; i < n; i++)
    sorted[i] = values[i] - (other ? other[i] : 0);
  qsort(sorted, (size_t)n, sizeof(*sorted), ascending);
  return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

int main(int argc, char **argv)
{
  const bool together = argc > 3 && !strcmp(argv[1], "together");
  const int first = together ? 3 : 1;
  const int rounds = together ? atoi(argv[2]) : 1;
  const int n = argc > first ? atoi(argv[first]) : 0;
  struct variant variants[MOST_VARIANTS];
  int count = 0;

  if (argc == 2 && (!strcmp(argv[1], "load") || !strcmp(argv[1], "wait")))
    return load(*argv[1] == 'w');
  if (argc > 2 && !strcmp(argv[1], "read"))
    return read_files(argv + 2);
  for (int i = first + 1; i < argc; i++) {
    if (!strcmp(argv[i], "--") && count < MOST_VARIANTS)
      variants[count++] = (struct variant){
          .variables = argv + i + 1,
          .load = calloc(MOST_PROCESSES, sizeof(double)),
          .process = calloc(MOST_PROCESSES, sizeof(double)),
      };
    else if (count && strchr(argv[i], '='))
      variants[count - 1].count++;
    else
      count = -1, i = argc;
  }
  if (n < 1 || rounds < 1 || n > MOST_PROCESSES / rounds || count < 1) {
    fprintf(stderr, "usage: fresh-load PROCESSES -- [NAME=VALUE...] [-- [NAME=VALUE...]]...\n"
                    "       fresh-load together ROUNDS PROCESSES -- [NAME=VALUE...]...\n"
                    "       fresh-load read FILE...\n");
    return 2;
  }
  for (int i = 0; i < count; i++) /* the files are in memory then, and what is remembered */
    run(argv[0], &variants[i], 0);
  for (int round = 0; together && round < rounds; round++)
    for (int i = 0; i < count; i++)
      run_together(argv[0], &variants[(i + round) % count], round, n);
  for (int i = 0; together && i < count; i++)
    printf("%d %.0f %.0f\n", variants[i].gpus, median(variants[i].load, NULL, rounds * n),
           median(variants[i].process, NULL, rounds));
  for (int round = 0; !together && round < n; round++)
    for (int i = 0; i < count; i++)
      run(argv[0], &variants[(i + round) % count], round);
  for (int i = 0; !together && i < count; i++)
    printf("%d %.0f %.0f %.0f %.0f\n", variants[i].gpus, median(variants[i].load, NULL, n),
           median(variants[i].process, NULL, n),
           median(variants[i].load, variants[0].load, n),
           median(variants[i].process, variants[0].process, n));
  for (int i = 0; i < count; i++) {
    free(variants[i].load);
    free(variants[i].process);
  }
  return 0;
}
