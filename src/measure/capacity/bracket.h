/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The fine part of the change-point search (search.h): sweeps that narrow the bracket.
 */
#ifndef GC_MEASURE_CAPACITY_BRACKET_H
#define GC_MEASURE_CAPACITY_BRACKET_H

#include "measure/capacity/search_state.h"

/* One sweep of the bracket. It either narrows the bracket or ends the search (*done), with a
 * capacity or without. first: this is the first sweep of the search. */
int gc_bracket_sweep(struct gc_search_state *s, bool first, bool *done);

#endif
