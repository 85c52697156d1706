/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Lists of kernels, the traces of Nugteren et al., our TSV, and files of no format.
 */
#include "config.h"

#include "trace_text.h"

#include <errno.h>

static void copy(const char *from, const char *to)
{
  size_t size;
  char *bytes = read_file(sample(from), &size);

  write_file(to, bytes, size);
  free(bytes);
}

/* The files of a list are beside it, whatever the working directory is. */
static void list_of_kernels(void **state)
{
  struct gc_error err;
  struct gc_trace *trace;
  struct gc_trace_ignored ignored;
  char *text = NULL;
  size_t size;
  FILE *out;

  (void)state;
#ifndef HAVE_LZMA
  skip(); /* one of the files */
#endif
  out = open_memstream(&text, &size);
  assert_non_null(out);
  assert_int_equal(gc_trace_open(sample("kernelslist.g"), &trace, &err), 0);
  assert_int_equal(print_trace(out, trace, &err), 0);
  gc_trace_get_ignored(trace, &ignored);
  assert_int_equal(ignored.copies, 2);
  assert_int_equal(ignored.textures, 1);
  gc_trace_close(trace);
  fclose(out);
  assert_non_null(strstr(text, "kernel 1 \"_Z5scalePfPKfi\" blocks 2 threads 48"));
  assert_non_null(
      strstr(text, "block 1\nkernel 2 \"gather\" blocks 4 threads 32 warp 32 registers 16 shared 0 "
                   "origin \"NVBit 1.5.5, compute capability 7.0\"\n"));
  assert_non_null(
      strstr(text, "w0 10 load 4 3 7f1000000000 7f0fffffff00\nw0 20 other 1\nblock 0\n"));
  assert_non_null(
      strstr(text, "w0 18 atomic no-l1 8 7 7f1000000040 7f1000000048 7f1000000050\nw0 20 other 1\n"
                   "block 3\n"));
  free(text);
}

/* Only copies to the GPU can fill L2. */
static void copies_in_a_list(void **state)
{
  static const char list[] = "MemcpyHtoD,0x1000,4\nMemcpyDtoH,0x1000,4\nMemcpyDtoH,0x2000,4\n";
  struct gc_trace *trace;
  struct gc_trace_launch launch;
  struct gc_trace_ignored ignored;
  struct gc_error err;

  (void)state;
  write_file("list", list, strlen(list));
  assert_int_equal(gc_trace_open("list", &trace, &err), 0);
  assert_int_equal(gc_trace_next_kernel(trace, &launch, &err), 0);
  gc_trace_get_ignored(trace, &ignored);
  assert_int_equal(ignored.copies, 1);
  gc_trace_close(trace);
}

static void names_in_a_list(void **state)
{
  (void)state;
  copy("kernel-1.traceg", "kernel-1.traceg");
  copy("kernel-2-ctx_0x6165.traceg.xz", "kernel-2.traceg.xz");
  copy("two-kernels.tsv", "kernel-3.traceg");
  text_fails("kernel-9.traceg\n", -ENOENT,
             "text:1: the file kernel-9.traceg is not there, and neither is one with .xz");
  text_fails("kernel-1.traceg\nkernel-9.traceg\n", -ENOENT, "text:2: ");
  text_fails("kernel/../kernel-1.traceg\n", -EBADMSG, "not the name of a file beside the list");
  text_fails("kernel-3.traceg\n", -EBADMSG, "kernel-3.traceg is not a .traceg file");
  text_fails("MemcpyHtoD,0x1000,4\nkernels end\n", -ENOENT, "text:2: ");
  text_fails("MemcpyHtoD,0x1000,4\nncclAllReduce\n", -EBADMSG, "neither a kernel nor a copy");
  text_fails("MemcpyHtoD,0x1000\n", -EBADMSG, "must be \"MemcpyHtoD");
  text_fails("MemcpyDtoD,0x1000,4\n", -EBADMSG, "must be \"MemcpyHtoD");
  write_file("kernel-4.traceg", "kernel-4.traceg\n", 16);
  trace_fails("kernel-4.traceg", -EBADMSG, "not a .traceg file"); /* a list that names itself */
  text_is("MemcpyHtoD,0x1000,4\nMemcpyDtoH,0x1000,4\n", "");
  write_file("kernel-5.traceg", "-kernel name = x\n", 17);
  text_fails("kernel-5.traceg\n", -EBADMSG, "kernel-5.traceg:1: the file ends in the header");
}

