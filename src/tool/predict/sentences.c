/* SPDX-License-Identifier: BSD-3-Clause */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include "tool/predict/sentences.h"

#include "tool/predict/cells.h"
#include "tool/predict/helps.h"
#include "tool/predict/reasons.h"
#include "tool/print/format.h"

#include <hwloc/gpucache.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 2, 3))) static void append(char *text, const char *format, ...)
{
  const size_t used = strlen(text);
  va_list values;

  va_start(values, format);
  vsnprintf(text + used, GC_SENTENCE - used, format, values);
  va_end(values);
}

static const char *plural(uint64_t count)
{
  return count == 1 ? "" : "s";
}

static void say_launch(const struct gc_kernel_prediction *kernel, char *text)
{
  const struct gc_trace_launch *launch = &kernel->launch;
  char l1[32];

  /* a trace can lack each of these numbers */
  if (launch->blocks)
    append(text, "%" PRIu64 " block%s, ", launch->blocks, plural(launch->blocks));
  if (launch->threads_per_block)
    append(text, "%u thread%s a block, ", launch->threads_per_block,
           plural(launch->threads_per_block));
  if (launch->registers_per_thread)
    append(text, "%u registers a thread, ", launch->registers_per_thread);
  if (launch->shared_bytes)
    append(text, "%" PRIu64 " bytes of shared memory a block, ", launch->shared_bytes);
  if (launch->prefers_carveout)
    append(text, "preferred carve-out %u %%, ", launch->carveout);
  if (kernel->cannot_run) {
    if (*text)
      text[strlen(text) - 2] = '\0';
    return;
  }
  if (kernel->blocks_per_sm)
    append(text, "%u block%s on an SM at the same time, ", kernel->blocks_per_sm,
           plural(kernel->blocks_per_sm));
  gc_format_bytes(kernel->gpu.l1_bytes, l1, sizeof l1);
  append(text, "%s%s", kernel->gpu.loads_in_l1 ? "L1 of " : "no global loads in L1",
         kernel->gpu.loads_in_l1 ? l1 : "");
  gc_format_bytes(kernel->gpu.l1_wanted_bytes, l1, sizeof l1);
  if (kernel->gpu.loads_in_l1 && gc_gpu_summary_is_rounded(&kernel->gpu))
    append(text, " instead of %s, because each of %u sets has a whole number of lines", l1,
           kernel->gpu.l1_sets);
}

static void say_cannot(const struct gc_kernel_prediction *kernel, char *text)
{
  if (kernel->cannot_run)
    append(text, "cannot run on this GPU: %s", kernel->cannot_run);
}

static void say_partial(const struct gc_kernel_prediction *kernel, char *text)
{
  const struct gc_trace_launch *launch = &kernel->launch;

  if (launch->launched_blocks > launch->blocks)
    append(text,
           "%" PRIu64 " of the %" PRIu64 " launched blocks are modelled: all counts are of these",
           launch->blocks, launch->launched_blocks);
}

static void say_stands(const struct gc_kernel_prediction *kernel, char *text)
{
  const uint64_t launches = gc_trace_stands(&kernel->launch);

  if (launches > 1)
    append(text,
           "stands for %" PRIu64
           " launches with the same grid and block size; all counts are of the recorded one",
           launches);
}

static void say_rule(const struct gc_kernel_prediction *kernel, char *text)
{
  const struct gc_trace_launch *launch = &kernel->launch;

  if (launch->registers)
    append(text, "a warp waits for a load where the trace uses its registers");
  else if (launch->loads_at_once > 1)
    append(text, "a warp issues up to %u loads at once, as the trace says", launch->loads_at_once);
  else
    append(text, "a warp waits for each load: the trace does not show which are issued at once");
}

static void say_not_predicted(unsigned instructions, const char *what, const char *lacks,
                              char *text)
{
  if (instructions)
    append(text, "not predicted: %s, %u instruction%s of its code. Traces lack %s", what,
           instructions, plural(instructions), lacks);
}

static void say_tensors(const struct gc_kernel_prediction *kernel, char *text)
{
  say_not_predicted(kernel->launch.tensor_copies, "tensor copies (TMA)",
                    "their loads and stores, so later kernels do not find in L2 what they stored",
                    text);
}

static void say_textures(const struct gc_kernel_prediction *kernel, char *text)
{
  say_not_predicted(kernel->launch.texture_accesses, "textures and surfaces",
                    "what they load and store", text);
}

static void say_near(const struct gc_kernel_prediction *kernel, char *text)
{
  char rate[GC_CELL], least_to_most[GC_CELL] = "";

  if (!kernel->counts.l2_loads_far)
    return;
  gc_cell_percent(kernel->l2_near_rate.value, rate);
  gc_cell_range(&kernel->l2_near_rate, least_to_most);
  append(text, "L2 without %" PRIu64 " hits in the far partition, as profilers count: %s",
         kernel->counts.l2_loads_far, rate);
  if (*least_to_most)
    append(text, " (%s)", least_to_most);
}

