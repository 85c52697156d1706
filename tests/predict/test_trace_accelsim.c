/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Traces of Accel-Sim: what each instruction becomes, and what is wrong with a broken file.
 */
#include "trace_text.h"

#include <errno.h>

#define HEADER                                                                                     \
  "-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-shmem base_addr = "              \
  "0x7f0000000000\n"                                                                               \
  "-local mem base_addr = 0x7f0002000000\n-accelsim tracer version = 5\n#traces format\n"
#define LAUNCH "kernel 1 \"k\" blocks 1 threads 32 warp 32 registers 0 shared 0 origin \"\"\n"
#define BLOCK "#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\n"
#define END "\n#END_TB\n"
#define SMALL_BLOCK                                                                                \
  "#BEGIN_TB\n\nthread block = %d,0,0\n\nwarp = 0\ninsts = 1\n0 1 0 EXIT 0 0 0\n" END

/* A kernel with one warp of these instructions. */
static char *kernel_of(int count, const char *instructions)
{
  const size_t size = sizeof(HEADER BLOCK END) + strlen(instructions) + 32;
  char *text = calloc(1, size);

  assert_non_null(text);
  snprintf(text, size, HEADER BLOCK "insts = %d\n%s" END, count, instructions);
  return text;
}

static void becomes(int count, const char *instructions, const char *expected)
{
  char *text = kernel_of(count, instructions), *whole;

  assert_true(asprintf(&whole, LAUNCH "%sblock 0\n", expected) > 0);
  text_is(text, whole);
  free(whole);
  free(text);
}

static void refused(int count, const char *instructions, int status, const char *words)
{
  char *text = kernel_of(count, instructions);

  text_fails(text, status, words);
  free(text);
}

static void sample_with_all_kinds(void **state)
{
  struct gc_error err;
  int status;
  char *text = trace_text(sample("kernel-1.traceg"), &status, &err);

  (void)state;
  assert_non_null(text);
  assert_non_null(strstr(text,
                         "kernel 1 \"_Z5scalePfPKfi\" blocks 2 threads 48 warp 32 registers 24 "
                         "shared 1024 origin \"NVBit 1.7, compute capability 9.0\"\n"));
  assert_non_null(
      strstr(text, "w0 0 other 2\nw0 20 load read-only 4 ffffffff 7f1c10000000 7f1c10000004 "));
  assert_non_null(strstr(text, "w0 60 other 1\nw0 70 barrier 0 ffffffff\nw0 80 other 1\n"));
  assert_non_null(
      strstr(text, "w0 a0 other 2\nw1 c0 atomic no-l1 4 ffff 7f1c20000000 7f1c20000000 "));
  assert_non_null(strstr(text, "w1 d0 other 2\nblock 0\n"));
  free(text);
}

/* List, base with stride (also negative), base with differences: to the thread before, not to the
 * base. */
static void encodings_of_addresses(void **state)
{
  (void)state;
  becomes(1, "0 00000005 1 R4 LDG.E 1 R2 4 0 0x0000000000001000 1ff0 0\n",
          "w0 0 load 4 5 1000 1ff0\n");
  becomes(1, "0 00000038 1 R4 LDG.E 1 R2 4 1 0x1000 -4 0\n", "w0 0 load 4 38 1000 ffc ff8\n");
  becomes(1, "0 80000000 1 R4 LDG.E 1 R2 4 2 0x1000 0\n", "w0 0 load 4 80000000 1000\n");
  becomes(1, "0 00000114 1 R4 LDG.E 1 R2 4 2 0x1000 8 -16 0\n", "w0 0 load 4 114 1000 1008 ff8\n");
  refused(1, "0 00000005 1 R4 LDG.E 1 R2 4 1 0x1000 4 0\n", -EBADMSG,
          "text:14: a base address with a stride");
  refused(1, "0 00000007 1 R4 LDG.E 1 R2 4 0 0x1000 0x1004\n", -EBADMSG,
          "for each thread of the mask");
  refused(1, "0 00000007 1 R4 LDG.E 1 R2 4 2 0x1000 4\n", -EBADMSG, "for each thread of the mask");
  refused(1, "0 00000007 1 R4 LDG.E 1 R2 4 3 0x1000 4\n", -EBADMSG, "none of 0, 1 and 2");
}

/* The tracer takes 4 bytes for suffixes that it does not know; the suffix is right. */
static void bytes_come_from_the_suffix(void **state)
{
  (void)state;
  becomes(1, "0 1 1 R4 LDG.E.S8 1 R2 4 0 0x1000 0\n", "w0 0 load 1 1 1000\n");
  becomes(1, "0 1 1 R4 LDG.E.U16.CONSTANT 1 R2 2 0 0x1000 0\n", "w0 0 load read-only 2 1 1000\n");
  becomes(1, "0 1 0 RED.E.ADD.F64.RN 1 R2 4 0 0x1000 0\n", "w0 0 atomic 8 1 1000\n");
  becomes(1, "0 1 0 ATOMG.E.ADD.F16x2.RN 1 R2 4 0 0x1000 0\n", "w0 0 atomic 4 1 1000\n");
  becomes(1, "0 1 1 R4 LDG.E.LTC128B 1 R2 8 0 0x1000 0\n",
          "w0 0 load 8 1 1000\n"); /* no suffix: the width */
  becomes(1, "0 1 1 R4 LDG.E.ENL2.256 1 R2 4 0 0x1000 0\n",
          "w0 0 load 16 1 1000\nw0 0 load 16 1 1010\n");
  refused(1, "0 1 1 R4 LDG.E 1 R2 12 0 0x1000 0\n", -EBADMSG, "12 bytes");
}

