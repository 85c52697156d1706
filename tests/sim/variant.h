/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Small simulated GPUs, made for one test each: a common profile with lines added to it.
 */
#ifndef GC_TESTS_SIM_VARIANT_H
#define GC_TESTS_SIM_VARIANT_H

#include "device/device.h"
#include "measure/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* chip: lines of the chip; l2: lines of [cache L2]; hit: latency of L2 and its jitter. */
struct variant {
  const char *chip, *l2, *hit;
};

struct variant_gpu {
  struct gc_gpus gpus;
  struct gc_device *device;
  struct gc_record *record;
  char path[64];
};

static void variant_must(int status, const struct gc_error *err)
{
  if (status) {
    fprintf(stderr, "%d: %s\n", status, err->text);
    abort();
  }
}

static void variant_open(const struct variant *v, struct variant_gpu *gpu)
{
  static const char form[] =
    "model = Variant\ncompute = 7.0\nclock_khz = 1000000\nthreads_per_block = 1024\n"
    "threads_per_sm = 2048\nblocks_per_sm = 16\nmemory = 512 MiB\nshared_per_sm = 32 KiB\n"
    "shared_per_block = 32 KiB\nclock_overhead = 4\n%s\n"
    "[cache L1]\nsize = 8 KiB\nline = 128\nsector = 32\nways = 4\nreplacement = lru\n"
    "[cache L2]\nscope = chip\nsize = 2 MiB\nline = 128\nsector = 32\nways = 16\n"
    "replacement = lru\n%s\n"
    "[space ca]\npath = L1 30, L2 %s, memory 500 5\n[space cg]\npath = L2 %s, memory 500 5\n"
    "[space shared]\npath = memory 20\n";
  struct gc_error err = {""};
  FILE *file;
  int fd;

  memset(gpu, 0, sizeof(*gpu));
  strcpy(gpu->path, "/tmp/variant-XXXXXX");
  if ((fd = mkstemp(gpu->path)) < 0 || !(file = fdopen(fd, "w")))
    abort();
  fprintf(file, form, v->chip, v->l2, v->hit, v->hit);
  fclose(file);
  if (gc_gpus_list("/nonexistent", gpu->path, &gpu->gpus) || gpu->gpus.count != 1)
    abort();
  if (*gpu->gpus.array[0].problem)
    fprintf(stderr, "%s\n", gpu->gpus.array[0].problem);
  variant_must(gc_device_open(&gpu->gpus.array[0], &gpu->device, &err), &err);
  if (!(gpu->record = gc_record_new(&gpu->gpus.array[0].identity)))
    abort();
}

static void variant_close(struct variant_gpu *gpu)
{
  gc_record_free(gpu->record);
  gc_ops(gpu->device)->close(gpu->device);
  gc_gpus_free(&gpu->gpus);
  unlink(gpu->path);
}

/* An info of an element, or "". */
static const char *variant_info(const struct variant_gpu *gpu, enum gc_kind kind, const char *name)
{
  const struct gc_element *element = gc_record_find(gpu->record, kind);
  const char *value = element ? gc_infos_get(&element->infos, name) : NULL;

  return value ? value : "";
}

#endif
