/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A list of memos, at most one of each type.
 */
#include "measure/core/memo.h"

#include <errno.h>
#include <stdlib.h>

struct gc_memo {
  struct gc_memo *next;
  const struct gc_memo_type *type;
  max_align_t bytes[];
};

static void release(struct gc_memo *memo)
{
  if (memo->type->release)
    memo->type->release(memo->bytes);
  free(memo);
}

void *gc_memo_find(struct gc_memo *list, const struct gc_memo_type *type)
{
  for (; list; list = list->next)
    if (list->type == type)
      return list->bytes;
  return NULL;
}

void *gc_memo_keep(struct gc_memo **list, const struct gc_memo_type *type, struct gc_error *err)
{
  struct gc_memo *memo = calloc(1, sizeof(*memo) + type->bytes);

  gc_memo_drop(list, type);
  if (!memo) {
    gc_fail(err, -ENOMEM, "out of memory");
    return NULL;
  }
  memo->type = type;
  memo->next = *list;
  *list = memo;
  return memo->bytes;
}

void gc_memo_drop(struct gc_memo **list, const struct gc_memo_type *type)
{
  while (*list && (*list)->type != type)
    list = &(*list)->next;
  if (*list) {
    struct gc_memo *memo = *list;

    *list = memo->next;
    release(memo);
  }
}

void gc_memo_drop_all(struct gc_memo **list)
{
  while (*list)
    gc_memo_drop(list, (*list)->type);
}
