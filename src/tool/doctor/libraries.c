/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/doctor/libraries.h"

#include "tool/doctor/elf.h"
#include "tool/doctor/linker_cache.h"
#include "util/regular.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>

/* Programs have at most some hundred libraries. */
#define MOST_LIBRARIES 2000
#define MOST_PRELOADED (1u << 16) /* bytes of /etc/ld.so.preload */
#define HWLOC "libhwloc.so"

/* A file that is loaded. The first one is the program. */
struct file {
  char *path;
  char *name;                     /* by which it was first needed */
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
  char lib[PATH_MAX]; /* what $LIB stands for */
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
  free(file->name);
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

static void append(struct loading *loading, const char *path, const char *name,
                   const struct gc_elf *elf, const struct stat *st, size_t loader)
{
  struct file *more = reallocarray(loading->files, loading->count + 1, sizeof *more), *file;

  if (!more) {
    loading->out_of_memory = true;
    return;
  }
  loading->files = more;
  file = &more[loading->count];
  *file = (struct file){.path = strdup(path),
                        .name = strdup(name),
                        .soname = copy_string(elf, DT_SONAME),
                        .rpath = copy_string(elf, DT_RPATH),
                        .runpath = copy_string(elf, DT_RUNPATH),
                        .loader = loader,
                        .dev = st->st_dev,
                        .ino = st->st_ino};
  if (file->path && file->name && file->soname && file->rpath && file->runpath) {
    loading->count++;
    return;
  }
  free_file(file);
  loading->out_of_memory = true;
}

/* Loads this file, unless it is there already. False: it is no library for this program. */
static bool try(struct loading *loading, const char *path, const char *name, size_t loader)
{
  struct gc_elf elf;
  struct stat st;
  bool fits;

  if (gc_elf_open(path, &elf))
    return false;
  fits = elf.head.e_machine == loading->machine && !fstat(elf.fd, &st);
  if (fits && !is_loaded(loading, &st))
    append(loading, path, name, &elf, &st, loader);
  gc_elf_close(&elf);
  return fits;
}

/* The length of "$NAME" or "${NAME}" at the start of this text; 0: something else is there. */
static size_t variable(const char *text, const char *end, const char *name)
{
  const char *at = text + 1;
  const bool braces = at < end && *at == '{';
  const size_t length = strlen(name);

  at += braces;
  if (*text != '$' || (size_t)(end - at) < length || strncmp(at, name, length))
    return 0;
  at += length;
  if (braces)
    return at < end && *at == '}' ? (size_t)(at + 1 - text) : 0;
  return at < end && (isalnum((unsigned char)*at) || *at == '_') ? 0 : (size_t)(at - text);
}

/* What $PLATFORM stands for. glibc has a name of its own for Intel CPUs with certain features; all
 * with the following ones have the others, too. */
static const char *platform_name(void)
{
#if defined(__x86_64__) && defined(__GLIBC__)
  __builtin_cpu_init();
  if (__builtin_cpu_is("intel") && __builtin_cpu_supports("avx2") &&
      __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma"))
    return "haswell";
#endif
  return (const char *)getauxval(AT_PLATFORM);
}

/* Copies one directory of a list and replaces $ORIGIN, the directory of `file`, $LIB and $PLATFORM.
 * False: it is too long. */
static bool expand(const struct loading *loading, const char *from, size_t length, size_t file,
                   char dir[PATH_MAX])
{
  const char *path = loading->files[file].path, *slash = strrchr(path, '/');
  const char *platform = platform_name(), *end = from + length;
  const struct {
    const char *name, *value;
    size_t length;
  } variables[] = {{"ORIGIN", slash ? path : ".", slash ? (size_t)(slash - path) : 1},
                   {"LIB", loading->lib, strlen(loading->lib)},
                   {"PLATFORM", platform, platform ? strlen(platform) : 0}};
  size_t used = 0;

  while (from < end) {
    const char *value = from;
    size_t skip = 0, size = 1;

    for (size_t i = 0; !skip && i < sizeof variables / sizeof *variables; i++)
      if ((skip = variable(from, end, variables[i].name))) {
        value = variables[i].value;
        size = variables[i].length;
      }
    if (used + size >= PATH_MAX)
      return false;
    if (size)
      memcpy(dir + used, value, size);
    used += size;
    from += skip ? skip : 1;
  }
  dir[used] = '\0';
  return true;
}

/* Tries the library in each directory of a list; an empty one is the working directory. file: for
 * $ORIGIN. */
static bool try_list(struct loading *loading, const char *list, const char *name, size_t file,
                     size_t loader)
{
  char dir[PATH_MAX], path[PATH_MAX];

  if (!list || !*list)
    return false;
  for (;; list++) {
    const size_t length = strcspn(list, ":;");

    if (expand(loading, list, length, file, dir) &&
        snprintf(path, sizeof path, "%s%s%s", dir, *dir ? "/" : "./", name) < PATH_MAX &&
        try(loading, path, name, loader))
      return true;
    list += length;
    if (!*list)
      return false;
  }
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
    if (try(loading, path, name, loader))
      return true;
  return false;
}

static bool has_name(const struct loading *loading, const char *name)
{
  for (size_t i = 1; i < loading->count; i++)
    if (!strcmp(loading->files[i].soname, name) || !strcmp(loading->files[i].name, name))
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
    found = expand(loading, name, strlen(name), loader, path) && try(loading, path, name, loader);
  else
    found = try_rpaths(loading, name, loader) ||
            try_list(loading, secure_getenv("LD_LIBRARY_PATH"), name, 0, loader) ||
            try_list(loading, loading->files[loader].runpath, name, loader, loader) ||
            try_cache(loading, name, loader) || try_list(loading, loading->system, name, 0, loader);
  if (!found && !loading->missing && gc_libraries_is_libhwloc(name) &&
      !(loading->missing = strdup(name)))
    loading->out_of_memory = true;
}

/* Loads the libraries of a list. */
static void load_list(struct loading *loading, const char *list, const char *separators)
{
  char name[PATH_MAX];

  while (list && *list) {
    const size_t length = strcspn(list, separators);

    if (length && length < sizeof name) {
      snprintf(name, sizeof name, "%.*s", (int)length, list);
      load(loading, name, 0);
    }
    list += length + (list[length] != '\0');
  }
}

/* Those of LD_PRELOAD, then those of a file of the system, which may have comments. */
static void load_preloaded(struct loading *loading)
{
  char *text, *comment;
  size_t length;

  load_list(loading, secure_getenv("LD_PRELOAD"), " :");
  if (gc_regular_load("/etc/ld.so.preload", MOST_PRELOADED, &text, &length, NULL))
    return;
  while ((comment = strchr(text, '#')))
    memset(comment, ' ', strcspn(comment, "\n"));
  load_list(loading, text, " \t\n:");
  free(text);
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

/* Takes the last directories of the path of libc, "lib64" or "lib/x86_64-linux-gnu", from the list
 * of what this process has loaded. The linker of another libc has other ones, but names them
 * nowhere. */
static int take_lib(struct dl_phdr_info *info, size_t size, void *lib)
{
  const char *slash = strrchr(info->dlpi_name, '/'), *last = NULL;

  (void)size;
  if (!slash || strncmp(slash, "/libc.so.", strlen("/libc.so.")))
    return 0;
  for (const char *at = info->dlpi_name; (at = strstr(at, "/lib")) && at < slash; at++)
    last = at;
  if (last)
    snprintf(lib, PATH_MAX, "%.*s", (int)(slash - last - 1), last + 1);
  return 1;
}

/* The directories that the linker of this program searches last. */
static const char *directories_of(const struct gc_elf *elf)
{
  char interpreter[PATH_MAX];

  return gc_elf_interpreter(elf, interpreter) && strstr(interpreter, "/ld-musl-")
             ? "/lib:/usr/local/lib:/usr/lib"
             : "/$LIB:/usr/$LIB:/lib64:/usr/lib64:/lib:/usr/lib";
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
    append(loading, program, "", &elf, &st, 0);
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
  struct loading loading = {.lib = "lib"};
  int status = start(&loading, program);

  memset(libraries, 0, sizeof *libraries);
  dl_iterate_phdr(take_lib, loading.lib);
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
