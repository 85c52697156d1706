/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Measures one GPU: runs the plan (plan.c: which element gets which property, in which order) on an
 * open device and writes what was found, with source and confidence, into a record.
 */
#ifndef GC_MEASURE_MEASURE_H
#define GC_MEASURE_MEASURE_H

#include "device/device.h"
#include "measure/raw.h"
#include "record/record.h"

/* A launch that fails can break the device: its driver then refuses all that this process asks of it,
 * for good. What is left to measure is for another process. */
struct gc_measure_rest {
  unsigned next; /* in: the step of the plan to begin with, in a record of what those before it found; 0:
                    with all. Out: the step to go on with */
  bool left;     /* out: steps are left, and the device is of no more use */
};

struct gc_measure_options {
  /* Comma list of subtypes ("L1Cache,L2Cache") to measure; NULL: all. Unknown ones: -EINVAL with a
   * sentence that lists the known ones. */
  const char *only;
  /* Called before each step: done of total steps, and what comes now ("L1Cache capacity"). May be NULL. */
  void (*progress)(void *data, unsigned done, unsigned total, const char *what);
  /* Called with a sentence when a value is withheld because two ways to it contradict each other, when it is
   * not what the kernel driver's tables say, and when a step failed, which costs what it would have told.
   * May be NULL. */
  void (*complain)(void *data, const char *sentence);
  /* Called after each step with what it cost: wall-clock milliseconds, repetitions and looks for other
   * programs included, and launches. May be NULL. */
  void (*spent)(void *data, const char *what, double milliseconds, uint64_t launches);
  void *data; /* for all of them */
  struct gc_measure_rest *rest; /* NULL: all or nothing, a broken device is -EIO */
  /* What the kernel driver's tables say of this GPU (struct gc_gpu); may be NULL. What was measured is
   * compared with it: crosscheck.c. */
  const struct gc_record *known;
  struct gc_raw *raw; /* receives all that is seen; may be NULL */
  double patience;    /* seconds that waiting for a busy GPU, and measuring again, may cost; 0: 3 */
};

/* 0 when every word of the comma list is the subtype of something measurable (NULL is fine), else
 * -EINVAL and a sentence that lists the known ones. */
int gc_measure_check_only(const char *only, struct gc_error *err);

/* How many steps the plan has; rest->next is less. */
unsigned gc_measure_steps(void);

/* Fills record (fresh, from gc_record_new, or with rest->next one that is begun) with elements and facts.
 * A property that cannot be measured gets "absent:<why>" as its source and does not fail the others, nor
 * does one whose launches fail; returns an error only when the device cannot be used at all or more than
 * six steps fail (-EIO …), or -EBUSY with the reason when something else keeps using the GPU.
 * What `only` names and this GPU does not have is complained of; -ENOENT when it has nothing of that, and
 * -EINVAL when rest->next is no step of the plan.
 * record->infos gets SMs, SMClockKHz … with source api; Measured and Version are the caller's. */
int gc_measure(struct gc_device *device, const struct gc_measure_options *options,
               struct gc_record *record, struct gc_error *err);

#endif
