/* SPDX-License-Identifier: BSD-3-Clause */
#include "predict/reuse.h"

#include <errno.h>
#include <stdlib.h>

struct gc_reuse {
  struct gc_distance **of_sm; /* NULL: this SM has loaded nothing yet */
  unsigned sms;
  struct gc_reuse_histogram *histogram;
};

struct gc_reuse *gc_reuse_new(unsigned sms)
{
  struct gc_reuse *reuse = calloc(1, sizeof *reuse);

  if (!reuse)
    return NULL;
  reuse->sms = sms;
  reuse->of_sm = calloc(sms, sizeof *reuse->of_sm);
  reuse->histogram = gc_reuse_histogram_new();
  if (reuse->of_sm && reuse->histogram)
    return reuse;
  gc_reuse_free(reuse);
  return NULL;
}

void gc_reuse_free(struct gc_reuse *reuse)
{
  if (!reuse)
    return;
  for (unsigned i = 0; reuse->of_sm && i < reuse->sms; i++)
    gc_distance_free(reuse->of_sm[i]);
  free(reuse->of_sm);
  gc_reuse_histogram_free(reuse->histogram);
  free(reuse);
}

int gc_reuse_observe(void *data, unsigned sm, uint64_t line)
{
  struct gc_reuse *reuse = data;
  uint64_t distance;

  if (!reuse->of_sm[sm] && !(reuse->of_sm[sm] = gc_distance_new()))
    return -ENOMEM;
  if (gc_distance_access(reuse->of_sm[sm], line, &distance))
    return -ENOMEM;
  gc_reuse_histogram_add(reuse->histogram, distance);
  return 0;
}

struct gc_reuse_histogram *gc_reuse_take(struct gc_reuse *reuse)
{
  struct gc_reuse_histogram *taken = reuse->histogram, *next = gc_reuse_histogram_new();

  if (!next)
    return NULL;
  reuse->histogram = next;
  for (unsigned i = 0; i < reuse->sms; i++)
    if (reuse->of_sm[i])
      gc_distance_clear(reuse->of_sm[i]);
  return taken;
}
