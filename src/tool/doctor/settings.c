/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Links: what the environment of the user switches off, and what a program does.
 */
#include "tool/doctor/links.h"

#include "tool/process/environment.h"

#include <hwloc/gpucache.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NAME "gpucache"

/* The word of HWLOC_COMPONENTS that keeps hwloc from using our component, or NULL. A word is
 * "name",
 * "-name" or "stop"; phases may follow a colon. hwloc reads the words from left to right. */
static const char *excluding_word(char *list)
{
  char *rest = list, *word;

  while ((word = strsep(&rest, ","))) {
    const size_t length = strcspn(word, ":"), skip = *word == '-';

    if (!strcmp(word, "stop"))
      return word;
    if (length == skip + strlen(NAME) && !strncmp(word + skip, NAME, strlen(NAME)))
      return skip ? word : NULL;
  }
  return NULL;
}

void gc_link_components(struct gc_doctor *doctor)
{
  const char *value = gc_environment_user("HWLOC_COMPONENTS"), *word;
  char list[400];

  if (!value || !*value) {
    gc_doctor_add(doctor, GC_LINK_OK, NULL, "HWLOC_COMPONENTS is not set");
    return;
  }
  snprintf(list, sizeof list, "%s", value);
  word = excluding_word(list);
  if (!word)
    gc_doctor_add(doctor, GC_LINK_OK, NULL, "HWLOC_COMPONENTS=%.300s does not exclude " NAME,
                  value);
  else if (*word == '-')
    gc_doctor_add(doctor, GC_LINK_NOT_OK, "Remove -" NAME " from HWLOC_COMPONENTS.",
                  "HWLOC_COMPONENTS=%.300s excludes " NAME, value);
  else
    gc_doctor_add(doctor, GC_LINK_NOT_OK, "Add " NAME " before stop in HWLOC_COMPONENTS.",
                  "HWLOC_COMPONENTS=%.300s excludes " NAME, value);
}

void gc_link_mode(struct gc_doctor *doctor)
{
  const char *mode = gc_environment_user(HWLOC_GPUCACHE_ENV);

  if (!mode || !*mode)
    gc_doctor_add(doctor, GC_LINK_OK, NULL, "not set: a load uses records, and measures if needed");
  else if (!strcasecmp(mode, "off"))
    gc_doctor_add(doctor, GC_LINK_NOT_OK, "Run: unset HWLOC_GPUCACHE", "off: loads do nothing");
  else if (!strcasecmp(mode, "cached"))
    gc_doctor_add(doctor, GC_LINK_OK, NULL, "cached: a load uses records, and never measures");
  else if (!strcasecmp(mode, "auto") || !strcasecmp(mode, "refresh"))
    gc_doctor_add(doctor, GC_LINK_OK, NULL, "%s", mode);
  else
    gc_doctor_add(doctor, GC_LINK_OK, "Set HWLOC_GPUCACHE to auto, cached, refresh or off.",
                  "%.60s is unknown, so it means auto", mode);
}

void gc_link_this_system(struct gc_doctor *doctor)
{
  static const char *const inputs[] = {"HWLOC_XMLFILE", "HWLOC_SYNTHETIC"};
  const char *this = gc_environment_user("HWLOC_THISSYSTEM");
  const char *root = gc_environment_user("HWLOC_FSROOT");
  const char *cpuid = gc_environment_user("HWLOC_CPUID_PATH"), *value;
  char remedy[80];

  /* hwloc ignores them if one of these variables is set */
  const bool are_used = !gc_environment_user("HWLOC_COMPONENTS") && !root && !cpuid;

  for (size_t i = 0; are_used && i < sizeof inputs / sizeof *inputs; i++) {
    if (!(value = gc_environment_user(inputs[i])) || !*value)
      continue;
    snprintf(remedy, sizeof remedy, "Run: unset %s", inputs[i]);
    gc_doctor_add(doctor, GC_LINK_NOT_OK, remedy,
                  "%s=%.300s: hwloc loads another topology than that of this system", inputs[i],
                  value);
    return;
  }
  if (this && !atoi(this))
    gc_doctor_add(doctor, GC_LINK_NOT_OK, "Run: unset HWLOC_THISSYSTEM",
                  "HWLOC_THISSYSTEM=%.40s says that the topology is not that of this system", this);
  else if (!this && root && *root && strcmp(root, "/"))
    gc_doctor_add(doctor, GC_LINK_NOT_OK, "Run: export HWLOC_THISSYSTEM=1, or unset HWLOC_FSROOT",
                  "HWLOC_FSROOT=%.300s: hwloc takes this for another system", root);
  else if (!this && cpuid)
    gc_doctor_add(doctor, GC_LINK_NOT_OK, "Run: unset HWLOC_CPUID_PATH",
                  "HWLOC_CPUID_PATH=%.300s: hwloc takes this for another system", cpuid);
  else
    gc_doctor_add(doctor, GC_LINK_OK, NULL, "the topology is that of %.300s%s",
                  root && *root ? root : "this system",
                  root && *root ? ", declared as this system" : "");
}

void gc_link_filter(struct gc_doctor *doctor)
{
  if (doctor->tool->python)
    gc_doctor_add(doctor, GC_LINK_OK, NULL,
                  "this check keeps OS devices; your program sees them only if it calls "
                  "from_this_system().set_io_types_filter(TypeFilter.KEEP_IMPORTANT), because "
                  "hwloc's default is KEEP_NONE");
  else
    gc_doctor_add(doctor, GC_LINK_OK, NULL,
                  "lstopo keeps OS devices; another program sees them only if it calls "
                  "hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_IMPORTANT), "
                  "because hwloc's default is KEEP_NONE");
}