/* SYS without STRONG is in every load of Volta, and STRONG.SM is ld.global.ca. */
static void hints_come_from_the_suffixes(void **state)
{
  (void)state;
  becomes(3,
          "0 1 1 R4 LDG.E.SYS 1 R2 4 0 0x1000 0\n10 1 1 R4 LDG.E.STRONG.SM 1 R2 4 0 0x1000 0\n"
          "20 1 1 R4 LDG.E.EF 1 R2 4 0 0x1000 0\n",
          "w0 0 load 4 1 1000\nw0 10 load 4 1 1000\nw0 20 load 4 1 1000\n");
  becomes(4,
          "0 1 1 R4 LDG.E.STRONG.SYS 1 R2 4 0 0x1000 0\n10 1 1 R4 LDG.E.64.STRONG.GPU 1 R2 4 0 "
          "0x1000 0\n"
          "20 1 1 R4 LDG.E.NA 1 R2 4 0 0x1000 0\n30 1 1 R4 LDG.CV 1 R2 4 0 0x1000 0\n",
          "w0 0 load no-l1 4 1 1000\nw0 10 load no-l1 8 1 1000\nw0 20 load no-l1 4 1 1000\n"
          "w0 30 load no-l1 4 1 1000\n");
  becomes(2,
          "0 1 1 R4 LDG.E.CI.64 1 R2 4 0 0x1000 0\n10 1 1 R4 LDG.E.128.CONSTANT.SYS 1 R2 4 0 "
          "0x1000 0\n",
          "w0 0 load read-only 8 1 1000\nw0 10 load read-only 16 1 1000\n");
}

/* Generic addresses: in the window of shared memory nothing happens, in that of local memory it is
 * local. The naive reader takes all for global. */
static void generic_addresses_by_their_window(void **state)
{
  (void)state;
  becomes(1, "0 f 1 R4 LD.E 1 R2 4 0 7f0000000010 1000 7f0000ffffff 7effffffffff 0\n",
          "w0 0 load 4 a 1000 7effffffffff\n");
  becomes(1, "0 1 1 R4 LD.E 1 R2 4 0 7f0000000010 0\n", "w0 0 other 1\n");
  becomes(1, "0 3 0 ST.E 2 R2 R4 4 0 7f0001000000 7f0002000100 0\n",
          "w0 0 store 4 3 7f0001000000 200000000002004\n");
  becomes(1, "0 1 1 R4 LDG.E 1 R2 4 0 7f0000000010 0\n", "w0 0 load 4 1 7f0000000010\n");
}

/* The same offset in two threads, two warps and two blocks is different memory; neighboring threads
 * are neighbors, so that a full warp touches as many lines as in the hardware. */
static void local_memory_of_each_thread(void **state)
{
  struct gc_error err;
  int status;
  char *text = trace_text(sample("kernel-1.traceg"), &status, &err);

  (void)state;
  assert_non_null(text);
  /* offset 0xfffdc0 in block 0, warp 0, with 16 bytes; 0xfffdc4 in block 1 (with 2 warps), warp 0
   */
  assert_non_null(
      strstr(text, "w0 50 store 16 ffffffff 20000001fffb800 20000001fffb810 20000001fffb820 "));
  assert_non_null(strstr(text, "w0 50 load 4 80000000 20000005fffb8fc\n"));
  free(text);
  becomes(2, "0 3 0 STL 2 R1 R2 4 1 0x8 0 0\n10 3 1 R2 LDL.64 1 R1 4 1 0x8 0 0\n",
          "w0 0 store 4 3 200000000000100 200000000000104\nw0 10 load 8 3 200000000000100 "
          "200000000000108\n");
  /* as a generic address, the same memory */
  becomes(1, "0 3 1 R2 LD.E 1 R1 4 1 0x7f0002000008 0 0\n",
          "w0 0 load 4 3 200000000000100 200000000000104\n");
}

/* The regions of all warps must fit into 63 bits; without local memory, such a grid is fine. */
static void local_memory_of_a_huge_grid(void **state)
{
  char *text = kernel_of(1, "0 1 0 STL 2 R1 R2 4 1 0x8 0 0\n");
  char *huge = replaced(text, "(1,1,1)", "(2147483647,5,1)"), *global;

  (void)state;
  text_fails(huge, -EOPNOTSUPP, "STL accesses local memory, and the grid is too large");
  global = replaced(huge, "STL", "STG");
  text_fails(global, -EBADMSG, "after 1 of 10737418235 blocks");
  free(global);
  free(huge);
  free(text);
}

