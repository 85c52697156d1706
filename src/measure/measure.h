/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Measures one GPU: runs the plan (plan/plan.c: which element gets which property, in which order)
 * on an open device and writes the values, with source and confidence, into a record.
 *
 * All functions may be called from several threads if each thread has its own device, record and
 * handover.
 */
#ifndef GC_MEASURE_MEASURE_H
#define GC_MEASURE_MEASURE_H

#include "device/device.h"
#include "measure/raw/raw.h"
#include "record/record.h"

struct gc_results;
struct gc_earned;

/* A launch that fails can break the device: its driver then refuses all further work of this
 * process. Another process of the same program can run the remaining steps. This struct gives it
 * the results so far. */
struct gc_handover {
  unsigned next; /* in: the step to begin with; 0: the first one. Out: the step to continue with */
  bool left;     /* out: steps remain, and the device does not work any more */
  /* In: results of the steps before `next`, or NULL. Out: all results. gc_handover_free releases
   * them. */
  struct gc_results *results;
};

/* Writes a handover to an empty file, and seeks to its start. identity: that of the GPU. 0, or a
 * negative errno and a sentence. */
int gc_handover_write(const struct gc_handover *handover, const struct gc_identity *identity,
                      int fd, struct gc_error *err);
/* Reads the results, and the identity of their GPU. The caller sets `next`. -EBADMSG and a sentence
 * if the file is no handover of this build. */
int gc_handover_read(struct gc_handover *handover, struct gc_identity *identity, int fd,
                     struct gc_error *err);
void gc_handover_free(struct gc_handover *handover); /* a zeroed one is fine */

struct gc_measure_options {
  /* Other open devices of the same thread, at most GC_PEERS_MAX. If there are any, only how the GPU
   * reaches them is measured: Peer… of DeviceMemory. */
  const struct gc_peer *peers;
  uint32_t peer_count;
  /* Comma list of subtypes to measure ("L1Cache,L2Cache"); NULL: all but TLBs. Unknown: -EINVAL
   * with a sentence that lists the known ones. */
  const char *only;
  bool host_only; /* only the steps that measure the host; what they report is right without the
                     rest */
  /* Called before each step: `done` of `total` steps are done, and `what` is next ("L1Cache
   * capacity"). May be NULL. */
  void (*progress)(void *data, unsigned done, unsigned total, const char *what);
  /* Called with a sentence if a value is withheld because two methods contradict each other, if a
   * value differs from the kernel driver's tables, and if a step failed. May be NULL. */
  void (*warn)(void *data, const char *sentence);
  /* Called after each step with its cost: launches, and wall-clock milliseconds including
   * repetitions and interference checks. May be NULL. */
  void (*spent)(void *data, const char *what, double milliseconds, uint64_t launches);
  void *data;                   /* passed to these functions */
  struct gc_handover *handover; /* NULL: a broken device is -EIO */
  /* What the kernel driver's tables state about this GPU (struct gc_gpu). Measured values are
   * compared with it. May be NULL. */
  const struct gc_record *tables;
  struct gc_raw *raw; /* receives the data behind the values; may be NULL */
  /* The caller leaves the device open, and the process ends soon: after the last step, memory of
   * the device is not released. Unmapping what TLBs needed takes 7 ms on an H200. */
  bool left_open;
  double patience;    /* seconds to spend on waiting for a busy GPU and on repeating steps; 0: 3 */
  /* Publish confidences as the methods compute them, not limited to what the calibration has shown
   * (results/earned.h). For the calibration, which finds out what they are worth. */
  bool unlimited;
  /* The table that limits them, [GC_PROPERTY_COUNT][GC_EARNED_BINS]; NULL: gc_earned_table. For the
   * calibration, which tests a table before it is compiled in. */
  const struct gc_earned *earned;
};

/* 0 if every word of the comma list is the subtype of an element that can be measured, or if `only`
 * is NULL. Otherwise -EINVAL and a sentence that lists these subtypes. */
int gc_measure_check_only(const char *only, struct gc_error *err);

/* The number of steps of the plan; handover->next must be less. */
unsigned gc_measure_steps(void);

/* Fills record (fresh, from gc_record_new) with elements and facts. record->infos gets SMs,
 * SMClockKHz … with source api. The caller adds Measured and Version.
 *
 * If a property cannot be measured, it gets the source "absent:<why>", and the other properties are
 * not affected. The same holds for a step whose launches fail. If the reason for an absent property
 * can pass, record->infos gets GC_PROVISIONAL (record/provisional.h).
 *
 * Returns 0, or a negative errno with a sentence in err:
 * -  -EBUSY: another program keeps using the GPU, or the clock of the GPU does not settle
 * -  -EIO …: the device does not work at all, or more than six steps fail
 * - -ENOENT: the GPU has none of the elements in `only` (it warns if the GPU lacks some of them)
 * - -EINVAL: `only` has an unknown word, or handover->next is no step of the plan */
int gc_measure(struct gc_device *device, const struct gc_measure_options *options,
               struct gc_record *record, struct gc_error *err);

#endif
