/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Simulated GPUs, from their profiles.
 */
#ifndef GC_GPUS_SIM_H
#define GC_GPUS_SIM_H

#include "gpus/list.h"

/* Appends simulated GPUs. sims: comma list of profile names, or of paths of profiles (words with a
 * '/'); blanks around a word do not count. A GPU without a usable profile is appended with a
 * problem; those whose names have no profile share one text, which lists these names. 0 or -ENOMEM. */
int gc_gpus_add_sim(const char *sims, struct gc_gpus *gpus);

/* Writes the names of all profiles in the profile directories (those of
 * $HWLOC_GPUCACHE_SIM_PATH, then the installed one), sorted and comma-separated, for messages.
 * The list is cut to fit. */
void gc_gpus_sim_names(char *names, size_t size);

#endif
