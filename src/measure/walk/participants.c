/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Chooses the SMs that take part in walks over several modules, and keeps them.
 */
#include "measure/walk/participants.h"

#include "measure/core/memo.h"
#include "measure/walk/first_touch.h"
#include "measure/walk/path.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FLUSH_MIN 64 /* bytes that one miss brings in at least */

static const struct gc_memo_type memo_type = {sizeof(struct gc_participants), NULL};

const struct gc_participants *gc_participants_kept(const struct gc_measurement *m)
{
  return gc_memo_find(m->memos, &memo_type);
}

void gc_forget_participants(struct gc_measurement *m)
{
  gc_memo_drop(&m->memos, &memo_type);
}

int gc_participants_keep(struct gc_measurement *m, const struct gc_participants *participants)
{
  struct gc_participants *memo = gc_memo_keep(&m->memos, &memo_type, m->bench.err);

  if (!memo)
    return -ENOMEM;
  *memo = *participants;
  return 0;
}

int gc_participants_choose(struct gc_measurement *m, struct gc_participants *participants)
{
  struct gc_first_touch touch = {.rounds = 0};
  int status = gc_first_touch_run(m, gc_path_of(GC_CONSTANT_L15), 1, &touch);

  if (status)
    return status;
  *participants = (struct gc_participants){.sms = m->bench.properties.sms, .flush = FLUSH_MIN};
  for (size_t i = 0; i < touch.sms; i++) {
    if (touch.firsts[i])
      participants->sm[participants->count++] = touch.sm[i];
    if (touch.sm[i] >= participants->sms)
      participants->sms = touch.sm[i] + 1;
  }
  if (*touch.failed)
    participants->count = 0;
  /* a slow first load may have waited for device memory, but later misses end in L2: stay near the
   * hits */
  participants->threshold = (uint32_t)(touch.hit + fmin(touch.hit, touch.miss - touch.hit) / 2);
  gc_first_touch_free(&touch);
  return 0;
}
