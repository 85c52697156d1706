/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Profiles of simulated GPUs: errors name the line, and the profiles of data/sim agree with the
 * papers.
 */
#include "chip.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define HOST_TLB "[host_tlb]\nentries = 8\ncovers = 4 KiB\npenalty = 9\n"
#define HOST(node, more)                                                                           \
  "[host " node "]\nlatency_ns = 1000\nread_gbps = 1\nwrite_gbps = 1\ncopy_to_gbps = 1\n"          \
  "copy_from_gbps = 1\ncopy_both_gbps = 1\n" more

static void bad_profiles_name_line_and_word(void **state)
{
  static const struct {
    const char *text, *message;
  } cases[] = {
      {"", "test:1: the chip lacks 'model'"},
      {"model = x\nsms = 1\nclock_khz = 1000\nthreads_per_sm = 1\nblocks_per_sm = 1\nmemory = 1 "
       "GiB\n"
       "shared_per_sm = 1 KiB\nshared_per_block = 1 KiB\nclock_overhead = 1\n",
       "test:1: the chip lacks both 'compute' and 'gfx'"},
      {"model = x\ncolour = red\n", "test:2: unknown key 'colour' in the chip"},
      {"model = x\nmodel = y\n", "test:2: a second 'model' in the chip"},
      {"model =\n", "test:1: 'model' has no value"},
      {"nonsense\n", "test:1: 'nonsense' is neither"},
      {"sms = twelve\n", "test:1: 'twelve' is not a whole number (sms)"},
      {"sms = -1\n", "test:1: '-1' is not a whole number (sms)"},
      {"sms = 0\n", "test:1: sms = 0 is not between 1 and 4096"},
      {"sms = 99999999999999999999999\n", "is not a whole number (sms)"},
      {"memory = 5 parsecs\n", "'parsecs'"},
      {"memory = 1 GiB KiB\n", "test:1: 'KiB' follows the unit (memory)"},
      {"memory = 99999999999 GiB\n", "99999999999 of that unit is too large (memory)"},
      {"memory = ,\n", "memory needs a size"},
      {"compute = 9\n", "'9' is not of the form 9.0"},
      {"pages = 64\n", "pages needs a size, and contiguous, scattered or mixed"},
      {"pages = 64 KiB shuffled\n", "'shuffled' is none of contiguous|scattered|mixed (pages)"},
      {"pages = 2 KiB scattered\n", "pages = 2048 is not between 4096 and 2097152"},
      {CHIP "pages = 96 KiB scattered\n" UNIFIED L1 RO C15 L2 SPACES,
       "test: pages must have a power of two of bytes"},
      {CHIP "pages = 4 KiB scattered\n" UNIFIED L1 RO C15
            "[cache L2]\nscope = chip\nsize = 256 KiB\nline = 8192\nsector = 8192\nways = 16\n"
            "replacement = lru\n" SPACES,
       "test: a cache of the chip has longer lines than pages"},
      {"gpcs = 0-1 1\n", "gpcs has SM 1 twice"},
      {"gpcs = 3-1\n", "gpcs do not ascend at 3"},
      {"cluster_blocks = 0\n", "cluster_blocks = 0 is not between 1 and 64"},
      {"cluster_remote = 200\n", "(cluster_remote)"},
      {"sm_spread = 10001\n", "sm_spread = 10001 is not between 0 and 10000"},
      {CHIP "sm_spread = 250\n" UNIFIED L1 RO C15 L2 SPACES,
       "sm_spread is not less than a latency"},
      {CHIP "sm_spread = 100\n" UNIFIED L1 RO C15 L2 SPACES "[atomics]\nl2_cycles = 100\n",
       "sm_spread is not less than l2_cycles of atomics"},
      {"outliers = 2 1 2\n", "2 is more than 1 (outliers)"},
      {"outliers = 0.1 5 2\n", "least (5) is more than most (2)"},
      {"outliers = 0.1\n", "outliers needs"},
      {"memory_read_gbps = 0\n", "memory_read_gbps must be more than 0"},
      {"memory_write_gbps = fast\n", "'fast' is not a number (memory_write_gbps)"},
      {"bandwidth_noise = 1.5\n", "1.5 is more than 1 (bandwidth_noise)"},
      {"ramp = 1000 2\n", "ramp"},
      {"wander = 0.1\n", "wander needs a share and a time in ns"},
      {"wander = 1.1 5\n", "1.1 is more than 1 (wander)"},
      {"wander = 0.1 0\n", "wander = 0 is not between 1 and"},
      {"own_clock = l1\n", "'l1' is none of none|memory|l2 (own_clock)"},
      {"latency_step = 0\n", "latency_step = 0 is not between 1 and 64"},
      {"outstanding_per_warp = 0\n", "outstanding_per_warp = 0 is not between 1 and"},
      {"outstanding_per_sm = many\n", "'many' is not a whole number (outstanding_per_sm)"},
      {CHIP RO "compete = yes\n", "[RO]: compete needs scope range, group or gpc"},
      {CHIP L2 "write_gbps = 0.0\n", "write_gbps must be more than 0"},
      {CHIP L2 "[space cg]\nread_bytes_per_cycle = 1 2 3 4 5 6\n",
       "more than 5 levels (read_bytes_per_cycle)"},
      {CHIP L2 "[space cg]\nread_bytes_per_cycle = 1 0\n",
       "read_bytes_per_cycle must be more than 0"},
      {"ecc = maybe\n", "'maybe' is none of no|yes (ecc)"},
      {CHIP "[tlb A]\n", "test:12: [tlb A] lacks 'entries'"},
      {CHIP "[tlb A]\nentries = 4\ncovers = 1 MiB\n", "test:12: [tlb A] lacks 'penalty'"},
      {CHIP "[tlb A]\nentries = 0\n", "entries = 0 is not between 1 and 65536"},
      {CHIP "[tlb A]\ncovers = 2 KiB\n", "covers = 2048 is not between 4096"},
      {CHIP L2 TLB("A", "entries = 8\nsets = 4 3\n") SPACES_L2,
       "the sets do not have as many entries as the TLB"},
      {CHIP L2 TLB("A", "entries = 8\nsets = 4 4\nways = 4\n") SPACES_L2,
       "ways and sets cannot both be stated"},
      {CHIP "[tlb A]\nsets = 4 0\n", "sets = 0 is not between 1 and 192"},
      {CHIP L2 TLB("A", "entries = 8\n") TLB("A", "entries = 8\n"), "a second [tlb A]"},
      {CHIP L2 TLB("A", "entries = 8\n") TLB("B", "entries = 8\n") "[tlb C]\n", "more than 2 TLBs"},
      {CHIP "[host_tlb]\n", "test:12: [host_tlb] lacks 'entries'"},
      {CHIP HOST_TLB HOST_TLB, "a second [host_tlb]"},
      {CHIP L2 "[host_tlb]\nentries = 8\ncovers = 12 KiB\npenalty = 9\n" SPACES_L2,
       "[host_tlb]: covers must be a power of two"},
      {CHIP L2 TLB("A", "entries = 193\n") SPACES_L2, "[A]: a TLB with so many entries needs ways"},
      {CHIP L2 TLB("A", "entries = 9\nways = 2\n") SPACES_L2,
       "[A]: entries is not a multiple of ways"},
      {CHIP L2 "[tlb A]\nentries = 8\ncovers = 12 KiB\npenalty = 9\n" SPACES_L2,
       "[A]: covers must be a power of two"},
      {CHIP "[cach L1]\n", "test:12: [cach L1] is none of"},
      {CHIP "[cache L1\n", "test:12: '[cache L1' is not a [section]"},
      {CHIP "[cache L1]\n", "test:12: [cache L1] lacks 'size'"},
      {CHIP L2 L2, "a second [cache L2]"},
      {CHIP L2 "insertion = bip\n", "insertion is mru, or bip or dip and a number"},
      {CHIP L2 "insertion = mru 3\n", "insertion is mru, or bip or dip and a number"},
      {CHIP L2 "insertion = dip 1\n", "insertion = 1 is not between 2 and 65536"},
      {CHIP L2 "insertion = lip\n", "'lip' is none of mru|bip|dip (insertion)"},
      {CHIP
       "[cache X]\nsize = 1 KiB\nline = 128\nways = 4\nreplacement = random\ninsertion = bip 8\n",
       "[X]: insertion needs replacement lru or plru"},
      {CHIP L2 "hash = md5\n", "'md5' is none of none|xor|skew|bits|masks (hash)"},
      {CHIP L2 "hash = xor 13\n", "'13' follows a hash without bits (hash)"},
      {CHIP L2 "hash = bits 64\n", "hash = 64 is not between 0 and 63"},
      {CHIP L2 "hash = masks 80\n", "'80' is no mask of address bits, as 0x80 (hash)"},
      {CHIP L2 "hash = masks 0x8g\n", "'0x8g' is no mask of address bits, as 0x80 (hash)"},
      {CHIP "[cache X]\nsize = 3 KiB\nline = 128\nways = 4\nreplacement = lru\ntags = 4 KiB\n"
            "hash = masks 0x80 0x100\n",
       "[X]: hash masks needs a mask for each bit of the set"},
      {CHIP "[cache X]\nsize = 3 KiB\nline = 128\nways = 4\nreplacement = lru\ntags = 2 KiB\n",
       "[X]: size less lost must be whole lines, and no more than tags"},
      {CHIP "[cache X]\nsize = 3 KiB\nline = 128\nways = 4\nreplacement = lru\ntags = 3200 B\n",
       "[X]: tags is not a multiple of line x ways"},
      {CHIP "[cache X]\nsize = 3 KiB\nline = 128\nways = 4\nreplacement = random\ntags = 4 KiB\n",
       "[X]: tags needs scope sm, replacement lru or slru and no other insertion"},
      {CHIP "[cache X]\nsize = 1 KiB\nline = 128\nways = 4\nhash = bits 13 14\nreplacement = lru\n",
       "[X]: more hash bits than sets have"},
      {CHIP L2 "[space sideways]\npath = memory 1\n", "no space is called 'sideways'"},
      {CHIP "[space ca]\npath = L7 30, memory 500\n",
       "test:13: no [cache L7] above this line (path)"},
      {CHIP L2 "[space cg]\npath = L2, memory 500\n", "a level is a cache or memory, its cycles"},
      {CHIP L2 "[space cg]\npath = ,\n", "[cg]: the path does not end in memory"},
      {CHIP L2 "[space cg]\npath = L2 200\n", "[cg]: the path does not end in memory"},
      {CHIP L2 "[space ca]\npath = L2 600, memory 500\n", "[ca]: latencies do not ascend"},
      {CHIP RO "[space ca]\npath = RO 30, memory 500\n[space cg]\npath = RO 30, memory 500\n",
       "[cg]: the path of cg must go through the chip's L2"},
      {CHIP L2 RO "[space ca]\npath = L2 20, RO 30, memory 500\n",
       "[ca]: a level is nearer to the SM"},
      {CHIP L2 "[space cg]\npath = L2 200, memory 500\n", "there is no [space ca]"},
      {CHIP L2 SPACES_L2 HOST("0", "") HOST("1", "atomic_ns = 2000\n"),
       "test: atomic_ns is stated of some NUMA nodes, not of all"},
      {CHIP L1, "[L1]: size is unified, but there is no [unified]"},
      {CHIP "[unified]\ntotal = 96 KiB\ncarveouts = 0 32 KiB\n",
       "[unified]: the largest carve-out is not"},
      {CHIP "[unified]\ntotal = 96 KiB\ncarveouts = 32 0 64 KiB\n",
       "[unified]: carveouts do not ascend"},
      {CHIP "[cache X]\nsize = 1000 B\nline = 128\nways = 4\nreplacement = lru\n",
       "[X]: size less lost is not a multiple"},
      {CHIP "[cache X]\nsize = 1 KiB\nlost = 1 KiB\nline = 128\nways = 4\nreplacement = lru\n",
       "[X]: lost must be less than size"},
      {CHIP "[cache X]\nsize = 1 KiB\nline = 96\nways = 4\nreplacement = lru\n",
       "[X]: line, sector and interleave must be powers of two"},
      {CHIP "[cache X]\nsize = 1 KiB\nline = 128\nsector = 256\nways = 4\nreplacement = lru\n",
       "[X]: a line has 1 to 8 sectors"},
      {CHIP "[cache X]\nsize = 3 KiB\nline = 128\nways = 3\nreplacement = plru\n",
       "[X]: replacement plru needs a power of two of ways"},
      {CHIP "[cache X]\nsize = 3 KiB\nline = 128\nways = 4\nhash = xor\nreplacement = lru\n",
       "[X]: this hash needs a power of two of sets"},
      {CHIP "[cache X]\nsize = 1 KiB\nline = 128\nways = 4\nreplacement = weighted 1 2 3\n",
       "[X]: replacement weighted needs one weight for each way"},
      {CHIP "[cache X]\nsize = 1 KiB\nline = 128\nways = 4\nreplacement = lru 3\n",
       "'3' follows a replacement without weights"},
      {CHIP "[cache X]\nscope = group\nsize = 1 KiB\nline = 128\nways = 4\nreplacement = lru\n",
       "scope is sm, range, gpc, xcd, chip, or group or gpc and a number of SMs"},
      {CHIP "[cache X]\nscope = chip\ninstances = 2\nsize = 1 KiB\nline = 128\nways = "
            "4\nreplacement = lru\n",
       "[X]: only a cache with scope sm has instances"},
      {CHIP
       "[cache X]\nsurvives_launch = no\nsize = 1 KiB\nline = 128\nways = 4\nreplacement = lru\n",
       "[X]: only a cache with scope xcd or chip has survives_launch"},
      {CHIP L2 "survives_launch = 1\n", "'1' is none of no|yes (survives_launch)"},
      {CHIP "[cache X]\npartitions = 2\nsize = 1 KiB\nline = 128\nways = 4\nreplacement = lru\n",
       "[X]: only a cache with scope chip has partitions"},
  };

  (void)state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    struct gc_model *model;
    struct gc_error err = {""};

    assert_int_equal(gc_model_new("test", cases[i].text, strlen(cases[i].text), &model, &err), -EINVAL);
    assert_null(model);
    if (!strstr(err.text, cases[i].message) || strncmp(err.text, "test:", 5))
      fail_msg("\"%s\" is not \"%s\"", err.text, cases[i].message);
  }
}

