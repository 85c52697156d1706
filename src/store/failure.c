/* SPDX-License-Identifier: BSD-3-Clause */
/* A note has a few lines "word: value". It is valid for the same GPU, driver, program and
 * environment, because the environment may hide a GPU or a library. */
#include "config.h"

#define _GNU_SOURCE
#define HWLOC_GPUCACHE_KEYS_ONLY
#include "store/failure.h"

#include "store/dir.h"
#include "store/file.h"
#include "store/find.h"
#include "util/clock.h"
#include "util/env.h"
#include "util/hash.h"
#include "util/number.h"

#include <errno.h>
#include <fcntl.h>
#include <hwloc/gpucache.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FIRST_LINE "hwloc-gpucache failure 2\n"
#define MOST_BYTES 4096
/* The file has a note for each set of conditions, the newest first: ranks of a job differ in the
 * GPUs that they see. The oldest ones are dropped. */
#define MOST_NOTES 16
#define MOST_FILE_BYTES (MOST_NOTES * MOST_BYTES)
/* The clocks of machines that share a home directory may differ a little. */
#define SKEW_SECONDS 60

static const char *const kinds[] = {
  [GC_FAILURE_LASTS] = "lasts",
  [GC_FAILURE_PASSES] = "passes",
  [GC_FAILURE_KILLED] = "killed",
  [GC_FAILURE_HELD] = "held",
};

/* They say where a vendor's library is, which GPUs it shows, and how long a load may wait. */
static const enum gc_env_variable variables[] = {
  GC_ENV_LD_LIBRARY_PATH,      GC_ENV_CUDA_VISIBLE_DEVICES, GC_ENV_HIP_VISIBLE_DEVICES,
  GC_ENV_ROCR_VISIBLE_DEVICES, GC_ENV_GPU_DEVICE_ORDINAL,   GC_ENV_HSA_OVERRIDE_GFX_VERSION,
  GC_ENV_CUDA_DEVICE_ORDER,    GC_ENV_TIMEOUT,
};

/* The devices that a vendor's library opens first. A group, a container or a batch system may
 * grant or refuse access. */
static const char *const devices[] = {"/dev/nvidiactl", "/dev/kfd"};

uint64_t gc_store_hash_place(uint64_t hash, const char *root, const char *device)
{
  uint64_t place[3] = {0}; /* without padding, because its bytes are hashed */
  struct stat st;

  if (!stat(root, &st)) {
    place[0] = (uint64_t)st.st_dev;
    place[1] = (uint64_t)st.st_ino;
  }
  place[2] = !access(device, R_OK | W_OK);
  return gc_hash(hash, place, sizeof(place));
}

/* An unset variable and an empty one have different hashes. A container has another root. */
uint64_t gc_store_environment(void)
{
  uint64_t hash = GC_HASH_START;

  for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++) {
    const char *value = gc_env_get(variables[i]);

    hash = gc_hash(hash, value ? "\1" : "\2", 1);
    if (value)
      hash = gc_hash(hash, value, strlen(value));
  }
  for (size_t i = 0; i < sizeof(devices) / sizeof(*devices); i++)
    hash = gc_store_hash_place(hash, "/", devices[i]);
  return hash;
}

/* Appends a line. Line ends in the value are replaced, because they would make two lines. */
static size_t add_line(char *text, size_t length, const char *word, const char *value)
{
  size_t start;

  if (length >= MOST_BYTES)
    return length;
  length += (size_t)snprintf(text + length, MOST_BYTES - length, "%s: ", word);
  start = length;
  if (length < MOST_BYTES)
    length += (size_t)snprintf(text + length, MOST_BYTES - length, "%s\n", value);
  for (size_t i = start; i + 1 < length && i + 1 < MOST_BYTES; i++)
    if ((unsigned char)text[i] < ' ')
      text[i] = ' ';
  return length;
}

/* Everything that must be unchanged for the note to be valid. */
static size_t write_head(const struct gc_identity *identity, uint64_t environment, char *text)
{
  char hash[24];
  size_t length = (size_t)snprintf(text, MOST_BYTES, FIRST_LINE);

  snprintf(hash, sizeof(hash), "%016" PRIx64, environment);
  length = add_line(text, length, "id", identity->id);
  length = add_line(text, length, "driver", identity->driver);
  length = add_line(text, length, "vbios", identity->vbios);
  length = add_line(text, length, "mig", identity->mig);
  length = add_line(text, length, "format", GC_RECORD_FORMAT);
  length = add_line(text, length, "method", GC_RECORD_METHOD);
  length = add_line(text, length, "program", PACKAGE_VERSION);
  return add_line(text, length, "environment", hash);
}