/* Compressed or decompressed after the list was written. */
static void suffixes_in_a_list(void **state)
{
  struct gc_error err;
  int status;
  char *text;

  (void)state;
  copy("kernel-1.traceg", "kernel-1.traceg");
  write_file("text", "kernel-1.traceg.xz\n", 19);
  text = trace_text("text", &status, &err);
  assert_non_null(text);
  free(text);
#ifdef HAVE_LZMA
  write_file("text", "kernel-2.traceg\n", 16);
  text = trace_text("text", &status, &err);
  assert_non_null(text);
  free(text);
#endif
}

static void sample_of_the_paper(void **state)
{
  (void)state;
  trace_is(sample("paper.trc"),
           "kernel 1 \"\" blocks 0 threads 40 warp 32 registers 0 shared 0 origin \"\"\n"
           "w0 0 load 4 7 1000 1004 1008\n"
           "w0 1 store 8 3 2000 2008\n" /* thread 2 loads instead */
           "w0 1 load 4 4 3000\n"
           "w0 2 load 1 2 100000000000000\n"
           "w1 0 load 4 80 109c\n"
           "block 0\n"
           "w0 0 load 16 3 1000 1010\nblock 2\n"
           "w0 0 store 2 1 1000\nblock 5\n");
}

/* Written by the tracer that the paper released, tracer.cpp, from the events of a kernel with 2 x 2
 * blocks of 8 x 4 threads, which ran x first. It numbers the blocks along y. */
static void file_of_the_papers_tracer(void **state)
{
  static const struct {
    unsigned number, x, y;
  } blocks[] = {{0, 0, 0}, {2, 1, 0}, {1, 0, 1}, {3, 1, 1}};
  const uint64_t base = UINT64_C(140000000000000);
  char *expected = NULL;
  size_t size;
  FILE *out = open_memstream(&expected, &size);

  (void)state;
  assert_non_null(out);
  fputs("kernel 1 \"\" blocks 0 threads 32 warp 32 registers 0 shared 0 origin \"\"\n", out);
  for (int i = 0; i < 4; i++) {
    static const char *const begins[] = {"w0 0 load 4 ffffffff", "w0 1 load 16 ffffffff",
                                         "w0 2 store 4 ffffffff"};

    for (unsigned pc = 0; pc < 3; pc++) {
      fputs(begins[pc], out);
      for (unsigned thread = 0; thread < 32; thread++) {
        const unsigned x = 8 * blocks[i].x + thread % 8, y = 4 * blocks[i].y + thread / 8;
        const unsigned offsets[] = {4 * (16 * y + x), 10240 + 16 * y, 20480 + 4 * (8 * x + y)};

        fprintf(out, " %llx", (unsigned long long)(base + offsets[pc]));
      }
      fputc('\n', out);
    }
    fprintf(out, "block %u\n", blocks[i].number);
  }
  fclose(out);
  trace_is(sample("nugteren_00.trc"), expected);
  free(expected);
}

/* Its reader takes any word before the size of a block. */
static void any_word_of_the_paper(void **state)
{
  static const char *const words[] = {"blocksize:", "blockdim:", "x", "threads"};

  (void)state;
  for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
    char *text;

    assert_true(asprintf(&text, "%s 2 1 1\n0 0 16 4\n", words[i]) > 0);
    text_is(text, "kernel 1 \"\" blocks 0 threads 2 warp 32 registers 0 shared 0 origin \"\"\n"
                  "w0 0 load 4 1 10\nblock 0\n");
    free(text);
  }
  /* accesses without the line before them are none */
  text_fails("0 0 16 4\n1 0 20 4\n", -EBADMSG, "does not begin a trace");
}

