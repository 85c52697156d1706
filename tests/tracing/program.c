/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A program as a user traces it, with kernels for the stand-in of the driver:
 *
 *   program [WHAT]...   kernels: copy, copy_large, call, forms, many, strange, stop, spoil,
 * meddle, waits, cluster, cooperative; and graph, upload, change, capture and captured, destroy,
 * destroy_fails, reset, memset, copies, rows, threads, child, chdir, wait, exec, fork, kill, exit N
 */
#include "driver.h"

#include "kernels/trace.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOAD_AT 0x110
#define STORE_AT 0x140
#define A UINT64_C(0x7f1000000000)
#define B UINT64_C(0x7f2000000000)

static uint32_t traced(const struct gpu_trace *trace, uint32_t block)
{
  return block / trace->period * trace->group + block % trace->period;
}

static void access_memory(struct gpu_trace *trace, uint32_t block, uint32_t warp, uint32_t pc,
                          uint32_t operation, uint64_t address)
{
  const uint64_t record[] = {GPU_TRACE_PC((uint64_t)pc) | GPU_TRACE_OPERATION(operation) |
                                 GPU_TRACE_SIZE(4) | GPU_TRACE_FORM(GPU_TRACE_CONSECUTIVE) |
                                 UINT64_C(0xffffffff) << 32,
                             traced(trace, block) | (uint64_t)warp << 32, address};

  fake_record(trace, block, record, 3);
}

/* b[i] = a[i], 16 bytes for each thread; warps of the blocks of an SM take turns. */
static void copy(struct gpu_trace *trace, unsigned blocks, unsigned threads)
{
  for (uint32_t step = 0; step < 2; step++)
    for (uint32_t block = blocks; block--;)
      for (uint32_t warp = 0; warp < threads / 32 && block % trace->period < trace->group; warp++) {
        const uint64_t offset = (block * (threads / 32) + warp) * UINT64_C(512);

        access_memory(trace, block, warp, step ? STORE_AT : LOAD_AT,
                      step ? GPU_TRACE_STORE : GPU_TRACE_LOAD, (step ? B : A) + offset);
      }
  trace->shared = 2048;
}

/* A load of the kernel and one of a function that it calls. */
static void call(struct gpu_trace *trace, unsigned blocks, unsigned threads)
{
  (void)blocks;
  (void)threads;
  access_memory(trace, 0, 0, LOAD_AT, GPU_TRACE_LOAD, A);
  access_memory(trace, 0, 0, GPU_TRACE_ELSEWHERE << 3, GPU_TRACE_LOAD, B);
}

/* Each form of a record once. */
static void forms(struct gpu_trace *trace, unsigned blocks, unsigned threads)
{
  const uint64_t all = UINT64_C(0xffffffff) << 32, four = GPU_TRACE_SIZE(2);
  const uint64_t stride[] = {four | GPU_TRACE_FORM(GPU_TRACE_STRIDE) | all, 0, A + 4096,
                             (uint64_t)INT64_C(-128)};
  const uint64_t each[] = {four | GPU_TRACE_FORM(GPU_TRACE_EACH) | UINT64_C(0x80000001) << 32, 0, 0,
                           A + 64, A + 960};
  const uint64_t rows[] = {four | GPU_TRACE_FORM(GPU_TRACE_ROWS) | all, 0, A + (1 << 20),
                           GPU_TRACE_ROW_WORD(4, UINT64_C(4), (uint64_t)INT64_C(-4096))};
  const uint64_t barrier[] = {GPU_TRACE_OPERATION(GPU_TRACE_BARRIER) | all, 0, 0};

  (void)blocks;
  (void)threads;
  fake_record(trace, 0, stride, 4);
  fake_record(trace, 0, each, 5);
  fake_record(trace, 0, rows, 4);
  fake_record(trace, 0, barrier, 3);
}

/* More than the memory for records holds. */
static void many(struct gpu_trace *trace, unsigned blocks, unsigned threads)
{
  const struct gpu_trace_region *region = (struct gpu_trace_region *)(uintptr_t)trace->places;

  while (region->next <= region->end)
    copy(trace, blocks, threads);
}

/* Records of a block that the launch does not have. */
static void strange(struct gpu_trace *trace, unsigned blocks, unsigned threads)
{
  (void)threads;
  access_memory(trace, blocks, 0, LOAD_AT, GPU_TRACE_LOAD, A);
}

static void stop(struct gpu_trace *trace, unsigned blocks, unsigned threads)
{
  copy(trace, blocks, threads);
  _exit(9);
}

/* As a program that writes beyond its memory. */
static void spoil(struct gpu_trace *trace, unsigned blocks, unsigned threads)
{
  const uint64_t shared = trace->shared;

  copy(trace, blocks, threads);
  memset(trace, 0x7f, sizeof *trace);
  trace->shared = shared;
}

static void meddle(struct gpu_trace *trace, unsigned blocks, unsigned threads)
{
  (void)trace;
  (void)blocks;
  (void)threads;
  fake_patch();
}