/* LDGSTS has two addresses. post-traces-processing keeps the global one; where both are, they are
 * one instruction; where the global one is missing, the access would be lost. */
static void copies_to_shared_memory(void **state)
{
  (void)state;
  becomes(2,
          "0 1 0 LDGSTS.E.BYPASS.LTC128B.128 2 R2 R4 16 0 0x400 0\n"
          "0 1 0 LDGSTS.E.BYPASS.LTC128B.128 2 R2 R4 16 0 0x7f1000000000 0\n",
          "w0 0 load no-l1 16 1 7f1000000000\n");
  becomes(1, "0 1 0 LDGSTS.E.64 2 R2 R4 8 0 0x7f1000000000 0\n", "w0 0 load 8 1 7f1000000000\n");
  refused(1, "0 1 0 LDGSTS.E 2 R2 R4 4 0 0x400 0\n", -EOPNOTSUPP, "no global address");
  refused(2, "0 1 0 LDGSTS.E 2 R2 R4 4 0 0x400 0\n0 1 0 LDGSTS.E 2 R2 R4 4 0 0x500 0\n",
          -EOPNOTSUPP, "no global address");
  refused(2, "0 1 0 LDGSTS.E 2 R2 R4 4 0 0x400 0\n10 1 0 LDGSTS.E 2 R2 R4 4 0 0x7f1000000000 0\n",
          -EOPNOTSUPP, "no global address");
  refused(2, "0 1 0 LDGSTS.E 2 R2 R4 4 0 0x400 0\n10 1 0 EXIT 0 0 0\n", -EOPNOTSUPP,
          "no global address");
}

/* No access to global memory is lost: what is not known, or has no addresses, is an error. */
static void nothing_is_lost(void **state)
{
  (void)state;
  refused(1, "0 1 0 FROB.E 1 R2 4 0 0x1000 0\n", -EOPNOTSUPP, "text:14: FROB.E has addresses");
  refused(1, "0 1 1 R4 LDG.E 1 R2 0 0\n", -EOPNOTSUPP, "LDG.E has no addresses");
  refused(1, "0 1 0 UTMALDG.2D 1 R2 0 0\n", -EOPNOTSUPP, "UTMALDG.2D copies memory");
  refused(1, "0 1 0 UBLKCP 1 R2 4 0 0x1000 0\n", -EOPNOTSUPP, "UBLKCP copies memory");
  becomes(2, "0 0 0 FROB.E 1 R2 4 1 0x0 21930 0\n0 0 0 UTMALDG 0 0 0\n", "w0 0 other 2\n");
  becomes(2, "0 1 0 FROB.E 1 R2 0 0\n0 1 1 R4 LDGDEPBAR 0 0 0\n", "w0 0 other 2\n");
}

static void other_memories_and_barriers(void **state)
{
  (void)state;
  becomes(6,
          "0 1 1 R2 LDS.U.128 1 R1 16 0 0x10 0\n10 1 0 STS 2 R1 R2 4 0 0x10 0\n"
          "20 1 1 R2 LDSM.16.M88.4 1 R1 4 0 0x10 0\n30 1 1 R2 ATOMS.ADD 1 R1 4 0 0x10 0\n"
          "40 1 1 R2 LDC.64 1 R1 8 0 0x10 0\n50 1 0 CCTL.IVALL 1 R1 4 0 0x1000 0\n",
          "w0 0 other 6\n");
  becomes(4,
          "0 3 0 BAR.SYNC 0 0 0\n10 3 0 BAR.ARV 0 0 0\n20 3 0 BAR.RED.POPC 0 0 0\n30 0 0 BAR.SYNC "
          "0 0 0\n",
          "w0 0 barrier 0 3\nw0 10 other 1\nw0 20 barrier 0 3\nw0 30 other 1\n");
}

static void textures_are_counted(void **state)
{
  struct gc_trace *trace;
  struct gc_trace_launch launch;
  struct gc_trace_ignored ignored;
  struct gc_error err;
  char *text = kernel_of(
      3, "0 1 1 R2 TEX.SCR.LL 1 R1 0 0\n10 3 1 R2 SULD.D.BA.2D 1 R1 0 0\n20 0 0 TLD 0 0 0\n");

  (void)state;
  write_file("text", text, strlen(text));
  free(text);
  assert_int_equal(gc_trace_open("text", &trace, &err), 0);
  assert_int_equal(gc_trace_next_kernel(trace, &launch, &err), 1);
  assert_int_equal(gc_trace_next_kernel(trace, &launch, &err), 0); /* reads what is skipped */
  gc_trace_get_ignored(trace, &ignored);
  assert_int_equal(ignored.textures, 2);
  assert_int_equal(ignored.copies, 0);
  gc_trace_close(trace);
}

