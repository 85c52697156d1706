/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Keeps the loads of SMs.
 */
#include "model/compete.h"

#include <errno.h>
#include <stdlib.h>

int gc_compete_init(struct gc_compete *compete, uint32_t sms)
{
  compete->sm = calloc(sms, sizeof(*compete->sm));
  if (!compete->sm)
    return -ENOMEM;
  for (compete->sms = 0; compete->sms < sms; compete->sms++) {
    uint64_t *address = malloc(GC_COMPETE_LOADS * sizeof(*address));

    if (!address)
      return -ENOMEM;
    compete->sm[compete->sms].address = address;
  }
  return 0;
}

void gc_compete_fini(struct gc_compete *compete)
{
  for (uint32_t i = 0; i < compete->sms; i++)
    free(compete->sm[i].address);
  free(compete->sm);
}

void gc_compete_start(struct gc_compete *compete, bool active)
{
  compete->active = active && compete->sm;
  for (uint32_t i = 0; i < compete->sms; i++)
    compete->sm[i].count = compete->sm[i].next = 0;
}

void gc_compete_add(struct gc_compete *compete, uint32_t sm, uint64_t address)
{
  struct gc_compete_sm *own = &compete->sm[sm];

  own->address[own->count++ % GC_COMPETE_LOADS] = address;
}

bool gc_compete_next(struct gc_compete *compete, uint32_t sm, uint64_t *address)
{
  struct gc_compete_sm *other = &compete->sm[sm];
  const uint64_t kept = other->count < GC_COMPETE_LOADS ? other->count : GC_COMPETE_LOADS;

  if (!kept)
    return false;
  *address = other->address[other->next++ % kept];
  return true;
}
