/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Figures of real GPUs that are no row of a paper's table (papers.h): what drivers and vendors
 * state, latencies of AMD GPUs, and ranges. See the profiles for the sources.
 */
#ifndef GC_TESTS_SIM_PUBLISHED_H
#define GC_TESTS_SIM_PUBLISHED_H

#include "open.h"

#define CURVE_SHARE 0.05 /* and a point of a curve by this */
#define PUBLISHED_SHARE 0.02 /* a figure that is measured may differ by this */

#define BUS "what the bus moves; how much of it reads reach is assumed"
#define PAGES "97 to 112 cycles of it are translations; ours are loads whose translation is there"

/* A published range. measured, why: set if ours is another value. A key with several numbers: the
 * first one, or with last the last one. range 0: the driver does not state it. */
static const struct figure {
  const char *gpu, *source;
  enum gc_kind kind;
  const char *key;
  double range[2];
  double measured;
  const char *why;
  bool last;
} figures[] = {
    {"b200", "driver", GC_WHOLE_GPU, "SMs", .range = {148, 148}},
    {"b200", "driver", GC_WHOLE_GPU, "MemoryBusBits", .range = {7680, 7680}},
    {"b200", "driver", GC_DEVICE_MEMORY, "ReadGBps", .range = {7672, 7672}, .measured = 7300,
     .why = BUS},
    {"b200", "driver", GC_L2, "NominalBytes", .range = {132644864, 132644864}},
    {"b200", "chips and cheese", GC_L2, "Partitions", .range = {2, 2}},
    {"b200", "driver", GC_WHOLE_GPU, "SMClockKHz", .range = {1965000, 1965000}},
    {"b300", "assumed, as b200", GC_WHOLE_GPU, "SMs", .range = {148, 148}},
    {"b300", "assumed, as b200", GC_WHOLE_GPU, "MemoryBusBits", .range = {7680, 7680}},
    {"b300", "assumed, as b200", GC_L2, "NominalBytes", .range = {132644864, 132644864}},
    {"b300", "assumed, as b200", GC_SHARED_MEMORY, "CapacityBytes", .range = {233472, 233472}},
    {"b300", "AI_kernels", GC_L2, "Partitions", .range = {2, 2}},
    {"rtx5090", "driver", GC_WHOLE_GPU, "SMs", .range = {170, 170}},
    {"rtx5090", "NVIDIA", GC_DEVICE_MEMORY, "ReadGBps", .range = {1792, 1792}, .measured = 1660,
     .why = BUS},
    {"rtx5090", "AI_kernels", GC_L2, "Partitions", .range = {1, 1}},
    {"rtxpro6000", "NVIDIA", GC_WHOLE_GPU, "SMs", .range = {188, 188}},
    {"rtxpro6000", "NVIDIA", GC_WHOLE_GPU, "MemoryBusBits", .range = {512, 512}},
    {"rtxpro6000", "NVIDIA", GC_DEVICE_MEMORY, "ReadGBps", .range = {1792, 1792}, .measured = 1660,
     .why = BUS},
    {"rtxpro6000", "AI_kernels", GC_L2, "Partitions", .range = {1, 1}},
    {"l40", "arXiv 2606.22588", GC_WHOLE_GPU, "SMs", .range = {142, 142}},
    {"l40", "arXiv 2606.22588", GC_L2, "LatencyBySM", .range = {222, 222}},
    {"l40", "arXiv 2606.22588", GC_L2, "LatencyBySM", .range = {339, 339}, .last = true},
    {"l40", "gpu-benches", GC_DEVICE_MEMORY, "LatencyCycles", .range = {624, 635}},
    {"l40", "gpu-benches", GC_DEVICE_MEMORY, "ReadGBps", .range = {845, 845}},
    {"l40", "gpu-benches", GC_DEVICE_MEMORY, "WriteGBps", .range = {847, 847}},
    {"rtx4090", "NVIDIA", GC_WHOLE_GPU, "SMs", .range = {128, 128}},
    {"rtx4090", "NVIDIA", GC_WHOLE_GPU, "MemoryBusBits", .range = {384, 384}},
    {"rtx4090", "NVIDIA", GC_DEVICE_MEMORY, "ReadGBps", .range = {1008, 1008}, .measured = 940,
     .why = BUS},
    {"gh200", "gpu-benches", GC_DEVICE_MEMORY, "LatencyCycles", .range = {625, 689}},
    {"gh200", "gpu-benches, triad", GC_DEVICE_MEMORY, "ReadGBps", .range = {3783, 3784}},
    {"gh200", "gpu-benches", GC_DEVICE_MEMORY, "WriteGBps", .range = {3936, 3944}},
    {"gh200", "gpu-benches", GC_L2, "FarLatencyCycles", .range = {482, 512}, .measured = 456,
     .why = "arrays beyond the near partition, of which some lines miss"},
    {"gh200", "arXiv 2407.07850", GC_DEVICE_MEMORY, "HostCopyToGBps", .range = {375, 375}},
    {"gh200", "arXiv 2407.07850", GC_DEVICE_MEMORY, "HostCopyFromGBps", .range = {297, 297}},
    {"gb10", "chips and cheese", GC_WHOLE_GPU, "SMs", .range = {48, 48}},
    {"gb10", "QwenLM/FlashQLA issue 4", GC_WHOLE_GPU, "SharedBytesPerBlock",
     .range = {101376, 101376}},
    {"gb10", "NVIDIA", GC_DEVICE_MEMORY, "ReadGBps", .range = {273, 273}, .measured = 246,
     .why = BUS},
    {"gb10", "chips and cheese", GC_L2, "WriteGBps", .range = {980, 980}},
    {"gb10", "NVIDIA forum 367851", GC_WHOLE_GPU, "MemoryClockKHz", .range = {0, 0}},
    {"mi300x", "gpu-benches", GC_L1, "LatencyCycles", .range = {116, 128}},
    {"mi300x", "gpu-benches", GC_L2, "LatencyCycles", .range = {213, 213}},
    {"mi300x", "gpu-benches", GC_L3, "LatencyCycles", .range = {456, 456}},
    {"mi300x", "gpu-benches", GC_DEVICE_MEMORY, "LatencyCycles", .range = {885, 890},
     .measured = 788, .why = PAGES},
    {"mi300x", "gpu-benches", GC_DEVICE_MEMORY, "ReadGBps", .range = {4200, 4200}},
    {"mi300a", "gpu-benches", GC_L1, "LatencyCycles", .range = {116, 128}},
    {"mi300a", "gpu-benches", GC_L2, "LatencyCycles", .range = {212, 212}},
    {"mi300a", "gpu-benches", GC_L3, "LatencyCycles", .range = {449, 450}},
    {"mi300a", "gpu-benches", GC_DEVICE_MEMORY, "LatencyCycles", .range = {816, 830},
     .measured = 718, .why = PAGES},
    {"mi300a", "gpu-benches", GC_WHOLE_GPU, "MeasuredSMClockMHz", .range = {2096, 2096}},
    {"mi300a", "gpu-benches", GC_L1_TLB, "ReachBytes", .range = {64 << 20, 88 << 20}},
    {"mi355x", "ROCm", GC_WHOLE_GPU, "SMs", .range = {256, 256}},
    {"mi355x", "ROCm", GC_L1, "CapacityBytes", .range = {32768, 32768}},
    {"mi355x", "ROCm", GC_SCALAR_L1, "CapacityBytes", .range = {16384, 16384}},
    {"mi355x", "ROCm", GC_L2, "NominalBytes", .range = {4 << 20, 4 << 20}},
    {"mi355x", "ROCm", GC_L3, "NominalBytes", .range = {256 << 20, 256 << 20}},
    {"mi355x", "ROCm", GC_LDS, "CapacityBytes", .range = {163840, 163840}},
    {"mi355x", "ROCm", GC_SCALAR_L1, "Instances", .range = {128, 128}},
    {"mi355x", "ROCm", GC_INSTRUCTION_CACHE, "CapacityBytes", .range = {65536, 65536}},
    {"mi355x", "ROCm", GC_INSTRUCTION_CACHE, "Instances", .range = {128, 128}},
    {"mi355x", "chips and cheese", GC_L2, "Instances", .range = {8, 8}},
    {"rx7900xtx", "chips and cheese", GC_L3, "LatencyNs", .range = {150.3, 150.3}},
    {"rx7900xtx", "chips and cheese", GC_L3, "IdleLatencyNs", .range = {199, 199}},
};