static void headers_of_versions(void **state)
{
  char *text = kernel_of(1, "0 1 1 R4 LDG.E 1 R2 4 0 0x1000\n"), *four, *lines;

  (void)state;
  text_is(text, LAUNCH "w0 0 load 4 1 1000\nblock 0\n"); /* version 5 without immediate */
  four = replaced(text, "version = 5", "version = 4");
  text_is(four, LAUNCH "w0 0 load 4 1 1000\nblock 0\n");
  free(four);
  four = replaced(text, "version = 5", "version = 3");
  text_is(four, LAUNCH "w0 0 load 4 1 1000\nblock 0\n");
  lines = replaced(four, "0 1 1 R4", "17 0 1 1 R4");
  text_fails(lines, -EBADMSG, "text:14: there is no list of destination registers");
  free(four);
  four = replaced(lines, "#traces", "-enable lineinfo = 1\n#traces");
  text_is(four, LAUNCH "w0 0 load 4 1 1000\nblock 0\n");
  free(lines);
  free(four);
  four = replaced(text, "version = 5", "version = 6");
  text_is(four, LAUNCH "w0 0 load 4 1 1000\nblock 0\n");
  free(four);
  four = replaced(text, "version = 5", "version = 7");
  text_fails(four, -EBADMSG, "tracer version 7");
  free(four);
  four = replaced(text, "0x1000\n", "0x1000 7 7\n");
  text_fails(four, -EBADMSG, "more text");
  free(four);
  free(text);
}

/* A kernel with one warp of these instructions, as tracer version 6 writes it. */
static char *kernel_of_6(int count, const char *instructions)
{
  char *text = kernel_of(count, instructions), *six = replaced(text, "version = 5", "version = 6");
  char *result = replaced(six, "thread block = 0,0,0\n",
                          "thread block = 0,0,0\ncluster id = 0,0,0\ncluster cta = 0,0,0\n"
                          "cluster rank = 0\n");

  free(six);
  free(text);
  return result;
}

static void becomes_6(int count, const char *instructions, const char *expected)
{
  char *text = kernel_of_6(count, instructions), *whole;

  assert_true(asprintf(&whole, LAUNCH "%sblock 0\n", expected) > 0);
  text_is(text, whole);
  free(whole);
  free(text);
}

static void refused_6(const char *instruction, int status, const char *words)
{
  char *text = kernel_of_6(1, instruction);

  text_fails(text, status, words);
  free(text);
}

/* Uniform and predicate registers, two immediates, values of registers, the group of a GMMA. */
static void fields_of_version_6(void **state)
{
  char *text, *broken;

  (void)state;
  becomes_6(7,
            "0 1 1 R4 LDG.E 2 R2 UR4 4 0 0x1000 0 0 NoVal\n"
            "10 1 1 UR8 R2UR 1 R4 0 0 0 Val 1 1f 1 1f\n20 1 1 P0 ISETP.GE.AND 2 R4 UP1 0 -7 NoVal\n"
            "30 1 1 R4 LDG.E 1 R2 4 0 0x1000 18446744073709551615 7 Val 1 a 1 b\n"
            "40 1 1 R24 HGMMA.64x128x16.F32.BF16 2 R24 UR12 1 0 0 0 NoVal\n"
            "50 1 0 BAR.ARV 0 0 1 128 \n60 1 1 R4 LDG.E 1 R2 4 2 0x1000 0\n",
            "w0 0 load 4 1 1000\nw0 10 other 2\nw0 30 load 4 1 1000\nw0 40 other 2\n"
            "w0 60 load 4 1 1000\n");
  refused_6("0 1 1 R4 LDG.E 1 R2 4 0 0x1000 0 0 0\n", -EBADMSG, "more text");
  refused_6("0 1 1 R4 LDG.E 1 R2 4 0 0x1000 0 0 Value\n", -EBADMSG, "more text");
  refused_6("0 1 1 Q4 LDG.E 1 R2 4 0 0x1000 0\n", -EBADMSG, "destination registers");
  refused_6("0 1 1 UR LDG.E 1 R2 4 0 0x1000 0\n", -EBADMSG, "destination registers");
  refused_6("0 1 0 HGMMA.64x8x16.F32 0\n", -EBADMSG, "after the registers of a GMMA");
  /* what belongs to version 6 is wrong before */
  refused(1, "0 1 1 R4 LDG.E 1 R2 4 0 0x1000 0 0 NoVal\n", -EBADMSG, "more text");
  /* the lines about clusters come before the first warp */
  text = kernel_of_6(1, "0 1 0 EXIT 0 0 0 NoVal\n");
  broken = replaced(text, "\n#END_TB", "cluster rank = 0\n#END_TB");
  text_fails(broken, -EBADMSG, "must be \"warp = N\"");
  free(broken);
  free(text);
}

