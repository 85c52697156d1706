/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Selects steps by the comma list of --only.
 */
#include "measure/plan/select.h"

#include "measure/walk/path.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define LIST_MAX 256

/* Is this subtype a word of the comma list? */
static bool listed(const char *list, const char *subtype)
{
  const size_t length = strlen(subtype);

  for (const char *word = list; *word; word += strcspn(word, ","), word += *word == ',')
    if (strcspn(word, ",") == length && !strncmp(word, subtype, length))
      return true;
  return false;
}

bool gc_select_wanted(const struct gc_measure_options *options, enum gc_kind kind)
{
  return !options->only || listed(options->only, gc_kind_name(kind));
}

/* Is this the first step of its element? */
static bool is_first(unsigned step)
{
  unsigned first = 0;

  while (gc_plan[first].kind != gc_plan[step].kind)
    first++;
  return first == step;
}

static void list_word(char list[LIST_MAX], const char *word)
{
  snprintf(list + strlen(list), LIST_MAX - strlen(list), "%s%s", *list ? ", " : "", word);
}

int gc_select_check(const struct gc_bench *bench, const struct gc_measure_options *options)
{
  char lacking[LIST_MAX] = "";
  bool any = false;

  for (unsigned i = 0; i < gc_plan_steps; i++) {
    if (!is_first(i) || !gc_select_wanted(options, gc_plan[i].kind))
      continue;
    if (gc_present(&bench->properties, gc_plan[i].kind))
      any = true;
    else
      list_word(lacking, gc_kind_name(gc_plan[i].kind));
  }
  if (!*lacking || !options->only)
    return 0;
  gc_fail(bench->err, 0, "this GPU has no %s", lacking);
  if (!any)
    return -ENOENT;
  if (options->warn)
    options->warn(options->data, bench->err->text);
  return 0;
}

int gc_measure_check_only(const char *only, struct gc_error *err)
{
  struct gc_few_names unknown = {.count = 0};
  char known[LIST_MAX] = "", commas[LIST_MAX] = "";

  for (unsigned i = 0; i < gc_plan_steps; i++)
    if (is_first(i)) {
      list_word(known, gc_kind_name(gc_plan[i].kind));
      snprintf(commas + strlen(commas), LIST_MAX - strlen(commas), "%s,",
               gc_kind_name(gc_plan[i].kind));
    }
  for (const char *word = only; word && *word; word += strcspn(word, ","), word += *word == ',') {
    const int length = (int)strcspn(word, ",");
    char one[LIST_MAX];

    snprintf(one, sizeof(one), "%.*s", length, word);
    if (!listed(commas, one))
      gc_few_add(&unknown, one);
  }
  if (!unknown.count)
    return 0;
  return gc_fail(err, -EINVAL, "nothing named %s can be measured; known: %s", unknown.text, known);
}
