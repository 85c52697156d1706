/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The change-point search: the capacity is the size of the largest array that can be walked
 * repeatedly without a miss. doc/methods.md, "Capacity".
 *
 * 0. Far from the answer, only every fourth sector is walked. If lines turn out to be smaller, the
 *    search begins again.
 * 1. Coarse: sizes double until the distribution of latencies changes (K-S test against the
 *    smallest size, Holm-corrected). This also gives the costs of a hit and of a miss.
 * 2. Fine: sweeps over smaller and smaller brackets, down to single steps. The slow loads of each
 *    run are compared with the rate of outliers. The result is a posterior over all sizes at which
 *    misses can begin (stats/changepoint.c). The capacity is the last size that fits, not the
 *    middle of the transition: a cache that does not replace the least recently used line misses
 *    gradually.
 * 3. Confirmation: both sides of the answer again, on all SMs. The K-S test must detect the change
 *    too, but not before the first miss. Otherwise the value is withheld.
 *
 * Sources: Größler 2022, ch. 3-4; Vanecek et al. (MT4G) 2025, IV-B; Mei et al. 2014 for first
 * misses.
 */
#ifndef GC_MEASURE_CAPACITY_SEARCH_H
#define GC_MEASURE_CAPACITY_SEARCH_H

#include "measure/capacity/search_state.h"

/* Returns 0, also if nothing is found, or a negative errno. */
int gc_find_capacity(struct gc_measurement *m, const struct gc_search *search,
                     struct gc_capacity_result *found);

/* The same, but writes the level, and the capacity or why there is none, into the element. */
int gc_put_capacity(struct gc_measurement *m, const struct gc_search *search,
                    struct gc_measured *element);

#endif
