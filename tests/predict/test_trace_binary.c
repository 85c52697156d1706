/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Version 2 of our format: what each record becomes, what the machine code adds, and what is wrong
 * with a broken file.
 */
#include "trace_text.h"

#include "binary_trace.h"

#include <errno.h>

#define HEADER "hwloc-gpucache-trace 2\n" KERNEL("k")
#define KERNEL(name) "kernel " name "\nblocks 4\nthreads 48\nwarp 32\n"
#define LAUNCH "kernel 1 \"k\" blocks 4 threads 48 warp 32 registers 0 shared 0 origin \"\"\n"

/* A file with this text and one chunk, which ends with the text after it. */
static void write_trace(const char *text, struct chunk *chunk, const char *after)
{
  FILE *file;

  unlink("trace");
  file = fopen("trace", "w");
  assert_non_null(file);
  fputs(text, file);
  end_chunk(chunk, file);
  fputs(after, file);
  assert_int_equal(fclose(file), 0);
}

/* A record with what follows its first 16 bytes. */
struct record {
  uint32_t what, mask;
  uint64_t address;
  int more;
  uint64_t words[3];
};

#define RECORD(what, mask, address) ((struct record){what, mask, address, 0, {0}})
#define LONG_RECORD(what, mask, address, more, ...)                                                \
  ((struct record){what, mask, address, more, {__VA_ARGS__}})

static void put(FILE *out, const struct record *record)
{
  put_record(out, record->what, record->mask, record->address);
  for (int i = 0; i < record->more; i++)
    put64(out, record->words[i]);
}

static void becomes(struct record record, const char *expected)
{
  struct chunk chunk;
  char *whole;

  begin_chunk(&chunk);
  put_warp(chunk.out, 2, 1);
  put(chunk.out, &record);
  write_trace(HEADER, &chunk, "end\n");
  assert_true(asprintf(&whole, LAUNCH "%sblock 2\n", expected) > 0);
  trace_is("trace", whole);
  free(whole);
}

static void refused(struct record record, const char *words)
{
  struct chunk chunk;

  begin_chunk(&chunk);
  put_warp(chunk.out, 2, 1);
  put(chunk.out, &record);
  write_trace(HEADER, &chunk, "end\n");
  trace_fails("trace", -EBADMSG, words);
}

#define WHAT(operation, size, form) what_of(0x10, operation, size, form)

static void records(void **state)
{
  (void)state;
  becomes(RECORD(WHAT(R_LOAD, 2, R_ROW), 0x5, 0x1000), "w1 10 load 4 5 1000 1008\n");
  becomes(LONG_RECORD(WHAT(R_STORE, 4, R_STRIDE), 0x6, 0x1000, 1, (uint64_t)-16),
          "w1 10 store 16 6 ff0 fe0\n");
  becomes(LONG_RECORD(WHAT(R_ATOMIC, 3, R_LIST), 0x8003, 0, 3, 0x9000, 0, 0x1234567890),
          "w1 10 atomic 8 8003 9000 0 1234567890\n");
  becomes(LONG_RECORD(WHAT(R_LOAD, 0, R_STRIDE), 0xffff, 0x1000, 1, 0),
          "w1 10 load 1 ffff 1000 1000 1000 1000 1000 1000 1000 1000 1000 1000 1000 1000 1000 1000 "
          "1000 1000\n");
  becomes(RECORD(WHAT(R_ASYNC, 4, R_ROW), 1, 0x1000), "w1 10 load 16 1 1000\n");
  becomes(RECORD(WHAT(R_BARRIER, 0, R_ROW), 0xffff, 0), "w1 10 barrier 0 ffff\n");
  /* warp 5 of the grid; the threads lie side by side */
  becomes(LONG_RECORD(WHAT(R_LOCAL_STORE, 2, R_STRIDE), 3, 8, 1, 0),
          "w1 10 store 4 3 2000000a0000100 2000000a0000104\n");
  becomes(LONG_RECORD(WHAT(R_LOCAL_LOAD, 3, R_STRIDE), 2, 8, 1, 0),
          "w1 10 load 8 2 2000000a0000108\n");
  /* the highest addresses, the highest pc, and another function */
  becomes(RECORD(WHAT(R_LOAD, 4, R_ROW), 1, (UINT64_C(1) << 57) - 16),
          "w1 10 load 16 1 1fffffffffffff0\n");
  becomes(RECORD(what_of(0x1fffff0, R_LOAD, 2, R_ROW), 1, 0), "w1 1fffff0 load 4 1 0\n");
  becomes(RECORD(what_of(0x1fffff8, R_LOAD, 2, R_ROW), 1, 0), "w1 ffffffff load 4 1 0\n");
}

/* Pieces of 16 bytes, which pass L1; more than a warp has threads are several instructions. */
static void bulk_copies(void **state)
{
  char *expected = NULL;
  size_t size;
  FILE *out = open_memstream(&expected, &size);

  (void)state;
  becomes(RECORD(WHAT(R_BULK, 1, R_ROW), 2, 0x1000), "w1 10 store no-l1 16 3 1000 1010\n");
  becomes(RECORD(WHAT(R_BULK, 2, R_ROW), 1, 0x1000), "w1 10 atomic no-l1 16 1 1000\n");
  assert_non_null(out);
  for (unsigned i = 0; i < 70; i++) {
    if (i % 16 == 0) /* warp 1 has 16 threads */
      fprintf(out, "%sw1 10 load no-l1 16 %s", i ? "\n" : "", i < 64 ? "ffff" : "3f");
    fprintf(out, " %x", 0x1000 + 16 * i);
  }
  fputs("\n", out);
  fclose(out);
  becomes(RECORD(WHAT(R_BULK, 0, R_ROW), 70, 0x1000), expected);
  free(expected);
}

