/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Launches clusters of blocks, which report their SMs. The hardware puts all blocks of a cluster in
 * one GPC, so SMs with blocks of one cluster are in the same GPC, and so are those that are
 * connected through others. Which SMs a cluster gets depends on its size and on what is free. So
 * every size is launched, several times. On an H200 clusters of two blocks go to the two SMs of a
 * TPC. doc/methods.md, "Groups of SMs".
 */
#include "measure/structure/clusters.h"

#include "measure/core/placement.h"
#include "measure/walk/groups.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PASSES_MIN 3 /* over all sizes */
#define PASSES_MAX 12
#define BLOCKS_PER_SM 2

struct search {
  struct gc_measurement *m;
  struct gc_clusters *found;
  uint32_t sms, largest;
  bool by_largest[GC_SMS_MAX]; /* SMs that clusters of the largest size have reached */
  uint32_t *ran;               /* by block: the index of its SM */
  struct gpu_bandwidth_result *results;
  bool changed;
};

static void mark(struct search *s, bool *flag)
{
  s->changed |= !*flag;
  *flag = true;
}

/* A kernel that moves nothing: it only reports its SM. */
static int launch(struct search *s, uint32_t size, uint32_t blocks)
{
  struct gc_bench *bench = &s->m->bench;
  const struct gpu_bandwidth_args args = {.base = bench->arena,
                                          .bytes = 4096,
                                          .results = gc_exchange_results(bench),
                                          .sink = bench->scratch,
                                          .repeats = 1};
  int status = gc_bench_launch_clusters(bench, GC_KERNEL_read_cg, blocks, bench->properties.warp, 0,
                                        size, &args);

  if (!status)
    status = bench->ops->download(bench->device, s->results, args.results,
                                  blocks * sizeof(*s->results), bench->err);
  for (uint32_t i = 0; i < blocks && !status; i++) {
    s->ran[i] = gc_sm_index(s->m->results, s->results[i].sm);
    if (s->ran[i] == UINT32_MAX)
      status = gc_fail(bench->err, -EIO, "a block ran on SM %u, which did not exist before",
                       s->results[i].sm);
  }
  return status;
}

static void note_pair(struct search *s, uint32_t a, uint32_t b)
{
  uint32_t *partner = s->found->partner;

  if (partner[a] == UINT32_MAX && partner[b] == UINT32_MAX && a != b) {
    partner[a] = b;
    partner[b] = a;
  } else if (partner[a] != b || partner[b] != a) {
    s->found->partners_vary = true;
  }
}

/* Blocks of a launch in clusters of this size: about BLOCKS_PER_SM on each SM. */
static uint32_t blocks_for(const struct search *s, uint32_t size)
{
  const uint32_t clusters = BLOCKS_PER_SM * s->sms / size;

  return (clusters ? clusters : 1) * size;
}

/* Joins the SMs of each cluster. Pairs are noted only if `pairs` is true, while nothing but pairs
 * has been launched. */
static int run_size(struct search *s, uint32_t size, bool pairs)
{
  const uint32_t blocks = blocks_for(s, size);
  int status = launch(s, size, blocks);

  s->changed = false;
  for (uint32_t i = 0; i < blocks && !status; i++) {
    const uint32_t sm = s->ran[i], first = s->ran[i - i % size];

    s->changed |= gc_groups_join(&s->found->groups, s->sms, sm, first);
    if (size > 2)
      mark(s, &s->found->joined[sm]);
    if (size == s->largest)
      mark(s, &s->by_largest[sm]);
    if (pairs && i % 2)
      note_pair(s, s->ran[i - 1], sm);
  }
  s->found->agreeing = s->changed ? 0 : s->found->agreeing + 1;
  return status;
}

static int run_all(struct search *s)
{
  const uint32_t sizes = s->largest - 1;
  int status = 0;

  for (int i = 0; i < GC_CLUSTER_PAIRS && !status; i++)
    status = run_size(s, 2, true);
  for (int pass = 0; pass < PASSES_MAX && !s->found->settled && !status; pass++) {
    for (uint32_t size = 2; size <= s->largest && !status; size++)
      status = run_size(s, size, false);
    s->found->settled = pass + 1 >= PASSES_MIN && s->found->agreeing >= 2 * sizes;
  }
  return status;
}

int gc_clusters_find(struct gc_measurement *m, uint32_t largest, struct gc_clusters *clusters)
{
  const uint32_t sms = m->results->sm_count, most = BLOCKS_PER_SM * sms + largest;
  struct search *s = calloc(1, sizeof(*s));
  int status = 0;

  memset(clusters, 0, sizeof(*clusters));
  memset(clusters->partner, 0xff, sizeof(clusters->partner));
  if (!s || !(s->ran = calloc(most, sizeof(*s->ran))) ||
      !(s->results = calloc(most, sizeof(*s->results))))
    status = gc_fail(m->bench.err, -ENOMEM, "out of memory");
  else if (most * sizeof(*s->results) > GC_TRACE_MAX * sizeof(uint32_t))
    status = gc_fail(m->bench.err, -E2BIG, "clusters of %u blocks are too large", largest);
  if (!status) {
    s->m = m;
    s->found = clusters;
    s->sms = sms;
    s->largest = largest;
    gc_groups_start(&clusters->groups, sms);
    status = run_all(s);
    gc_groups_number(&clusters->groups, sms);
    for (uint32_t sm = 0; sm < sms; sm++)
      clusters->reached += s->by_largest[sm];
  }
  if (s) {
    free(s->results);
    free(s->ran);
  }
  free(s);
  return status;
}