/* In any order of the threads of a block. A reader that takes lines as instructions is wrong. */
static void order_in_the_paper(void **state)
{
  (void)state;
  text_is("blockdim: 2 1 1\n0 0 16 4\n0 0 32 4\n1 0 20 4\n1 0 36 4\n",
          "kernel 1 \"\" blocks 0 threads 2 warp 32 registers 0 shared 0 origin \"\"\n"
          "w0 0 load 4 3 10 14\nw0 1 load 4 3 20 24\nblock 0\n");
  text_fails("blockdim: 2 1 1\n0 0 16 4\n2 0 32 4\n1 0 20 4\n", -EBADMSG,
             "text:4: the thread 1 belongs to an");
  text_fails("blockdim: 2 1 1\n0 0 16 4\n2 0 32 4\n1 0 20 4\n", -EBADMSG, "sort -s -n -k1,1");
}

/* More accesses than the first allocation has room for, interleaved in the worst way. */
static void large_block_of_the_paper(void **state)
{
  FILE *trace = fopen("large", "w");
  char *expected = NULL;
  size_t size;
  FILE *out = open_memstream(&expected, &size);

  (void)state;
  assert_non_null(trace);
  assert_non_null(out);
  fputs("blockdim: 2 1 1\n", trace);
  for (int i = 0; i < 10000; i++)
    fprintf(trace, "1 0 %d 4\n", 4096 + 4 * i);
  for (int i = 0; i < 10000; i++)
    fprintf(trace, "0 0 %d 4\n", 4 * i);
  fclose(trace);
  fputs("kernel 1 \"\" blocks 0 threads 2 warp 32 registers 0 shared 0 origin \"\"\n", out);
  for (int i = 0; i < 10000; i++)
    fprintf(out, "w0 %x load 4 3 %x %x\n", i, 4 * i, 4096 + 4 * i);
  fputs("block 0\n", out);
  fclose(out);
  trace_is("large", expected);
  free(expected);
}

static void broken_traces_of_the_paper(void **state)
{
  (void)state;
  text_fails("blockdim: 0 1 1\n", -EBADMSG, "text:1: a block has from 1 to 1024");
  text_fails("blockdim: 1024 2 1\n", -EBADMSG, "text:1: a block has from 1 to 1024");
  text_fails("blockdim: 4294967296 4294967296 1\n", -EBADMSG, "text:1: a block has from 1 to 1024");
  text_fails("blocksize: 8 1\n", -EBADMSG, "\"blocksize: x y z\"");
  text_fails("blocksize: 8 1 1 1\n", -EBADMSG, "\"blocksize: x y z\"");
  text_fails("blocksize: 1 1 1\n0 0 16 4\n2147483648 0 16 4\n", -EBADMSG,
             "text:3: the thread 2147483648 is in no grid");
  text_fails("blockdim: 8 1 1\n", -EBADMSG, "text:1: the trace has no accesses: it is truncated");
  text_fails("blockdim: 8 1 1\n\n", -EBADMSG, "has no accesses");
  text_fails("blockdim: 8 1 1\n0 2 0 4\n", -EBADMSG, "text:2: the direction");
  text_fails("blockdim: 8 1 1\n0 0 0 3\n", -EBADMSG, "text:2: the bytes");
  text_fails("blockdim: 8 1 1\n0 0 0 0\n", -EBADMSG, "text:2: the bytes");
  text_fails("blockdim: 8 1 1\n0 0 0 32\n", -EBADMSG, "text:2: the bytes");
  text_fails("blockdim: 8 1 1\n0 0 144115188075855872 1\n", -EBADMSG, "57 bits"); /* 2^57 */
  text_fails("blockdim: 8 1 1\n0 0 144115188075855871 2\n", -EBADMSG, "57 bits");
  text_fails("blockdim: 8 1 1\n0 0 18446744073709551616 1\n", -EBADMSG, "four decimal numbers");
  text_fails("blockdim: 8 1 1\n0 0 0x10 1\n", -EBADMSG, "four decimal numbers");
  text_fails("blockdim: 8 1 1\n0 0 16 4 4\n", -EBADMSG, "four decimal numbers");
  text_fails("blockdim: 8 1 1\n0 0 16\n", -EBADMSG, "four decimal numbers");
  text_fails("blockdim: 8 1 1\n-1 0 16 4\n", -EBADMSG, "four decimal numbers");
  text_fails("blockdim: 8 1 1\n0 0 16 4\n-kernel name = k\n", -EBADMSG, "text:3: ");
}

#define TSV "hwloc-gpucache-trace\t1\nkernel\tk\nblocks\t4\nthreads\t96\nwarp\t64\n"
#define TSV_LAUNCH "kernel 1 \"k\" blocks 4 threads 96 warp 64 registers 0 shared 0 origin \"\"\n"