static void broken_records(void **state)
{
  const uint64_t limit = UINT64_C(1) << 57;

  (void)state;
  refused(RECORD(WHAT(R_LOAD, 2, R_ROW), 0x10000, 0x1000),
          "trace:6: the record at byte 16: the mask has threads that are not in the block");
  refused(RECORD(WHAT(R_BARRIER, 0, R_ROW), 0x10000, 0), "not in the block");
  refused(RECORD(WHAT(R_LOAD, 2, R_ROW), 0, 0x1000), "no thread takes part");
  refused(RECORD(WHAT(R_LOAD, 2, R_LIST), 0, 0), "no thread takes part");
  refused(RECORD(WHAT(R_BULK, 0, R_ROW), 0, 0x1000), "no thread takes part");
  refused(RECORD(WHAT(R_LOAD, 5, R_ROW), 1, 0x1000), "the bytes of each thread");
  refused(LONG_RECORD(WHAT(R_LOAD, 2, R_ROWS), 0xffff, 0x1000, 1, 4), "rows need a whole warp");
  refused(RECORD(WHAT(R_LOAD, 2, R_ROW) | 1u << 30, 1, 0x1000), "bit 30");
  refused(LONG_RECORD(WHAT(R_LOAD, 2, R_LIST), 1, 8, 1, 0x1000), "is not 0");
  refused(RECORD(WHAT(R_BARRIER, 1, R_ROW), 1, 0), "a barrier has neither");
  refused(LONG_RECORD(WHAT(R_BARRIER, 0, R_STRIDE), 1, 0, 1, 0), "a barrier has neither");
  refused(RECORD(WHAT(R_BARRIER, 0, R_ROW), 1, 8), "a barrier has neither");
  refused(RECORD(WHAT(R_BULK, 3, R_ROW), 1, 0x1000), "a bulk copy is");
  refused(LONG_RECORD(WHAT(R_BULK, 0, R_STRIDE), 1, 0x1000, 1, 16), "a bulk copy is");
  refused(RECORD(WHAT(R_BULK, 0, R_ROW), 65537, 0x1000), "more than 65536 pieces");
  refused(RECORD(WHAT(R_BULK, 0, R_ROW), 2, limit - 16), "with 2 pieces is beyond");
  refused(RECORD(WHAT(R_LOAD, 2, R_ROW), 1, limit - 3), "0x1fffffffffffffd is beyond");
  refused(RECORD(WHAT(R_LOAD, 2, R_ROW), 3, limit - 4), "beyond the 57 bits");
  refused(LONG_RECORD(WHAT(R_LOAD, 2, R_STRIDE), 3, 0, 1, (uint64_t)-4), "beyond the 57");
  refused(LONG_RECORD(WHAT(R_LOAD, 2, R_LIST), 3, 0, 2, 0, limit), "beyond the 57 bits");
  refused(LONG_RECORD(WHAT(R_LOCAL_LOAD, 2, R_STRIDE), 1, 1 << 24, 1, 0), "16 MiB of local");
  /* the warp after the first one */
  refused(RECORD(1u << 31, 1, 2), "warp 1 comes after a warp with this or a higher");
  refused(RECORD(1u << 31, 0, 2), "warp 0 comes after");
  refused(RECORD(1u << 31, 2, 2), "no warp 2 in a block of 48");
  refused(RECORD(1u << 31, 0, 1), "block 1 comes after a block");
  refused(RECORD(1u << 31, 0, 4), "there is no block 4 in a grid of 4");
  refused(RECORD(1u << 31 | 1, 0, 3), "has other bits");
}

/* A trace with these lines after the chunk of a warp without records, or an error. */
static void lines_fail(const char *header, const char *after, const char *words)
{
  struct chunk chunk;

  begin_chunk(&chunk);
  put_warp(chunk.out, 0, 0);
  write_trace(header, &chunk, after);
  trace_fails("trace", -EBADMSG, words);
}

static void broken_lines(void **state)
{
  struct chunk chunk;

  (void)state;
  lines_fail(HEADER, "accesses 12\nend\n", "trace:7: accesses have a multiple of 8 bytes");
  lines_fail(HEADER, "accesses 1048584\nend\n", "at most 1 MiB");
  lines_fail(HEADER, "accesses x\nend\n", "trace:7: \"accesses x\" must be");
  lines_fail(HEADER, "0 0 0 barrier\nend\n", "must be \"accesses BYTES\"");
  lines_fail(HEADER, "code 0010 EXIT\nend\n", "must be \"accesses BYTES\"");
  lines_fail(HEADER, "accesses 8\n12345678end\n", "the record at byte 0: the accesses end in it");
  lines_fail(HEADER, "accesses 16\n1234", "trace:7: the file ends in the bytes after this line");
  lines_fail(HEADER, "accesses 0\n", "no line \"end\"");
  lines_fail(HEADER, "", "no line \"end\"");
  lines_fail(HEADER "code 4 EXIT\n", "end\n", "trace:6: code is followed by neither");
  lines_fail(HEADER "code 2000000 EXIT\n", "end\n", "neither a label nor");
  lines_fail(HEADER "code loop\n", "end\n", "neither a label nor");
  lines_fail(HEADER "code 10\n", "end\n", "there is no opcode");
  lines_fail(HEADER "code 10 @P0 -\n", "end\n", "there is no opcode");
  lines_fail(HEADER "code 10 NOP\ncode 10 EXIT\n", "end\n", "trace:7: the offset");
  lines_fail("hwloc-gpucache-trace 2\nkernel k\nblocks 1\nthreads 64\nwarp 64\n", "end\n",
             "warps of 64 threads");
  lines_fail("hwloc-gpucache-trace 2\nkernel k\nblocks 4\nlaunched-blocks 3\nthreads 64\nwarp 32\n",
             "end\n", "fewer launched-blocks than blocks");
  lines_fail("hwloc-gpucache-trace 1\nkernel k\nblocks 1\nthreads 32\nwarp 32\n", "end\n",
             "no line of a header");
  /* local memory of a warp that would need more than 63 bits */
  begin_chunk(&chunk);
  put_warp(chunk.out, 0, 0);
  put_record(chunk.out, WHAT(R_LOCAL_LOAD, 2, R_ROW), 1, 0);
  write_trace("hwloc-gpucache-trace 2\nkernel k\nblocks 8589934592\nthreads 33\nwarp 32\n", &chunk,
              "end\n");
  trace_fails("trace", -EBADMSG, "the grid is too large for local memory");
  /* records without a warp */
  begin_chunk(&chunk);
  put_record(chunk.out, WHAT(R_LOAD, 2, R_ROW), 1, 0);
  write_trace(HEADER, &chunk, "end\n");
  trace_fails("trace", -EBADMSG, "the first one of a kernel must begin a warp");
}