/* Writes the note completely or not at all, in place of any other, and durably. */
static int put(int dir_fd, const char *dir, const char *id, const char *text, size_t length,
               struct gc_error *err)
{
  char name[GC_STORE_NAME], temporary[GC_FILE_NAME];
  int fd = gc_store_write_temporary(dir_fd, id, text, length, temporary), status = 0;

  snprintf(name, sizeof(name), "%s" GC_STORE_FAILED, id);
  if (fd < 0)
    return gc_store_unwritable(err, -fd, dir_fd, dir, "cannot write", name);
  if (renameat(dir_fd, temporary, dir_fd, name)) {
    status = gc_store_failed(err, errno, "cannot replace", dir, name);
    unlinkat(dir_fd, temporary, 0);
  } else {
    /* Some file systems cannot sync a directory; the file is in place nevertheless. */
    fsync(dir_fd);
  }
  close(fd);
  return status;
}

/* Takes the value of the next line and ends it with a NUL. NULL: the line has another word. */
static char *take_line(char **text, const char *word)
{
  size_t length = strlen(word);
  char *value = *text, *end = strchr(*text, '\n');

  if (!end || strncmp(value, word, length) || strncmp(value + length, ": ", 2))
    return NULL;
  *end = '\0';
  *text = end + 1;
  return value + length + 2;
}

static bool parse_kind(const char *word, enum gc_failure_kind *kind)
{
  for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
    if (!strcmp(word, kinds[i])) {
      *kind = (enum gc_failure_kind)i;
      return true;
    }
  return false;
}

static bool parse(char *text, struct gc_failure *failure)
{
  char *since = take_line(&text, "since"), *kind = take_line(&text, "kind"),
       *seconds = take_line(&text, "seconds"), *why = take_line(&text, "why");
  uint64_t number;

  if (!since || !kind || !seconds || !why || *text)
    return false;
  if (!gc_date_read(since, &failure->when) || !parse_kind(kind, &failure->kind) ||
      !gc_number_whole(seconds, &number) || number > GC_FAILURE_SECONDS)
    return false;
  failure->seconds = (long)number;
  snprintf(failure->since, sizeof(failure->since), "%s", since);
  snprintf(failure->why, sizeof(failure->why), "%s", why);
  return true;
}

/* Finds the note with this head and parses it. */
static bool find_note(char *text, const char *head, struct gc_failure *failure)
{
  const size_t length = strlen(head);
  const bool has_notes = !strncmp(text, FIRST_LINE, strlen(FIRST_LINE));

  for (char *at = has_notes ? text : NULL, *next; at; at = next) {
    next = strstr(at + 1, FIRST_LINE);
    if (strncmp(at, head, length))
      continue;
    if (next)
      *next = '\0';
    return parse(at + length, failure);
  }
  return false;
}

/* Appends the notes of the file that have another head, as far as there is room. Returns the new
 * length. */
static size_t add_others(int dir_fd, const char *dir, const char *name, const char *head,
                         char *text, size_t length)
{
  struct gc_store_text file;
  size_t count = 1;

  if (gc_store_load(dir_fd, dir, name, MOST_FILE_BYTES, &file, NULL))
    return length;
  for (char *at = strstr(file.bytes, FIRST_LINE), *next; at && count < MOST_NOTES; at = next) {
    size_t bytes;

    next = strstr(at + 1, FIRST_LINE);
    bytes = next ? (size_t)(next - at) : strlen(at);
    if (!strncmp(at, head, strlen(head)) || bytes >= MOST_BYTES)
      continue;
    memcpy(text + length, at, bytes);
    length += bytes;
    count++;
  }
  free(file.bytes);
  return length;
}

/* Reads the note, valid or not. 0 or -ENOENT. */
static int load(const struct gc_identity *identity, uint64_t environment,
                struct gc_failure *failure)
{
  char dir[PATH_MAX], name[GC_STORE_NAME], head[MOST_BYTES];
  struct gc_store_text text;
  int dir_fd, status = gc_store_check_id(identity->id, NULL);

  if (status)
    return -ENOENT;
  dir_fd = gc_store_open(dir, false, NULL);
  if (dir_fd < 0)
    return -ENOENT;
  snprintf(name, sizeof(name), "%s" GC_STORE_FAILED, identity->id);
  status = gc_store_load(dir_fd, dir, name, MOST_FILE_BYTES, &text, NULL);
  close(dir_fd);
  if (status)
    return -ENOENT;
  if (write_head(identity, environment, head) >= MOST_BYTES ||
      memchr(text.bytes, '\0', text.length) || !find_note(text.bytes, head, failure))
    status = -ENOENT;
  free(text.bytes);
  return status;
}

