/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/process/environment.h"

#include <hwloc/gpucache.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char root[PATH_MAX];
static bool root_ignored, for_load;

/* What gc_environment_take changes. */
static const char *const changed[] = {
    "HWLOC_PLUGINS_PATH", HWLOC_GPUCACHE_ENV, "HWLOC_XMLFILE", "HWLOC_SYNTHETIC", "HWLOC_FSROOT",
    "HWLOC_CPUID_PATH", "HWLOC_COMPONENTS", "HWLOC_THISSYSTEM", "HWLOC_SYNTHETIC_VERBOSE",
    "HWLOC_XML_VERBOSE"};
#define CHANGED (sizeof changed / sizeof *changed)

/* The entries of the user, "NAME=VALUE" or "NAME"; NULL before gc_environment_take. */
static const char *entries[CHANGED + 1];

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

/* Only at the first call: later ones would find what this program has set. Without memory, a
 * variable counts as not set. */
static void note_entries(void)
{
  if (entries[0])
    return;
  for (size_t i = 0; i < CHANGED; i++) {
    const char *value = secure_getenv(changed[i]);
    char *entry = NULL;

    if (value && asprintf(&entry, "%s=%s", changed[i], value) < 0)
      entry = NULL;
    entries[i] = entry ? entry : changed[i];
  }
}

void gc_environment_take(void)
{
  const char *mode = secure_getenv(HWLOC_GPUCACHE_ENV);

  for_load = mode && !strcmp(mode, "off");
  note_root();
  note_entries();
  for (size_t i = 0; i < CHANGED; i++)
    unsetenv(changed[i]);
  setenv("HWLOC_PLUGINS_PATH", "/dev/null", 1); /* not a directory, so that nothing is found */
  setenv(HWLOC_GPUCACHE_ENV, "off", 1);
}

const char *gc_environment_user(const char *name)
{
  const size_t length = strlen(name);

  for (size_t i = 0; i < CHANGED && entries[i]; i++)
    if (!strncmp(entries[i], name, length) && entries[i][length] == '=')
      return entries[i] + length + 1;
  return NULL;
}

const char *const *gc_environment_user_entries(void)
{
  return entries;
}

void gc_environment_give_back(void)
{
  for (size_t i = 0; i < CHANGED && entries[i]; i++) {
    const char *value = gc_environment_user(changed[i]);

    if (value)
      setenv(changed[i], value, 1);
    else
      unsetenv(changed[i]);
  }
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