/* Bulk copies: elements that are neighbors become pieces of 16 bytes, which pass L1. */
static void bulk_copies_of_version_6(void **state)
{
  (void)state;
  /* 16 elements of 2 bytes in one row and 8 in another one */
  becomes_6(1,
            "0 1 0 UTMALDG.2D 2 UR4 UR6 2 0x8000 0 48 0 4 0x7f0000 24 2 2 2 2 2 2 2 2 2 2 2 2 2 2 "
            "2 226 2 2 2 2 2 2 2 0 NoVal\n",
            "w0 0 load no-l1 16 7 7f0000 7f0010 7f0100\n");
  /* multicast to the blocks of a cluster: read once; each address has 64 bytes */
  becomes_6(1, "0 1 0 UTMALDG.1D.MULTICAST 1 UR4 64 0x8000 1 3 128 0 3 2 0x7f0000 0x7f0040 0\n",
            "w0 0 load no-l1 16 ff 7f0000 7f0010 7f0020 7f0030 7f0040 7f0050 7f0060 7f0070\n");
  becomes_6(4,
            "0 1 0 UBLKCP.S.G 2 UR4 UR6 16 0x8000 0 16 0 3 1 0x7f0000 0\n"
            "10 1 0 UBLKCP.G.S 2 UR4 UR6 16 0 0 16 0 3 1 0x7f0000 0\n"
            "20 1 0 UTMASTG.1D 2 UR4 UR6 16 0 0 16 0 3 1 0x7f0000 0\n"
            "30 1 0 UTMAREDG.1D.ADD 2 UR4 UR6 16 0 0 16 0 3 1 0x7f0000 0\n",
            "w0 0 load no-l1 16 1 7f0000\nw0 10 store no-l1 16 1 7f0000\n"
            "w0 20 store no-l1 16 1 7f0000\nw0 30 atomic no-l1 16 1 7f0000\n");
  /* nothing inside of the tensor; no thread; from shared to shared memory; commands */
  becomes_6(4,
            "0 1 0 UTMALDG.1D 1 UR4 4 0x8000 0 0 64 4 0x0 0 0\n"
            "10 0 0 UTMALDG.1D 1 UR4 4 0x8000 0 4 0 3 1 0x7f0000 0\n"
            "20 1 0 UBLKCP.S.S 1 UR4 16 0x8000 0 16 0 3 1 0x400 0\n30 1 0 UTMACMDFLUSH 0 0 0\n",
            "w0 0 other 4\n");
  refused_6("0 1 0 UTMALDG.1D 1 UR4 4\n", -EBADMSG, "no fields of a bulk copy");
  refused_6("0 1 0 UTMALDG.1D 1 UR4 4 0 0 4 0 1 0x7f0000 4\n", -EBADMSG, "none of 3 and 4");
  refused_6("0 1 0 UTMALDG.1D 1 UR4 4 0 0 4 0 4 0x7f0000 3 4\n", -EBADMSG, "fewer address diff");
  refused_6("0 1 0 UTMALDG.1D 1 UR4 4 0 0 4 0 3 2 0x7f0000\n", -EBADMSG, "fewer addresses than");
  refused_6("0 1 0 UTMALDG.1D 1 UR4 4 0 0 4 0 3 1 0x7f0000 0 0 0\n", -EBADMSG, "more text");
  refused_6("0 1 0 UTMALDG.1D 1 UR4 4 0 0 4 0 3 1 0x200000000000000 0\n", -EBADMSG, "57 bits");
}

/* A copy of more pieces than a warp has threads is several instructions. */
static void large_bulk_copy(void **state)
{
  char *line, *expected;
  size_t size;
  FILE *out = open_memstream(&line, &size), *text;

  (void)state;
  assert_non_null(out);
  fputs("0 1 0 UTMALDG.2D 1 UR4 16 0 0 1600 0 3 100", out);
  for (int i = 0; i < 100; i++)
    fprintf(out, " 0x%x", 65536 + 32 * i);
  fputs(" 0\n", out);
  fclose(out);
  text = open_memstream(&expected, &size);
  assert_non_null(text);
  for (int i = 0; i < 100; i++) {
    if (i % 32 == 0)
      fprintf(text, "%sw0 0 load no-l1 16 %s", i ? "\n" : "", i < 96 ? "ffffffff" : "f");
    fprintf(text, " %x", 65536 + 32 * i);
  }
  fputs("\n", text);
  fclose(text);
  becomes_6(1, line, expected);
  free(line);
  free(expected);
}

