/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How fast the trace readers are: writes a trace of each kind into memory, reads it, and prints MB
 * and million thread accesses per second of processor time. Prints only; checks nothing.
 */
#include "predict/trace/trace.h"

#include "binary_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define WARPS 8
#define INSTRUCTIONS 200

static uint64_t random_state = 1;
static unsigned draw(void)
{
  random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (unsigned)(random_state >> 33);
}

/* Half of the instructions access memory, as in many kernels; the other half computes. */
static void write_accelsim_line(FILE *out, int i, int encoding)
{
  static const char *const others[] = {"IMAD.MOV.U32", "FFMA", "LOP3.LUT", "ISETP.GE.AND", "BRA"};
  const unsigned long long base = 0x7f1000000000 + 4ull * draw();

  if (i % 2) {
    fprintf(out, "%04x ffffffff 1 R%d %s 2 R2 R3 0 0 \n", 16 * i, i % 64, others[i % 5]);
    return;
  }
  fprintf(out, "%04x ffffffff 1 R4 LDG.E.CONSTANT 1 R2 4 %d ", 16 * i, encoding);
  if (encoding == 1)
    fprintf(out, "0x%llx 4 ", base);
  if (encoding == 2)
    fprintf(out, "0x%llx ", base);
  for (int lane = encoding == 2; encoding != 1 && lane < 32; lane++)
    if (encoding == 0)
      fprintf(out, "0x%016llx ", base + 4 * (draw() % 65536));
    else
      fprintf(out, "%d ", 4 * ((int)(draw() % 8192) - 4096));
  fputs("0 \n", out);
}

static void write_accelsim(FILE *out, int encoding)
{
  const int blocks = encoding == 1 ? 2000 : encoding == 2 ? 400 : 150;

  fprintf(out,
          "-kernel name = k\n-grid dim = (%d,1,1)\n-block dim = (%d,1,1)\n"
          "-accelsim tracer version = 5\n",
          blocks, 32 * WARPS);
  for (int block = 0; block < blocks; block++) {
    fprintf(out, "\n#BEGIN_TB\n\nthread block = %d,0,0\n", block);
    for (int warp = 0; warp < WARPS; warp++) {
      fprintf(out, "\nwarp = %d\ninsts = %d\n", warp, INSTRUCTIONS);
      for (int i = 0; i < INSTRUCTIONS; i++)
        write_accelsim_line(out, i, encoding);
    }
    fputs("\n#END_TB\n", out);
  }
}

static void write_list(FILE *out)
{
  write_accelsim(out, 0);
}

static void write_stride(FILE *out)
{
  write_accelsim(out, 1);
}

static void write_deltas(FILE *out)
{
  write_accelsim(out, 2);
}

static void write_paper(FILE *out)
{
  fputs("blockdim: 256 1 1\n", out);
  for (int block = 0; block < 200; block++)
    for (int i = 0; i < 100; i++)
      for (int thread = 0; thread < 256; thread++)
        fprintf(out, "%d 0 %u 4\n", block * 256 + thread, 4 * draw());
}

static void write_tsv(FILE *out)
{
  fputs("hwloc-gpucache-trace\t1\nkernel\tk\nblocks\t200\nthreads\t512\nwarp\t64\n", out);
  for (int block = 0; block < 200; block++)
    for (int warp = 0; warp < 8; warp++)
      for (int i = 0; i < 100; i++) {
        fprintf(out, "%d\t%d\t%x\tload\t-\t4\tffffffffffffffff\t", block, warp, 8 * i);
        for (int lane = 0; lane < 64; lane++)
          fprintf(out, "%s%llx", lane ? "," : "", 0x7f1000000000 + 4ull * draw());
        fputc('\n', out);
      }
  fputs("end\n", out);
}

/* A load of 20 instructions; they are a loop. */
static void write_code(FILE *out)
{
  fputs("code .L_1:\ncode 0000 LDG.E.CONSTANT R4, desc[UR4][R2.64]\n", out);
  for (int i = 1; i < 19; i++)
    fprintf(out, "code %04x FFMA R%d, R%d, R9, R%d\n", 16 * i, 10 + i, i == 12 ? 4 : 8, 10 + i);
  fputs("code 0130 @P0 BRA `(.L_1)\ncode 0140 EXIT\n", out);
}

static void write_binary(FILE *out, enum record_form form)
{
  const int blocks = form == R_ROW ? 4000 : 300;

  fprintf(out, "hwloc-gpucache-trace 2\nkernel k\nblocks %d\nthreads %d\nwarp 32\n", blocks,
          32 * WARPS);
  write_code(out);
  for (uint32_t i = 0; i < (uint32_t)blocks * WARPS; i++) {
    struct chunk chunk;

    begin_chunk(&chunk);
    put_warp(chunk.out, i / WARPS, i % WARPS);
    for (int k = 0; k < INSTRUCTIONS; k++) {
      put_record(chunk.out, what_of(0, R_LOAD, 2, form), UINT32_MAX,
                 form == R_LIST ? 0 : 0x7f1000000000 + 4ull * draw());
      for (int lane = 0; form == R_LIST && lane < 32; lane++)
        put64(chunk.out, 0x7f1000000000 + 4ull * draw());
    }
    end_chunk(&chunk, out);
  }
  fputs("end\n", out);
}

static void write_binary_row(FILE *out)
{
  write_binary(out, R_ROW);
}

static void write_binary_list(FILE *out)
{
  write_binary(out, R_LIST);
}

static int count(unsigned warp, const struct gc_trace_instruction *instruction, void *data)
{
  (void)warp;
  if (instruction->operation <= GC_TRACE_ATOMIC)
    *(uint64_t *)data += (uint64_t)__builtin_popcountll(instruction->mask);
  return 0;
}

static double processor_seconds(void)
{
  struct rusage usage;

  getrusage(RUSAGE_SELF, &usage);
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

static int measure(const char *name, void (*write_it)(FILE *))
{
  const int file = memfd_create("trace", MFD_CLOEXEC);
  FILE *out = file < 0 ? NULL : fdopen(file, "w");
  struct gc_trace *trace;
  struct gc_trace_launch launch;
  struct gc_error err = {""};
  char path[64];
  uint64_t accesses = 0;
  double begin, seconds, bytes;
  int status;

  if (!out)
    return 1;
  write_it(out);
  fflush(out);
  bytes = (double)ftell(out);
  snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
  begin = processor_seconds();
  status = gc_trace_open(path, &trace, &err);
  if (!status) {
    while ((status = gc_trace_next_kernel(trace, &launch, &err)) == 1)
      while ((status = gc_trace_next_block(trace, count, &accesses, NULL, &err)) == 1)
        ;
    gc_trace_close(trace);
  }
  seconds = processor_seconds() - begin;
  fclose(out);
  if (status)
    fprintf(stderr, "%s: %s\n", name, err.text);
  printf("%-28s %6.0f MB %8.0f MB/s %8.1f million accesses/s\n", name, bytes / 1e6,
         bytes / 1e6 / seconds, (double)accesses / 1e6 / seconds);
  return status != 0;
}

int main(void)
{
  return measure("traceg, list", write_list) + measure("traceg, base and stride", write_stride) +
         measure("traceg, base and deltas", write_deltas) + measure("paper", write_paper) +
         measure("tsv, list", write_tsv) + measure("binary, list", write_binary_list) +
         measure("binary, in a row", write_binary_row);
}