static void tsv_is(const char *lines, const char *expected)
{
  char *text, *whole;

  assert_true(asprintf(&text, TSV "%send\n", lines) > 0);
  assert_true(asprintf(&whole, TSV_LAUNCH "%s", expected) > 0);
  text_is(text, whole);
  free(whole);
  free(text);
}

static void tsv_fails(const char *lines, const char *words)
{
  char *text;

  assert_true(asprintf(&text, TSV "%send\n", lines) > 0);
  text_fails(text, -EBADMSG, words);
  free(text);
}

static void instructions_of_tsv(void **state)
{
  (void)state;
  tsv_is("", "");
  tsv_is("grid 2 1 2\nblock 32 3 1\ncluster 2 1 1\nstream 4294967296\n", "");
  tsv_is("2\t0\t1c\tload\t-\t4\t5\t1000,2000\n", "w0 1c load 4 5 1000 2000\nblock 2\n");
  tsv_is("0 0 0x10 store no-l1 16 0xc000000000000001 0x1000,0x2000,3000\n",
         "w0 10 store no-l1 16 c000000000000001 1000 2000 3000\nblock 0\n");
  /* The base is the address of thread 0, also if it takes no part. */
  tsv_is("0 0 0 load read-only 8 6 1000+8\n", "w0 0 load read-only 8 6 1008 1010\nblock 0\n");
  tsv_is("0 0 0 atomic - 4 6 1000-8\n", "w0 0 atomic 4 6 ff8 ff0\nblock 0\n");
  tsv_is("0 0 0 barrier\n0 1 0 barrier\n",
         "w0 0 barrier 0 ffffffffffffffff\nw1 0 barrier 0 ffffffff\nblock 0\n");
  /* Instructions without effect are counted together, but not across warps and blocks. */
  tsv_is("0 0 0 other\n0 0 4 load - 4 0 -\n0 0 8 other 5\n0 1 c other\n1 1 10 other 4294967295\n1 "
         "1 14 other 2\n",
         "w0 0 other 7\nw1 c other 1\nblock 0\nw1 10 other 4294967295\nw1 14 other 2\nblock 1\n");
}

