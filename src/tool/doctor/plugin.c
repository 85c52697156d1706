/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Links: the file hwloc_gpucache.so, as hwloc sees it when a topology is loaded.
 */
#include "tool/doctor/links.h"

#include "tool/doctor/child.h"

#include <hwloc.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_NAME "hwloc_gpucache.so"
#define ABI_DIFFERS "Plugin symbol ABI "

/* False: hwloc did not search for plugins, and the finding is there. */
static bool has_searched(struct gc_doctor *doctor)
{
  gc_loaded_get(&doctor->loaded, doctor->tool, doctor->loader);
  if (*doctor->loaded.log.directories)
    return true;
  gc_doctor_add(doctor, GC_LINK_NOT_APPLICABLE, NULL, "%s",
                gc_doctor_plugins(doctor) == GC_LIBHWLOC_NO_PLUGINS
                    ? "this hwloc does not search for plugins"
                    : "not known, because no topology was loaded");
  return false;
}

void gc_link_directories(struct gc_doctor *doctor)
{
  char list[sizeof doctor->loaded.log.directories], missing[400] = "", *rest = list, *dir;
  unsigned usable = 0;

  if (!has_searched(doctor))
    return;
  snprintf(list, sizeof list, "%s", doctor->loaded.log.directories);
  while ((dir = strsep(&rest, ":"))) {
    const size_t used = strlen(missing);

    if (!*dir)
      continue;
    if (!access(dir, R_OK | X_OK))
      usable++;
    else if (errno != ENOENT) /* hwloc omits others without a message, and so do we */
      snprintf(missing + used, sizeof missing - used, "%s%.150s", used ? ", " : "", dir);
  }
  if (usable)
    gc_doctor_add(doctor, GC_LINK_OK, NULL, "hwloc searches %.600s%s%.200s",
                  doctor->loaded.log.directories, *missing ? "; cannot be read: " : "", missing);
  else
    gc_doctor_add(
        doctor, GC_LINK_NOT_OK,
        doctor->tool->python
            ? "Install pyhwloc again; it sets HWLOC_PLUGINS_PATH to this directory."
            : "Set HWLOC_PLUGINS_PATH to the directory of the plugin and that of the other "
              "plugins of hwloc, or install the plugin in one of these directories.",
        "hwloc searches %.600s: %s", doctor->loaded.log.directories,
        *missing ? "no directory can be read" : "no directory exists");
}

/* pyhwloc searches only its own directory. A plugin for hwloc 2 does not load in hwloc 3. */
static void remedy_for_python(const struct gc_doctor *doctor, char *remedy, size_t size)
{
  const bool is_ours = (unsigned)atoi(doctor->pyhwloc_release) == HWLOC_API_VERSION >> 16;
  const char *directories = doctor->loaded.log.directories;
  const size_t first = strcspn(directories, ":");
  const int length = first < 400 ? (int)first : 400;

  if (is_ours && !*doctor->loaded.log.file && !access(GC_PLUGINDIR "/" FILE_NAME, R_OK))
    snprintf(remedy, size, "Run: ln -s " GC_PLUGINDIR "/" FILE_NAME " %.*s", length, directories);
  else
    snprintf(remedy, size,
             "Build the plugin with hwloc %.20s (\"pyhwloc\" in install.md says how), and copy it "
             "to %.*s",
             doctor->pyhwloc_release, length, directories);
}

void gc_link_file(struct gc_doctor *doctor)
{
  const struct gc_hwloc_log *log = &doctor->loaded.log;
  char remedy[700];

  if (!has_searched(doctor))
    return;
  if (*log->file) {
    gc_doctor_add(doctor, GC_LINK_OK, NULL, "%.800s.so", log->file);
    return;
  }
  if (doctor->tool->python)
    remedy_for_python(doctor, remedy, sizeof remedy);
  else if (access(GC_PLUGINDIR "/" FILE_NAME, R_OK))
    snprintf(remedy, sizeof remedy,
             "Install the plugin, or name its directory: "
             "export HWLOC_PLUGINS_PATH=DIRECTORY:%.500s",
             log->directories);
  else
    snprintf(remedy, sizeof remedy, "Run: export HWLOC_PLUGINS_PATH=%.200s:%.400s", GC_PLUGINDIR,
             log->directories);
  gc_doctor_add(doctor, GC_LINK_NOT_OK, remedy, FILE_NAME " is in none of these directories");
}

