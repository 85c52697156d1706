/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/captures.h"

#include <stddef.h>
#include <stdlib.h>

struct capture {
  struct capture *next;
  const void *stream, *context;
};

static struct capture *captures;

bool gc_captures_begin(const void *stream, const void *context)
{
  struct capture *const capture = calloc(1, sizeof *capture);

  if (!capture)
    return false;
  *capture = (struct capture){captures, stream, context};
  captures = capture;
  return true;
}

static void forget(struct capture **at)
{
  struct capture *const capture = *at;

  *at = capture->next;
  free(capture);
}

bool gc_captures_end(const void *stream, const void *context)
{
  struct capture **found = NULL;

  for (struct capture **at = &captures; *at; at = &(*at)->next)
    if ((*at)->stream == stream && (!found || (*at)->context == context))
      found = at;
  if (found)
    forget(found);
  return found;
}

void gc_captures_end_all(const void *context)
{
  struct capture **at = &captures;

  while (*at)
    if ((*at)->context == context)
      forget(at);
    else
      at = &(*at)->next;
}

bool gc_captures_any(void)
{
  return captures != NULL;
}
