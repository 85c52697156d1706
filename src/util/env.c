/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "util/env.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char names[GC_ENV_COUNT][28] = {
    [GC_ENV_DIR] = "HWLOC_GPUCACHE_DIR",
    [GC_ENV_TIMEOUT] = "HWLOC_GPUCACHE_TIMEOUT",
    [GC_ENV_SIM_PATH] = "HWLOC_GPUCACHE_SIM_PATH",
    [GC_ENV_XDG_CACHE_HOME] = "XDG_CACHE_HOME",
    [GC_ENV_XDG_RUNTIME_DIR] = "XDG_RUNTIME_DIR",
    [GC_ENV_HOME] = "HOME",
    [GC_ENV_LD_LIBRARY_PATH] = "LD_LIBRARY_PATH",
    [GC_ENV_HSA_OVERRIDE_GFX_VERSION] = "HSA_OVERRIDE_GFX_VERSION",
    [GC_ENV_CUDA_VISIBLE_DEVICES] = "CUDA_VISIBLE_DEVICES",
    [GC_ENV_CUDA_DEVICE_ORDER] = "CUDA_DEVICE_ORDER",
    [GC_ENV_HIP_VISIBLE_DEVICES] = "HIP_VISIBLE_DEVICES",
    [GC_ENV_ROCR_VISIBLE_DEVICES] = "ROCR_VISIBLE_DEVICES",
    [GC_ENV_GPU_DEVICE_ORDINAL] = "GPU_DEVICE_ORDINAL",
};

static __thread const struct gc_env *used;

const char *gc_env_name(enum gc_env_variable variable)
{
  return names[variable];
}

static const char *get(enum gc_env_variable variable)
{
  return variable >= GC_ENV_CUDA_VISIBLE_DEVICES ? getenv(names[variable])
                                                 : secure_getenv(names[variable]);
}

/* The working directory, if a path through it leads there. */
static bool get_directory(char directory[PATH_MAX])
{
  return getcwd(directory, PATH_MAX) && *directory == '/' && !access(directory, X_OK);
}

/* Appends an item of a list. A relative path gets the directory in front of it. Blanks around an
 * item of a list of names do not count. */
static char *append_item(char *end, const char *item, size_t length, bool names,
                         const char *directory)
{
  for (; names && length && strchr(" \t", *item); item++)
    length--;
  if (length && *item != '/' && (!names || memchr(item, '/', length))) {
    end = stpcpy(end, directory);
    *end++ = '/';
  }
  return mempcpy(end, item, length);
}

char *gc_env_absolute(const char *paths, char separator, bool names)
{
  const char separators[] = {separator, '\0'};
  char directory[PATH_MAX], *absolute, *end;
  size_t items = 1;

  if (!get_directory(directory) || (separator && strchr(directory, separator)))
    return strdup(paths);
  for (const char *at = paths; separator && (at = strchr(at, separator)); at++)
    items++;
  absolute = malloc(strlen(paths) + items * (strlen(directory) + 1) + 1);
  if (!absolute)
    return NULL;
  for (end = absolute;; *end++ = separator) {
    const size_t length = strcspn(paths, separators);

    end = append_item(end, paths, length, names, directory);
    paths += length;
    if (!*paths++)
      break;
  }
  *end = '\0';
  return absolute;
}

/* The value of a variable, with absolute paths; *absolute is to be freed. False: out of memory. */
static bool get_value(enum gc_env_variable variable, const char **value, char **absolute)
{
  *value = get(variable);
  *absolute = NULL;
  if (!*value || (variable != GC_ENV_DIR && variable != GC_ENV_SIM_PATH))
    return true;
  *value = *absolute = gc_env_absolute(*value, variable == GC_ENV_SIM_PATH ? ':' : '\0', false);
  return *absolute != NULL;
}

struct gc_env *gc_env_copy(void)
{
  const char *values[GC_ENV_COUNT];
  char *absolute[GC_ENV_COUNT], *end;
  size_t lengths[GC_ENV_COUNT], bytes = sizeof(struct gc_env);
  bool is_complete = true;
  struct gc_env *env;

  for (int i = 0; i < GC_ENV_COUNT; i++) {
    is_complete &= get_value((enum gc_env_variable)i, &values[i], &absolute[i]);
    lengths[i] = values[i] ? strlen(values[i]) : 0;
    bytes += lengths[i] + 1;
  }
  env = is_complete ? malloc(bytes) : NULL;
  end = env ? (char *)(env + 1) : NULL;
  for (int i = 0; env && i < GC_ENV_COUNT; i++) {
    env->values[i] = values[i] ? end : NULL;
    if (!values[i])
      continue;
    /* the value may change meanwhile, but not the space for it */
    end = mempcpy(end, values[i], lengths[i]);
    *end++ = '\0';
  }
  for (int i = 0; i < GC_ENV_COUNT; i++)
    free(absolute[i]);
  return env;
}

static bool is_replaced(const char *entry, const char *const *set)
{
  const size_t length = strcspn(entry, "=");

  for (; set && *set; set++)
    if (!strncmp(entry, *set, length) && strcspn(*set, "=") == length)
      return true;
  return false;
}

struct entry {
  const char *text;
  size_t length;
};

static size_t count_entries(const char *const *entries)
{
  size_t count = 0;

  while (entries && entries[count])
    count++;
  return count;
}

/* Each entry of the environment is read once, because another thread may replace it. Returns the
 * number of entries, at most `most`. */
static size_t take_entries(const char *const *set, struct entry *entries, size_t most)
{
  size_t count = 0;
  const char *text;

  for (size_t i = 0; i < most && environ && (text = environ[i]); i++)
    if (!is_replaced(text, set))
      entries[count++] = (struct entry){text, strlen(text)};
  return count;
}

char **gc_env_merge(const char *const *set)
{
  const size_t most = count_entries((const char *const *)environ), more = count_entries(set);
  struct entry *entries = malloc((most + more + 1) * sizeof(*entries));
  size_t count, bytes = 0;
  char **merged, *text;

  if (!entries)
    return NULL;
  count = take_entries(set, entries, most);
  for (size_t i = 0; i < more; i++)
    if (strchr(set[i], '='))
      entries[count++] = (struct entry){set[i], strlen(set[i])};
  for (size_t i = 0; i < count; i++)
    bytes += entries[i].length + 1;
  merged = malloc((count + 1) * sizeof(*merged) + bytes);
  text = merged ? (char *)(merged + count + 1) : NULL;
  for (size_t i = 0; merged && i < count; i++) {
    merged[i] = text;
    text = mempcpy(text, entries[i].text, entries[i].length);
    *text++ = '\0';
  }
  if (merged)
    merged[count] = NULL;
  free(entries);
  return merged;
}

void gc_env_use(const struct gc_env *env)
{
  used = env;
}

const char *gc_env_get(enum gc_env_variable variable)
{
  return used ? used->values[variable] : get(variable);
}