static void binary_and_long_lines_are_refused(void **state)
{
  struct gc_model *model;
  struct gc_error err;
  char text[5000];

  (void)state;
  memset(text, 'a', sizeof(text));
  assert_int_equal(gc_model_new("test", text, sizeof(text), &model, &err), -EINVAL);
  assert_non_null(strstr(err.text, "line longer than"));
  memcpy(text, "mod\0el = 3\n", 11);
  assert_int_equal(gc_model_new("test", text, 11, &model, &err), -EINVAL);
  assert_non_null(strstr(err.text, "zero byte"));
}

/* Every prefix of a valid profile and every single damaged byte is refused or accepted, without a
 * crash. */
static void damaged_profiles_do_no_harm(void **state)
{
  char text[] = CHIP "outliers = 0.1 1 2\ndrift = 3 100\n" UNIFIED L1 RO C15 L2 TWO_PARTS SPACES;
  static const char damage[] = "\0=[]#,. 09a\n";
  unsigned refused = 0;

  (void)state;
  for (size_t i = 0; i < sizeof(text) - 1; i++) {
    const char was = text[i];
    struct gc_model *model;

    refused += gc_model_new("test", text, i, &model, NULL) != 0;
    gc_model_free(model);
    text[i] = damage[i % (sizeof(damage) - 1)];
    refused += gc_model_new("test", text, sizeof(text) - 1, &model, NULL) != 0;
    gc_model_free(model);
    text[i] = was;
  }
  assert_true(refused > sizeof(text));
}

