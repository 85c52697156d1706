/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Selects steps by the comma list of --only.
 */
#include "measure/plan/select.h"

#include "measure/walk/path.h"
#include "record/lists.h"

#include <errno.h>

bool gc_select_wanted(const struct gc_measure_options *options, enum gc_kind kind)
{
  return !options->only || gc_list_has(options->only, gc_kind_name(kind));
}

int gc_select_check(const struct gc_bench *bench, const struct gc_measure_options *options)
{
  char lacking[GC_KIND_LIST];
  unsigned absent = 0;
  bool any = false;

  for (unsigned i = 0; i < gc_plan_steps; i++) {
    if (!gc_select_wanted(options, gc_plan[i].kind))
      continue;
    if (gc_present(&bench->properties, gc_plan[i].kind))
      any = true;
    else
      absent |= 1u << gc_plan[i].kind;
  }
  if (!absent || !options->only)
    return 0;
  gc_kinds_list(absent, lacking);
  gc_fail(bench->err, 0, "this GPU has no %s", lacking);
  if (!any)
    return -ENOENT;
  if (options->warn)
    options->warn(options->data, bench->err->text);
  return 0;
}

int gc_measure_check_only(const char *only, struct gc_error *err)
{
  unsigned known = 0, chosen = 0;

  for (unsigned i = 0; i < gc_plan_steps; i++)
    known |= 1u << gc_plan[i].kind;
  return only ? gc_kinds_read(only, known, &chosen, err) : 0;
}
