/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Link: pyhwloc, hwloc's package for Python. It may contain a libhwloc of its own, and then
 * replaces HWLOC_PLUGINS_PATH by a directory beside that library.
 */
#include "tool/doctor/links.h"

#include "tool/doctor/child.h"
#include "tool/process/environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS 15

/* What pyhwloc uses, as the script below prints it: a line for each member. */
struct answer {
  char *folder, *release, *library, *plugins_path;
};

/* The last line that Python prints before it fails says why. */
static void keep(const char *line, void *data)
{
  struct gc_error *last = data;

  if (*line)
    gc_fail(last, 0, "%s", line);
  gc_make_printable(last->text);
}

static bool split(char *output, struct answer *answer)
{
  char **const members[] = {&answer->folder, &answer->release, &answer->library,
                            &answer->plugins_path};

  for (size_t i = 0; i < sizeof members / sizeof *members; i++)
    if (!(*members[i] = strsep(&output, "\n")) || !output)
      return false;
    else
      gc_make_printable(*members[i]);
  return true;
}

static void report(struct gc_doctor *doctor, const struct answer *answer)
{
  const char *before = gc_environment_user("HWLOC_PLUGINS_PATH");
  char searches[400] = "";

  if (*answer->plugins_path && (!before || strcmp(before, answer->plugins_path)))
    snprintf(searches, sizeof searches, "; it sets HWLOC_PLUGINS_PATH=%.350s",
             answer->plugins_path);
  doctor->loader_uses.kind = GC_PROGRAM_SHARED;
  doctor->loader_uses.plugins = gc_libhwloc_in_file(answer->library);
  snprintf(doctor->pyhwloc_release, sizeof doctor->pyhwloc_release, "%s", answer->release);
  if (doctor->loader_uses.plugins == GC_LIBHWLOC_NO_PLUGINS)
    gc_doctor_add(doctor, GC_LINK_NOT_OK,
                  "Build pyhwloc with a hwloc that was configured with --enable-plugins.",
                  "%.200s uses %.200s, which was built without support for plugins", answer->folder,
                  answer->library);
  else
    gc_doctor_add(doctor, GC_LINK_OK, NULL,
                  "%.150s uses %.150s (hwloc %.20s), which can load plugins%s", answer->folder,
                  answer->library, answer->release, searches);
}

void gc_link_python(struct gc_doctor *doctor)
{
  /* A module in the working directory is not imported, because anybody may have put it there. */
  static const char script[] = "import sys\n"
                               "sys.path[:] = filter(None, sys.path)\n"
                               "import os, pyhwloc, pyhwloc.topology\n"
                               "print(os.path.dirname(pyhwloc.__file__))\n"
                               "print('%d.%d.%d' % pyhwloc.topology.get_api_version())\n"
                               "print(next(line.split(None, 5)[5].strip()\n"
                               "           for line in open('/proc/self/maps')\n"
                               "           if '/libhwloc.so' in line))\n"
                               "print(os.environ.get('HWLOC_PLUGINS_PATH', ''))\n";
  const char *const argv[] = {doctor->loader, "-c", script, NULL};
  struct gc_error how = {""}, last = {""};
  struct gc_errand errand = {
      .argv = argv, .tool = doctor->tool, .seconds = SECONDS, .on_line = keep, .data = &last};
  struct answer answer;
  char *rest;

  if (!doctor->tool->python)
    return;
  if (!gc_program_find("python3", doctor->loader))
    strcpy(doctor->loader, "python3");
  if (gc_errand_run(&errand, &how))
    gc_doctor_add(doctor, GC_LINK_NOT_OK,
                  "Put the python3 that has pyhwloc first in PATH: activate its environment.",
                  "%.300s cannot import pyhwloc: %.250s%s%.250s", doctor->loader, how.text,
                  *last.text ? ": " : "", last.text);
  else if ((rest = errand.output) && split(rest, &answer))
    report(doctor, &answer);
  else
    gc_doctor_add(doctor, GC_LINK_NOT_APPLICABLE, NULL, "%.300s: what it printed is not understood",
                  doctor->loader);
  free(errand.output);
}
