/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/lists.h"

#include "util/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool gc_list_has(const char *list, const char *word)
{
  const size_t length = strlen(word);

  for (; list && *list; list += strcspn(list, ","), list += *list == ',')
    if (strcspn(list, ",") == length && !strncmp(list, word, length))
      return true;
  return false;
}

/* Moves behind an entry that ends here, with one of the separators if another entry follows. False:
 * something else follows. */
static bool end_entry_with(const char *separators, const char **list, const char *end)
{
  if (!end || (*end && (!strchr(separators, *end) || !end[1])))
    return false;
  *list = end + (*end != '\0');
  return true;
}

static bool end_entry(const char **list, const char *end)
{
  return end_entry_with(",", list, end);
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

bool gc_member_next(const char **list, uint64_t *number, bool *is_last)
{
  const char *end = gc_number_digits(*list, number);

  if (!end_entry_with(", ", list, end))
    return false;
  *is_last = *end != ',';
  return true;
}

bool gc_mask_next(const char **list, uint64_t *mask)
{
  char *end;

  if (!*list || strncmp(*list, "0x", 2) || !(*mask = strtoull(*list + 2, &end, 16)))
    return false;
  return end_entry(list, end);
}

bool gc_node_value_next(const char **list, uint64_t *node, double *value)
{
  const char *end = gc_number_digits(*list, node);
  char text[32];
  size_t length;

  if (!end || *end++ != ':')
    return false;
  length = strcspn(end, ",");
  snprintf(text, sizeof text, "%.*s", (int)length, end);
  return length < sizeof text && gc_number_read(text, value) && end_entry(list, end + length);
}

bool gc_peer_next(const char **list, struct gc_peer_entry *entry)
{
  const char *id = *list, *text = id ? strchr(id, ':') : NULL;
  size_t length;

  if (!text)
    return false;
  length = strcspn(++text, ",");
  return snprintf(entry->id, sizeof entry->id, "%.*s", (int)(text - 1 - id), id) <
             (int)sizeof entry->id &&
         snprintf(entry->text, sizeof entry->text, "%.*s", (int)length, text) <
             (int)sizeof entry->text &&
         end_entry(list, text + length);
}

bool gc_peer_find(const char *list, const char *id, struct gc_peer_entry *entry)
{
  while (gc_peer_next(&list, entry))
    if (!strcmp(entry->id, id))
      return true;
  return false;
}

bool gc_survival_next(const char **list, uint64_t *fills, double *share)
{
  const char *at = *list;

  if (!gc_node_value_next(&at, fills, share) || *share > 1)
    return false;
  *list = at;
  return true;
}