/* Cycles of a dependent load against the size of the array, by one SM; AI_kernels, latency/data,
 * and for the L40 and the GH200 gpu-benches, gpu-latency.
 *
 * model: 0, or how many the model gives instead, because LRU keeps nothing of an array that does
 * not fit, and all of one that does. Real L2s are in between. In the model of the GH200, the near
 * partition keeps nothing of an array of more than 28 MiB, so half of its lines come from the far
 * partition (456 cycles) and half from memory (680). */
static const struct curve_point {
  const char *gpu;
  double mib, cycles, model;
} curve_points[] = {
    {"b200", 44.6, 297, 0},     {"b200", 61.4, 320, 294},    {"b200", 84.4, 637, 748},
    {"b200", 116, 662, 748},    {"b200", 160, 824, 0},       {"b300", 61.4, 341, 294},
    {"b300", 116, 659, 748},    {"b300", 160, 810, 0},       {"rtx5090", 84.4, 368, 0},
    {"rtx5090", 116, 752, 932}, {"rtxpro6000", 116, 364, 0}, {"rtxpro6000", 160, 752, 860},
    {"rtx4090", 61.4, 305, 0},  {"rtx4090", 84.4, 481, 648}, {"rtx4090", 116, 633, 0},
    {"l40", 87, 280, 0},        {"l40", 91.5, 285, 0},       {"l40", 98.6, 415, 0},
    {"gh200", 24.8, 280, 0},    {"gh200", 32.2, 411, 568},   {"gh200", 38.8, 512, 568},
    {"gh200", 48.6, 481, 568},  {"gh200", 54.3, 497, 576},   {"gh200", 60.7, 576, 664},
    {"gh200", 67.9, 623, 680},  {"gh200", 136, 680, 0},      {"gh200", 448, 685, 0},
};

