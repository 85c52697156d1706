/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * hwloc-gpucache purge: removes records, in the caller's own directory only. A record may outlive
 * its GPU, so a record id is accepted even when no GPU has it. The note of a failed measurement is
 * removed with the record. When all records are removed, so are all notes, and all locks that
 * nobody holds. Files that were renamed because they were not records stay, and their names are
 * printed.
 */
#include "tool/commands.h"

#include "gpus/remember_dir.h"
#include "store/store.h"
#include "tool/gpus/targets.h"
#include "tool/print/messages.h"
#include "util/regular.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A file ID.xml. */
struct file {
  char id[sizeof ((struct gc_identity *)0)->id];
  char *path;
  bool record;
  int error; /* errno of reading it; 0: it was read */
};

struct purge {
  struct file *files;
  size_t count;
};

/* Checks whether the file is a record of that id: other XML files may be in the directory, too. */
static void examine(int dir_fd, struct file *file)
{
  char name[sizeof file->id + 8], *text;
  struct gc_record *record = NULL;
  uint64_t size;
  size_t length;
  int fd, status;

  snprintf(name, sizeof name, "%s.xml", file->id);
  fd = status = gc_regular_open_in(dir_fd, name, &size);
  if (fd >= 0) {
    status = gc_regular_read(fd, GC_RECORD_MAX_BYTES, &text, &length);
    close(fd);
  }
  if (status) { /* others are no records */
    file->error = status == -EBADMSG || status == -EISDIR || status == -ELOOP || status == -EFBIG
                      ? 0
                      : -status;
    return;
  }
  file->record = !gc_record_read_xml(text, length, &record, NULL) &&
                 !strcmp(record->identity.id, file->id);
  gc_record_free(record);
  free(text);
}

static int note(int dir_fd, const char *id, const char *path, void *data)
{
  struct purge *purge = data;
  struct file *more = realloc(purge->files, (purge->count + 1) * sizeof *more), *file;

  if (!more)
    return -ENOMEM;
  purge->files = more;
  file = &more[purge->count];
  *file = (struct file){.path = strdup(path)};
  if (!file->path)
    return -ENOMEM;
  purge->count++;
  snprintf(file->id, sizeof file->id, "%s", id);
  examine(dir_fd, file);
  return 0;
}

static const struct file *find(const struct purge *purge, const char *id)
{
  for (size_t i = 0; i < purge->count; i++)
    if (!strcmp(purge->files[i].id, id))
      return &purge->files[i];
  return NULL;
}

/* Whether there is something to remove, or a record of the site, with this id. */
static bool is_stored(const struct purge *purge, const char *id)
{
  return find(purge, id) || gc_store_has_failure(id) || gc_store_has_site(id);
}

/* Whether a GPU may have this id: measuring it would rename the file. */
static bool is_of_gpu(const char *id)
{
  return !strncmp(id, "GPU-", 4) || !strncmp(id, "pci-", 4) || !strncmp(id, "sim-", 4);
}

/* asked: the user has named it, so not removing it is a failure. */
static int leave_alone(const struct file *file, bool asked)
{
  if (file->error)
    gc_say(NULL, "not removed, because it cannot be read and may not be a record: %s: %s",
           file->path, strerror(file->error));
  else
    gc_say(NULL, "not removed, because it is not a record%s: %s",
           is_of_gpu(file->id) ? " (measuring that GPU renames it)" : "", file->path);
  return asked || file->error ? GC_EXIT_FAILED : GC_EXIT_DONE;
}

static void say_note_removed(const char *id)
{
  printf("removed the note that measuring %s failed\n", id);
}

/* asked: the user has named it, not all records or all simulated GPUs. */
static int remove_one(const struct purge *purge, const char *id, bool asked)
{
  const struct file *file = find(purge, id);
  struct gc_error err = {""};
  int status;

  if (file && !file->record) {
    status = leave_alone(file, asked);
    if (!gc_store_forget_failure(id, NULL))
      say_note_removed(id);
    return status;
  }
  status = gc_store_remove(id, &err);
  if (!status)
    printf("removed the record %s\n", id);
  else if (status == -ENOENT && gc_store_has_site(id))
    printf("you have no record %s; the site's record stays: %s/%s.xml\n", id, gc_store_site_dir(),
           id);
  else if (status == -ENOENT)
    printf("there is no record %s\n", id);
  else
    gc_say(NULL, "%s", err.text);
  if (!gc_store_forget_failure(id, NULL))
    say_note_removed(id);
  return status && status != -ENOENT ? GC_EXIT_FAILED : GC_EXIT_DONE;
}

/* Removes the records of the named GPUs. */
static int remove_named(const struct gc_tool *tool, const struct purge *purge)
{
  struct gc_tool rest = *tool;
  struct gc_targets targets;
  int status = GC_EXIT_DONE, found;

  /* words that name a record need no GPU */
  rest.words = calloc(tool->count + 1, sizeof *rest.words);
  rest.count = 0;
  rest.of_records = true;
  if (!rest.words)
    return gc_no_memory();
  for (size_t i = 0; i < tool->count; i++)
    if (!is_stored(purge, tool->words[i]))
      rest.words[rest.count++] = tool->words[i];
  if (rest.count || !tool->count) {
    found = gc_targets_find(&rest, &targets);
    if (found != GC_EXIT_DONE) {
      free(rest.words);
      return found; /* nothing is removed when a name is wrong */
    }
    for (size_t i = 0; i < targets.count; i++)
      status = gc_worse(status, remove_one(purge, targets.chosen[i]->identity.id, tool->count > 0));
    gc_targets_free(&targets);
  }
  for (size_t i = 0; i < tool->count; i++)
    if (is_stored(purge, tool->words[i]))
      status = gc_worse(status, remove_one(purge, tool->words[i], true));
  free(rest.words);
  return status;
}

static void name_aside(const char *path, void *data)
{
  (void)data;
  gc_say(NULL, "not removed, because it may be needed; it was in the place of a record: %s", path);
}

static void count_note(const char *id, void *data)
{
  size_t *notes = data;

  say_note_removed(id);
  ++*notes;
}

/* Removes all records, and the notes and locks that are useless without them. */
static int remove_all(const struct purge *purge)
{
  size_t notes = 0, records = 0;
  const struct gc_store_tidy_report report = {name_aside, count_note, &notes};
  int status = GC_EXIT_DONE;
  struct gc_error err = {""};

  for (size_t i = 0; i < purge->count; i++) {
    const struct file *file = &purge->files[i];

    records += file->record || file->error;
    status = gc_worse(status,
                      file->record ? remove_one(purge, file->id, false) : leave_alone(file, false));
  }
  if (gc_store_tidy(&report, &err)) {
    gc_say(NULL, "%s", err.text);
    status = GC_EXIT_FAILED;
  }
  gc_remember_tidy();
  if (!records && !notes)
    printf("there are no records to remove\n");
  return status;
}

int gc_tool_purge(const struct gc_tool *tool)
{
  struct purge purge = {0};
  struct gc_error err = {""};
  char dir[4096];
  int status = gc_store_dir(dir, sizeof dir, &err);

  if (!status)
    status = gc_store_each(note, &purge, &err);
  if (status) {
    gc_say(NULL, "%s", err.text[0] ? err.text : strerror(-status));
    status = GC_EXIT_FAILED;
  } else if (tool->count || (tool->sims && !tool->all)) {
    status = remove_named(tool, &purge);
  } else {
    status = remove_all(&purge);
  }
  for (size_t i = 0; i < purge.count; i++)
    free(purge.files[i].path);
  free(purge.files);
  return status;
}
