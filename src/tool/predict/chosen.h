/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The GPUs on which predict predicts.
 */
#ifndef GC_TOOL_PREDICT_CHOSEN_H
#define GC_TOOL_PREDICT_CHOSEN_H

#include "tool/sources/sources.h"

/* Fills sources from each --record or each --gpu, in their order; else from --sim; else with the
 * only GPU of this machine. GC_EXIT_DONE, and the caller calls gc_sources_free; or another exit
 * code after a message, with nothing to free: one that cannot be used ends the command before it
 * does anything else. */
int gc_predict_choose(const struct gc_tool *tool, struct gc_sources *sources);

#endif
