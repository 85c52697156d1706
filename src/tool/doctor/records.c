/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Links: what is stored about each GPU, and whether a load can measure and store more.
 */
#include "tool/doctor/links.h"

#include "store/store.h"
#include "tool/gpus/earlier_record.h"
#include "tool/process/environment.h"
#include "util/clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void gc_link_command(struct gc_doctor *doctor)
{
  const char *named = secure_getenv("HWLOC_GPUCACHE_TOOL");
  const char *path = named && *named ? named : GC_BINDIR "/" GC_TOOL_NAME;

  if (!access(path, X_OK)) {
    gc_doctor_add(doctor, GC_LINK_OK, NULL, "loads measure with %.700s", path);
    return;
  }
  doctor->no_command = true;
  gc_doctor_add(doctor, GC_LINK_NOT_OK,
                named && *named
                    ? "Correct or unset HWLOC_GPUCACHE_TOOL."
                    : "Install the command there, or set HWLOC_GPUCACHE_TOOL to its path.",
                "a load cannot start %.600s: %s", path, strerror(errno));
}

/* The id of a file that tests whether the directory can be written. */
static const char *test_id(const struct gc_doctor *doctor)
{
  return doctor->gpus.count && doctor->gpus.array[0].identity.id[0]
             ? doctor->gpus.array[0].identity.id
             : "doctor";
}

void gc_link_dir(struct gc_doctor *doctor)
{
  struct gc_error err = {""};
  char dir[PATH_MAX];

  if (gc_store_check(test_id(doctor), &err)) {
    doctor->no_dir = true;
    gc_doctor_add(doctor, GC_LINK_NOT_OK,
                  "Run: export HWLOC_GPUCACHE_DIR=DIRECTORY, with one that you can write.",
                  "no record can be stored: %s", err.text);
  } else if (!gc_store_dir(dir, sizeof dir, &err)) {
    gc_doctor_add(doctor, GC_LINK_OK, NULL, "new records are stored in %.600s%s%s", dir,
                  gc_store_ignored() ? "; " : "", gc_store_ignored() ? gc_store_ignored() : "");
  }
}

void gc_link_site(struct gc_doctor *doctor)
{
  const char *dir = gc_store_site_dir();
  char names[300] = "";

  for (size_t i = 0; i < doctor->gpus.count; i++) {
    const struct gc_gpu *gpu = &doctor->gpus.array[i];
    const size_t used = strlen(names);

    if (gc_store_has_site(gpu->identity.id))
      snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", gpu->name);
  }
  if (*names)
    gc_doctor_add(doctor, GC_LINK_OK, NULL, "%.500s has records of %s", dir, names);
  else
    gc_doctor_add(doctor, GC_LINK_NOT_APPLICABLE, NULL, "%.500s has no record of these GPUs%s", dir,
                  access(dir, F_OK) && errno != ENOENT ? ", or cannot be read" : "");
}

/* No record is no fault: the next load measures. If the GPU cannot be measured, other links say
 * why. */
static void report_none(struct gc_doctor *doctor, const struct gc_gpu *gpu)
{
  gc_doctor_add(doctor, GC_LINK_NOT_APPLICABLE, NULL, "%s: there is no record%s", gpu->name,
                gpu->problem[0] ? "" : " yet; a load makes it, or the command measure");
}

static void check_record(struct gc_doctor *doctor, const struct gc_gpu *gpu)
{
  struct gc_record *record = NULL;
  struct gc_error err = {""};
  char why[400];
  int status = gc_store_find(&gpu->identity, &record, &err);

  if (!status) {
    gc_keep_describe(record, why, sizeof why);
    gc_doctor_add(doctor, GC_LINK_OK, NULL, "%s: valid, measured %s%s%s", gpu->name,
                  gc_keep_date(record), *why ? "; " : "", why);
  } else if (status == -ENOENT) {
    report_none(doctor, gpu);
  } else if (status == -ESTALE) {
    snprintf(why, sizeof why, "Run: " GC_TOOL_NAME " measure %s", gpu->name);
    gc_doctor_add(doctor, GC_LINK_NOT_OK, why, "%s: stale: %s", gpu->name, err.text);
  } else {
    gc_doctor_add(doctor, GC_LINK_NOT_OK,
                  status == -EBADMSG
                      ? "Run: " GC_TOOL_NAME " measure (the file is renamed, not lost)"
                      : "Correct the owner and the mode of the file and its directory, "
                        "or remove the file.",
                  "%s: unreadable: %s", gpu->name, err.text);
  }
  gc_record_free(record);
}

static bool has_gpu(struct gc_doctor *doctor)
{
  if (!doctor->gpus.count)
    gc_doctor_add(doctor, GC_LINK_NOT_APPLICABLE, NULL, "there is no GPU");
  return doctor->gpus.count > 0;
}

void gc_link_record(struct gc_doctor *doctor)
{
  if (!has_gpu(doctor))
    return;
  for (size_t i = 0; i < doctor->gpus.count; i++)
    if (doctor->gpus.array[i].identity.id[0])
      check_record(doctor, &doctor->gpus.array[i]);
}

void gc_link_failure(struct gc_doctor *doctor)
{
  struct gc_failure failure;
  bool has_any = false;
  char when[GC_DATE] = "", remedy[80];
  time_t next;

  if (!has_gpu(doctor))
    return;
  for (size_t i = 0; i < doctor->gpus.count; i++) {
    const struct gc_gpu *gpu = &doctor->gpus.array[i];

    if (gc_store_find_failure(&gpu->identity, gc_store_environment(), &failure))
      continue;
    has_any = doctor->patients[i].has_failed = true;
    next = failure.when + failure.seconds;
    gc_date_write(next, when);
    snprintf(remedy, sizeof remedy, "Run: " GC_TOOL_NAME " measure %s", gpu->name);
    gc_doctor_add(doctor, GC_LINK_NOT_OK, remedy,
                  "%s: measuring failed %ld minutes ago (%s): %s; loads try again from %s on",
                  gpu->name, (long)(time(NULL) - failure.when) / 60, failure.since, failure.why,
                  when);
  }
  if (!has_any)
    gc_doctor_add(doctor, GC_LINK_OK, NULL, "no failed measurement is noted");
}