/* Blocks of several chunks, and chunks of several blocks; warps and blocks without records. */
static void blocks_and_chunks(void **state)
{
  struct chunk chunk;
  FILE *file = fopen("chunks", "w");

  (void)state;
  assert_non_null(file);
  fputs(HEADER "accesses 0\n", file);
  begin_chunk(&chunk);
  put_warp(chunk.out, 0, 0);
  put_record(chunk.out, WHAT(R_LOAD, 2, R_ROW), 1, 0x1000);
  end_chunk(&chunk, file);
  fputs("# between\n", file);
  begin_chunk(&chunk);
  put_record(chunk.out, WHAT(R_LOAD, 2, R_ROW), 1, 0x2000);
  put_warp(chunk.out, 0, 1);
  put_warp(chunk.out, 2, 0);
  put_warp(chunk.out, 2, 1);
  put_record(chunk.out, WHAT(R_LOAD, 2, R_ROW), 1, 0x3000);
  put_warp(chunk.out, 3, 0);
  end_chunk(&chunk, file);
  fputs(KERNEL("two") "end\n", file);
  assert_int_equal(fclose(file), 0);
  trace_is("chunks", LAUNCH "w0 10 load 4 1 1000\nw0 10 load 4 1 2000\nblock 0\n"
                            "w1 10 load 4 1 3000\nblock 2\nblock 3\n"
                            "kernel 2 \"two\" blocks 4 threads 48 warp 32 registers 0 shared 0 "
                            "origin \"\"\n");
}

/* The bytes of a broken kernel look like lines, and are none. */
static void kernel_that_is_skipped(void **state)
{
  static const char fake[] = "kernel fake\nend\nkernel fake\nend\n";
  struct gc_trace_launch launch;
  struct gc_trace *trace;
  struct gc_error err;
  struct chunk chunk;

  (void)state;
  for (uint32_t valid = 0; valid < 2; valid++) {
    begin_chunk(&chunk);
    put_warp(chunk.out, 0, 0);
    put_record(chunk.out, WHAT(R_LOAD, 2, R_ROW), valid, 0x1000);
    fputc('\n', chunk.out);
    fwrite(fake, 1, 31, chunk.out); /* 64 bytes in all */
    write_trace(HEADER, &chunk, "accesses 9\n\nend\nend\n" KERNEL("two") "end\n");
    assert_int_equal(gc_trace_open("trace", &trace, &err), 0);
    assert_int_equal(gc_trace_next_kernel(trace, &launch, &err), 1);
    if (!valid)
      assert_int_equal(gc_trace_next_block(trace, NULL, NULL, NULL, &err), -EBADMSG);
    assert_int_equal(gc_trace_skip_kernel(trace), 1);
    assert_int_equal(gc_trace_next_kernel(trace, &launch, &err), 1);
    assert_string_equal(launch.name, "two");
    assert_int_equal(gc_trace_next_kernel(trace, &launch, &err), 0);
    gc_trace_close(trace);
  }
}

/* A trace of this text, of which the first kernel was read. */
static struct gc_trace *first_kernel(const char *text, struct gc_trace_launch *launch,
                                     struct gc_error *err)
{
  struct gc_trace *trace;

  write_file("text", text, strlen(text));
  assert_int_equal(gc_trace_open("text", &trace, err), 0);
  assert_int_equal(gc_trace_next_kernel(trace, launch, err), 1);
  return trace;
}

static void header_of_version_2(void **state)
{
  static const char text[] =
      HEADER "launched-blocks 9\nloads-at-once 3\nprocess 2\nlaunches 007\n" KERNEL(
          "k") "code 0 EXIT\nend\n";
  struct gc_trace_launch launch;
  struct gc_error err;
  struct gc_trace *trace;

  (void)state;
  trace = first_kernel(text, &launch, &err);
  assert_int_equal(launch.blocks, 4);
  assert_int_equal(launch.launched_blocks, 9);
  assert_int_equal(gc_trace_stands(&launch), 7);
  assert_int_equal(launch.process, 2);
  assert_int_equal(launch.loads_at_once, 3);
  assert_false(launch.registers);
  assert_int_equal(gc_trace_next_kernel(trace, &launch, &err), 1);
  assert_int_equal(launch.launched_blocks, 0);
  assert_int_equal(launch.process, 0);
  assert_int_equal(gc_trace_stands(&launch), 1);
  assert_true(launch.registers);
  assert_int_equal(gc_trace_next_kernel(trace, &launch, &err), 0);
  gc_trace_close(trace);
}

/* Only instructions that copy a tensor count: UTMACCTL invalidates a map. */
static void tensor_copies(void **state)
{
  static const char text[] =
      HEADER "code 0 @P0 UTMALDG.2D [UR8], [UR4]\ncode 10 UTMACCTL.IV [UR4]\n"
             "code 20 UBLKCP.S.G [UR8], [UR4], UR2\ncode 30 UTMASTG.3D [UR4], [UR8]\n"
             "code 40 EXIT\n" KERNEL("k") "code 0 EXIT\nend\n";
  struct gc_trace_launch launch;
  struct gc_error err;
  struct gc_trace *trace;

  (void)state;
  trace = first_kernel(text, &launch, &err);
  assert_int_equal(launch.tensor_copies, 2);
  assert_int_equal(gc_trace_next_kernel(trace, &launch, &err), 1);
  assert_int_equal(launch.tensor_copies, 0);
  gc_trace_close(trace);
}

