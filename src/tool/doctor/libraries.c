/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/doctor/libraries.h"

#include "tool/doctor/elf.h"
#include "tool/doctor/linker_cache.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Programs have at most some hundred libraries. */
#define MOST_LIBRARIES 2000
#define HWLOC "libhwloc.so"

/* A file that is loaded. The first one is the program. */
struct file {
  char *path;
  char *soname, *rpath, *runpath; /* empty: none */
  size_t loader;                  /* the file that needs it */
  dev_t dev;
  ino_t ino;
};

struct loading {
  struct file *files;
  size_t count;
  struct gc_linker_cache cache;
  const char *system; /* directories of the linker, with colons */
  uint16_t machine;   /* of the program: other libraries are passed over */
  char *missing;
  bool out_of_memory;
};

bool gc_libraries_is_libhwloc(const char *path)
{
  const char *slash = strrchr(path, '/');

  return !strncmp(slash ? slash + 1 : path, HWLOC, strlen(HWLOC));
}

static void free_file(struct file *file)
{
  free(file->path);
  free(file->soname);
  free(file->rpath);
  free(file->runpath);
}

static char *copy_string(const struct gc_elf *elf, int64_t tag)
{
  char text[PATH_MAX];
  uint64_t entry = 0;

  return strdup(gc_elf_string(elf, tag, &entry, text) ? text : "");
}

static bool is_loaded(const struct loading *loading, const struct stat *st)
{
  for (size_t i = 0; i < loading->count; i++)
    if (loading->files[i].dev == st->st_dev && loading->files[i].ino == st->st_ino)
      return true;
  return false;
}

static void append(struct loading *loading, const char *path, const struct gc_elf *elf,
                   const struct stat *st, size_t loader)
{
  struct file *more = reallocarray(loading->files, loading->count + 1, sizeof *more), *file;

  if (!more) {
    loading->out_of_memory = true;
    return;
  }
  loading->files = more;
  file = &more[loading->count];
  *file = (struct file){.path = strdup(path),
                        .soname = copy_string(elf, DT_SONAME),
                        .rpath = copy_string(elf, DT_RPATH),
                        .runpath = copy_string(elf, DT_RUNPATH),
                        .loader = loader,
                        .dev = st->st_dev,
                        .ino = st->st_ino};
  if (file->path && file->soname && file->rpath && file->runpath) {
    loading->count++;
    return;
  }
  free_file(file);
  loading->out_of_memory = true;
}

/* Loads this file, unless it is there already. False: it is no library for this program. */
static bool try(struct loading *loading, const char *path, size_t loader)
{
  struct gc_elf elf;
  struct stat st;
  bool fits;

  if (gc_elf_open(path, &elf))
    return false;
  fits = elf.head.e_machine == loading->machine && !fstat(elf.fd, &st);
  if (fits && !is_loaded(loading, &st))
    append(loading, path, &elf, &st, loader);
  gc_elf_close(&elf);
  return fits;
}

/* Copies one directory of a list and replaces $ORIGIN by the directory of `file`. False: it is too
 * long, or has another variable. */
static bool expand(const char *from, size_t length, const struct file *file, char dir[PATH_MAX])
{
  static const char *const origins[] = {"$ORIGIN", "${ORIGIN}"};
  const char *slash = strrchr(file->path, '/');
  const size_t origin = slash ? (size_t)(slash - file->path) : 0;
  size_t used = 0;

  for (size_t i = 0; i < length;) {
    size_t skip = 0;

    for (size_t k = 0; k < 2; k++)
      if (length - i >= strlen(origins[k]) && !strncmp(from + i, origins[k], strlen(origins[k])))
        skip = strlen(origins[k]);
    if ((from[i] == '$' && !skip) || used + origin + 2 > PATH_MAX)
      return false;
    if (skip)
      used +=
          (size_t)sprintf(dir + used, "%.*s", slash ? (int)origin : 1, slash ? file->path : ".");
    else
      dir[used++] = from[i];
    i += skip ? skip : 1;
  }
  dir[used] = '\0';
  return true;
}

/* Tries the library in each directory of a list. file: for $ORIGIN. */
static bool try_list(struct loading *loading, const char *list, const char *name, size_t file,
                     size_t loader)
{
  char dir[PATH_MAX], path[PATH_MAX];

  while (list && *list) {
    const size_t length = strcspn(list, ":;");

    if (expand(list, length, &loading->files[file], dir) &&
        snprintf(path, sizeof path, "%s%s%s", dir, *dir ? "/" : "./", name) < PATH_MAX &&
        try(loading, path, loader))
      return true;
    list += length + (list[length] != '\0');
  }
  return false;
}

