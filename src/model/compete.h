/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * SMs that share a cache and use it at the same time. The simulator runs the blocks of a launch one
 * after another. So the loads of each SM in a launch are kept, and made again between the loads of
 * the SMs that run later and share the cache: these find what they would find on a real GPU. The
 * SM that runs first finds the cache free.
 */
#ifndef GC_MODEL_COMPETE_H
#define GC_MODEL_COMPETE_H

#include <stdbool.h>
#include <stdint.h>

#define GC_COMPETE_LOADS 16384 /* the last ones of an SM; they are made again in a circle */

struct gc_compete {
  bool active;
  uint32_t sms;
  struct gc_compete_sm {
    uint64_t count;    /* loads in this launch */
    uint64_t next;     /* how many of them were made again */
    uint64_t *address; /* [GC_COMPETE_LOADS] */
  } * sm;              /* [sms]; NULL: SMs do not compete for this cache */
};

/* 0 or -ENOMEM; gc_compete_fini releases what was allocated, also after a failure. */
int gc_compete_init(struct gc_compete *compete, uint32_t sms);
void gc_compete_fini(struct gc_compete *compete);

/* A launch starts. */
void gc_compete_start(struct gc_compete *compete, bool active);

/* Keeps a load of this SM. */
void gc_compete_add(struct gc_compete *compete, uint32_t sm, uint64_t address);

/* The next load of an SM that ran before. False: it has made none. */
bool gc_compete_next(struct gc_compete *compete, uint32_t sm, uint64_t *address);

#endif