static void source_lines(void **state)
{
  static const char text[] = HEADER
      "source 7 /a dir/x.cu\nsource 8 /a dir/x.cu\ncode 0 NOP\ncode .L_x:\ncode 10 NOP\n"
      "source 3 y\tz\ncode 20 EXIT\n" KERNEL("k") "code 0 NOP\nsource 1 late\ncode 10 EXIT\nend\n";
  struct gc_trace_launch launch;
  struct gc_trace *trace;
  struct gc_error err;
  unsigned line = 0;

  (void)state;
  write_file("text", text, strlen(text));
  assert_int_equal(gc_trace_open("text", &trace, &err), 0);
  assert_int_equal(gc_trace_next_kernel(trace, &launch, &err), 1);
  assert_string_equal(gc_trace_source(trace, 0, &line), "/a dir/x.cu");
  assert_int_equal(line, 8);
  assert_string_equal(gc_trace_source(trace, 0x10, &line), "/a dir/x.cu");
  assert_string_equal(gc_trace_source(trace, 0x20, &line), "y?z");
  assert_int_equal(line, 3);
  assert_null(gc_trace_source(trace, 0x30, &line)); /* not in the code */
  assert_null(gc_trace_source(trace, 8, &line));
  assert_int_equal(gc_trace_next_kernel(trace, &launch, &err), 1);
  assert_null(gc_trace_source(trace, 0, &line));
  assert_string_equal(gc_trace_source(trace, 0x10, &line), "late");
  gc_trace_close(trace);
  lines_fail(HEADER "source x y\n", "end\n",
             "trace:6: \"source\" needs a line number and a file name");
  lines_fail(HEADER "source 0 y\n", "end\n", "\"source\" needs a line number");
  lines_fail(HEADER "source 4294967296 y\n", "end\n", "\"source\" needs a line number");
  lines_fail(HEADER "source 1\n", "end\n", "\"source\" needs a line number");
}

static void driver_lines(void **state)
{
  static const char text[] =
      HEADER "driver-load 7f0000000100 96\ndriver-store 1ffffffffffffff 1\nend\n";
  struct gc_trace_launch launch;
  struct gc_error err;
  struct gc_trace *trace;

  (void)state;
  trace = first_kernel(text, &launch, &err);
  assert_int_equal(launch.touched.count, 2);
  assert_int_equal(launch.touched.ranges[0].address, UINT64_C(0x7f0000000100));
  assert_int_equal(launch.touched.ranges[0].bytes, 96);
  assert_false(launch.touched.ranges[0].stored);
  assert_true(launch.touched.ranges[1].stored);
  gc_trace_close(trace);
  lines_fail(HEADER "driver-load 7f0000000100\n", "end\n",
             "these must be an address of 57 bits and");
  lines_fail(HEADER "driver-load 7f0000000100 0\n", "end\n", "an address of 57 bits");
  lines_fail(HEADER "driver-load 7f0000000100 1 1\n", "end\n", "an address of 57 bits");
  lines_fail(HEADER "driver-load 1ffffffffffffff 2\n", "end\n", "an address of 57 bits");
  lines_fail(HEADER "driver-load 200000000000000 1\n", "end\n", "an address of 57 bits");
  lines_fail(HEADER "driver-load 100 18446744073709551615\n", "end\n", "an address of 57 bits");
#define FOUR "driver-load 100 1\ndriver-load 100 1\ndriver-store 100 1\ndriver-store 100 1\n"
  lines_fail(HEADER FOUR FOUR FOUR FOUR "driver-load 100 1\n", "end\n", "has more than 16 of");
}

/* As print_instruction, with ! before an instruction that waits. */
static int print_waits(unsigned warp, const struct gc_trace_instruction *instruction, void *data)
{
  if (instruction->waits)
    fputc('!', data);
  return print_instruction(warp, instruction, data);
}

/* The instructions of all blocks. The caller frees the text. */
static char *instructions_of(const char *path)
{
  struct gc_trace_launch launch;
  struct gc_trace *trace;
  struct gc_error err;
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  int status = gc_trace_open(path, &trace, &err);

  assert_non_null(out);
  if (!status)
    status = gc_trace_next_kernel(trace, &launch, &err);
  if (status != 1)
    fail_msg("%s: %d %s", path, status, err.text);
  assert_true(launch.registers);
  while ((status = gc_trace_next_block(trace, print_waits, out, NULL, &err)) == 1)
    ;
  if (status)
    fail_msg("%s: %d %s", path, status, err.text);
  gc_trace_close(trace);
  fclose(out);
  return text;
}

/* An instruction of a kernel, for both formats. */
struct line {
  const char *code;                /* as nvdisasm prints it; a label if it ends with ':' */
  const char *registers;           /* Accel-Sim: destinations, opcode, sources; width */
  enum record_operation operation; /* if it has a record */
  int size;                        /* as in a record; -1: there is none */
  unsigned width, immediate;
};

/* A tile of a matrix product: copies to shared memory in groups, loads with and without a register
 * that is used at once, a loop, a branch that not all warps take, and a call. */