static bool is_found(struct gc_doctor *doctor)
{
  if (!has_searched(doctor))
    return false;
  if (*doctor->loaded.log.file)
    return true;
  gc_doctor_add(doctor, GC_LINK_NOT_APPLICABLE, NULL, "there is no plugin to load");
  return false;
}

void gc_link_plugin(struct gc_doctor *doctor)
{
  const struct gc_hwloc_log *log = &doctor->loaded.log;
  char for_python[700];

  if (!is_found(doctor))
    return;
  remedy_for_python(doctor, for_python, sizeof for_python);
  if (log->is_loaded)
    gc_doctor_add(doctor, GC_LINK_OK, NULL, "hwloc has loaded it");
  else if (strstr(log->problem, "blacklisted"))
    gc_doctor_add(doctor, GC_LINK_NOT_OK, "Run: unset HWLOC_PLUGINS_BLACKLIST", "hwloc says: %s",
                  log->problem);
  else if (strstr(log->problem, "undefined symbol"))
    gc_doctor_add(doctor, GC_LINK_NOT_OK,
                  doctor->tool->python ? for_python
                                       : "Use an lstopo that is linked with the shared libhwloc.",
                  "hwloc says: %s", log->problem);
  else if (*log->problem)
    gc_doctor_add(doctor, GC_LINK_NOT_OK, "Install the plugin again, for this hwloc.",
                  "hwloc says: %s", log->problem);
  else
    gc_doctor_add(doctor, GC_LINK_NOT_OK, "Install the plugin again, for this hwloc.",
                  "hwloc does not load it, and gives no reason");
}

/* Reads the ABI of the plugin in a child, because loading a damaged file may crash. */
static bool read_abi(struct gc_doctor *doctor, char *abi, size_t size, struct gc_error *how)
{
  char word[PATH_MAX + 16];
  const char *const argv[] = {"/proc/self/exe", "doctor", "--probe", word, NULL};
  struct gc_errand errand = {.argv = argv, .tool = doctor->tool, .seconds = 5};
  int status;

  snprintf(word, sizeof word, "plugin:%s.so", doctor->loaded.log.file);
  status = gc_errand_run(&errand, how);
  if (errand.output && *errand.output)
    snprintf(status ? how->text : abi, status ? sizeof how->text : size, "%s",
             strtok(errand.output, "\n"));
  free(errand.output);
  gc_make_printable(how->text);
  return !status;
}

void gc_link_abi(struct gc_doctor *doctor)
{
  const struct gc_hwloc_log *log = &doctor->loaded.log;
  struct gc_error how = {""};
  char abi[16] = "", for_python[700];

  if (!is_found(doctor))
    return;
  remedy_for_python(doctor, for_python, sizeof for_python);
  if (!strncmp(log->problem, ABI_DIFFERS, strlen(ABI_DIFFERS)))
    gc_doctor_add(doctor, GC_LINK_NOT_OK,
                  doctor->tool->python
                      ? for_python
                      : "Build the plugin with the hwloc that lstopo uses: ./configure "
                        "PKG_CONFIG_PATH=PREFIX/lib/pkgconfig",
                  "the plugin was built for another hwloc: %s", log->problem);
  else if (read_abi(doctor, abi, sizeof abi, &how))
    gc_doctor_add(doctor, GC_LINK_OK, NULL, "component ABI %s%s", abi,
                  log->is_loaded ? ", which this hwloc accepts" : "");
  else if (log->is_loaded)
    gc_doctor_add(doctor, GC_LINK_OK, NULL, "hwloc accepts the component ABI");
  else
    gc_doctor_add(doctor, GC_LINK_NOT_OK, "Install the plugin again, for this hwloc.",
                  "the component ABI of the plugin cannot be read: %s", how.text);
}
