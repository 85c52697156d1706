/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory of the host: NUMA nodes with a latency and rates. No cache of the GPU keeps it.
 */
#include "model/model.h"

#include "model/walk.h"

#define COPY_START_NS                                                                              \
  8000              /* from the call to the first byte, and from the last one to the return */
#define SPREAD 0.07 /* standard deviation of the latency, as on an H100 behind PCIe 5.0 */

/* Cycles of the present SM clock. */
static double cycles_of(const struct gc_model *model, double ns)
{
  return ns * model->profile.facts.running_clock_khz / 1e6 * model->clock_share;
}

/* The cycles that it takes to find the page of an address. */
static uint32_t translate(struct gc_model *model, uint32_t host, uint32_t sm, uint64_t address)
{
  const bool peer =
      *model->profile.facts.hosts[host].peer; /* its memory is not in pages of the host */

  if (!model->host_tlb.count || peer || gc_walk_tlb(model, &model->host_tlb, sm, address))
    return 0;
  return model->profile.host_tlb.penalty;
}

static uint32_t draw_latency(struct gc_model *model, double ns, uint32_t translation)
{
  const double cycles = cycles_of(model, ns);
  struct gc_jitter jitter;

  gc_jitter_init(&jitter, SPREAD * cycles);
  return gc_chip_rounded(
      model, gc_noise_add(&model->noise, (uint32_t)(cycles + 0.5) + translation, &jitter));
}

uint32_t gc_model_host_load(struct gc_model *model, uint32_t host, uint32_t sm, uint64_t address)
{
  return draw_latency(model, model->profile.facts.hosts[host].latency_ns,
                      translate(model, host, sm, address));
}

uint32_t gc_model_host_atomic(struct gc_model *model, uint32_t host, uint32_t sm, uint64_t address)
{
  return draw_latency(model, model->profile.facts.hosts[host].atomic_ns,
                      translate(model, host, sm, address));
}

double gc_model_host_sweep(struct gc_model *model, uint32_t host, uint64_t bytes, bool write)
{
  const struct gc_model_host *h = &model->profile.facts.hosts[host];

  model->swept_host += cycles_of(model, (double)bytes / (write ? h->write_gbps : h->read_gbps)) /
                       model->traffic_share;
  return model->swept_host;
}

double gc_model_host_copy(struct gc_model *model, uint32_t host, uint64_t to_gpu, uint64_t from_gpu)
{
  const struct gc_model_host *h = &model->profile.facts.hosts[host];
  const double one =
      to_gpu ? (double)to_gpu / h->copy_to_gbps : (double)from_gpu / h->copy_from_gbps;

  return COPY_START_NS +
         (to_gpu && from_gpu ? (double)(to_gpu + from_gpu) / h->copy_both_gbps : one) /
             gc_chip_traffic_share(model);
}
