/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Predicts the hit rates of the kernels in a trace, on the GPU of a record.
 *
 *   cc -o gpucache-predict gpucache-predict.c $(pkg-config --cflags --libs hwloc-gpucache-predict)
 */
#include <hwloc/gpucache-predict.h>

#include <stdio.h>

int main(int argc, char **argv)
{
  struct hwloc_gpucache_prediction *p;
  char message[512];

  if (argc < 3) {
    fprintf(stderr, "usage: gpucache-predict RECORD TRACE...\n");
    return 2;
  }
  if (hwloc_gpucache_predict(argv[1], (const char *const *)argv + 2, (size_t)argc - 2, NULL, &p,
                             message, sizeof message)) {
    fprintf(stderr, "%s\n", message);
    return 1;
  }
  for (size_t i = 0; i < hwloc_gpucache_prediction_kernels(p); i++)
    printf("%s: %.1f %% of %llu sectors hit in L1, %llu misses are compulsory\n",
           hwloc_gpucache_prediction_name(p, i),
           100 * hwloc_gpucache_prediction_value(p, i, HWLOC_GPUCACHE_L1_HIT_RATE),
           hwloc_gpucache_prediction_count(p, i, HWLOC_GPUCACHE_L1_SECTORS),
           hwloc_gpucache_prediction_count(p, i, HWLOC_GPUCACHE_L1_MISSES_COMPULSORY));
  hwloc_gpucache_prediction_free(p);
  return 0;
}
