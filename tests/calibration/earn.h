/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the table of earned confidences (src/measure/results/earned.h).
 */
#ifndef GC_TESTS_EARN_H
#define GC_TESTS_EARN_H

#include "tally.h"

#include <stdio.h>

/* The confidence that these counts support: with a probability of 95 %, at least this share of such
 * values is right. Without a wrong one 1 - 3/n (rule of three). */
double earn_bound(unsigned long values, unsigned long wrong);

/* t: of `gpus` GPUs that were drawn with these seeds and measured without a limit. */
void earn_write(FILE *out, const struct tally *t, const struct draw_seeds *seeds,
                unsigned long gpus);

/* Adds the counts of a table that earn_write wrote with the same seeds. Returns of how many GPUs it
 * is; 0: it is no such table, or of other seeds, and *t is incomplete. */
unsigned long earn_read(FILE *in, struct tally *t, const struct draw_seeds *seeds);

/* Reads a whole table as it is to be compiled: its seeds, and the limits that its counts support.
 * Returns of how many GPUs it is; 0: it is no such table. */
unsigned long earn_load(FILE *in, struct draw_seeds *seeds,
                        struct gc_earned table[GC_PROPERTY_COUNT][BINS]);

#endif
