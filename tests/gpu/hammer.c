/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Keeps a GPU busy: streams memory without a pause for so many seconds. Prints "hammering" when it has
 * begun, so that a script can wait for that.
 *
 * Usage: hammer seconds [gpu]   exit status 77: no GPU to run on
 */
#include "device/open.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SKIPPED 77
#define BYTES (1ull << 30)
#define PASSES 8     /* a launch takes some milliseconds */
#define LAUNCHES 8   /* queued at once, so that the GPU seldom waits for the host */

static int fail(const struct gc_error *err)
{
  printf("FAILED: %s\n", err->text);
  return 1;
}

static double seconds(void)
{
  struct timespec t;

  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int hammer(struct gc_device *device, double duration, struct gc_error *err)
{
  const struct gc_device_ops *ops = gc_ops(device);
  struct gpu_touch_args args = {
    .bytes = BYTES, .stride = 32, .passes = PASSES, .only_sm = GPU_ANY_SM};
  struct gc_launch launch = {
    .kernel = GC_KERNEL_touch, .args = &args, .args_bytes = sizeof(args)};
  struct gc_properties properties;
  const double end = seconds() + duration;
  int status;

  if ((status = ops->properties(device, &properties, err)) ||
      (status = ops->alloc(device, BYTES, &args.base, err)) ||
      (status = ops->alloc(device, 8, &args.sink, err)))
    return status;
  launch.blocks = 2 * properties.sms;
  launch.threads = properties.threads_per_block;
  for (bool first = true; seconds() < end; first = false) {
    for (int i = 0; i < LAUNCHES && !status; i++)
      status = ops->launch(device, &launch, err);
    if (first) {
      printf("hammering\n");
      fflush(stdout);
    }
    if (status || (status = ops->wait(device, err)))
      return status;
  }
  return 0;
}

int main(int argc, char **argv)
{
  const double duration = argc > 1 ? strtod(argv[1], NULL) : 0;
  struct gc_error err = {""};
  struct gc_device *device;
  struct gc_gpus gpus;
  struct gc_gpu *gpu;
  int status;

  if (!(duration > 0)) {
    fprintf(stderr, "usage: hammer seconds [gpu]\n");
    return 2;
  }
  if (gc_gpus_list("", NULL, &gpus))
    return 1;
  gpu = argc > 2 ? gc_gpus_by_name(&gpus, argv[2]) : gpus.count ? &gpus.array[0] : NULL;
  if (!gpu || (status = gc_device_open(gpu, &device, &err)) == -ENODEV) {
    printf("SKIPPED: %s\n", gpu ? err.text : "there is no such GPU");
    return SKIPPED;
  }
  if (status || (status = hammer(device, duration, &err)))
    return fail(&err);
  gc_ops(device)->close(device);
  gc_gpus_free(&gpus);
  return 0;
}