/* Two kernels, of which the second one ends first. */
static void launch_graph(bool upload)
{
  static const char *const names[] = {"first", "second"};
  static const unsigned blocks[] = {8, 4};
  static fake_kernel *const runs[] = {copy, copy};

  fake_graph(names, blocks, runs, 2, upload);
}

static void *launch_some(void *unused)
{
  (void)unused;
  for (int i = 0; i < 4; i++)
    fake_launch("copy", 8, 64, copy);
  return NULL;
}

static void use_threads(void)
{
  pthread_t threads[4];

  for (int i = 0; i < 4; i++)
    if (pthread_create(&threads[i], NULL, launch_some, NULL))
      abort();
  for (int i = 0; i < 4; i++)
    pthread_join(threads[i], NULL);
}

static void *launch_partner(void *launched)
{
  fake_launch("partner", 8, 64, copy);
  __atomic_store_n((bool *)launched, true, __ATOMIC_SEQ_CST);
  return NULL;
}

/* Ends when another thread has launched its kernel, as kernels of several GPUs that exchange data.
 */
static void wait_for_partner(struct gpu_trace *trace, unsigned blocks, unsigned threads)
{
  bool launched = false;
  pthread_t partner;

  copy(trace, blocks, threads);
  if (pthread_create(&partner, NULL, launch_partner, &launched))
    abort();
  while (!__atomic_load_n(&launched, __ATOMIC_SEQ_CST))
    usleep(1000);
  pthread_join(partner, NULL);
}

static void make_child(void)
{
  const pid_t child = fork();

  if (!child)
    exit(0); /* with the functions of atexit */
  waitpid(child, NULL, 0);
}

/* In streams of their own; the third dimension of the grid is not 1. */
static void launch_as(bool cooperative)
{
  static char streams[2];
  const struct fake_launch as = {.grid = {4, 1, 2},
                                 .block = {16, 4, 1},
                                 .cluster = {cooperative ? 0 : 2, !cooperative, !cooperative},
                                 .stream = &streams[cooperative],
                                 .cooperative = cooperative};

  fake_launch_as(cooperative ? "cooperative" : "cluster", &as, copy);
}

static void do_one(const char *what)
{
  static const struct {
    const char *name;
    unsigned blocks;
    fake_kernel *run;
  } kernels[] = {
      {"copy", 8, copy},     {"copy_large", 4096, copy},    {"call", 1, call}, {"forms", 1, forms},
      {"many", 64, many},    {"strange", 4, strange},       {"stop", 8, stop}, {"spoil", 8, spoil},
      {"meddle", 1, meddle}, {"waits", 8, wait_for_partner}};

  const char *const name = getenv("FAKE_KERNEL");

  for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
    if (!strcmp(what, kernels[i].name))
      fake_launch(name ? name : what, kernels[i].blocks, 64, kernels[i].run);
  if (!strcmp(what, "graph"))
    launch_graph(false);
  else if (!strcmp(what, "upload"))
    launch_graph(true);
  else if (!strcmp(what, "change"))
    fake_change_graph();
  else if (!strcmp(what, "capture") || !strcmp(what, "captured"))
    fake_capture(!what[7]);
  else if (!strcmp(what, "destroy") || !strcmp(what, "destroy_fails"))
    fake_destroy_stream(!what[7]);
  else if (!strcmp(what, "cluster") || !strcmp(what, "cooperative"))
    launch_as(what[1] == 'o');
  else if (!strcmp(what, "reset"))
    fake_reset();
  else if (!strcmp(what, "memset"))
    fake_memset(A, 4096, 1, 0);
  else if (!strcmp(what, "rows")) {
    fake_memset(A, 100, 3, 256);
    fake_copy_rows(B, 512, A, 128, 100, 3, 1);
    fake_copy_rows(B, 100, A, 128, 100, 3, 2);
  } else if (!strcmp(what, "copies"))
    for (unsigned direction = 1; direction <= 4; direction++)
      fake_copy(B, A + 1024 * direction, 512, direction);
  else if (!strcmp(what, "threads"))
    use_threads();
  else if (!strcmp(what, "child"))
    make_child();
  else if (!strcmp(what, "chdir") && chdir("/"))
    abort();
  else if (!strcmp(what, "wait") && fputs("waiting\n", stderr) >= 0)
    sleep(30);
  else if (!strcmp(what, "exec"))
    execl("/proc/self/exe", "program", "copy", (char *)NULL);
}

int main(int argc, char **argv)
{
  if (argc > 1 && !strcmp(argv[1], "fork") && !fork())
    execl("/proc/self/exe", argv[0], "copy", (char *)NULL);
  if (cuInit(0))
    return 1;
  for (int i = 1; i < argc; i++) {
    do_one(argv[i]);
    if (!strcmp(argv[i], "exit"))
      return atoi(argv[i + 1]);
    if (!strcmp(argv[i], "kill"))
      raise(SIGKILL);
  }
  puts("computed");
  fake_destroy();
  while (wait(NULL) > 0)
    ;
  return 0;
}
