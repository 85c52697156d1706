/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Simulated GPUs. A profile is a text file. Only its model line and its driver tables are read
 * here; the rest is for src/model. A changed profile is another GPU: its hash takes the place of a
 * VBIOS version. Comments and empty lines do not count.
 */
#include "gpus/sim.h"

#include "gpus/sim_tables.h"
#include "gpus/tree.h"
#include "util/env.h"
#include "util/error.h"
#include "util/hash.h"
#include "util/walk.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PROFILE_MAX_BYTES (1u << 20)
#define INSTALLED_PROFILES GC_PKGDATADIR "/sim"

/* Calls visit for each profile directory, in search order, until it returns true. */
static bool each_dir(bool (*visit)(const char *dir, void *data), void *data)
{
  const char *path = gc_env_get(GC_ENV_SIM_PATH);
  char dir[PATH_MAX];

  while (path && *path) {
    size_t length = strcspn(path, ":");

    if (length > 0 && length < sizeof(dir)) {
      memcpy(dir, path, length);
      dir[length] = '\0';
      if (visit(dir, data))
        return true;
    }
    path += length + (path[length] == ':');
  }
  return visit(INSTALLED_PROFILES, data);
}

/* Profiles have plain names, unlike README, hidden files and backup files of editors. */
static bool is_profile_name(const char *name)
{
  return islower((unsigned char)name[0]) &&
         name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-")] == '\0' && strlen(name) < 64;
}

#define NAMES_MAX 128
struct names {
  char array[NAMES_MAX][64];
  size_t count;
};

static bool collect(const char *path, void *data)
{
  struct names *names = data;
  DIR *dir = opendir(path);
  struct dirent *entry;

  while (dir && names->count < NAMES_MAX && (entry = readdir(dir))) {
    bool skip = !is_profile_name(entry->d_name);

    for (size_t i = 0; !skip && i < names->count; i++)
      skip = !strcmp(names->array[i], entry->d_name);
    if (!skip)
      snprintf(names->array[names->count++], sizeof(names->array[0]), "%.63s", entry->d_name);
  }
  if (dir)
    closedir(dir);
  return false;
}

static int by_name(const void *left, const void *right)
{
  return strcmp(left, right);
}

void gc_gpus_sim_names(char *text, size_t size)
{
  struct names *names = calloc(1, sizeof(*names));
  size_t length = 0;

  text[0] = '\0';
  if (!names)
    return;
  each_dir(collect, names);
  qsort(names->array, names->count, sizeof(names->array[0]), by_name);
  for (size_t i = 0; i < names->count && length < size; i++)
    length +=
        (size_t)snprintf(text + length, size - length, "%s%s", i ? ", " : "", names->array[i]);
  free(names);
}

struct search {
  const char *name;
  char *found;
  size_t size;
};

static bool is_in(const char *dir, void *data)
{
  struct search *search = data;

  return (size_t)snprintf(search->found, search->size, "%s/%s", dir, search->name) < search->size &&
         access(search->found, F_OK) == 0;
}

/* The value of the line "model = …", if there is one. */
static void get_model(const char *text, char *model, size_t size)
{
  for (const char *line = text; line; line = strchr(line, '\n')) {
    size_t length;

    line += strspn(line, "\n \t");
    if (strncmp(line, "model", 5))
      continue;
    line += 5 + strspn(line + 5, " \t");
    if (*line != '=')
      continue;
    line += 1 + strspn(line + 1, " \t");
    length = strcspn(line, "\n#");
    while (length > 0 && isspace((unsigned char)line[length - 1]))
      length--;
    if (length > 0)
      snprintf(model, size, "%.*s", (int)length, line);
    gc_make_printable(model);
    return;
  }
}

static uint64_t hash_profile(const char *text)
{
  uint64_t hash = GC_HASH_START;

  while (*text) {
    size_t length = strcspn(text, "#\n");

    while (length > 0 && isspace((unsigned char)text[length - 1]))
      length--;
    if (length > 0)
      hash = gc_hash(gc_hash(hash, text, length), "\n", 1);
    text += strcspn(text, "\n");
    text += *text == '\n';
  }
  return hash;
}

static int read_profile(struct gc_gpu *gpu, char *text)
{
  char last[GC_WALK_COMPONENT];
  struct gc_error why = {""};
  const int dir = gc_walk_file(gpu->profile, last, &why);
  const bool link = gc_walk_is_descriptor(gpu->profile); /* of the kernel, always followed */
  const long length = dir < 0 ? dir
                              : gc_gpus_read(link ? AT_FDCWD : dir, link ? gpu->profile : last, text,
                                             PROFILE_MAX_BYTES + 2);

  if (dir >= 0)
    close(dir);
  if (length < 0 || length > (long)PROFILE_MAX_BYTES) {
    snprintf(gpu->problem, sizeof(gpu->problem), "the profile %.120s cannot be read: %.100s",
             gpu->profile,
             dir < 0             ? why.text
             : length == -EINVAL ? "not a regular file"
             : length < 0        ? strerror((int)-length)
                                 : "more than 1 MiB");
    return 0;
  }
  get_model(text, gpu->identity.model, sizeof(gpu->identity.model));
  snprintf(gpu->identity.vbios, sizeof(gpu->identity.vbios), "%016" PRIx64, hash_profile(text));
  return gc_gpus_read_sim_tables(gpu, text);
}

