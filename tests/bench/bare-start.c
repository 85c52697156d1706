/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What CUDA alone costs: milliseconds of cuInit and of creating a context on GPU 0, in a process that
 * does nothing else. Prints "INIT CONTEXT", exits 3 where there is no CUDA.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
  struct timespec t;

  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

int main(void)
{
  void *cuda = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), *context;
  int (*init)(unsigned), (*get)(int *, int), (*create)(void **, unsigned, int), device;
  double start = now(), ready;

  if (!cuda) {
    fprintf(stderr, "bare-start: %s\n", dlerror());
    return 3;
  }
  *(void **)&init = dlsym(cuda, "cuInit");
  *(void **)&get = dlsym(cuda, "cuDeviceGet");
  *(void **)&create = dlsym(cuda, "cuCtxCreate_v2");
  if (!init || !get || !create || init(0) || get(&device, 0))
    return 3;
  ready = now();
  if (create(&context, 0, device))
    return 3;
  printf("%.1f %.1f\n", ready - start, now() - ready);
  fflush(stdout);
  _exit(0); /* releasing the context is not part of starting */
}
