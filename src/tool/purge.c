/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * hwloc-gpucache purge: forgets what was measured. Only records in the caller's own directory are
 * removed; a record may outlive its GPU, so a record id is a good name even when no GPU has it, or there is
 * none at all. With a record goes the note of a measurement that failed. With all of them go all notes, and locks that nobody
 * holds. What was set aside may be somebody's: it is named and stays.
 */
#include "tool/tool.h"

#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file ID.xml. */
struct file {
  char id[sizeof ((struct gc_identity *)0)->id];
  char *path;
  bool record;
  int error; /* of reading it; 0: it was read, and so is no record */
};

struct purge {
  struct file *files;
  size_t count;
};

/* Whether this is a record of that id: others may keep XML files in the directory, too. */
static void examine(struct file *file)
{
  int fd = open(file->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  struct gc_record *record = NULL;
  struct stat st;
  char *text;

  if (fd < 0) {
    file->error = errno == ELOOP ? 0 : errno; /* a link is none */
    return;
  }
  if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0 &&
      st.st_size <= (off_t)GC_RECORD_MAX_BYTES) {
    text = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (text != MAP_FAILED) {
      file->record = !gc_record_read_xml(text, (size_t)st.st_size, &record, NULL) &&
                     !strcmp(record->identity.id, file->id);
      gc_record_free(record);
      munmap(text, (size_t)st.st_size);
    } else {
      file->error = errno;
    }
  }
  close(fd);
}

static int note(const char *id, const char *path, void *data)
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
  examine(file);
  return 0;
}

static const struct file *find(const struct purge *purge, const char *id)
{
  for (size_t i = 0; i < purge->count; i++)
    if (!strcmp(purge->files[i].id, id))
      return &purge->files[i];
  return NULL;
}

/* Whether there is something to forget, or to tell, under this id. */
static bool is_known(const struct purge *purge, const char *id)
{
  return find(purge, id) || gc_store_has_failure(id) || gc_store_has_site(id);
}

/* Whether this is an id as GPUs have it: where it can be, measuring ends what is in the record's place. */
static bool is_of_gpu(const char *id)
{
  return !strncmp(id, "GPU-", 4) || !strncmp(id, "pci-", 4) || !strncmp(id, "sim-", 4);
}

/* What of it is asked for, and cannot be had, is a failure. */
static int leave_alone(const struct file *file, bool asked)
{
  if (file->error)
    gc_say(NULL, "left alone, because it cannot be read, and may be no record: %s: %s", file->path,
           strerror(file->error));
  else
    gc_say(NULL, "left alone, because it is not a record%s: %s",
           is_of_gpu(file->id) ? " (measuring that GPU sets it aside)" : "", file->path);
  return asked || file->error ? GC_EXIT_FAILED : GC_EXIT_DONE;
}

static void say_forgotten(const char *id)
{
  printf("forgot that measuring %s failed\n", id);
}

/* asked: by its id, and not as one of all, or of all simulated GPUs. */
static int remove_one(const struct purge *purge, const char *id, bool asked)
{
  const struct file *file = find(purge, id);
  struct gc_error err = {""};
  int status;

  if (file && !file->record) {
    status = leave_alone(file, asked);
    if (!gc_store_forget_failure(id, NULL))
      say_forgotten(id);
    return status;
  }
  status = gc_store_remove(id, &err);
  if (!status)
    printf("removed the record %s\n", id);
  else if (status == -ENOENT && gc_store_has_site(id))
    printf("there is no record %s of yours; the site's stays: %s/%s.xml\n", id, gc_store_site_dir(), id);
  else if (status == -ENOENT)
    printf("there is no record %s\n", id);
  else
    gc_say(NULL, "%s", err.text);
  if (!gc_store_forget_failure(id, NULL))
    say_forgotten(id);
  return status && status != -ENOENT ? GC_EXIT_FAILED : GC_EXIT_DONE;
}

/* The records of the GPUs that were named. */
static int remove_named(const struct gc_tool *tool, const struct purge *purge)
{
  struct gc_tool rest = *tool;
  struct gc_targets targets;
  int status = GC_EXIT_DONE, found;

  /* words that name a record need no GPU */
  rest.words = calloc(tool->count + 1, sizeof *rest.words);
  rest.count = 0;
  rest.of_records = true;
  if (!rest.words) {
    gc_say(NULL, "out of memory");
    return GC_EXIT_FAILED;
  }
  for (size_t i = 0; i < tool->count; i++)
    if (!is_known(purge, tool->words[i]))
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
    if (is_known(purge, tool->words[i]))
      status = gc_worse(status, remove_one(purge, tool->words[i], true));
  free(rest.words);
  return status;
}

static void name_aside(const char *path, void *data)
{
  (void)data;
  gc_say(NULL, "left alone, because it was in a record's place and was not one: %s", path);
}

static void count_forgotten(const char *id, void *data)
{
  size_t *forgotten = data;

  say_forgotten(id);
  ++*forgotten;
}

/* All records, and what is of no use without them. */
static int remove_all(const struct purge *purge)
{
  size_t forgotten = 0, records = 0;
  const struct gc_store_broom broom = {name_aside, count_forgotten, &forgotten};
  int status = GC_EXIT_DONE;
  struct gc_error err = {""};

  for (size_t i = 0; i < purge->count; i++) {
    const struct file *file = &purge->files[i];

    records += file->record || file->error;
    status = gc_worse(status, file->record ? remove_one(purge, file->id, false) : leave_alone(file, false));
  }
  if (gc_store_tidy(&broom, &err)) {
    gc_say(NULL, "%s", err.text);
    status = GC_EXIT_FAILED;
  }
  if (!records && !forgotten)
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