/* The profiles of data/sim agree with the papers about these GPUs. */
static void shipped_profiles_say_what_the_papers_say(void **state)
{
  static const struct {
    const char *name;
    uint32_t sms;
    uint64_t l1_kib, texture_kib, constant_kib, constant15_kib, l2_bytes; /* L2: what one SM keeps */
    bool texture_is_l1;
  } gpus[] = {
    {"h200", 132, 217, 217, 2, 128, 29493120, true},
    {"h100", 132, 217, 217, 2, 128, 25600 << 10, true},
    {"a100", 108, 154, 154, 2, 128, 19444480, true},
    {"v100", 80, 121, 121, 2, 128, 6144 << 10, true},
    {"p6000", 30, 24, 24, 2, 32, 2947584, true},
    {"k20c", 13, 16, 12, 2, 32, 1280 << 10, false},
    {"rtx2080ti", 68, 58, 58, 2, 46, 5632 << 10, true},
    {"t1000", 14, 58, 58, 2, 46, 1024 << 10, true},
    {"gtx840m", 3, 1024, 12, 2, 30, 1024 << 10, false},
    {"gtx780", 12, 1536, 12, 2, 32, 1536 << 10, false},
    {"gtx560ti", 8, 16, 12, 2, 32, 512 << 10, false},
    {"gtx470", 14, 16, 12, 2, 32, 640 << 10, false},
  };
  const char *top = getenv("top_srcdir");

  (void)state;
  for (size_t i = 0; i < sizeof(gpus) / sizeof(*gpus); i++) {
    static char text[1 << 16];
    char path[4096];
    struct gc_model *model;
    struct gc_error err = {""};
    FILE *file;
    size_t length;

    snprintf(path, sizeof(path), "%s/data/sim/%s", top ? top : ".", gpus[i].name);
    file = fopen(path, "r");
    assert_non_null(file);
    length = fread(text, 1, sizeof(text), file);
    fclose(file);
    if (gc_model_new(gpus[i].name, text, length, &model, &err))
      fail_msg("%s", err.text);
    gc_model_launch(model, 0, gc_model_facts(model)->blocks_per_sm, 0);
    assert_int_equal(gc_model_facts(model)->sms, gpus[i].sms);
    assert_int_equal(gc_model_true_capacity(model, GC_SPACE_CA), gpus[i].l1_kib << 10);
    assert_int_equal(gc_model_true_capacity(model, GC_SPACE_TEXTURE), gpus[i].texture_kib << 10);
    assert_int_equal(gc_model_true_capacity(model, GC_SPACE_CONSTANT), gpus[i].constant_kib << 10);
    assert_int_equal(gc_model_true_level(model, GC_SPACE_CONSTANT, 1), gpus[i].constant15_kib << 10);
    assert_int_equal(gc_model_true_capacity(model, GC_SPACE_CG), gpus[i].l2_bytes);
    assert_int_equal(gc_model_true_shared(model, GC_SPACE_CA, GC_SPACE_TEXTURE), gpus[i].texture_is_l1);
    assert_int_equal(gc_model_true_shared(model, GC_SPACE_NC, GC_SPACE_TEXTURE),
                     gc_model_facts(model)->has_read_only);
    assert_int_equal(gc_model_facts(model)->has_read_only, gc_model_facts(model)->compute_major > 2);
    assert_int_equal(gc_model_facts(model)->global_l1, gpus[i].l1_kib << 10 != gpus[i].l2_bytes);
    /* The model behaves as defined, up to the last line. */
    assert_true(slow(model, 0, GC_SPACE_CA, gpus[i].l1_kib << 10, 32,
                     gc_model_true_latency(model, GC_SPACE_CA, 0) + 60) < 40);
    gc_model_free(model);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(bad_profiles_name_line_and_word),
    cmocka_unit_test(binary_and_long_lines_are_refused),
    cmocka_unit_test(damaged_profiles_do_no_harm),
    cmocka_unit_test(shipped_profiles_say_what_the_papers_say),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
