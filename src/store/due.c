/* SPDX-License-Identifier: BSD-3-Clause */
#include "store/due.h"

#include "store/failure.h"

bool gc_store_is_due(const struct gc_identity *identity, const struct gc_record *record,
                     bool moved)
{
  struct gc_failure failure;

  return (moved || gc_provisional_is_due(record, time(NULL))) &&
         gc_store_find_failure(identity, gc_store_environment(), &failure);
}