static const struct line kernel[] = {
    {"MOV R1, c[0x0][0x28]", "1 R1 MOV 0", 0, -1, 0, 0},
    {"S2R R0, SR_TID.X", "1 R0 S2R 0", 0, -1, 0, 0},
    {"ISETP.GE.AND P0, PT, R0, c[0x0][0x170], PT", "0 ISETP.GE.AND 1 R0", 0, -1, 0, 0},
    {"@P0 EXIT", "0 EXIT 0", 0, -1, 0, 0},
    {"IMAD.WIDE R2, R0, R5, c[0x0][0x160]", "1 R2 IMAD.WIDE 2 R0 R5", 0, -1, 0, 0},
    {"LDG.E.64.CONSTANT R4, desc[UR4][R2.64+0x8]", "1 R4 LDG.E.64.CONSTANT 1 R2", R_LOAD, 3, 8, 0},
    {"LDGSTS.E.BYPASS.LTC128B.128 [R6], desc[UR4][R2.64]", "0 LDGSTS.E.BYPASS.LTC128B.128 2 R6 R2",
     R_ASYNC, 4, 16, 0},
    {"LDGDEPBAR", "0 LDGDEPBAR 0", 0, -1, 0, 0},
    {".L_x_2:", NULL, 0, -1, 0, 0},
    {"LDG.E R8, desc[UR4][R2.64]", "1 R8 LDG.E 1 R2", R_LOAD, 2, 4, 0},
    {"LDG.E.STRONG.GPU R9, desc[UR4][R2.64+0x4]", "1 R9 LDG.E.STRONG.GPU 1 R2", R_LOAD, 2, 4, 0},
    {"IADD3 R10, R10, 0x1, RZ", "1 R10 IADD3 2 R10 R255", 0, -1, 0, 0},
    {"LDGSTS.E.64 [R6+0x400], desc[UR4][R2.64+0x10]", "0 LDGSTS.E.64 2 R6 R2", R_ASYNC, 3, 8, 0},
    {"LDGDEPBAR", "0 LDGDEPBAR 0", 0, -1, 0, 0},
    {"DEPBAR.LE SB0, 0x1", "0 DEPBAR.LE 0", 0, -1, 0, 1},
    {"BAR.SYNC.DEFER_BLOCKING 0x0", "0 BAR.SYNC.DEFER_BLOCKING 0", R_BARRIER, 0, 0, 0},
    {"FFMA R11, R8, R5.reuse, R11", "1 R11 FFMA 3 R8 R5 R11", 0, -1, 0, 0},
    {"@!P1 BRA `(.L_x_3)", "0 BRA 0", 0, -1, 0, 0},
    {"STL [R1], R9", "0 STL 2 R1 R9", R_LOCAL_STORE, 2, 4, 0},
    {"LDS.128 R12, [R6]", "1 R12 LDS.128 1 R6", 0, -1, 0, 0},
    {".L_x_3:", NULL, 0, -1, 0, 0},
    {"STG.E.64 desc[UR4][R2.64], R8", "0 STG.E.64 2 R2 R8", R_STORE, 3, 8, 0},
    {"ISETP.NE.AND P0, PT, R10, 0x4, PT", "0 ISETP.NE.AND 1 R10", 0, -1, 0, 0},
    {"@P0 BRA `(.L_x_2)", "0 BRA 0", 0, -1, 0, 0},
    {"CALL.REL.NOINC `($__divide)", "0 CALL.REL.NOINC 0", 0, -1, 0, 0},
    {"ATOMG.E.ADD.STRONG.GPU PT, R16, desc[UR4][R2.64], R11",
     "1 R16 ATOMG.E.ADD.STRONG.GPU 2 R2 R11", R_ATOMIC, 2, 4, 0},
    {"RED.E.ADD.STRONG.GPU desc[UR4][R2.64], R16", "0 RED.E.ADD.STRONG.GPU 2 R2 R16", R_ATOMIC, 2,
     4, 0},
    {"DEPBAR.LE SB0, 0x0", "0 DEPBAR.LE 0", 0, -1, 0, 0},
    {"EXIT", "0 EXIT 0", 0, -1, 0, 0},
    {".L_x_9:", NULL, 0, -1, 0, 0},
    {"BRA `(.L_x_9)", "0 BRA 0", 0, -1, 0, 0},
};
#define LINES (sizeof(kernel) / sizeof(*kernel))

static bool is_label(const struct line *line)
{
  return !line->registers;
}

static unsigned pc_of(size_t number)
{
  unsigned pc = 0;

  for (size_t i = 0; i < number; i++)
    pc += is_label(&kernel[i]) ? 0 : 16;
  return pc;
}

static void write_code(FILE *file)
{
  for (size_t i = 0; i < LINES; i++)
    if (is_label(&kernel[i]))
      fprintf(file, "code %s\n", kernel[i].code);
    else
      fprintf(file, "code %04x %s\n", pc_of(i), kernel[i].code);
}

static bool is_local(const struct line *line)
{
  return line->operation == R_LOCAL_STORE;
}

static uint64_t address_of(const struct line *line, size_t number)
{
  return is_local(line) ? 0x40 : 0x7f1000000000 + 4096 * number;
}

/* The line numbers of the instructions that a warp executes. Those of a loop are repeated. */
static size_t executed(unsigned warp, size_t *numbers)
{
  size_t count = 0;

  for (size_t i = 0, rounds = 0; i < LINES; i++) {
    const char *code = kernel[i].code;

    if (is_label(&kernel[i]))
      continue;
    numbers[count++] = i;
    if (!strcmp(code, "EXIT") || (warp == 1 && !strcmp(code, "@P0 EXIT")))
      break;
    if (strstr(code, "(.L_x_3)") && (warp + rounds) % 2)
      while (strcmp(kernel[i + 1].code, ".L_x_3:"))
        i++;
    if (strstr(code, "P0 BRA `(.L_x_2)") && ++rounds < 4)
      while (strcmp(kernel[i].code, ".L_x_2:"))
        i--;
  }
  return count;
}

static void put_line(FILE *out, size_t number)
{
  const struct line *line = &kernel[number];
  const bool barrier = line->operation == R_BARRIER;

  if (line->size < 0)
    return;
  put_record(out,
             what_of(pc_of(number), line->operation, (unsigned)line->size,
                     is_local(line) ? R_STRIDE : R_ROW),
             UINT32_MAX, barrier ? 0 : address_of(line, number));
  if (is_local(line))
    put64(out, 0);
}

static void print_line(FILE *out, size_t number)
{
  const struct line *line = &kernel[number];

  fprintf(out, "%04x ffffffff %s %u ", pc_of(number), line->registers, line->width);
  if (line->width)
    fprintf(out, "1 0x%llx %u ", (unsigned long long)address_of(line, number),
            is_local(line) ? 0 : line->width);
  fprintf(out, "%u\n", line->immediate);
}

