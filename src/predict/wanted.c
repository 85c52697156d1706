/* SPDX-License-Identifier: BSD-3-Clause */
#include "predict/wanted.h"

#include <errno.h>

static int compile(regex_t *expression, const char *names)
{
  return regcomp(expression, names, REG_EXTENDED | REG_NOSUB);
}

bool gc_wanted_can(const char *names)
{
  regex_t expression;

  if (compile(&expression, names))
    return false;
  regfree(&expression);
  return true;
}

int gc_wanted_compile(struct gc_wanted_names *names, const struct gc_wanted *wanted,
                      struct gc_error *err)
{
  names->wanted = *wanted;
  if (wanted->names && compile(&names->expression, wanted->names))
    return gc_fail(err, -EINVAL, "\"%s\" is no regular expression", wanted->names);
  return 0;
}

bool gc_wanted_has(const struct gc_wanted_names *names, const char *name, uint64_t number)
{
  const struct gc_wanted *wanted = &names->wanted;

  return (!wanted->first || number >= wanted->first) && (!wanted->last || number <= wanted->last) &&
         (!wanted->names || !regexec(&names->expression, name, 0, NULL, 0));
}

void gc_wanted_free(struct gc_wanted_names *names)
{
  if (names->wanted.names)
    regfree(&names->expression);
}
