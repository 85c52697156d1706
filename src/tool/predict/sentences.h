/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The sentences about a kernel that the text and the page print beside its tables.
 */
#ifndef GC_TOOL_PREDICT_SENTENCES_H
#define GC_TOOL_PREDICT_SENTENCES_H

#include "predict/predict.h"

enum gc_predict_sentences {
  GC_SAY_LAUNCH,  /* blocks, threads, ... */
  GC_SAY_CANNOT,  /* run on this GPU: then there are no others */
  GC_SAY_PARTIAL, /* only some of the blocks are modelled */
  GC_SAY_STANDS,  /* for other launches */
  GC_SAY_TENSORS, /* copies that no trace has */
  GC_SAY_TEXTURES,
  GC_SAY_RULE,    /* how the order of loads was found: it decides about many hits */
  GC_SAY_NEAR,    /* the hit rate of L2 that a profiler shows, if partitions make a difference */
  GC_SAY_TRAFFIC, /* bytes, and how well the threads of a warp use the sectors */
  GC_SAY_REASONS, /* of misses */
  GC_SAY_HELPS,
  GC_SAY_TLBS,
  GC_SENTENCES,
  GC_SENTENCES_BEFORE = GC_SAY_NEAR /* those about the launch, not its result */
};

#define GC_SENTENCE 1000 /* bytes */

/* Empty if there is nothing to say. */
void gc_predict_sentence(const struct gc_kernel_prediction *kernel, enum gc_predict_sentences which,
                         char text[GC_SENTENCE]);

/* What the traces name and the model ignores (sentence 0 or 1), and launches that they lack (2).
 * Empty if there is nothing to say. */
#define GC_IGNORED_SENTENCES 3
void gc_ignored_sentence(const struct gc_trace_ignored *ignored, int which, char text[GC_SENTENCE]);

/* How many launches of the program the traces have. Empty: all, as far as they say. */
void gc_recorded_sentence(const struct gc_prediction *prediction, char text[GC_SENTENCE]);

#endif