int gc_store_find_failure(const struct gc_identity *identity, uint64_t environment,
                          struct gc_failure *failure)
{
  long age;

  if (load(identity, environment, failure))
    return -ENOENT;
  age = (long)(time(NULL) - failure->when);
  return failure->seconds && age >= -SKEW_SECONDS && age < failure->seconds ? 0 : -ENOENT;
}

/* How long the note of a failure is valid. Many processes may fail at the same time, and a user may
 * try several times: only a failure after the end of an earlier note counts as another one. */
static long choose_seconds(const struct gc_identity *identity, uint64_t environment,
                           enum gc_failure_kind kind)
{
  struct gc_failure earlier;
  long age;

  if (kind == GC_FAILURE_LASTS)
    return GC_FAILURE_SECONDS;
  if (load(identity, environment, &earlier) || earlier.kind == GC_FAILURE_LASTS)
    return kind == GC_FAILURE_KILLED ? 0 : GC_PASSING_FAILURE_SECONDS;
  age = (long)(time(NULL) - earlier.when);
  if (age < -SKEW_SECONDS || age > earlier.seconds + GC_FAILURE_SECONDS)
    return kind == GC_FAILURE_KILLED ? 0 : GC_PASSING_FAILURE_SECONDS;
  if (!earlier.seconds)
    return GC_PASSING_FAILURE_SECONDS;
  if (age < earlier.seconds)
    return earlier.seconds;
  return earlier.seconds < GC_FAILURE_SECONDS / 2 ? 2 * earlier.seconds : GC_FAILURE_SECONDS;
}

/* Whether no load measures this GPU, because there is a record. */
static bool is_measured(const struct gc_identity *identity)
{
  struct gc_record *record;
  bool is_final;

  if (gc_store_find(identity, &record, NULL))
    return false;
  is_final = !gc_provisional_why(record);
  gc_record_free(record);
  return is_final;
}

int gc_store_remember_failure(const struct gc_identity *identity, uint64_t environment,
                              const char *why, enum gc_failure_kind kind,
                              struct gc_error *err)
{
  char dir[PATH_MAX], name[GC_STORE_NAME], head[MOST_BYTES], date[GC_DATE], seconds[32], *text;
  const bool moved = kind & GC_FAILURE_MOVED;
  const enum gc_failure_kind plain = (enum gc_failure_kind)(kind & ~GC_FAILURE_MOVED);
  size_t length;
  int dir_fd, status = gc_store_check_id(identity->id, err);

  if (status)
    return status;
  text = malloc(MOST_FILE_BYTES);
  if (!text)
    return gc_fail(err, -ENOMEM, "out of memory");
  gc_date_write(time(NULL), date);
  write_head(identity, environment, head);
  length = write_head(identity, environment, text);
  length = add_line(text, length, "since", date);
  length = add_line(text, length, "kind", kinds[plain]);
  snprintf(seconds, sizeof(seconds), "%ld", choose_seconds(identity, environment, plain));
  length = add_line(text, length, "seconds", seconds);
  length = add_line(text, length, "why", why);
  if (length >= MOST_BYTES) {
    status = gc_fail(err, -E2BIG, "the note about %s is too long", identity->id);
    goto out;
  }
  status = dir_fd = gc_store_open(dir, true, err);
  if (dir_fd < 0)
    goto out;
  snprintf(name, sizeof(name), "%s" GC_STORE_FAILED, identity->id);
  length = add_others(dir_fd, dir, name, head, text, length);
  status = put(dir_fd, dir, identity->id, text, length, err);
  /* Another process may have stored a record meanwhile. It removes a note that it finds; so this
   * process looks for the record after it has written the note. */
  if (!status && !moved && is_measured(identity))
    unlinkat(dir_fd, name, 0);
  close(dir_fd);
out:
  free(text);
  return status;
}

bool gc_store_has_failure(const char *id)
{
  char dir[PATH_MAX], name[GC_STORE_NAME];
  struct stat st;
  bool has;
  int fd;

  if (gc_store_check_id(id, NULL) || (fd = gc_store_open(dir, false, NULL)) < 0)
    return false;
  snprintf(name, sizeof(name), "%s" GC_STORE_FAILED, id);
  has = !fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW);
  close(fd);
  return has;
}

int gc_store_forget_failure(const char *id, struct gc_error *err)
{
  return gc_store_unlink(id, GC_STORE_FAILED, err);
}