/* The GPU in the list with this id, or NULL. */
static const struct gc_gpu *listed(const struct gc_gpus *gpus, const char *id)
{
  for (size_t i = 0; i < gpus->count; i++)
    if (!strcmp(gpus->array[i].identity.id, id))
      return &gpus->array[i];
  return NULL;
}

/* Finds the profile that a word names. False: there is none, and path is empty. */
static bool find_profile(const char *word, char *path, size_t size)
{
  if (strchr(word, '/') && strlen(word) < size) {
    memcpy(path, word, strlen(word) + 1);
    return true;
  }
  if (!strchr(word, '/') && each_dir(is_in, &(struct search){word, path, size}))
    return true;
  path[0] = '\0';
  return false;
}

static bool same_file(const char *left, const char *right)
{
  struct stat a, b;

  return !strcmp(left, right) ||
         (!stat(left, &a) && !stat(right, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino);
}

/* word: a profile's name, or its path when it has a '/'. */
static int add(struct gc_gpus *gpus, const char *word, struct gc_few_names *unknown, char *text)
{
  const char *name = strrchr(word, '/') ? strrchr(word, '/') + 1 : word;
  const struct gc_gpu *before;
  struct gc_gpu *gpu;
  char id[80], cut[41], path[sizeof(gpu->profile)] = "", other[sizeof(gpu->profile)] = "";
  const bool found = find_profile(word, path, sizeof(path));
  const int length = snprintf(id, sizeof(id), "sim-%.64s", *name ? name : "unnamed");

  for (char *c = id; *c; c++)
    if (!isalnum((unsigned char)*c) && *c != '_' && *c != '-')
      *c = '_';
  /* Records are stored by name, so each name stands for one GPU. Another profile of that name
   * gets another id only for the message about it. */
  for (unsigned n = 2; (before = listed(gpus, id)); n++) {
    if (same_file(before->profile, path))
      return 0;
    if (n == 2)
      memcpy(other, before->profile, sizeof(other));
    snprintf(id + length, sizeof(id) - (size_t)length, "-%u", n);
  }
  gpu = gc_gpus_append(gpus);
  if (!gpu)
    return -ENOMEM;
  gpu->vendor = GC_VENDOR_SIM;
  memcpy(gpu->identity.id, id, sizeof(id));
  memcpy(gpu->profile, path, sizeof(path));
  snprintf(gpu->identity.model, sizeof(gpu->identity.model), "%.95s", name);
  gc_make_printable(gpu->identity.model);
  snprintf(gpu->identity.driver, sizeof(gpu->identity.driver), "simulated");
  snprintf(gpu->identity.mig, sizeof(gpu->identity.mig), "disabled");
  if (!found && strchr(word, '/')) {
    snprintf(gpu->problem, sizeof(gpu->problem), "the path of its profile is too long: %.400s",
             word);
  } else if (!found) {
    snprintf(cut, sizeof(cut), "%.40s", name);
    gc_few_add(unknown, cut);
  } else if (*other) {
    snprintf(gpu->problem, sizeof(gpu->problem),
             "its profile %.90s has the same name as %.90s: rename one of them", path, other);
  } else {
    return read_profile(gpu, text);
  }
  return 0;
}

/* Gives all GPUs without a profile the same problem, so that it is printed once. */
static void explain_unknown(struct gc_gpus *gpus, const struct gc_few_names *unknown)
{
  struct gc_error err;
  char names[400];

  gc_gpus_sim_names(names, sizeof(names));
  gc_fail(&err, 0, "no simulated GPU is named %s; available: %s", unknown->text,
          names[0] ? names : "none");
  for (size_t i = 0; i < gpus->count; i++)
    if (gpus->array[i].vendor == GC_VENDOR_SIM && !gpus->array[i].profile[0] &&
        !gpus->array[i].problem[0])
      snprintf(gpus->array[i].problem, sizeof(gpus->array[i].problem), "%s", err.text);
}

int gc_gpus_add_sim(const char *sims, struct gc_gpus *gpus)
{
  char *words = strdup(sims), *text = malloc(PROFILE_MAX_BYTES + 2), *rest = NULL;
  struct gc_few_names unknown = {.count = 0};
  int status = words && text ? 0 : -ENOMEM;

  if (status == 0)
    for (char *word = strtok_r(words, ",", &rest); word && status == 0;
         word = strtok_r(NULL, ",", &rest)) {
      word = gc_strip(word);
      if (*word)
        status = add(gpus, word, &unknown, text);
    }
  if (unknown.count)
    explain_unknown(gpus, &unknown);
  free(text);
  free(words);
  return status;
}