static void say_traffic(const struct gc_kernel_prediction *kernel, char *text)
{
  const struct gc_counts *counts = &kernel->counts;
  char l2[32], memory[32];

  gc_format_bytes(kernel->l2_read_bytes, l2, sizeof l2);
  gc_format_bytes(counts->memory_read_bytes, memory, sizeof memory);
  append(text, "read from L2: %s, from memory: %s", l2, memory);
  if (counts->l1_load_instructions)
    append(text, "; sectors for each load of a warp: %.1f",
           (double)counts->l1_loads.accesses / (double)counts->l1_load_instructions);
}

static void say_reasons(const struct gc_kernel_prediction *kernel, char *text)
{
  const uint64_t all = kernel->counts.l1_loads.misses;

  for (int i = 0; i < GC_MISS_COUNT && all; i++)
    if (kernel->misses[i])
      append(text, "%s%s %.1f %%", *text ? ", " : "misses in L1: ", gc_miss_names[i],
             100.0 * (double)kernel->misses[i] / (double)all);
}

static void say_helps(const struct gc_kernel_prediction *kernel, char *text)
{
  const struct gc_helps helps = gc_helps_most(kernel);

  if (helps.remedy >= 0)
    append(text, "helps most: %s: L1 hit rate %.1f %%, %.1f points more", gc_helps_sentence(&helps),
           100 * (kernel->rates[GC_RATE_L1].value + helps.gain), 100 * helps.gain);
}

static void say_tlbs(const struct gc_kernel_prediction *kernel, char *text)
{
  static const char *const names[GC_TLB_LEVELS] = {HWLOC_GPUCACHE_L1_TLB, HWLOC_GPUCACHE_L2_TLB};

  for (int i = 0; i < GC_TLB_LEVELS; i++) {
    const struct gc_tlb_counts *tlb = &kernel->counts.tlbs[i];

    if (tlb->lookups)
      append(text, "%s%s %" PRIu64 " of %" PRIu64 " look-ups (%.1f %%)",
             *text ? ", " : "TLB misses: ", names[i], tlb->misses, tlb->lookups,
             100.0 * (double)tlb->misses / (double)tlb->lookups);
  }
}

void gc_predict_sentence(const struct gc_kernel_prediction *kernel, enum gc_predict_sentences which,
                         char text[GC_SENTENCE])
{
  static void (*const say[GC_SENTENCES])(const struct gc_kernel_prediction *, char *) = {
      [GC_SAY_LAUNCH] = say_launch,   [GC_SAY_CANNOT] = say_cannot,
      [GC_SAY_PARTIAL] = say_partial, [GC_SAY_STANDS] = say_stands,
      [GC_SAY_TENSORS] = say_tensors, [GC_SAY_TEXTURES] = say_textures,
      [GC_SAY_RULE] = say_rule,       [GC_SAY_NEAR] = say_near,
      [GC_SAY_TRAFFIC] = say_traffic, [GC_SAY_REASONS] = say_reasons,
      [GC_SAY_HELPS] = say_helps,     [GC_SAY_TLBS] = say_tlbs,
  };

  *text = '\0';
  if (!kernel->cannot_run || which <= GC_SAY_CANNOT)
    say[which](kernel, text);
}

static void say_lacks(const struct gc_trace_lacks *lacks, char text[GC_SENTENCE])
{
  append(text, "Not in the traces: ");
  if (lacks->launches)
    append(text, "%" PRIu64 " launch%s%s", lacks->launches, lacks->launches == 1 ? "" : "es",
           lacks->more ? " and an unknown number of others" : "");
  else
    append(text, "an unknown number of launches");
  append(text, ": %s", lacks->why.text);
}

void gc_ignored_sentence(const struct gc_trace_ignored *ignored, int which, char text[GC_SENTENCE])
{
  static const char *const what[] = {"warp instructions that read textures or access surfaces",
                                     "copies from the host, which can fill L2"};
  const uint64_t count = which ? ignored->copies : ignored->textures;

  *text = '\0';
  if (which == 2 && *ignored->lacks.why.text)
    say_lacks(&ignored->lacks, text);
  else if (which < 2 && count)
    snprintf(text, GC_SENTENCE, "Not modelled: %s: %" PRIu64, what[which], count);
}

void gc_recorded_sentence(const struct gc_prediction *prediction, char text[GC_SENTENCE])
{
  uint64_t launches = 0;
  bool estimated = false;

  for (size_t i = 0; i < prediction->count; i++)
    launches += gc_trace_stands(&prediction->kernels[i].launch);
  *text = '\0';
  for (size_t k = 0; k < prediction->sum_count; k++)
    estimated |= prediction->sums[k].estimated;
  if (launches > prediction->count)
    append(text,
           "Recorded: %zu of %" PRIu64 " launches. Sums count each recorded launch as often as it "
           "stands for others",
           prediction->count, launches);
  if (estimated)
    append(text,
           "%s~: not all blocks are modelled. Sums count those that are for the others, and L2 "
           "lacks what "
           "the others load",
           *text ? ". " : "");
}
