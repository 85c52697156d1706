/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/environment.h"

#include <hwloc/gpucache.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char root[PATH_MAX];
static bool root_ignored, for_load;

static void note_root(void)
{
  const char *path = secure_getenv("HWLOC_FSROOT"), *this = secure_getenv("HWLOC_THISSYSTEM");
  const bool is_this = this && !strcmp(this, "1");

  if (!path || !*path || !strcmp(path, "/"))
    return;
  root_ignored = !is_this;
  if (is_this)
    snprintf(root, sizeof root, "%s", path);
}

void gc_environment_take(void)
{
  static const char *const others[] = {"HWLOC_XMLFILE", "HWLOC_SYNTHETIC", "HWLOC_FSROOT",
                                       "HWLOC_CPUID_PATH", "HWLOC_COMPONENTS", "HWLOC_THISSYSTEM",
                                       "HWLOC_SYNTHETIC_VERBOSE", "HWLOC_XML_VERBOSE"};

  const char *mode = secure_getenv(HWLOC_GPUCACHE_ENV);

  for_load = mode && !strcmp(mode, "off");
  note_root();
  setenv("HWLOC_PLUGINS_PATH", "/dev/null", 1); /* not a directory, so that nothing is found */
  setenv(HWLOC_GPUCACHE_ENV, "off", 1);
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    unsetenv(others[i]);
}

bool gc_environment_for_load(void)
{
  return for_load;
}

const char *gc_environment_root(void)
{
  return root;
}

bool gc_environment_root_ignored(void)
{
  return root_ignored;
}
