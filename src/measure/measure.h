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

struct gc_measure_options {
  /* Comma list of subtypes ("L1Cache,L2Cache") to measure; NULL: all. Unknown ones: -EINVAL with a
   * sentence that lists the known ones. */
  const char *only;
  /* Called before each step: done of total steps, and what comes now ("L1Cache capacity"). May be NULL. */
  void (*progress)(void *data, unsigned done, unsigned total, const char *what);
  /* Called when a value is withheld because two ways to it contradict each other: a sentence. May be
   * NULL. */
  void (*complain)(void *data, const char *sentence);
  void *data;
  struct gc_raw *raw; /* receives all that is seen; may be NULL */
  double patience;    /* seconds that waiting for a busy GPU, and measuring again, may cost; 0: 3 */
};

/* 0 when every word of the comma list is the subtype of something measurable (NULL is fine), else
 * -EINVAL and a sentence that lists the known ones. */
int gc_measure_check_only(const char *only, struct gc_error *err);

/* Fills record (fresh, from gc_record_new) with elements and facts. A property that cannot be measured
 * gets "absent:<why>" as its source and does not fail the others; returns an error only when the device
 * itself fails, or -EBUSY with the reason when something else keeps using the GPU. record->infos gets
 * SMs, SMClockKHz … with source api; Measured and Version are the caller's. */
int gc_measure(struct gc_device *device, const struct gc_measure_options *options,
               struct gc_record *record, struct gc_error *err);

#endif
