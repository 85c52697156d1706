/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/compare/texts.h"

#include "util/hash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static size_t slot_of(const struct gc_texts *texts, const char *text)
{
  size_t slot = gc_hash(GC_HASH_START, text, strlen(text)) & (texts->size - 1);

  while (texts->slots[slot] && strcmp(texts->slots[slot], text))
    slot = (slot + 1) & (texts->size - 1);
  return slot;
}

static int grow_texts(struct gc_texts *texts)
{
  struct gc_texts wider = {NULL, texts->size ? 2 * texts->size : 1024, texts->used};

  wider.slots = calloc(wider.size, sizeof *wider.slots);
  if (!wider.slots)
    return -ENOMEM;
  for (size_t i = 0; i < texts->size; i++)
    if (texts->slots[i])
      wider.slots[slot_of(&wider, texts->slots[i])] = texts->slots[i];
  free(texts->slots);
  *texts = wider;
  return 0;
}

const char *gc_texts_keep(struct gc_texts *texts, const char *text)
{
  size_t slot;

  if (2 * texts->used >= texts->size && grow_texts(texts))
    return NULL;
  slot = slot_of(texts, text);
  if (!texts->slots[slot]) {
    texts->slots[slot] = strdup(text);
    texts->used += texts->slots[slot] != NULL;
  }
  return texts->slots[slot];
}

void gc_texts_free(struct gc_texts *texts)
{
  for (size_t i = 0; i < texts->size; i++)
    free((char *)texts->slots[i]);
  free(texts->slots);
  memset(texts, 0, sizeof *texts);
}
