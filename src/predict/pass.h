/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A pass: all kernels of all traces, once, with one seed.
 */
#ifndef GC_PREDICT_PASS_H
#define GC_PREDICT_PASS_H

#include "predict/model/model.h"
#include "predict/parameters/parameters.h"
#include "predict/reuse.h"
#include "predict/select.h"

/* The properties of the GPU that the report of a kernel contains. */
struct gc_gpu_summary {
  bool loads_in_l1;
  uint64_t l1_bytes, l1_wanted_bytes; /* as modelled; before they were rounded to lines and ways */
  uint32_t l1_line_bytes, l1_sector_bytes, l1_sets, l1_ways;
  uint32_t outstanding;                /* 0: no limit */
  uint32_t tlb_entries[GC_TLB_LEVELS]; /* 0: this level is not modelled */
};

/* Whether they differ by a line or more. */
static inline bool gc_gpu_summary_is_rounded(const struct gc_gpu_summary *gpu)
{
  return gpu->l1_wanted_bytes >= gpu->l1_bytes + gpu->l1_line_bytes ||
         gpu->l1_bytes >= gpu->l1_wanted_bytes + gpu->l1_line_bytes;
}

struct gc_source_line {
  const char *file; /* NULL: not known */
  unsigned line;
};

struct gc_pass_kernel {
  struct gc_pass_detail {
    struct gc_trace_launch launch; /* its number counts over all traces */
    struct gc_gpu_summary gpu;
    const char *cannot_run;         /* see struct gc_kernel_prediction */
    struct gc_source_line *sources; /* of run.loads */
  } * detail; /* NULL without gc_pass.detailed */
  struct gc_kernel_run run;
  struct gc_reuse_bins *bins;       /* NULL without gc_pass.reuse, or if it cannot run */
  struct gc_reuse_histogram *reuse; /* likewise, and NULL with gc_pass.bins_only */
};

struct gc_pass {
  /* what to do */
  const char *const *traces;
  size_t trace_count;
  const struct gc_selection *selection; /* NULL: all kernels, which can be read */
  struct gc_changes changes;
  struct gc_model_options
      options;   /* options.seed draws the parameters, too; 0: those of the record */
  bool detailed; /* keep the launch and the GPU of each kernel */
  bool reuse;    /* note the reuse distances of lines */
  bool bins_only; /* keep no histogram, which takes 86 KB for each kernel */
  /* Keep that of these kernels of the result only; NULL: all. A trace that grows meanwhile may have
   * more kernels. */
  const bool *histogram_of;
  size_t histograms;
  bool undrawn;  /* the parameters of the record, whatever the seed */
  bool optional; /* if there is no such GPU, the pass has no kernels, and that is no failure */
  struct gc_parameters parameters; /* a copy: a pass notes assumptions */
  /* the result */
  struct gc_pass_kernel *kernels;
  size_t count;
  size_t seen;                     /* kernels, also those that were not selected */
  struct gc_pass_block *blocks;    /* the memory of details and loads */
  struct gc_trace_ignored ignored; /* of all traces */
};

/* 0, or a negative errno with a sentence. The caller always calls gc_pass_clear. Passes in
 * different threads do not disturb each other. */
int gc_pass_run(struct gc_pass *pass, struct gc_error *err);

/* Frees the result. */
void gc_pass_clear(struct gc_pass *pass);

#endif
