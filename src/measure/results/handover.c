/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes and reads results as a file.
 */
#include "measure/results/handover.h"

#include "util/file.h"
#include "util/hash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Both processes run the same program, so the file contains the structs themselves. The hash
 * distinguishes it from other data, and the size from the files of most other builds. */
struct image {
  char magic[16];
  uint64_t bytes, hash;
  struct gc_identity identity;
  struct gc_results results;
};

static const char magic[16] = "gpucache results";

static uint64_t hash_of(const struct image *image)
{
  return gc_hash(gc_hash(GC_HASH_START, &image->identity, sizeof(image->identity)), &image->results,
                 sizeof(image->results));
}

int gc_results_write(int fd, const struct gc_identity *identity, const struct gc_results *results,
                     struct gc_error *err)
{
  struct image *image = calloc(1, sizeof(*image));
  int status;

  if (!image)
    return gc_fail(err, -ENOMEM, "out of memory");
  memcpy(image->magic, magic, sizeof(magic));
  image->bytes = sizeof(*image);
  image->identity = *identity;
  image->results = *results;
  image->hash = hash_of(image);
  if ((status = gc_file_write(fd, image, sizeof(*image))))
    gc_fail(err, status, "cannot pass the results on: %s", strerror(-status));
  if (!status)
    lseek(fd, 0, SEEK_SET); /* the other process starts to read here */
  free(image);
  return status;
}

/* Fills the image with the contents of the file, or with its beginning. */
static int read_image(int fd, struct image *image, size_t *length, struct gc_error *err)
{
  *length = 0;
  while (*length < sizeof(*image)) {
    const ssize_t n = read(fd, (char *)image + *length, sizeof(*image) - *length);

    if (!n)
      break;
    if (n > 0)
      *length += (size_t)n;
    else if (errno != EINTR)
      return gc_fail(err, -EIO, "cannot read the results of another process: %s", strerror(errno));
  }
  return 0;
}

int gc_results_read(int fd, struct gc_identity *identity, struct gc_results *results,
                    struct gc_error *err)
{
  struct image *image = calloc(1, sizeof(*image));
  size_t length = 0;
  int status = image ? read_image(fd, image, &length, err) : gc_fail(err, -ENOMEM, "out of memory");

  if (!status && (length != sizeof(*image) || memcmp(image->magic, magic, sizeof(magic)) ||
                  image->bytes != sizeof(*image) || image->hash != hash_of(image)))
    status = gc_fail(err, -EBADMSG, "these are not the results of another process of this program");
  if (!status) {
    *identity = image->identity;
    *results = image->results;
  }
  free(image);
  return status;
}
