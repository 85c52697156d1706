/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/settings.h"

#include "graft/compat.h"
#include "plugin/messages.h"
#include "util/number.h"
#include "util/spawn.h"

#include <hwloc/gpucache.h>

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define DEFAULT_SECONDS 10

static const char *const modes[] = {
    [GC_MODE_AUTO] = "auto",
    [GC_MODE_CACHED] = "cached",
    [GC_MODE_REFRESH] = "refresh",
    [GC_MODE_OFF] = "off",
};

/* NULL when unset, empty, or in a set-user-ID process. */
static const char *get(const char *name)
{
  const char *value = secure_getenv(name);

  return value && *value ? value : NULL;
}

static enum gc_mode get_mode(bool warn)
{
  const char *value = get(HWLOC_GPUCACHE_ENV);

  if (!value)
    return GC_MODE_AUTO;
  for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
    if (!strcasecmp(value, modes[i]))
      return (enum gc_mode)i;
  if (warn)
    gc_plugin_say(NULL, "HWLOC_GPUCACHE=%.40s is not one of auto, cached, refresh, off; using auto",
                  value);
  return GC_MODE_AUTO;
}

static double get_seconds(bool warn)
{
  const char *value = get(HWLOC_GPUCACHE_TIMEOUT_ENV);
  double seconds;

  if (!value)
    return DEFAULT_SECONDS;
  if (gc_number_read(value, &seconds) && seconds > 0 && seconds <= GC_MOST_SECONDS)
    return seconds;
  if (warn)
    gc_plugin_say(
        NULL,
        "HWLOC_GPUCACHE_TIMEOUT=%.40s is not a number of seconds above 0 and up to %d; using %d",
        value, GC_MOST_SECONDS, DEFAULT_SECONDS);
  return DEFAULT_SECONDS;
}

void gc_settings_read(struct gc_settings *settings, bool warn)
{
  const char *verbose = get(HWLOC_GPUCACHE_VERBOSE_ENV);
  const char *root = get("HWLOC_FSROOT");
  const char *tool = get("HWLOC_GPUCACHE_TOOL");

  settings->verbose = verbose && strcmp(verbose, "0");
  settings->failures = settings->verbose || gc_hwloc_shows_errors();
  settings->mode = get_mode(warn && settings->failures);
  settings->seconds = get_seconds(warn && settings->failures);
  settings->root = root && strcmp(root, "/") ? root : "";
  settings->sims = get(HWLOC_GPUCACHE_SIM_ENV);
  settings->tool = tool ? tool : GC_BINDIR "/hwloc-gpucache";
}
