/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The cost of CUDA alone: prints "INIT CONTEXT", the milliseconds of cuInit and of creating a context on
 * GPU 0, in a process that does nothing else. Exit status 3: there is no CUDA. With a command as argument,
 * runs the command and prints its largest resident host memory in KiB.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
  struct timespec t;

  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int memory_of(char **command)
{
  struct rusage usage;
  const pid_t child = fork();
  int status;

  if (!child) {
    const int null = open("/dev/null", O_WRONLY);

    dup2(null, 1);
    dup2(null, 2);
    execvp(*command, command);
    _exit(127);
  }
  if (child < 0 || waitpid(child, &status, 0) != child || status || getrusage(RUSAGE_CHILDREN, &usage))
    return 1;
  printf("%ld\n", usage.ru_maxrss);
  return 0;
}

int main(int argc, char **argv)
{
  void *cuda = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), *context;
  int (*init)(unsigned), (*get)(int *, int), (*create)(void **, unsigned, int), device;
  double start = now(), ready;

  if (argc > 1)
    return memory_of(argv + 1);
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
