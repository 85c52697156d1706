/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Fuzz target: the profiles of simulated GPUs, which users write.
 */
#include "fuzz.h"

#include "model/check.h"
#include "model/parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static struct gc_profile profile;
  struct gc_error err = {""};
  int status =
      gc_profile_parse("profile", (const char *)data, size, &profile, &err);

  if (!status)
    status = gc_profile_check("profile", &profile, &err);
  if (status)
    PROMISE(err.text[0] && is_one_line(err.text));
  else
    PROMISE(profile.facts.sms > 0 && profile.cache_count <= GC_PROFILE_CACHES_MAX);
  return 0;
}
