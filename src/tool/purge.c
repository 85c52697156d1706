/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * hwloc-gpucache purge: forgets what was measured. Only records in the caller's own directory are
 * removed; a record may outlive its GPU, so a record id is a good name even when no GPU has it. With a
 * record goes the note of a measurement that failed. With all of them go all notes, and locks that nobody
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

struct purge {
  char (*ids)[sizeof ((struct gc_identity *)0)->id];
  size_t count;
};

/* Whether this file is a record of that id: others may keep XML files in the directory, too. */
static bool is_record(const char *id, const char *path)
{
  int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  struct gc_record *record = NULL;
  bool good = false;
  struct stat st;
  char *text;

  if (fd < 0)
    return false;
  if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0 &&
      st.st_size <= (off_t)GC_RECORD_MAX_BYTES) {
    text = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (text != MAP_FAILED) {
      good = !gc_record_read_xml(text, (size_t)st.st_size, &record, NULL) &&
             !strcmp(record->identity.id, id);
      gc_record_free(record);
      munmap(text, (size_t)st.st_size);
    }
  }
  close(fd);
  return good;
}

static int note(const char *id, const char *path, void *data)
{
  struct purge *purge = data;
  void *more;

  if (!is_record(id, path)) {
    gc_say(NULL, "left alone, because it is not a record: %s", path);
    return 0;
  }
  more = realloc(purge->ids, (purge->count + 1) * sizeof *purge->ids);
  if (!more)
    return -ENOMEM;
  purge->ids = more;
  snprintf(purge->ids[purge->count++], sizeof *purge->ids, "%s", id);
  return 0;
}

static bool has_record(const struct purge *purge, const char *id)
{
  for (size_t i = 0; i < purge->count; i++)
    if (!strcmp(purge->ids[i], id))
      return true;
  return false;
}

static void say_forgotten(const char *id)
{
  printf("forgot that measuring %s failed\n", id);
}

static int remove_one(const char *id)
{
  struct gc_error err = {""};
  int status = gc_store_remove(id, &err);

  if (!status)
    printf("removed the record %s\n", id);
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
  if (!rest.words) {
    gc_say(NULL, "out of memory");
    return GC_EXIT_FAILED;
  }
  for (size_t i = 0; i < tool->count; i++)
    if (!has_record(purge, tool->words[i]))
      rest.words[rest.count++] = tool->words[i];
  if (rest.count || !tool->count) {
    found = gc_targets_find(&rest, &targets);
    if (found != GC_EXIT_DONE) {
      free(rest.words);
      return found; /* nothing is removed when a name is wrong */
    }
    for (size_t i = 0; i < targets.count; i++)
      status = gc_worse(status, remove_one(targets.chosen[i]->identity.id));
    gc_targets_free(&targets);
  }
  for (size_t i = 0; i < tool->count; i++)
    if (has_record(purge, tool->words[i]))
      status = gc_worse(status, remove_one(tool->words[i]));
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
  size_t forgotten = 0;
  const struct gc_store_broom broom = {name_aside, count_forgotten, &forgotten};
  int status = GC_EXIT_DONE;
  struct gc_error err = {""};

  for (size_t i = 0; i < purge->count; i++)
    status = gc_worse(status, remove_one(purge->ids[i]));
  if (gc_store_tidy(&broom, &err)) {
    gc_say(NULL, "%s", err.text);
    status = GC_EXIT_FAILED;
  }
  if (!purge->count && !forgotten)
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
  free(purge.ids);
  return status;
}