/* Each line: replace the first text by the second in the sample; the sentence has the third. */
static void broken_files(void **state)
{
  static const char *const breaks[][3] = {
      {"-grid dim = (2,1,1)", "-grid dim = (2,1)",
       "kernel-broken:3: \"(2,1)\" is no value for \"-grid dim\""},
      {"-grid dim = (2,1,1)", "-grid dim = (0,1,1)", "no value"},
      {"-grid dim = (2,1,1)", "-grid dim = (2,1,65536)", "no value"},
      {"-grid dim = (2,1,1)", "-grid dim = (99999999999999999999,1,1)", "no value"},
      {"-grid dim = (2,1,1)", "-grid dim = (3,1,1)", "after 2 of 3 blocks"},
      {"-grid dim = (2,1,1)", "-grid dim = (1,1,2)", "not in the grid"},
      {"-grid dim = (2,1,1)\n", "", "no line \"-grid dim"},
      {"-grid dim = (2,1,1)", "-grid dim = (2,1,1)\n-grid dim = (2,1,1)", "twice"},
      {"-grid dim = (2,1,1)", "-grid dim", "no \" =\""},
      {"-block dim = (48,1,1)", "-block dim = (1025,1,1)", "no value"},
      {"-block dim = (48,1,1)", "-block dim = (32,33,1)", "no value"},
      {"-block dim = (48,1,1)", "-block dim = (32,1,1)", "no warp 1 in a block of 32 threads"},
      {"-block dim = (48,1,1)", "-block dim = (40,1,1)", "not in the block"},
      {"-kernel name = ", "-kernel title = ", "no line \"-kernel name"},
      {"-shmem = 1024", "-shmem = many", "no value"},
      {"-local mem base_addr = 0x0000", "-local mem base_addr = 0xffff", "no value"},
      {"-accelsim tracer version = 5", "-accelsim tracer version = 2", "version 2"},
      {"-enable lineinfo = 0", "-enable lineinfo = 2", "no value"},
      {"#BEGIN_TB\n", "0 0 0 0 0000 ffffffff 0 EXIT 0 0 0\n#BEGIN_TB\n", "post-traces-processing"},
      {"thread block = 0,0,0", "thread block = 2,0,0", "block 2,0,0 is not in the grid"},
      {"thread block = 0,0,0", "thread block = 1,0,0", "with this or a higher number"},
      {"thread block = 0,0,0", "thread block = 0,0", "must be \"thread block"},
      {"warp = 1\n", "warp = 0\n", "comes after"},
      {"warp = 0\n", "warp = x\n", "must be \"warp"},
      {"warp = 0\n", "", "must be \"warp"},
      {"insts = 12", "insts = 13", "has 12 instructions, not 13"},
      {"insts = 12", "insts = 11", "must be \"warp = N\""},
      {"insts = 12", "insts = -1", "must be \"insts"},
      {"#END_TB", "#BEGIN_TB", "must be \"warp"},
      {"\n#END_TB\n\n#BEGIN_TB", "\n#END_TB\n\nkernel-2.traceg", "must be \"#BEGIN_TB\""},
      {"0x7f1c10000000 4 0", "0x200000000000000 -4 0", "57 bits"},
      {"0x7f1c10000000 4 0", "0x1fffffffffffffe 0 0", "57 bits"},
      {"0x7f1c10000000 4 0", "0x10000000000000000 4 0", "no base address"},
      {"0x7f1c10000000 4 0", "0x10 -4 0", "57 bits"},
      {"0020 ffffffff 1 R4 LDG", "0020 1ffffffff 1 R4 LDG", "no hexadecimal mask"},
      {"0020 ffffffff 1 R4 LDG", "100000020 ffffffff 1 R4 LDG", "no hexadecimal PC"},
      {"0020 ffffffff 1 R4 LDG", "0020 ffffffff 2 R4 LDG", "destination registers"},
      {"0020 ffffffff 1 R4 LDG.E.CONSTANT 1 R2", "0020 ffffffff 1 R4 LDG.E.CONSTANT 99 R2",
       "source registers"},
      {"R4 LDG.E.CONSTANT 1 R2 4", "R4 LDG.E.CONSTANT 1 R2 four", "no width"},
  };
  size_t size;
  char *text = read_file(sample("kernel-1.traceg"), &size);

  (void)state;
  for (size_t i = 0; i < sizeof(breaks) / sizeof(*breaks); i++) {
    char *broken = replaced(text, breaks[i][0], breaks[i][1]);

    write_file("kernel-broken", broken, strlen(broken));
    trace_fails("kernel-broken", -EBADMSG, breaks[i][2]);
    free(broken);
  }
  free(text);
}

/* Two kernels in one file; another block than the header has. */
static void kernels_one_after_the_other(void **state)
{
  char *one = kernel_of(1, "0 1 0 EXIT 0 0 0\n"), *two;

  (void)state;
  assert_true(asprintf(&two, "%s%s", one, one) > 0);
  text_is(two, LAUNCH
          "w0 0 other 1\nblock 0\nkernel 2 \"k\" blocks 1 threads 32 warp 32 registers 0 shared "
          "0 origin \"\"\nw0 0 other 1\nblock 0\n");
  free(two);
  assert_true(asprintf(&two, "%s" BLOCK END, one) > 0);
  text_fails(two, -EBADMSG, "more blocks");
  free(two);
  free(one);
}

