/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The driver tables of a simulated AMD GPU, from its profile.
 */
#ifndef GC_GPUS_SIM_TABLES_H
#define GC_GPUS_SIM_TABLES_H

#include "gpus/list.h"

/* Fills gpu->gfx and gpu->tables from the text of a profile. 0 or -ENOMEM. Damaged tables are not
 * an error: gpu->problem says what is wrong with them. */
int gc_gpus_read_sim_tables(struct gc_gpu *gpu, const char *text);

#endif
