/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * baselines RECORD SEEDS TRACE...: the counts of each kernel in variants of the model, with the
 * values of the record, one line each, as TSV. Each trace begins with empty caches.
 *
 *   full              the model
 *   no-associativity  one set with LRU replacement
 *   no-latency        loads take no time
 *   no-limit          any number of lines can be outstanding
 *   lru               all three: an exact LRU cache of sectors with the order of a round robin
 *   paper             the model of Nugteren et al. 2014: lines, one SM, no stores
 *   waiting           a warp waits for each load, as if the trace had no loads-at-once
 *   seed              the model with values drawn from the bounds of the record, SEEDS times
 *   distances         lines with a reuse distance below the capacity, in that order
 */
#include "../paper_model.h"

#include "predict/parameters/geometry.h"
#include "predict/predict.h"
#include "predict/threads.h"
#include "record/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  FULL,
  NO_ASSOCIATIVITY,
  NO_LATENCY,
  NO_LIMIT,
  LRU,
  WAITING,
  DISTANCES,
  VARIANTS,
  MOST_SEEDS = 100
};

static const char *const names[VARIANTS + 1] = {
    "full", "no-associativity", "no-latency", "no-limit", "lru", "waiting", "distances", "seed"};

static struct gc_model_options options_of(int variant)
{
  struct gc_model_options options = {.seed = 1};

  options.fully_associative = variant == NO_ASSOCIATIVITY || variant == LRU;
  options.no_latency = variant == NO_LATENCY || variant == LRU || variant == DISTANCES;
  options.no_outstanding_limit = variant == NO_LIMIT || variant == LRU || variant == DISTANCES;
  options.each_load_waits = variant == WAITING;
  return options;
}

static void print_cache(const struct gc_cache_counts *counts)
{
  printf("\t%llu\t%llu\t%llu\t%llu", (unsigned long long)counts->accesses,
         (unsigned long long)counts->hits, (unsigned long long)counts->hits_on_miss,
         (unsigned long long)counts->misses);
}

static void print_kernel(const char *variant, const struct gc_pass_kernel *kernel)
{
  const struct gc_gpu_summary *gpu = &kernel->detail->gpu;

  printf("%s\t%s", kernel->detail->launch.name, variant);
  if (kernel->reuse) {
    const uint64_t accesses = gc_reuse_histogram_accesses(kernel->reuse);
    const uint64_t hits =
        (uint64_t)(gc_reuse_histogram_hits(kernel->reuse, gpu->l1_bytes / gpu->l1_line_bytes) +
                   0.5);

    print_cache(&(struct gc_cache_counts){accesses, hits, 0, accesses - hits, 0});
    print_cache(&(struct gc_cache_counts){0});
  } else {
    print_cache(&kernel->run.counts.l1_loads);
    print_cache(&kernel->run.counts.l2_loads);
  }
  printf("\t%llu\t%u\t%llu\t%llu\t%llu\n", (unsigned long long)kernel->run.cycles,
         kernel->run.blocks_per_sm, (unsigned long long)gpu->l1_bytes,
         (unsigned long long)kernel->run.counts.l2_loads_far,
         (unsigned long long)kernel->run.counts.memory_read_bytes);
}

static int run_trace(const struct gc_parameters *parameters, int seeds, const char *const *trace)
{
  static struct gc_pass passes[VARIANTS + MOST_SEEDS];
  const int count = VARIANTS + seeds;
  struct gc_error err = {0};
  int status;

  for (int i = 0; i < count; i++) {
    passes[i] = (struct gc_pass){.traces = trace,
                                 .trace_count = 1,
                                 .options = options_of(i),
                                 .detailed = true,
                                 .reuse = i == DISTANCES,
                                 .undrawn = i < VARIANTS,
                                 .parameters = *parameters};
    if (i >= VARIANTS)
      passes[i].options.seed = 2 + (uint64_t)(i - VARIANTS);
  }
  status = gc_passes_run(passes, (size_t)count, 0, &err);
  if (status)
    fprintf(stderr, "%s\n", err.text);
  for (int i = 0; i < count; i++) {
    for (size_t k = 0; k < passes[i].count && !status; k++)
      print_kernel(names[i < VARIANTS ? i : VARIANTS], &passes[i].kernels[k]);
    gc_pass_clear(&passes[i]);
  }
  return status;
}

static int run_paper_kernel(const struct gc_parameters *parameters, struct gc_trace *trace,
                            const struct gc_trace_launch *launch, struct gc_error *err)
{
  const struct gc_paper_options options = {.seed = 1};
  struct gc_parameters of_kernel = *parameters;
  struct gc_pass_detail detail = {.launch = *launch};
  struct gc_pass_kernel kernel = {.detail = &detail};
  struct gc_gpu_model gpu;
  int status = gc_parameters_gpu(&of_kernel, launch, &(struct gc_changes){0}, 0, &gpu, err);

  if (!status)
    status = gc_paper_run(&gpu, &options, trace, launch, &kernel.run, err);
  if (status)
    return status;
  detail.gpu.l1_bytes = gc_geometry_bytes(&gpu.l1);
  print_kernel("paper", &kernel);
  free(kernel.run.loads);
  return 0;
}

static int run_paper(const struct gc_parameters *parameters, const char *path)
{
  struct gc_trace_launch launch;
  struct gc_error err = {0};
  struct gc_trace *trace;
  int status = gc_trace_open(path, &trace, &err);

  if (!status) {
    while ((status = gc_trace_next_kernel(trace, &launch, &err)) > 0)
      if ((status = run_paper_kernel(parameters, trace, &launch, &err)))
        break;
    gc_trace_close(trace);
  }
  if (status)
    fprintf(stderr, "%s\n", err.text);
  return status;
}

static int read_parameters(const char *path, struct gc_parameters *parameters)
{
  static char text[1 << 20];
  FILE *file = fopen(path, "r");
  struct gc_record *record = NULL;
  struct gc_error err = {0};
  size_t length;
  int status;

  if (!file) {
    perror(path);
    return 1;
  }
  length = fread(text, 1, sizeof text, file);
  fclose(file);
  status = gc_record_read_xml(text, length, &record, &err);
  if (!status)
    status = gc_parameters_read(parameters, record, &err);
  if (status)
    fprintf(stderr, "%s: %s\n", path, err.text);
  gc_record_free(record);
  return status;
}

int main(int argc, char **argv)
{
  static struct gc_parameters parameters;
  int status, seeds = argc > 2 ? atoi(argv[2]) : -1;

  if (argc < 4 || seeds < 0 || seeds > MOST_SEEDS) {
    fprintf(stderr, "usage: baselines RECORD SEEDS TRACE...\n");
    return 2;
  }
  status = read_parameters(argv[1], &parameters);
  if (status)
    return 1;
  printf("kernel\tvariant\tl1_accesses\tl1_hits\tl1_on_miss\tl1_misses\tl2_accesses\tl2_hits"
         "\tl2_on_miss\tl2_misses\tcycles\tblocks_per_sm\tl1_bytes\tl2_far\tmemory_bytes\n");
  for (int i = 3; i < argc && !status; i++)
    status = run_trace(&parameters, seeds, (const char *const *)&argv[i]) ||
             run_paper(&parameters, argv[i]);
  return status ? 1 : 0;
}