/* The same kernel in both formats is the same. */
static void code_like_accelsim(void **state)
{
  FILE *binary = fopen("kernel", "w"), *text = fopen("kernel.traceg", "w");
  struct chunk chunk;
  char *expected, *got;
  size_t numbers[1000];

  (void)state;
  assert_non_null(binary);
  assert_non_null(text);
  fputs("hwloc-gpucache-trace 2\nkernel k\nblocks 2\nthreads 96\nwarp 32\n", binary);
  write_code(binary);
  fputs("-kernel name = k\n-grid dim = (2,1,1)\n-block dim = (96,1,1)\n"
        "-accelsim tracer version = 5\n",
        text);
  begin_chunk(&chunk);
  for (unsigned block = 0; block < 2; block++) {
    fprintf(text, "#BEGIN_TB\nthread block = %u,0,0\n", block);
    for (unsigned warp = 0; warp < 3; warp++) {
      const size_t count = executed(warp, numbers);

      put_warp(chunk.out, block, warp);
      fprintf(text, "warp = %u\ninsts = %zu\n", warp, count);
      for (size_t i = 0; i < count; i++) {
        put_line(chunk.out, numbers[i]);
        print_line(text, numbers[i]);
      }
    }
    fputs("#END_TB\n", text);
  }
  end_chunk(&chunk, binary);
  fputs("end\n", binary);
  assert_int_equal(fclose(binary), 0);
  assert_int_equal(fclose(text), 0);
  expected = instructions_of("kernel.traceg");
  got = instructions_of("kernel");
  assert_string_equal(got, expected);
  /* and it is not the same because there is nothing */
  assert_non_null(strstr(got, "load read-only 8 "));
  assert_non_null(strstr(got, "load no-l1 16 "));
  assert_non_null(strstr(got, "w1 0 other 4\n"));
  assert_non_null(strstr(got, "!w0 d0 other 1\n"));
  free(expected);
  free(got);
}

/* tests/data/traces/two-kernels.binary: records of all kinds, with and without code. To write it
 * again: GPUCACHE_WRITE_SAMPLE=FILE tests/predict/test_trace_binary */
static void write_sample(FILE *file)
{
  struct chunk chunk;

  fputs("hwloc-gpucache-trace 2\n# Two kernels.\nkernel with code\nblocks 2\nthreads 48\n"
        "warp 32\nregisters 20\nshared 512\norigin by a test\nlaunched-blocks 7\n"
        "code 0000 LDG.E.CONSTANT R4, desc[UR4][R2.64]\ncode 0010 @P0 BRA `(.L_1)\n"
        "code 0020 LDG.E R5, desc[UR4][R2.64+0x80]\ncode .L_1:\n"
        "code 0030 LDGSTS.E.BYPASS.128 [R6], desc[UR4][R2.64]\ncode 0040 LDGDEPBAR\n"
        "code 0050 DEPBAR.LE SB0, 0x0\ncode 0060 BAR.SYNC 0x0\n"
        "code 0070 STG.E desc[UR4][R2.64], R4\ncode 0080 EXIT\n",
        file);
  begin_chunk(&chunk);
  put_warp(chunk.out, 0, 0);
  put_record(chunk.out, what_of(0x00, R_LOAD, 2, R_ROW), UINT32_MAX, 0x7f1c10000000);
  put_record(chunk.out, what_of(0x20, R_LOAD, 2, R_STRIDE), 0xff, 0x7f1c10000080);
  put64(chunk.out, (uint64_t)-128);
  put_record(chunk.out, what_of(0x30, R_ASYNC, 4, R_ROW), 0xff, 0x7f1c10000080);
  put_record(chunk.out, what_of(0x60, R_BARRIER, 0, R_ROW), UINT32_MAX, 0);
  end_chunk(&chunk, file);
  begin_chunk(&chunk);
  put_record(chunk.out, what_of(0x70, R_STORE, 2, R_LIST), 0x15, 0);
  for (uint64_t i = 0; i < 3; i++)
    put64(chunk.out, 0x7f1c20000000 + 64 * i * i);
  put_warp(chunk.out, 0, 1);
  put_record(chunk.out, what_of(0x00, R_LOAD, 2, R_ROW), 0xffff, 0x7f1c10000080);
  put_record(chunk.out, what_of(0x30, R_ASYNC, 4, R_ROW), 0xff, 0x7f1c10000080);
  put_warp(chunk.out, 1, 0);
  end_chunk(&chunk, file);
  fputs("kernel without\nblocks 1\nthreads 32\nwarp 32\nloads-at-once 2\n", file);
  begin_chunk(&chunk);
  put_warp(chunk.out, 0, 0);
  put_record(chunk.out, what_of(0x10, R_LOCAL_STORE, 3, R_STRIDE), 3, 64);
  put64(chunk.out, 0);
  put_record(chunk.out, what_of(0x20, R_LOCAL_LOAD, 3, R_STRIDE), 3, 64);
  put64(chunk.out, 0);
  put_record(chunk.out, what_of(0x30, R_ATOMIC, 2, R_STRIDE), 3, 0x7f1c20000000);
  put64(chunk.out, 0);
  put_record(chunk.out, what_of(0x40, R_BULK, 0, R_ROW), 33, 0x7f1c20000000);
  end_chunk(&chunk, file);
  fputs("end\n", file);
}

static void sample_of_version_2(void **state)
{
  const char *path = getenv("GPUCACHE_WRITE_SAMPLE");
  FILE *file = fopen(path ? path : "sample", "w");
  size_t size, written_size;
  char *bytes = read_file(sample("two-kernels.binary"), &size), *written;
  struct gc_error err;
  int status;

  (void)state;
  assert_non_null(file);
  write_sample(file);
  assert_int_equal(fclose(file), 0);
  written = read_file(path ? path : "sample", &written_size);
  assert_int_equal(written_size, size);
  assert_memory_equal(written, bytes, size);
  free(written);
  free(bytes);
  written = trace_text(sample("two-kernels.binary"), &status, &err);
  assert_non_null(written);
  assert_non_null(strstr(written, "kernel 1 \"with code\" blocks 2 threads 48 warp 32 registers "
                                  "20 shared 512 origin \"by a test\"\nw0 0 load read-only 4"));
  assert_non_null(strstr(written, "\nw0 40 other 1\nw0 50 other 1\nw0 60 barrier 0 ffffffff\n"
                                  "w0 70 store 4 15 7f1c20000000 7f1c20000040 7f1c20000100\n"));
  assert_non_null(strstr(written, "\nblock 0\nblock 1\nkernel 2 "));
  assert_non_null(strstr(written, "\nkernel 2 \"without\" blocks 1 threads 32 warp 32 registers "
                                  "0 shared 0 origin \"\"\n"
                                  "w0 10 store 8 3 200000000000800 200000000000808\n"));
  assert_non_null(strstr(written, "\nw0 40 load no-l1 16 1 7f1c20000200\nblock 0\n"));
  free(written);
}

