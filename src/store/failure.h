/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Notes of failed measurements, so that not every load of a topology tries again. A note is the
 * file ID.failed beside the record, under the same rules of trust. The first note is valid for ten
 * minutes, because nearly every reason may pass (a busy GPU, a timeout, a missing driver or
 * library). If the next attempt after that fails, too, its note is valid for twenty minutes, and so
 * on up to a day. If this program has no kernels for the GPU, the note is valid for a day at once.
 * A note is valid only while all of this is unchanged: id, driver, VBIOS, MIG state; format, method
 * and version of this program; the variables that say where a vendor's library is and which GPUs it
 * shows (LD_LIBRARY_PATH, CUDA_VISIBLE_DEVICES, CUDA_DEVICE_ORDER …) and how long a load may wait;
 * the root directory, which differs in a container; and whether the caller may open /dev/nvidiactl
 * and /dev/kfd.
 */
#ifndef GC_STORE_FAILURE_H
#define GC_STORE_FAILURE_H

#include "record/record.h"
#include "util/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define GC_FAILURE_SECONDS (24 * 60 * 60)
#define GC_PASSING_FAILURE_SECONDS (10 * 60)

enum gc_failure_kind {
  GC_FAILURE_LASTS,  /* this program cannot measure this GPU */
  GC_FAILURE_PASSES, /* the reason may pass */
  GC_FAILURE_KILLED, /* the measuring process was killed from outside: the note is valid from the
                        second time on, because another process can measure at once */
  GC_FAILURE_HELD,   /* another process held the lock for too long: it may hang */
  /* In addition to one of these: there is a valid record, but the GPU has moved (gc_gpus_drop_host)
   */
  GC_FAILURE_MOVED = 16
};

struct gc_failure {
  time_t when;
  char since[24]; /* the same as ISO 8601 date */
  enum gc_failure_kind kind;
  long seconds;   /* how long the note is valid after that; 0: it is only counted */
  char why[512];  /* a sentence */
};

/* A hash of all conditions that are not in the identity or this program. Call it before anything
 * changes the environment. */
uint64_t gc_store_environment(void);

/* Notes that measuring this GPU failed now. If a note of an earlier failure under the same
 * conditions has become invalid within the last day, the new note is valid for twice as long. A
 * note beside a valid record that is not provisional is removed again, unless the GPU has moved. 0
 * or a negative errno, as gc_store_write. */
int gc_store_remember_failure(const struct gc_identity *identity, uint64_t environment,
                              const char *why, enum gc_failure_kind kind,
                              struct gc_error *err);

/* Finds the valid note of this GPU. 0, or -ENOENT when there is none, for any reason. */
int gc_store_find_failure(const struct gc_identity *identity, uint64_t environment,
                          struct gc_failure *failure);

/* Whether there is a note for that id, valid or not. */
bool gc_store_has_failure(const char *id);

/* Removes the note. gc_store_write does so, too. 0, -ENOENT, or another negative errno. */
int gc_store_forget_failure(const char *id, struct gc_error *err);

/* For the files of the store and their tests: continues a hash with the identity of the
 * directory root and whether the caller may open the device. */
uint64_t gc_store_hash_place(uint64_t hash, const char *root, const char *device);

#endif
