/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The time that the plugin adds to loading a topology: medians of 200 loads that keep all I/O objects,
 * with and without the plugin's directory in HWLOC_PLUGINS_PATH, in alternation. Usage: load-cost WITHOUT
 * WITH, where both are values of HWLOC_PLUGINS_PATH. Prints "WITHOUT WITH DIFFERENCE" in microseconds, then
 * the vendor libraries that the process has mapped afterwards.
 */
#include <hwloc.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LOADS 200

static double now(void)
{
  struct timespec t;

  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int ascending(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

static double load(const char *plugins)
{
  hwloc_topology_t topology;
  double start;

  setenv("HWLOC_PLUGINS_PATH", plugins, 1);
  start = now();
  if (hwloc_topology_init(&topology) ||
      hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_ALL) ||
      hwloc_topology_load(topology)) {
    fprintf(stderr, "load-cost: the topology does not load\n");
    exit(1);
  }
  hwloc_topology_destroy(topology);
  return now() - start;
}

static void print_vendor_libraries(void)
{
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[4096];
  int found = 0;

  while (maps && fgets(line, sizeof(line), maps))
    if (strstr(line, "libcuda") || strstr(line, "libnvidia") || strstr(line, "libamdhip")) {
      fputs(line, stdout);
      found = 1;
    }
  if (maps)
    fclose(maps);
  puts(found ? "vendor libraries are mapped" : "no vendor library is mapped");
}

int main(int argc, char **argv)
{
  double without[LOADS], with[LOADS];

  if (argc != 3) {
    fprintf(stderr, "usage: load-cost PLUGIN-PATH-WITHOUT PLUGIN-PATH-WITH\n");
    return 2;
  }
  load(argv[2]); /* whatever happens only once, a missing record above all */
  load(argv[1]);
  for (int i = 0; i < LOADS; i++) {
    without[i] = load(argv[1]);
    with[i] = load(argv[2]);
  }
  qsort(without, LOADS, sizeof(*without), ascending);
  qsort(with, LOADS, sizeof(*with), ascending);
  printf("%.0f %.0f %.0f\n", without[LOADS / 2], with[LOADS / 2], with[LOADS / 2] - without[LOADS / 2]);
  print_vendor_libraries();
  return 0;
}