/* A grid of 3 blocks, in this order. */
static char *blocks_of(const int order[3])
{
  char *text = NULL, *one = kernel_of(1, "0 1 0 EXIT 0 0 0\n");
  char *three = replaced(one, "-grid dim = (1,1,1)", "-grid dim = (3,1,1)");
  char *header_end = strstr(three, "#BEGIN_TB");

  assert_non_null(header_end);
  *header_end = '\0';
  assert_true(asprintf(&text, "%s" SMALL_BLOCK SMALL_BLOCK SMALL_BLOCK, three, order[0], order[1],
                       order[2]) > 0);
  free(three);
  free(one);
  return text;
}

/* A block that comes again later would replace one that is missing. */
static void blocks_in_ascending_order(void **state)
{
  static const int orders[][3] = {{0, 1, 0}, {0, 1, 1}, {0, 0, 1}, {2, 1, 0}, {1, 2, 0}};
  char *text = blocks_of((const int[]){0, 1, 2});

  (void)state;
  text_is(text, "kernel 1 \"k\" blocks 3 threads 32 warp 32 registers 0 shared 0 origin \"\"\n"
                "w0 0 other 1\nblock 0\nw0 0 other 1\nblock 1\nw0 0 other 1\nblock 2\n");
  free(text);
  for (size_t i = 0; i < sizeof(orders) / sizeof(*orders); i++) {
    text = blocks_of(orders[i]);
    text_fails(text, -EBADMSG, "comes after a block with this or a higher number");
    free(text);
  }
}

/* "10:", "20!:": the pc of each instruction that is handed over, with ! if it waits. */
static int note_waits(unsigned warp, const struct gc_trace_instruction *instruction, void *data)
{
  (void)warp;
  fprintf(data, "%x%s:", instruction->pc, instruction->waits ? "!" : "");
  return 0;
}

static void waits_are(int count, const char *instructions, const char *expected)
{
  char *text = kernel_of_6(count, instructions), *waits = NULL;
  struct gc_trace_launch launch;
  struct gc_trace *trace;
  struct gc_error err;
  size_t size;
  FILE *out = open_memstream(&waits, &size);

  assert_non_null(out);
  write_file("text", text, strlen(text));
  free(text);
  assert_int_equal(gc_trace_open("text", &trace, &err), 0);
  assert_int_equal(gc_trace_next_kernel(trace, &launch, &err), 1);
  assert_true(launch.registers);
  assert_int_equal(gc_trace_next_block(trace, note_waits, out, NULL, &err), 1);
  gc_trace_close(trace);
  fclose(out);
  assert_string_equal(waits, expected);
  free(waits);
}

#define LDG(pc, to, from) pc " 1 1 R" to " LDG.E 1 R" from " 4 0 0x1000 0\n"

/* An instruction waits if it reads or writes what a load under way writes. */
static void registers_show_who_waits(void **state)
{
  (void)state;
  /* an address from a load; then nothing is under way but that load */
  waits_are(3, LDG("10", "4", "2") LDG("20", "8", "4") LDG("30", "10", "4"), "10:20!:30:");
  /* the second register of an address */
  waits_are(2, LDG("10", "5", "2") LDG("20", "8", "4"), "10:20!:");
  /* independent loads with arithmetic in between, used together */
  waits_are(5,
            LDG("10", "4", "2") "20 1 1 R2 IADD3 3 R2 R3 R255 0 0\n" LDG(
                "30", "5", "2") "40 1 1 R6 FADD 2 R4 R6 0 0\n50 1 1 R6 FADD 2 R5 R6 0 0\n",
            "10:20:30:40!:");
  /* arithmetic before the use is handed over first */
  waits_are(3, LDG("10", "4", "2") "20 1 1 R9 MOV 1 R8 0 0\n30 1 1 R9 MOV 1 R4 0 0\n",
            "10:20:30!:");
  /* writing the register waits, too; RZ is none; another register does not */
  waits_are(2, LDG("10", "4", "2") "20 1 1 R4 MOV 1 R8 0 0\n", "10:20!:");
  waits_are(2, LDG("10", "255", "2") "20 1 1 R255 MOV 1 R255 0 0\n", "10:20:");
  waits_are(2, LDG("10", "4", "2") "20 1 1 UR4 MOV 1 P4 0 0\n", "10:20:");
  /* bytes make registers: of a load, and of what is stored */
  waits_are(2, "10 1 1 R4 LDG.E.128 1 R2 16 0 0x1000 0\n20 1 1 R9 MOV 1 R7 0 0\n", "10:20!:");
  waits_are(2, "10 1 1 R4 LDG.E.64 1 R2 8 0 0x1000 0\n20 1 1 R9 MOV 1 R6 0 0\n", "10:20:");
  waits_are(2, LDG("10", "11", "2") "20 1 0 STG.E.128 2 R2 R8 16 0 0x1000 0\n", "10:20!:");
  waits_are(2, LDG("10", "11", "2") "20 1 0 STG.E.64 2 R2 R8 8 0 0x1000 0\n", "10:20:");
  /* atomics have results, reductions have none; loads of other memories do not count */
  waits_are(2, "10 1 1 R4 ATOMG.E.ADD 2 R2 R5 4 0 0x1000 0\n20 1 1 R9 MOV 1 R4 0 0\n", "10:20!:");
  waits_are(2, "10 1 0 REDG.E.ADD 2 R2 R5 4 0 0x1000 0\n20 1 1 R9 MOV 1 R5 0 0\n", "10:20:");
  waits_are(2, "10 1 1 R4 LDS 1 R2 4 0 0x10 0\n20 1 1 R9 MOV 1 R4 0 0\n", "10:");
  /* a load without threads starts nothing */
  waits_are(2, "10 0 1 R4 LDG.E 1 R2 4 1 0x0 0 0\n20 1 1 R9 MOV 1 R4 0 0\n", "10:");
  /* a load in two parts waits once; so does a barrier */
  waits_are(2, LDG("10", "2", "4") "20 1 1 R8 LDG.E.ENL2.256 1 R2 4 0 0x1000 0\n", "10:20!:20:");
}

