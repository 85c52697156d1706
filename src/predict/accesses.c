/* SPDX-License-Identifier: BSD-3-Clause */
#include "predict/accesses.h"

#include "predict/trace/tsv.h"
#include "util/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The header of a kernel. A number that is 0 is not known, and gets no line. */
static void write_launch(FILE *file, const struct hwloc_gpucache_launch *launch)
{
  char name[1024] = "kernel";

  if (launch->name && *launch->name)
    gc_trace_copy_text(name, sizeof name, launch->name, strlen(launch->name));
  fprintf(file, "kernel %s\nblocks %llu\nthreads %u\nwarp %u\nshared %llu\n", name, launch->blocks,
          launch->threads_per_block, launch->warp_threads ? launch->warp_threads : 32,
          launch->shared_bytes);
  if (launch->registers_per_thread)
    fprintf(file, "registers %u\n", launch->registers_per_thread);
  if (launch->loads_at_once)
    fprintf(file, "loads-at-once %u\n", launch->loads_at_once);
  if (launch->has_carveout)
    fprintf(file, "carve-out %u\n", launch->carveout);
}

/* Whether thread i accesses *base + i * *stride, for all threads of the mask, two or more. */
static bool has_stride(const struct hwloc_gpucache_access *access, unsigned long long *base,
                       long long *stride)
{
  const uint64_t others = access->mask & (access->mask - 1);
  const int first = __builtin_ctzll(access->mask), second = others ? __builtin_ctzll(others) : 0;

  if (!others)
    return false;
  *stride = (long long)(access->addresses[second] - access->addresses[first]) / (second - first);
  if (*stride > INT32_MAX || *stride < -INT32_MAX)
    return false;
  *base = access->addresses[first] - (unsigned long long)(*stride * first);
  for (uint64_t left = others; left; left &= left - 1) {
    const int i = __builtin_ctzll(left);

    if (access->addresses[i] != *base + (unsigned long long)(*stride * i))
      return false;
  }
  return true;
}

static void write_addresses(FILE *file, const struct hwloc_gpucache_access *access)
{
  unsigned long long base;
  long long stride;

  if (!access->mask)
    fputs(" -\n", file);
  else if (has_stride(access, &base, &stride))
    fprintf(file, " %llx%+lld\n", base, stride);
  else {
    for (uint64_t left = access->mask; left; left &= left - 1)
      fprintf(file, "%c%llx", left == access->mask ? ' ' : ',',
              access->addresses[__builtin_ctzll(left)]);
    fputc('\n', file);
  }
}

static int write_access(FILE *file, const struct hwloc_gpucache_access *access,
                        struct gc_error *err)
{
  const unsigned operation = (unsigned)access->operation, hint = (unsigned)access->hint;

  if (operation > HWLOC_GPUCACHE_OP_OTHER ||
      (operation < HWLOC_GPUCACHE_OP_BARRIER && hint > HWLOC_GPUCACHE_HINT_READ_ONLY))
    return gc_fail(err, -EINVAL, "an access has the operation %u and the hint %u", operation, hint);
  fprintf(file, "%llu %u %x %s", access->block, access->warp, access->pc,
          gc_tsv_operations[operation]);
  if (operation == HWLOC_GPUCACHE_OP_OTHER) {
    fprintf(file, " %u\n", access->count ? access->count : 1);
  } else if (operation == HWLOC_GPUCACHE_OP_BARRIER) {
    fputc('\n', file);
  } else {
    fprintf(file, " %s %u %llx", gc_tsv_hints[hint], access->bytes, access->mask);
    write_addresses(file, access);
  }
  return 0;
}

static int fail_source(int status, struct gc_error *err)
{
  return gc_fail(err, status, "the program could not hand over its accesses: %s",
                 strerror(-status));
}

/* number: of the reason. */
static int fail_file(int number, struct gc_error *err)
{
  const int status = number ? -number : -EIO;

  return gc_fail(err, status, "cannot write the accesses to a file in %.200s: %s", gc_temporary(),
                 strerror(-status));
}

/* A stream forgets what it could not write, so this comes after each call that may write. */
static int check_file(FILE *file, struct gc_error *err)
{
  return ferror(file) ? fail_file(errno, err) : 0;
}

static int write_accesses(FILE *file, const struct hwloc_gpucache_source *source,
                          struct gc_error *err)
{
  for (;;) {
    struct hwloc_gpucache_access access = {0};
    int status = source->next_access(source->data, &access);

    if (status <= 0)
      return status ? fail_source(status, err) : 0;
    errno = 0;
    status = write_access(file, &access, err);
    if (status || (status = check_file(file, err)))
      return status;
  }
}

static int write_kernels(FILE *file, const struct hwloc_gpucache_source *source,
                         struct gc_error *err)
{
  fputs(GC_TSV_MAGIC " 1\n", file);
  for (;;) {
    struct hwloc_gpucache_launch launch = {0};
    int status = source->next_kernel(source->data, &launch);

    if (status < 0)
      return fail_source(status, err);
    if (!status)
      break;
    errno = 0;
    write_launch(file, &launch);
    if ((status = check_file(file, err)) || (status = write_accesses(file, source, err)))
      return status;
  }
  errno = 0;
  fputs("end\n", file);
  fflush(file);
  return check_file(file, err);
}

int gc_accesses_write(struct gc_accesses *accesses, const struct hwloc_gpucache_source *source,
                      struct gc_error *err)
{
  char path[PATH_MAX];
  int file, status;

  if (source->size != sizeof *source)
    return gc_fail(err, -EINVAL, "the source is of another version of the library");
  if (snprintf(path, sizeof path, "%s/hwloc-gpucache-XXXXXX", gc_temporary()) >= (int)sizeof path)
    return fail_file(ENAMETOOLONG, err);
  file = mkostemp(path, O_CLOEXEC);
  if (file < 0)
    return fail_file(errno, err);
  unlink(path);
  accesses->file = fdopen(file, "w");
  if (!accesses->file) {
    close(file);
    return gc_fail(err, -ENOMEM, "out of memory");
  }
  snprintf(accesses->path, sizeof accesses->path, "/proc/self/fd/%d", file);
  status = write_kernels(accesses->file, source, err);
  if (status)
    gc_accesses_close(accesses);
  return status;
}

void gc_accesses_close(struct gc_accesses *accesses)
{
  fclose(accesses->file);
}