#define LDG(register) "LDG.E R" register ", desc[UR4][R2.64]"

/* The instructions of one warp with this code, which has records of a load at these places (-1
 * ends), of 4 bytes, with the threads of the mask. */
static void warp_is(const char *const *code, const int (*places)[2], const char *expected)
{
  FILE *file = fopen("warp", "w");
  struct chunk chunk;
  unsigned pc = 0;
  char *text;

  assert_non_null(file);
  fputs(HEADER, file);
  for (; *code; code++)
    if (strchr(*code, ':'))
      fprintf(file, "code %s\n", *code);
    else
      fprintf(file, "code %04x %s\n", pc++ * 16, *code);
  begin_chunk(&chunk);
  put_warp(chunk.out, 0, 0);
  for (; (*places)[0] >= 0; places++)
    put_record(chunk.out, what_of((uint32_t)(*places)[0], R_LOAD, 2, R_ROW), (uint32_t)(*places)[1],
               0x1000);
  end_chunk(&chunk, file);
  fputs("end\n", file);
  assert_int_equal(fclose(file), 0);
  text = instructions_of("warp");
  assert_string_equal(text, expected);
  free(text);
}

#define CODE(...) ((const char *const[]){__VA_ARGS__, NULL})
#define AT(...) ((const int[][2]){__VA_ARGS__, {-1, 0}})

static void ways_through_code(void **state)
{
  (void)state;
  /* a warp without records, and one that leaves early */
  warp_is(CODE("NOP", "NOP", "@P0 EXIT", LDG("4"), "EXIT"), AT({-1, 0}), "w0 0 other 3\n");
  warp_is(CODE("NOP", "@P0 BRA `(.L_1)", LDG("4"), "NOP", ".L_1:", "NOP", "EXIT"), AT({0x20, 1}),
          "w0 0 other 2\nw0 20 load 4 1 1000\nw0 30 other 3\n");
  /* the shorter branch has an access that was not made, so it was the longer one */
  warp_is(CODE(LDG("4"), "@P0 BRA `(.L_1)", LDG("5"), "BRA `(.L_2)", ".L_1:", "NOP", "NOP", "NOP",
               ".L_2:", LDG("6"), "EXIT"),
          AT({0x0, 1}, {0x70, 1}),
          "w0 0 load 4 1 1000\nw0 10 other 4\nw0 70 load 4 1 1000\nw0 80 other 1\n");
  /* an access that can be without threads may be passed */
  warp_is(CODE(LDG("4"), "@P0 " LDG("5"), LDG("6"), "EXIT"), AT({0x0, 1}, {0x20, 1}),
          "w0 0 load 4 1 1000\nw0 10 other 1\nw0 20 load 4 1 1000\nw0 30 other 1\n");
  /* a loop that is one instruction; a branch that depends on an operand */
  warp_is(CODE(LDG("4"), "BRA.U UP0, `(.L_1)", "NOP", "EXIT", ".L_1:", LDG("5"), "@P0 BRA `(.L_1)",
               "EXIT"),
          AT({0x0, 1}, {0x40, 1}, {0x40, 1}),
          "w0 0 load 4 1 1000\nw0 10 other 1\nw0 40 load 4 1 1000\nw0 50 other 1\n"
          "!w0 40 load 4 1 1000\nw0 50 other 2\n");
  warp_is(CODE(LDG("4"), "BRA.U UP0, `(.L_1)", "EXIT", ".L_1:", LDG("5"), "NOP", "EXIT"),
          AT({0x0, 1}), "w0 0 load 4 1 1000\nw0 10 other 2\n");
  /* into a function, whose end leads nowhere that is known */
  warp_is(CODE(LDG("4"), "CALL.REL.NOINC `(f)", "EXIT", "f:", "NOP", LDG("5"), "RET.REL R20 `(k)"),
          AT({0x0, 1}, {0x40, 1}), "w0 0 load 4 1 1000\nw0 10 other 2\nw0 40 load 4 1 1000\n");
}

/* No way: nothing in between, and who comes next waits, unless nothing is under way. */
static void no_way_through_code(void **state)
{
  (void)state;
  /* backwards; a jump table; a label that is not there; a pc that is not in the code */
  warp_is(CODE(LDG("4"), LDG("5"), "EXIT"), AT({0x10, 1}, {0x0, 1}),
          "w0 10 load 4 1 1000\n!w0 0 load 4 1 1000\n");
  warp_is(CODE("BRX R4 -0x10", LDG("4"), "JMP `(.L_7)", LDG("5"), "EXIT"), AT({0x10, 1}, {0x30, 1}),
          "w0 10 load 4 1 1000\n!w0 30 load 4 1 1000\nw0 40 other 1\n");
  warp_is(CODE(LDG("4"), "EXIT"), AT({0x0, 1}, {0x18, 1}, {0x18, 1}, {0x0, 1}),
          "w0 0 load 4 1 1000\n!w0 18 load 4 1 1000\n!w0 18 load 4 1 1000\n!w0 0 load 4 1 1000\n"
          "w0 10 other 1\n");
  /* other threads execute the same instruction after a branch: they wait for its register */
  warp_is(CODE(LDG("4"), "EXIT"), AT({0x0, 1}, {0x0, 2}),
          "w0 0 load 4 1 1000\n!w0 0 load 4 2 1004\nw0 10 other 1\n");
  /* the same threads without a loop: the rest of one instruction */
  warp_is(CODE(LDG("4"), "EXIT"), AT({0x0, 1}, {0x0, 1}),
          "w0 0 load 4 1 1000\nw0 0 load 4 1 1000\nw0 10 other 1\n");
}