#define LDGSTS(pc) pc " 1 0 LDGSTS.E 2 R2 R4 4 0 0x7f1000000000 0\n"

/* Copies to shared memory: DEPBAR waits until so many groups are left. */
static void copies_under_way(void **state)
{
  (void)state;
  waits_are(3, LDGSTS("10") "20 1 0 LDGDEPBAR 0 0 0\n30 1 0 DEPBAR.LE 0 0 0\n", "10:20:30!:");
  waits_are(3, LDGSTS("10") "20 1 0 LDGDEPBAR 0 0 0\n30 1 0 DEPBAR.LE 0 0 1\n", "10:20:");
  waits_are(5,
            LDGSTS("10") "20 1 0 LDGDEPBAR 0 0 0\n" LDGSTS(
                "30") "40 1 0 LDGDEPBAR 0 0 0\n50 1 0 DEPBAR.LE 0 0 1\n",
            "10:20:30:40:50!:");
  /* one that is in no group is not waited for */
  waits_are(2, LDGSTS("10") "30 1 0 DEPBAR.LE 0 0 0\n", "10:30:");
  /* bulk copies: the barrier in shared memory */
  waits_are(3,
            "10 1 0 UTMALDG.1D 1 UR4 4 0x8000 0 4 0 3 1 0x7f0000 0\n20 1 0 SYNCS.ARRIVE 1 R2 0 0\n"
            "30 1 1 P0 SYNCS.PHASECHK.TRANS64.TRYWAIT 1 R2 0 0\n",
            "10:20:30!:");
  waits_are(2,
            "10 1 0 UTMASTG.1D 1 UR4 4 0 0 4 0 3 1 0x7f0000 0\n"
            "30 1 1 P0 SYNCS.PHASECHK.TRANS64.TRYWAIT 1 R2 0 0\n",
            "10:30:");
}

static int stop(unsigned warp, const struct gc_trace_instruction *instruction, void *data)
{
  (void)warp;
  (void)instruction;
  return --*(int *)data ? 0 : -ECANCELED;
}

static void visitor_ends_reading(void **state)
{
  struct gc_trace *trace;
  struct gc_trace_launch launch;
  struct gc_error err = {"untouched"};
  int left = 3;

  (void)state;
  assert_int_equal(gc_trace_open(sample("kernel-1.traceg"), &trace, &err), 0);
  assert_int_equal(gc_trace_next_block(trace, stop, &left, NULL, &err),
                   0); /* there is no kernel yet */
  assert_int_equal(gc_trace_next_kernel(trace, &launch, &err), 1);
  assert_int_equal(gc_trace_next_block(trace, stop, &left, NULL, &err), -ECANCELED);
  assert_string_equal(err.text, "untouched");
  assert_int_equal(left, 0);
  gc_trace_close(trace);
  gc_trace_close(NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sample_with_all_kinds),
      cmocka_unit_test(encodings_of_addresses),
      cmocka_unit_test(bytes_come_from_the_suffix),
      cmocka_unit_test(hints_come_from_the_suffixes),
      cmocka_unit_test(generic_addresses_by_their_window),
      cmocka_unit_test(local_memory_of_each_thread),
      cmocka_unit_test(local_memory_of_a_huge_grid),
      cmocka_unit_test(copies_to_shared_memory),
      cmocka_unit_test(nothing_is_lost),
      cmocka_unit_test(other_memories_and_barriers),
      cmocka_unit_test(textures_are_counted),
      cmocka_unit_test(headers_of_versions),
      cmocka_unit_test(fields_of_version_6),
      cmocka_unit_test(bulk_copies_of_version_6),
      cmocka_unit_test(large_bulk_copy),
      cmocka_unit_test(registers_show_who_waits),
      cmocka_unit_test(copies_under_way),
      cmocka_unit_test(broken_files),
      cmocka_unit_test(kernels_one_after_the_other),
      cmocka_unit_test(blocks_in_ascending_order),
      cmocka_unit_test(visitor_ends_reading),
  };

  return cmocka_run_group_tests(tests, enter_directory, leave_directory);
}