/* DT_RPATH of the file that needs the library, and of those that loaded that file. */
static bool try_rpaths(struct loading *loading, const char *name, size_t loader)
{
  size_t file = loader;

  if (*loading->files[loader].runpath)
    return false;
  for (;;) {
    if (!*loading->files[file].runpath &&
        try_list(loading, loading->files[file].rpath, name, file, loader))
      return true;
    if (!file)
      return false;
    file = loading->files[file].loader;
  }
}

static bool try_cache(struct loading *loading, const char *name, size_t loader)
{
  const char *path;
  size_t entry = 0;

  while ((path = gc_linker_cache_next(&loading->cache, name, &entry)))
    if (try(loading, path, loader))
      return true;
  return false;
}

static bool has_name(const struct loading *loading, const char *name)
{
  for (size_t i = 1; i < loading->count; i++)
    if (!strcmp(loading->files[i].soname, name))
      return true;
  return false;
}

static void load(struct loading *loading, const char *name, size_t loader)
{
  char path[PATH_MAX];
  bool found;

  if (has_name(loading, name))
    return;
  if (strchr(name, '/'))
    found = expand(name, strlen(name), &loading->files[loader], path) && try(loading, path, loader);
  else
    found = try_rpaths(loading, name, loader) ||
            try_list(loading, secure_getenv("LD_LIBRARY_PATH"), name, 0, loader) ||
            try_list(loading, loading->files[loader].runpath, name, loader, loader) ||
            try_cache(loading, name, loader) || try_list(loading, loading->system, name, 0, loader);
  if (!found && !loading->missing && gc_libraries_is_libhwloc(name) &&
      !(loading->missing = strdup(name)))
    loading->out_of_memory = true;
}

static void load_preloaded(struct loading *loading)
{
  const char *list = secure_getenv("LD_PRELOAD");
  char name[PATH_MAX];

  while (list && *list) {
    const size_t length = strcspn(list, " :");

    if (length && length < sizeof name) {
      snprintf(name, sizeof name, "%.*s", (int)length, list);
      load(loading, name, 0);
    }
    list += length + (list[length] != '\0');
  }
}

static void load_needed(struct loading *loading, size_t loader)
{
  char name[PATH_MAX];
  struct gc_elf elf;
  uint64_t entry = 0;

  if (gc_elf_open(loading->files[loader].path, &elf))
    return;
  while (!loading->out_of_memory && loading->count < MOST_LIBRARIES &&
         gc_elf_string(&elf, DT_NEEDED, &entry, name))
    load(loading, name, loader);
  gc_elf_close(&elf);
}

/* The directories that the linker of this program searches last. */
static const char *directories_of(const struct gc_elf *elf)
{
  char interpreter[PATH_MAX];

  return gc_elf_interpreter(elf, interpreter) && strstr(interpreter, "/ld-musl-")
             ? "/lib:/usr/local/lib:/usr/lib"
             : "/lib64:/usr/lib64:/lib:/usr/lib";
}

/* Loads the program. */
static int start(struct loading *loading, const char *program)
{
  struct gc_elf elf;
  struct stat st;
  int status = gc_elf_open(program, &elf);

  if (status)
    return status;
  loading->machine = elf.head.e_machine;
  loading->system = directories_of(&elf);
  if (fstat(elf.fd, &st))
    status = -errno;
  else
    append(loading, program, &elf, &st, 0);
  gc_elf_close(&elf);
  return status;
}

/* Moves the paths of the libraries to their place. */
static int take(struct loading *loading, struct gc_libraries *libraries)
{
  libraries->paths = calloc(loading->count, sizeof *libraries->paths);
  if (!libraries->paths)
    return -ENOMEM;
  for (size_t i = 1; i < loading->count; i++) {
    libraries->paths[libraries->count++] = loading->files[i].path;
    loading->files[i].path = NULL;
  }
  libraries->missing = loading->missing;
  loading->missing = NULL;
  return 0;
}

int gc_libraries_find(const char *program, struct gc_libraries *libraries)
{
  struct loading loading = {0};
  int status = start(&loading, program);

  memset(libraries, 0, sizeof *libraries);
  if (!status) {
    gc_linker_cache_read(&loading.cache);
    if (loading.count)
      load_preloaded(&loading);
    for (size_t i = 0; i < loading.count && !loading.out_of_memory; i++)
      load_needed(&loading, i);
    status = loading.out_of_memory ? -ENOMEM : take(&loading, libraries);
    gc_linker_cache_free(&loading.cache);
  }
  for (size_t i = 0; i < loading.count; i++)
    free_file(&loading.files[i]);
  free(loading.files);
  free(loading.missing);
  return status;
}

void gc_libraries_free(struct gc_libraries *libraries)
{
  for (size_t i = 0; i < libraries->count; i++)
    free(libraries->paths[i]);
  free(libraries->paths);
  free(libraries->missing);
}
