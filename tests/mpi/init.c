/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * An MPI program that starts and ends. Rank 0 prints "init MEDIAN MAX ranks N", the milliseconds
 * that MPI_Init took in the ranks. With -DLOAD, each rank also loads a topology before MPI_Init,
 * inside the time, and another one after it; then rank 0 also prints in how many ranks the first
 * GPU had the status "measured" both times. tests/mpi/mpi.sh compiles it.
 */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
  struct timespec t;

  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

#ifdef LOAD
#include <hwloc/gpucache.h>

static int shows_measured_gpu(void)
{
  hwloc_topology_t topology;
  const char *status = NULL;
  hwloc_obj_t gpu;
  int shows;

  if (hwloc_topology_init(&topology) ||
      hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_IMPORTANT) ||
      hwloc_topology_load(topology))
    return 0;
  gpu = hwloc_gpucache_get_next_gpu(topology, NULL);
  if (gpu)
    status = hwloc_obj_get_info_by_name(gpu, "GPUCacheStatus");
  shows = status && !strcmp(status, "measured");
  hwloc_topology_destroy(topology);
  return shows;
}
#else
static int shows_measured_gpu(void)
{
  return 0;
}
#endif

static int ascending(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
  const double start = now();
  int shows = shows_measured_gpu(), rank, ranks, all;
  double took, *times;

  if (MPI_Init(&argc, &argv) != MPI_SUCCESS)
    return 1;
  took = now() - start;
  shows = shows && shows_measured_gpu();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  times = calloc((size_t)ranks, sizeof(*times));
  if (!times)
    MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Gather(&took, 1, MPI_DOUBLE, times, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Reduce(&shows, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (!rank) {
    qsort(times, (size_t)ranks, sizeof(*times), ascending);
    printf("init %.2f %.2f ranks %d\n", times[ranks / 2], times[ranks - 1], ranks);
#ifdef LOAD
    printf("measured %d\n", all);
#endif
  }
  free(times);
  MPI_Finalize();
  return 0;
}
