/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * hwloc-gpucache doctor: the table of links, and what runs them.
 */
#include "tool/commands.h"

#include "tool/doctor/child.h"
#include "tool/doctor/links.h"
#include "tool/doctor/print.h"
#include "tool/doctor/probe.h"
#include "tool/gpus/targets.h"
#include "tool/print/messages.h"
#include "tool/process/environment.h"
#include "tool/process/watch.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS 60 /* for everything, without --timeout */

/* In the order of the chain. The function of a link may use what earlier ones have found. */
static const struct {
  const char *name;
  void (*check)(struct gc_doctor *doctor);
} links[] = {
    {"libhwloc", gc_link_libhwloc},
    {"lstopo", gc_link_lstopo},
    {"pyhwloc", gc_link_python},
    {"program", gc_link_program},
    {"plugin directories", gc_link_directories},
    {"plugin file", gc_link_file},
    {"plugin loads", gc_link_plugin},
    {"component ABI", gc_link_abi},
    {"HWLOC_COMPONENTS", gc_link_components},
    {"HWLOC_GPUCACHE", gc_link_mode},
    {"this system", gc_link_this_system},
    {"OS-device filter", gc_link_filter},
    {"GPUs", gc_link_gpus},
    {"driver", gc_link_driver},
    {"device nodes", gc_link_nodes},
    {"visible devices", gc_link_visible},
    {"vendor library", gc_link_vendor_library},
    {"command", gc_link_command},
    {"record directory", gc_link_dir},
    {"site records", gc_link_site},
    {"record", gc_link_record},
    {"last failure", gc_link_failure},
    {"topology", gc_link_load},
    {"caches", gc_link_caches},
};

/* A driver or a file system may hang: lists the GPUs under the deadline, too. */
static int list_gpus(struct gc_doctor *doctor)
{
  const struct gc_tool only_sims = {.sims = doctor->tool->sims};

  doctor->link = "GPUs";
  if (gc_targets_list(&only_sims, &doctor->gpus))
    return -ENOMEM;
  doctor->patients = calloc(doctor->gpus.count + 1, sizeof *doctor->patients);
  if (!doctor->patients)
    return -ENOMEM;
  for (size_t i = 0; i < doctor->gpus.count; i++) {
    doctor->patients[i].gpu = &doctor->gpus.array[i];
    strcpy(doctor->patients[i].driver_problem, doctor->gpus.array[i].problem);
  }
  gc_gpus_restrict(gc_environment_root(), &doctor->gpus);
  return 0;
}

static int print(const struct gc_doctor *doctor)
{
  if (doctor->tool->json)
    return gc_doctor_print_json(doctor);
  gc_doctor_print(doctor);
  return 0;
}

/* At the deadline, or at a signal. The main thread hangs in the present link. */
static void at_end(void *data)
{
  struct gc_doctor *doctor = data;

  gc_errand_end();
  gc_doctor_add(doctor, GC_LINK_NOT_OK, "Look for a file system or a driver that hangs.",
                "this check did not end");
  doctor->is_shown = false;
  print(doctor);
  fflush(stdout);
}

static void release(struct gc_doctor *doctor)
{
  gc_loaded_free(&doctor->loaded);
  gc_gpus_free(&doctor->gpus);
  free(doctor->patients);
  free(doctor->findings);
  free(doctor);
}

static int examine(struct gc_doctor *doctor)
{
  struct gc_error err = {""};
  int status;

  if (gc_watch_start(doctor->tool->timeout > 0 ? doctor->tool->timeout : SECONDS, NULL, at_end,
                     doctor, &err)) {
    gc_say(NULL, "%s", err.text);
    return GC_EXIT_FAILED;
  }
  status = list_gpus(doctor);
  for (size_t i = 0; !status && i < sizeof links / sizeof *links; i++) {
    doctor->link = links[i].name;
    links[i].check(doctor);
  }
  gc_watch_stop();
  if (status || print(doctor))
    return gc_no_memory();
  return doctor->is_shown && !doctor->program_fails ? GC_EXIT_DONE : GC_EXIT_FAILED;
}

int gc_tool_doctor(const struct gc_tool *tool)
{
  struct gc_doctor *doctor;
  int status;

  if (tool->probe)
    return gc_doctor_probe(tool->probe);
  doctor = calloc(1, sizeof *doctor);
  if (!doctor)
    return gc_no_memory();
  doctor->tool = tool;
  status = examine(doctor);
  release(doctor);
  return status;
}
