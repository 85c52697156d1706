/* SPDX-License-Identifier: BSD-3-Clause */
#include "predict/parameters/groups.h"

#include "predict/model/gpu.h"
#include "record/lists.h"

#include <stdbool.h>
#include <stdlib.h>

/* The numbers of an SM: in the record, and of its group. */
struct member {
  uint64_t sm;
  uint16_t group;
};

static int by_sm(const void *a, const void *b)
{
  const struct member *x = a, *y = b;

  return (x->sm > y->sm) - (x->sm < y->sm);
}

const char *gc_groups_read(const char *text, unsigned sms, uint16_t *of_sm, unsigned *groups)
{
  struct member members[GC_PREDICT_SMS_MAX];
  unsigned count = 0, found = 0;
  uint64_t number;
  bool is_last = false;

  while (gc_member_next(&text, &number, &is_last)) {
    if (count == sms)
      return "it has more SMs than the GPU";
    members[count++] = (struct member){number, (uint16_t)found};
    found += is_last;
  }
  if (*text || !is_last)
    return "it is not a list of groups of SM numbers";
  if (count < sms)
    return "it does not have all SMs of the GPU";
  qsort(members, count, sizeof *members, by_sm);
  for (unsigned i = 1; i < count; i++)
    if (members[i].sm == members[i - 1].sm)
      return "it has an SM twice";
  *groups = found;
  for (unsigned i = 0; i < count; i++)
    of_sm[i] = members[i].group;
  return NULL;
}