static void broken_tsv(void **state)
{
  (void)state;
  tsv_fails("4 0 0 barrier\n", "text:6: there is no block 4 in a grid of 4");
  tsv_fails("0 2 0 barrier\n", "no warp 2 in a block of 96");
  tsv_fails("1 0 0 barrier\n0 0 0 barrier\n", "text:7: block 0 comes after");
  tsv_fails("0 1 0 barrier\n0 0 0 barrier\n", "text:7: warp 0 comes after");
  tsv_fails("0 1 0 load - 4 100000000 1000\n", "not in the block");
  tsv_fails("0 0 0 load - 4 10000000000000000 1000\n", "mask");
  tsv_fails("0 0 100000000 barrier\n", "no hexadecimal pc");
  tsv_fails("0 0 0 jump\n", "none of load");
  tsv_fails("0 0 0 barrier 1\n", "nothing may follow");
  tsv_fails("0 0 0 other 0\n", "followed by the number");
  tsv_fails("0 0 0 other 4294967296\n", "followed by the number");
  tsv_fails("0 0 0 load ca 4 1 1000\n", "the hint");
  tsv_fails("0 0 0 load - 12 1 1000\n", "the bytes");
  tsv_fails("0 0 0 load - 4 3 1000\n", "neither a list");
  tsv_fails("0 0 0 load - 4 1 1000,2000\n", "neither a list");
  tsv_fails("0 0 0 load - 4 1 1000 2000\n", "neither a list");
  tsv_fails("0 0 0 load - 4 1 1000+\n", "neither a list");
  tsv_fails("0 0 0 load - 4 1 1000+4294967296\n", "neither a list");
  tsv_fails("0 0 0 load - 4 1\n", "neither a list");
  tsv_fails("0 0 0 load - 4 2 0-4\n", "57 bits");
  tsv_fails("0 0 0 load - 1 1 200000000000000\n", "57 bits");
  tsv_fails("0 0 0 load - 2 1 1ffffffffffffff\n", "57 bits");
  tsv_fails("origin late\n0 0 0 barrier\norigin later\n",
            "text:8: this must begin with the numbers");
  tsv_fails("blocks 4\n", "\"blocks\" twice");
  tsv_fails("size 4\n", "no line of a header");
  tsv_fails("grid 4\n", "\"grid 4\": this must be three numbers");
  tsv_fails("grid 4 1 1 1\n", "this must be three numbers");
  tsv_fails("block 96 0 1\n", "this must be three numbers, 1 to");
  tsv_fails("grid 2 1 1\n", "has another number of blocks");
  tsv_fails("grid 4294967295 4294967295 4294967295\n", "has another number of blocks");
  tsv_fails("block 32 2 1\n", "has another number of threads");
  tsv_fails("cluster 2 1 1\ncluster 2 1 1\n", "the kernel has two such lines");
  tsv_fails("stream 0\n", "must be a number");
  tsv_fails("registers many\n", "must be a number");
  tsv_fails("loads-at-once 0\n", "must be a number");
  tsv_fails("loads-at-once 1025\n", "must be a number");
  tsv_fails("carve-out 101\n", "must be a number");
  tsv_fails("launched-blocks 9\n", "no line of a header"); /* of version 2 */
  tsv_fails("kernel\n", "must be \"kernel NAME\"");
  tsv_fails("kernel two\nblocks 1\nwarp 32\n", "no line \"threads\"");
  tsv_fails("left-out 2\n", "needs a number");
  tsv_fails("left-out many for a reason\n", "needs a number");
  tsv_fails("left-out 2 \nend\n", "needs a number");
  tsv_fails("end\n", "after the line \"end\"");
  text_fails(TSV, -EBADMSG, "no line \"end\"");
  text_fails("hwloc-gpucache-trace 1\nkernel k\nblocks 1\nthreads 32\nwarp 32\n0 0 0 load - 4 "
             "100000000 0+4\n"
             "end\n",
             -EBADMSG, "text:6: there is no hexadecimal mask");
  text_fails("hwloc-gpucache-trace 3\nend\n", -EBADMSG, "text:1: this is version 3");
  text_fails("hwloc-gpucache-trace\nend\n", -EBADMSG, "the first line must be");
  text_fails("hwloc-gpucache-trace 1\nkernel k\nblocks 1\nthreads 1025\nwarp 64\nend\n", -EBADMSG,
             "\"threads 1025\": this must be a number, 1 to 1024");
  text_fails("hwloc-gpucache-trace 1\nkernel k\nblocks 1\nthreads 64\nwarp 48\nend\n", -EBADMSG,
             "\"warp 48\": this must be a number, 32 or 64");
  text_fails("hwloc-gpucache-trace 1\nkernel k\nblocks 0\nthreads 64\nwarp 64\nend\n", -EBADMSG,
             "\"blocks 0\": this must be a number, 1 to ");
  text_is("hwloc-gpucache-trace 1\nend\n", "");
}

/* Launches that the trace lacks are summed up; with the first reason. */
static void left_out_of_tsv(void **state)
{
  static const char lines[] = TSV "0 0 0 barrier\nleft-out 2 for a reason\nleft-out ? for another "
                                  "one\nleft-out 3 x\nend\n";
  struct gc_trace_ignored ignored;
  struct gc_trace_launch launch;
  struct gc_trace *trace;
  struct gc_error err;

  (void)state;
  write_file("text", lines, strlen(lines));
  assert_int_equal(gc_trace_open("text", &trace, &err), 0);
  assert_int_equal(gc_trace_next_kernel(trace, &launch, &err), 1);
  assert_int_equal(gc_trace_skip_kernel(trace), 1);
  assert_int_equal(gc_trace_next_kernel(trace, &launch, &err), 0);
  gc_trace_get_ignored(trace, &ignored);
  assert_int_equal(ignored.lacks.launches, 5);
  assert_true(ignored.lacks.more);
  assert_string_equal(ignored.lacks.why.text, "for a reason");
  gc_trace_close(trace);
}

