/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Links: which libhwloc programs load, and whether it can load plugins. By default hwloc is built
 * without plugins, and then nothing else of the chain matters.
 */
#include "tool/doctor/links.h"

#include "tool/process/libhwloc.h"

#include <hwloc.h>

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUILD                                                                                      \
  "Use a hwloc that was configured with --enable-plugins (Debian, Ubuntu, Fedora and RHEL have "   \
  "one)."

/* "hwloc 2.9.0", as the library of this process says. */
static void version(char *text, size_t size)
{
  const unsigned api = hwloc_get_api_version();
  hwloc_topology_t topology;
  const char *release;

  snprintf(text, size, "hwloc %u.%u", api >> 16, api >> 8 & 0xff);
  if (hwloc_topology_init(&topology))
    return;
  if (!hwloc_topology_set_synthetic(topology, "pu:1") && !hwloc_topology_load(topology) &&
      (release = hwloc_obj_get_info_by_name(hwloc_get_root_obj(topology), "hwlocVersion")))
    snprintf(text, size, "hwloc %.40s", release);
  hwloc_topology_destroy(topology);
}

void gc_link_libhwloc(struct gc_doctor *doctor)
{
  char path[PATH_MAX], release[60];

  version(release, sizeof release);
  switch (gc_libhwloc_find(path, sizeof path)) {
  case GC_LIBHWLOC_PLUGINS:
    gc_doctor_add(doctor, GC_LINK_OK, NULL, "this command uses %.700s (%s), which can load plugins",
                  path, release);
    break;
  case GC_LIBHWLOC_NO_PLUGINS:
    gc_doctor_add(doctor, GC_LINK_NOT_OK, BUILD,
                  "this command uses %.700s (%s), which was built without support for plugins",
                  path, release);
    break;
  case GC_LIBHWLOC_UNKNOWN:
    gc_doctor_add(doctor, GC_LINK_NOT_APPLICABLE, NULL,
                  "this command contains a copy of hwloc (%s)", release);
    break;
  }
}

enum gc_libhwloc gc_doctor_plugins(const struct gc_doctor *doctor)
{
  char path[PATH_MAX];

  if (!*doctor->loader)
    return gc_libhwloc_find(path, sizeof path);
  switch (doctor->loader_uses.kind) {
  case GC_PROGRAM_SHARED:
    return doctor->loader_uses.plugins;
  case GC_PROGRAM_COPY:
    return GC_LIBHWLOC_NO_PLUGINS;
  default:
    return GC_LIBHWLOC_UNKNOWN;
  }
}

/* Adds a finding about a program. False: it cannot load plugins. */
static bool report(struct gc_doctor *doctor, const char *path, const struct gc_program *program)
{
  char remedy[400], own[PATH_MAX], differs[80] = "";
  const char *soname;

  switch (program->kind) {
  case GC_PROGRAM_SHARED:
    if (program->plugins == GC_LIBHWLOC_NO_PLUGINS) {
      gc_doctor_add(doctor, GC_LINK_NOT_OK, BUILD,
                    "%.350s uses %.350s, which was built without support for plugins", path,
                    program->file);
      return false;
    }
    gc_libhwloc_find(own, sizeof own);
    if (*own && strcmp(own, program->file))
      snprintf(differs, sizeof differs, " (another one than this command uses)");
    gc_doctor_add(doctor, GC_LINK_OK, NULL, "%.350s uses %.350s%s, which can load plugins", path,
                  program->file, differs);
    return true;
  case GC_PROGRAM_COPY:
    gc_doctor_add(
        doctor, GC_LINK_NOT_OK,
        "Build it with the shared libhwloc, for example Open MPI with "
        "--with-hwloc=PREFIX.",
        "%.350s contains a copy of hwloc (in %.350s), whose functions plugins do not find", path,
        program->file);
    return false;
  case GC_PROGRAM_NONE:
    gc_libhwloc_find(own, sizeof own);
    soname = strrchr(own, '/');
    snprintf(
        remedy, sizeof remedy,
        "If it loads libhwloc later with dlopen (as Python's ctypes and cffi do), start it with "
        "LD_PRELOAD=%s, or let it use RTLD_GLOBAL.",
        soname && strstr(soname, ".so") ? soname + 1 : "libhwloc.so.15");
    gc_doctor_add(doctor, GC_LINK_NOT_APPLICABLE, remedy, "%.350s loads no libhwloc when it starts",
                  path);
    return true;
  case GC_PROGRAM_UNKNOWN:
    break;
  }
  gc_doctor_add(doctor, GC_LINK_NOT_APPLICABLE, NULL, "%.350s cannot be examined: %s", path,
                program->why);
  return true;
}

void gc_link_lstopo(struct gc_doctor *doctor)
{
  static const char *const names[] = {"lstopo", "lstopo-no-graphics"};

  if (doctor->tool->python)
    return;
  for (size_t i = 0; i < sizeof names / sizeof *names && !*doctor->loader; i++)
    if (!gc_program_find(names[i], doctor->loader))
      *doctor->loader = '\0';
  if (!*doctor->loader) {
    gc_doctor_add(doctor, GC_LINK_NOT_APPLICABLE, NULL,
                  "there is no lstopo in PATH, so this command loads the topology instead");
    return;
  }
  gc_program_examine(doctor->loader, &doctor->loader_uses);
  report(doctor, doctor->loader, &doctor->loader_uses);
}

/* The kind of file that a word without '/' names in this directory. NULL: none, or a program. */
static const char *what_else(const char *word)
{
  struct stat st;

  if (strchr(word, '/') || stat(word, &st))
    return NULL;
  return S_ISDIR(st.st_mode) ? "a directory" : access(word, X_OK) ? "a file" : NULL;
}

void gc_link_program(struct gc_doctor *doctor)
{
  const char *word = doctor->tool->count ? doctor->tool->words[0] : NULL, *other;
  char path[PATH_MAX], remedy[700] = "Give the path of a program.";
  struct gc_program program;
  bool found;

  if (!word)
    return;
  found = gc_program_find(word, path);
  other = what_else(word);
  doctor->program_fails = !found || other;
  if (found && other)
    snprintf(remedy, sizeof remedy, "For the program %.600s, give that path.", path);
  if (other)
    gc_doctor_add(doctor, GC_LINK_NOT_OK, remedy,
                  "'%.400s' is %s here; doctor takes a program: a name in PATH, or a path", word,
                  other);
  else if (!found)
    gc_doctor_add(doctor, GC_LINK_NOT_OK, remedy, "there is no program '%.400s'", word);
  if (doctor->program_fails)
    return;
  gc_program_examine(path, &program);
  doctor->program_fails = !report(doctor, path, &program);
}
