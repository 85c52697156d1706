/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Loads that wait because other SMs read. At a level that is busy for the share u of the time, a
 * load waits for queue * u / (1 - u) cycles: the law of a queue with one server and random
 * arrivals. Data from further out keep the nearer levels busy, too.
 *
 * The clock of a level may be low while it has little to do (keys idle and memory_idle): the
 * latencies of the paths are those of idle levels, and at a busy one a load takes less time.
 */
#ifndef GC_MODEL_QUEUE_H
#define GC_MODEL_QUEUE_H

#include "model/model.h"

struct gc_model;

/* The cycles of these rows, whose first one hits this level: as many bytes are in flight as the
 * warps can have, so what arrives depends on the latency, which depends on what arrives. Later
 * loads of this launch wait in the same queue. */
double gc_queue_rows(struct gc_model *model, const struct gc_rows *rows, unsigned level);

/* By how many cycles a load that hits this level takes longer while all levels are idle. */
uint32_t gc_queue_idle(const struct gc_model *model, enum gc_space space, unsigned level);

/* By how many cycles a load at this level takes longer, or shorter if negative, while this share of
 * its bandwidth is used. */
double gc_queue_at(const struct gc_model *model, enum gc_space space, unsigned level, double share);

#endif
