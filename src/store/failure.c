/* SPDX-License-Identifier: BSD-3-Clause */
/* Failed measurements, remembered for a while: a note of a few lines "word: value" beside the records.
 * It counts for the very GPU, driver and program that it was made with, and in the same environment,
 * because that may hide a GPU or a library. */
#include "config.h"

#define _GNU_SOURCE
#define HWLOC_GPUCACHE_KEYS_ONLY
#include "store/dir.h"

#include "util/hash.h"

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

#define FORM "hwloc-gpucache failure 1\n"
#define MOST_BYTES 4096
#define DATE "%Y-%m-%dT%H:%M:%SZ"
/* Clocks of machines that share a home may differ a little. */
#define SKEW_SECONDS 60

/* Where a vendor's library is found, and which GPUs it shows; how long a load may wait. */
static const char *const circumstances[] = {
  "LD_LIBRARY_PATH",     "CUDA_VISIBLE_DEVICES",     "HIP_VISIBLE_DEVICES",
  "ROCR_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL",       "HSA_OVERRIDE_GFX_VERSION",
  HWLOC_GPUCACHE_TIMEOUT_ENV,
};

/* What a vendor's library opens first: a group, a container or a batch system may grant or refuse it. */
static const char *const devices[] = {"/dev/nvidiactl", "/dev/kfd"};

uint64_t gc_store_hash_place(uint64_t hash, const char *root, const char *device)
{
  uint64_t place[3] = {0}; /* a hash of its bytes: no padding */
  struct stat st;

  if (!stat(root, &st)) {
    place[0] = (uint64_t)st.st_dev;
    place[1] = (uint64_t)st.st_ino;
  }
  place[2] = !access(device, R_OK | W_OK);
  return gc_hash(hash, place, sizeof(place));
}

/* An unset variable is told from an empty one. A container has another root. */
uint64_t gc_store_environment(void)
{
  uint64_t hash = GC_HASH_START;

  for (size_t i = 0; i < sizeof(circumstances) / sizeof(*circumstances); i++) {
    const char *value = secure_getenv(circumstances[i]);

    hash = gc_hash(hash, value ? "\1" : "\2", 1);
    if (value)
      hash = gc_hash(hash, value, strlen(value));
  }
  for (size_t i = 0; i < sizeof(devices) / sizeof(*devices); i++)
    hash = gc_store_hash_place(hash, "/", devices[i]);
  return hash;
}

/* One line; a value that has line ends would make two. */
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

/* All that must be the same for the note to count, and whether it passes by itself. */
static size_t write_head(const struct gc_identity *identity, uint64_t environment, char *text)
{
  char hash[24];
  size_t length = (size_t)snprintf(text, MOST_BYTES, FORM);

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

int gc_store_remember_failure(const struct gc_identity *identity, uint64_t environment,
                              const char *why, bool passing, struct gc_error *err)
{
  char dir[PATH_MAX], text[MOST_BYTES], date[32];
  time_t now = time(NULL);
  struct tm tm;
  size_t length;
  int dir_fd, status = gc_store_check_id(identity->id, err);

  if (status)
    return status;
  strftime(date, sizeof(date), DATE, gmtime_r(&now, &tm));
  length = write_head(identity, environment, text);
  length = add_line(text, length, "since", date);
  length = add_line(text, length, "passing", passing ? "yes" : "no");
  length = add_line(text, length, "why", why);
  if (length >= MOST_BYTES)
    return gc_fail(err, -E2BIG, "too much to remember of %s", identity->id);
  dir_fd = gc_store_open(dir, true, err);
  if (dir_fd < 0)
    return dir_fd;
  status = gc_store_put(dir_fd, dir, identity->id, GC_STORE_FAILED, text, length, err);
  close(dir_fd);
  return status;
}

/* The value of the next line, which must be of this word; NULL: it is not. Ends it with a NUL. */
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

static bool parse(char *text, struct gc_failure *failure)
{
  char *since = take_line(&text, "since"), *passing = take_line(&text, "passing"),
       *why = take_line(&text, "why"), *end;
  struct tm tm = { 0 };

  if (!since || !passing || !why || *text)
    return false;
  end = strptime(since, DATE, &tm);
  if (!end || *end)
    return false;
  failure->when = timegm(&tm);
  failure->passing = !strcmp(passing, "yes");
  snprintf(failure->since, sizeof(failure->since), "%s", since);
  snprintf(failure->why, sizeof(failure->why), "%s", why);
  return true;
}

static bool is_recent(const struct gc_failure *failure)
{
  const long age = (long)(time(NULL) - failure->when);

  return age >= -SKEW_SECONDS &&
         age < (failure->passing ? GC_PASSING_FAILURE_SECONDS : GC_FAILURE_SECONDS);
}

int gc_store_find_failure(const struct gc_identity *identity, uint64_t environment,
                          struct gc_failure *failure)
{
  char dir[PATH_MAX], name[GC_STORE_NAME], head[MOST_BYTES], *text = NULL;
  size_t head_length, length = 0;
  int dir_fd, status = gc_store_check_id(identity->id, NULL);

  if (status)
    return -ENOENT;
  dir_fd = gc_store_open(dir, false, NULL);
  if (dir_fd < 0)
    return -ENOENT;
  snprintf(name, sizeof(name), "%s" GC_STORE_FAILED, identity->id);
  status = gc_store_load(dir_fd, dir, name, MOST_BYTES, &text, &length, NULL);
  close(dir_fd);
  if (status)
    return -ENOENT;
  head_length = write_head(identity, environment, head);
  if (head_length >= MOST_BYTES || length < head_length || memcmp(text, head, head_length) ||
      memchr(text, '\0', length) || !parse(text + head_length, failure) || !is_recent(failure))
    status = -ENOENT;
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
