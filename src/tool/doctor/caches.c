/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Links: the topology that lstopo loads, and the caches in it. They decide what doctor returns.
 */
#include "tool/doctor/links.h"
#include "tool/gpus/targets.h"

#include "tool/process/environment.h"

#include <hwloc/gpucache.h>

#include <stdio.h>
#include <string.h>
#include <strings.h>

void gc_link_load(struct gc_doctor *doctor)
{
  const struct gc_loaded *loaded = &doctor->loaded;

  gc_loaded_get(&doctor->loaded, doctor->tool, doctor->loader);
  if (loaded->status)
    gc_doctor_add(doctor, GC_LINK_NOT_OK,
                  doctor->tool->python
                      ? "Load the topology in your program with HWLOC_GPUCACHE=off; if that fails, "
                        "too, the reason is not this plugin."
                      : "Run: HWLOC_GPUCACHE=off HWLOC_COMPONENTS=-gpucache lstopo; if that fails, "
                        "too, the reason is not this plugin.",
                  "%.300s %s", loaded->by, loaded->how.text);
  else if (gc_doctor_plugins(doctor) == GC_LIBHWLOC_NO_PLUGINS)
    gc_doctor_add(doctor, GC_LINK_NOT_OK, "Use a hwloc that can load plugins.",
                  "%.300s loads a topology without plugins", loaded->by);
  else if (!loaded->log.is_enabled)
    gc_doctor_add(doctor, GC_LINK_NOT_OK, "Correct what is not ok above.",
                  "%.300s loads a topology, but hwloc does not use the component gpucache",
                  loaded->by);
  else
    gc_doctor_add(doctor, GC_LINK_OK, NULL,
                  "%.300s loads a topology, and hwloc uses the component gpucache", loaded->by);
}

/* Why the next load does not measure this GPU, which has no record; NULL: nothing prevents it. */
static const char *hindrance(const struct gc_doctor *doctor, const struct gc_patient *patient)
{
  const char *mode = gc_environment_user(HWLOC_GPUCACHE_ENV);
  const bool refresh = mode && !strcasecmp(mode, "refresh");

  if (doctor->loaded.status)
    return "the topology cannot be loaded";
  if (!doctor->loaded.log.is_enabled)
    return "hwloc does not use the plugin";
  if (patient->gpu->problem[0])
    return patient->gpu->problem;
  if (mode && !strcasecmp(mode, "off"))
    return "HWLOC_GPUCACHE=off";
  if (mode && !strcasecmp(mode, "cached"))
    return "HWLOC_GPUCACHE=cached forbids measuring, and there is no valid record";
  if (patient->has_failed && !refresh)
    return "measuring has failed";
  if (patient->no_library)
    return "the vendor's library cannot be loaded";
  if (doctor->no_command)
    return "the command that measures cannot be started";
  return doctor->no_dir ? "no record can be stored" : NULL;
}

static void name_bus(const struct gc_gpu *gpu, char *text, size_t size)
{
  *text = '\0';
  if (gpu->has_pci)
    snprintf(text, size, "%04x:%02x:%02x.%x", gpu->domain, gpu->bus, gpu->dev, gpu->func);
}

/* Whether the caches of this GPU will be shown. excused: they need not be. */
static bool check_caches(struct gc_doctor *doctor, const struct gc_patient *patient, bool excused)
{
  const struct gc_gpu *gpu = patient->gpu;
  const unsigned count = gc_loaded_elements(&doctor->loaded, gpu->identity.id);
  const char *remedy = "Correct what is not ok above, then run: " GC_TOOL_NAME " measure";
  const char *status, *why;
  char bus[32];

  name_bus(gpu, bus, sizeof bus);
  status = gc_loaded_status(&doctor->loaded, gpu->identity.id, bus);
  if (count) {
    gc_doctor_add(doctor, GC_LINK_OK, NULL, "%s: %u elements in the topology; status: %.400s",
                  gpu->name, count, status ? status : "none");
    return true;
  }
  why = hindrance(doctor, patient);
  if (!why && !status)
    why = "the topology has no status of this GPU";
  if (!why) {
    gc_doctor_add(doctor, GC_LINK_OK, NULL,
                  "%s: no valid record, and nothing was found that prevents the next load from "
                  "measuring this GPU",
                  gpu->name);
    return true;
  }
  if (excused)
    remedy = NULL;
  else if (!doctor->loaded.log.is_enabled)
    remedy = "Correct what is not ok above.";
  gc_doctor_add(doctor, excused ? GC_LINK_NOT_APPLICABLE : GC_LINK_NOT_OK, remedy,
                "%s: not in the topology: %s", gpu->name, why);
  return false;
}

void gc_link_caches(struct gc_doctor *doctor)
{
  unsigned shown = 0, missing = 0;
  bool all_hidden = true;

  gc_loaded_get(&doctor->loaded, doctor->tool, doctor->loader);
  for (size_t i = 0; i < doctor->gpus.count; i++)
    all_hidden &= doctor->gpus.array[i].visibility == GC_HIDDEN;
  for (size_t i = 0; i < doctor->gpus.count; i++) {
    /* a job may have some of the GPUs only */
    const bool excused = doctor->gpus.array[i].visibility == GC_HIDDEN && !all_hidden;

    if (gc_targets_is_repeated(&doctor->gpus, &doctor->gpus.array[i]))
      missing++;
    else if (check_caches(doctor, &doctor->patients[i], excused))
      shown++;
    else if (!excused)
      missing++;
  }
  doctor->is_shown = shown && !missing;
  if (!doctor->gpus.count)
    gc_doctor_add(doctor, GC_LINK_NOT_OK, "Correct what is not ok above.",
                  "there is no GPU whose caches could be shown");
}