/* Groups of copies end and are waited for among instructions that do neither. */
static void copies_in_between(void **state)
{
  (void)state;
  warp_is(CODE("LDGSTS.E [R6], desc[UR4][R2.64]", "NOP", "LDGDEPBAR", "NOP", "NOP",
               "DEPBAR.LE SB0, 0x0", "NOP", "EXIT"),
          AT({0x0, 1}), "w0 0 load 4 1 1000\nw0 10 other 4\n!w0 50 other 3\n");
  warp_is(CODE("UBLKCP.S.G [UR8], [UR4], UR6", "NOP", "SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [R2], R3",
               "EXIT"),
          AT({0x0, 1}), "w0 0 load no-l1 4 1 1000\nw0 10 other 1\n!w0 20 other 2\n");
}

/* Stores and reductions write no register. */
static void nothing_is_written(void **state)
{
  (void)state;
  warp_is(CODE("RED.E.ADD desc[UR4][R2.64], R4", "MOV R9, R4", "EXIT"), AT({0x0, 1}),
          "w0 0 load 4 1 1000\nw0 10 other 2\n");
  warp_is(CODE("ATOMG.E.ADD PT, R4, desc[UR4][R2.64], R8", "MOV R9, R8", "MOV R9, R4", "EXIT"),
          AT({0x0, 1}), "w0 0 load 4 1 1000\nw0 10 other 1\n!w0 20 other 2\n");
}

/* An access of 32 bytes has two records, here one of 8 bytes, also in a loop. */
static void accesses_in_two_records(void **state)
{
  (void)state;
  warp_is(CODE(".L_1:", "LDG.E.64 R8, desc[UR4][R2.64]", "@P0 BRA `(.L_1)", "EXIT"),
          AT({0x0, 1}, {0x0, 1}, {0x0, 1}, {0x0, 1}),
          "w0 0 load 4 1 1000\nw0 0 load 4 1 1000\nw0 10 other 1\n!w0 0 load 4 1 1000\n"
          "w0 0 load 4 1 1000\nw0 10 other 2\n");
  warp_is(CODE(".L_1:", "LDG.E.128 R8, desc[UR4][R2.64]", "@P0 BRA `(.L_1)", "EXIT"),
          AT({0x0, 1}, {0x0, 1}, {0x0, 1}, {0x0, 1}),
          "w0 0 load 4 1 1000\nw0 0 load 4 1 1000\nw0 0 load 4 1 1000\nw0 0 load 4 1 1000\n"
          "w0 10 other 2\n");
}

static void is_used(const char *instruction, bool used)
{
  char *with_predicate; /* an access without a record may be passed */

  assert_true(asprintf(&with_predicate, "%s%s", *instruction == '@' ? "" : "@P1 ", instruction) >
              0);
  warp_is(CODE(LDG("4"), "MOV R9, R8", with_predicate, "EXIT"), AT({0x0, 1}),
          used ? "w0 0 load 4 1 1000\nw0 10 other 1\n!w0 20 other 2\n"
               : "w0 0 load 4 1 1000\nw0 10 other 3\n");
  free(with_predicate);
}

/* R4 in operands of all kinds. */
static void registers_of_operands(void **state)
{
  static const char *const uses[] = {
      "FADD R9, R4, R8",
      "FADD R9, -R4, R8",
      "FADD R9, |R4|, R8",
      "FADD R9, R8, R4.reuse",
      "MOV R4, R8",
      "LDS R9, [R4+0x10]",
      "LDC R9, c[0x0][R4+0x160]",
      "STS [R9], R4",
      "R2UR UR4, R4",
      "SHFL.IDX PT, R9, R4, R8, 0x1f",
      "@!P0 ISETP.GE.U32.AND P0, PT, R8, R4, PT",
      "HADD2 R9, R8.H0_H0, R4.H1_H1",
      "BAR.SYNC R4, R8",
      "SEL R9, R8, ~R4, !P0",
      "STG.E.128 desc[UR4][R8.64], R1",
      "ST.E [R3.64], R8", /* the second register of an address */
      "LDG.E R9, desc[UR8][R3.U32+UR4]",
      "LDG.E.64 R3, desc[UR8][R6.64]",
      "ATOMG.E.CAS.64 PT, R3, [R6], R8, R10",
  };
  static const char *const others[] = {
      "MOV R9, UR4",
      "MOV R9, c[0x0][0x4]",
      "ISETP.GE.AND P4, PT, R8, RZ, PT",
      "S2R R9, SR_CTAID.X",
      "BSSY B4, `(.R4)",
      "CALL.REL.NOINC `(R4)",
      "MOV R40, R14",
      "IADD3 R9, P4, R8, 0x4, RZ",
      "WARPSYNC.COLLECTIVE R44, `(.L_R4)",
      "STG.E desc[UR4][R8.64], R5",
      "STG.E.64 desc[UR4][R5.64], R2",
      "LDG.E RZ, desc[UR4][R8.64]",
      "NOP",
  };

  (void)state;
  for (size_t i = 0; i < sizeof(uses) / sizeof(*uses); i++)
    is_used(uses[i], true);
  for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
    is_used(others[i], false);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(records),
      cmocka_unit_test(bulk_copies),
      cmocka_unit_test(broken_records),
      cmocka_unit_test(broken_lines),
      cmocka_unit_test(blocks_and_chunks),
      cmocka_unit_test(kernel_that_is_skipped),
      cmocka_unit_test(header_of_version_2),
      cmocka_unit_test(tensor_copies),
      cmocka_unit_test(source_lines),
      cmocka_unit_test(driver_lines),
      cmocka_unit_test(sample_of_version_2),
      cmocka_unit_test(code_like_accelsim),
      cmocka_unit_test(ways_through_code),
      cmocka_unit_test(no_way_through_code),
      cmocka_unit_test(copies_in_between),
      cmocka_unit_test(nothing_is_written),
      cmocka_unit_test(accesses_in_two_records),
      cmocka_unit_test(registers_of_operands),
  };

  return cmocka_run_group_tests(tests, enter_directory, leave_directory);
}