/* A name with control characters is made printable; a long one is cut. */
static void names_of_kernels(void **state)
{
  char *text, *expected, *at;

  (void)state;
  text_is("hwloc-gpucache-trace 1\nkernel a\033[31m b\nblocks 1\nthreads 1\nwarp 32\norigin "
          "x\177y\nend\n",
          "kernel 1 \"a?[31m b\" blocks 1 threads 1 warp 32 registers 0 shared 0 origin \"x?y\"\n");
  assert_true(
      asprintf(&text, "hwloc-gpucache-trace 1\nkernel %01500d\nblocks 1\nthreads 1\nwarp 32\nend\n",
               7) > 0);
  assert_true(
      asprintf(&expected,
               "kernel 1 \"%01023d\" blocks 1 threads 1 warp 32 registers 0 shared 0 origin \"\"\n",
               0) > 0);
  text_is(text, expected);
  /* cut between two characters of three bytes: 1023 are not a multiple of three after one byte */
  at = strchr(text, '0');
  *at = 'x';
  for (size_t i = 1; i < 1500; i++)
    at[i] = "\xe2\x82\xac"[(i - 1) % 3];
  at[1498] = at[1499] = '0';
  at = strchr(expected, '0');
  *at = 'x';
  for (size_t i = 1; i < 1021; i++)
    at[i] = "\xe2\x82\xac"[(i - 1) % 3];
  memmove(at + 1021, at + 1023, strlen(at + 1023) + 1);
  text_is(text, expected);
  free(expected);
  free(text);
}

static void no_format(void **state)
{
  (void)state;
  text_fails("hello\n", -EBADMSG, "text:1: \"hello\" does not begin a trace of a known format");
  text_fails("\n\n", -EBADMSG, "only blank lines");
  text_fails("\033[2J\n", -EBADMSG, "\"?[2J\"");
  text_fails("BZh91AY\n", -EBADMSG, "does not begin a trace");
  text_fails("\x83\xffx\n", -EBADMSG, "\"??x\" does not begin a trace");
  text_fails("\xef\xbb\xbfhwloc-gpucache-trace\t1\n", -EBADMSG,
             "text:1: the file begins with a byte");
  trace_fails("/", -EINVAL, "directory");
}

/* The example of doc/traces.md: what is between the two lines with ``` after "## Our TSV". */
static void example_of_the_document(void **state)
{
  char path[4200], line[512];
  FILE *document, *out;
  int fences = 0;

  (void)state;
  snprintf(path, sizeof(path), "%s/doc/traces.md", getenv("top_srcdir"));
  document = fopen(path, "r");
  out = fopen("example", "w");
  assert_non_null(document);
  assert_non_null(out);
  while (fgets(line, sizeof(line), document))
    if (!strncmp(line, "```tsv", 6) || (fences == 1 && !strncmp(line, "```", 3)))
      fences++;
    else if (fences == 1)
      fputs(line, out);
  fclose(document);
  fclose(out);
  assert_int_equal(fences, 2);
  trace_is("example",
           "kernel 1 \"vector_add\" blocks 2 threads 64 warp 64 registers 12 shared 0 origin \"by "
           "hand\"\n"
           "w0 0 other 7\nw0 1c load 4 f 7f0000001000 7f0000001004 7f0000001008 7f000000100c\n"
           "w0 24 load read-only 8 8000000000000005 7f0000002000 7f0000002040 7f0000003ff8\n"
           "w0 2c barrier 0 ffffffffffffffff\n"
           "w0 30 store no-l1 16 3 7f0000004000 7f0000004010\nw0 38 other 2\nblock 0\n"
           "w0 40 atomic 4 1 7f0000005000\nblock 1\n");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(list_of_kernels),
      cmocka_unit_test(copies_in_a_list),
      cmocka_unit_test(names_in_a_list),
      cmocka_unit_test(suffixes_in_a_list),
      cmocka_unit_test(sample_of_the_paper),
      cmocka_unit_test(file_of_the_papers_tracer),
      cmocka_unit_test(any_word_of_the_paper),
      cmocka_unit_test(order_in_the_paper),
      cmocka_unit_test(large_block_of_the_paper),
      cmocka_unit_test(broken_traces_of_the_paper),
      cmocka_unit_test(instructions_of_tsv),
      cmocka_unit_test(broken_tsv),
      cmocka_unit_test(left_out_of_tsv),
      cmocka_unit_test(names_of_kernels),
      cmocka_unit_test(no_format),
      cmocka_unit_test(example_of_the_document),
  };

  return cmocka_run_group_tests(tests, enter_directory, leave_directory);
}
