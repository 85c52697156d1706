/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/lists.h"

#include "util/number.h"

#include <stdio.h>
#include <string.h>

/* Moves behind an entry that ends here. False: something else follows. */
static bool end_entry(const char **list, const char *end)
{
  if (!end || (*end && *end != ','))
    return false;
  *list = end + (*end == ',');
  return true;
}

bool gc_carveout_next(const char **list, struct gc_carveout_entry *entry)
{
  static const char text[] = "default";
  const char *end = *list;
  uint64_t percent = 0, bytes;
  const bool is_default = end && !strncmp(end, text, strlen(text));

  end = is_default ? end + strlen(text) : gc_number_digits(end, &percent);
  if (!end || *end != ':' || percent > 100 || !end_entry(list, gc_number_digits(end + 1, &bytes)))
    return false;
  *entry = (struct gc_carveout_entry){is_default, (unsigned)percent, bytes};
  return true;
}

void gc_carveout_asked(const struct gc_carveout_entry *entry, char text[GC_CARVEOUT_ASKED])
{
  if (entry->is_default)
    strcpy(text, "default");
  else
    snprintf(text, GC_CARVEOUT_ASKED, "%u %%", entry->percent);
}

bool gc_cu_group_next(const char **list, uint64_t *instances, uint64_t *cus)
{
  uint64_t number, size;
  const char *end = gc_number_digits(*list, &number);

  if (!end || *end != 'x' || !end_entry(list, gc_number_digits(end + 1, &size)))
    return false;
  *instances = number;
  *cus = size;
  return true;
}