/* The mean load of the second pass over an array. */
static inline double cycles_of_array(struct gc_model *model, double mib)
{
  const uint64_t line = 128, count = (uint64_t)(mib * 1048576) / line, base = 1ull << 40;

  gc_model_touch_run(model, 0, GC_SPACE_CG, base, line, count);
  return (double)gc_model_touch_run(model, 0, GC_SPACE_CG, base, line, count) / (double)count;
}

static inline void check_curve(const struct opened *o)
{
  for (size_t i = 0; i < sizeof(curve_points) / sizeof(*curve_points); i++) {
    const struct curve_point *p = &curve_points[i];
    const double expected = p->model > 0 ? p->model : p->cycles;
    const double cycles = strcmp(p->gpu, o->name) ? expected : cycles_of_array(o->model, p->mib);

    if (!(fabs(cycles - expected) <= CURVE_SHARE * expected))
      fail_msg("%s: a load of an array of %g MiB takes %g cycles, not %g; published: %g", p->gpu,
               p->mib, cycles, expected, p->cycles);
    if (fabs(p->model - p->cycles) <= CURVE_SHARE * p->cycles)
      fail_msg("%s: %g MiB are as published, but have a value of the model", p->gpu, p->mib);
  }
}

/* The number that a value has for this row; 0: there is no value. */
static inline double number_of(const struct figure *p, const char *value)
{
  const char *const comma = value && p->last ? strrchr(value, ',') : NULL;
  const char *const colon = value ? strchr(value, ':') : NULL; /* of a NUMA node */

  return value ? strtod(comma ? comma + 1 : colon ? colon + 1 : value, NULL) : 0;
}

static inline void check_published(const struct opened *o)
{
  for (size_t i = 0; i < sizeof(figures) / sizeof(*figures); i++) {
    const struct figure *p = &figures[i];
    const struct gc_element *element = gc_record_find(o->record, p->kind);
    const double least = p->why ? p->measured : p->range[0],
                 most = p->why ? p->measured : p->range[1];
    const char *value;
    double found;

    if (strcmp(p->gpu, o->name))
      continue;
    value = gc_infos_get(element ? &element->infos : &o->record->infos, p->key);
    found = number_of(p, value);
    if (p->why && p->measured >= p->range[0] && p->measured <= p->range[1])
      fail_msg("%s: %s is as published, but has a reason", o->name, p->key);
    if (!(found >= (1 - PUBLISHED_SHARE) * least && found <= (1 + PUBLISHED_SHARE) * most))
      fail_msg("%s: %s is '%s', not %g to %g; %s has %g to %g%s%s", o->name, p->key,
               value ? value : "", least, most, p->source, p->range[0], p->range[1],
               p->why ? ": " : "", p->why ? p->why : "");
  }
}

#endif
