/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Sets, ways, hash and replacement as the papers found them: Fermi's L1 (Nugteren et al. 2014, section
 * 5.1, at 16 and 48 KiB; Mei et al. 2014, section 4.2), the texture caches of Fermi and Kepler (Mei,
 * section 4.3), and a P100 (a p-chase guide). Then policies and sizes that mislead.
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "measure/capacity/capacity.h"
#include "measure/geometry/geometry.h"
#include "measure/latency/latency.h"
#include "measure/structure/structure.h"
#include "measure/topology/topology.h"
#include "open.h"

/* Runs everything that sets need on one cache. */
static const struct gc_measured *find(struct opened *o, enum gc_kind kind)
{
  open_warm_bench(o);
  run_step(o, gc_step_capacity, kind);
  run_step(o, gc_step_latency, kind);
  run_step(o, gc_step_fetch, kind);
  run_step(o, gc_step_line, kind);
  run_step(o, gc_step_sets, kind);
  run_step(o, gc_step_excess_misses, kind);
  return measured(o, kind);
}

static void check_masks(const struct opened *o, const struct gc_measured *found, const char *masks)
{
  char text[512] = "";

  for (uint32_t i = 0; i < found->mask_count; i++)
    snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s0x%lx", i ? "," : "",
             (unsigned long)found->masks[i]);
  if (strcmp(text, masks))
    fail_msg("%s: masks %s instead of %s", o->name, text, masks);
}

static const struct row {
  const char *gpu;
  enum gc_kind kind;
  uint64_t sets, ways;
  const char *masks;
  enum gc_replaces replaces;
} rows[] = {
  {"gtx470", GC_L1, 32, 4, "0x2080,0x4100,0x8200,0x20400,0x80800", GC_REPLACES_LRU},
  {"gtx560ti", GC_TEXTURE, 4, 96, "0x80,0x100", GC_REPLACES_LRU},
  {"gtx780", GC_TEXTURE, 4, 96, "0x80,0x100", GC_REPLACES_LRU},
  {"p100", GC_TEXTURE, 4, 192, "0x80,0x100", GC_REPLACES_LRU},
  {"p100", GC_READ_ONLY, 4, 192, "0x80,0x100", GC_REPLACES_LRU},
};

static void sets_of_the_papers(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
    const struct gc_measured *found;
    struct opened o;

    open_gpu(&o, rows[i].gpu);
    found = find(&o, rows[i].kind);
    assert_int_equal(found->sets, rows[i].sets);
    assert_int_equal(found->ways, rows[i].ways);
    check_masks(&o, found, rows[i].masks);
    assert_int_equal(found->replaces, rows[i].replaces);
    assert_true(found->excess_misses == (double)(rows[i].ways + 1));
    close_gpu(&o);
  }
}

/* At 48 KiB, Fermi's L1 has 64 sets of 6 ways: bit 12 is the additional bit of the set. */
static void nugteren_at_48_kib(void **state)
{
  const char *small = "size = 16 KiB\nline = 128\nways = 4\n";
  char path[300];
  const char *text, *at;
  const struct gc_measured *found;
  struct opened o;

  (void)state;
  snprintf(path, sizeof(path), "%s/gtx470", profile_folder());
  assert_non_null(at = strstr(text = text_of(path), small));
  open_profile(&o, "%.*ssize = 48 KiB\nline = 128\nways = 6\n%s", (int)(at - text), text,
               at + strlen(small));
  found = find(&o, GC_L1);
  assert_int_equal(found->sets, 64);
  assert_int_equal(found->ways, 6);
  check_masks(&o, found, "0x2080,0x4100,0x8200,0x20400,0x80800,0x1000");
  close_gpu(&o);
}

/* Way 2 is replaced in half of all cases, each other way in a sixth. */
static void mei_victims(void **state)
{
  static const double shares[] = {1 / 6., 1 / 2., 1 / 6., 1 / 6.};
  const struct gc_measured *found;
  struct opened o;

  (void)state;
  open_gpu(&o, "gtx560ti");
  found = find(&o, GC_L1);
  assert_int_equal(found->replaces, GC_REPLACES_OTHER);
  assert_int_equal(found->shares, 4);
  for (unsigned way = 0; way < 4; way++)
    if (fabs(found->victim_share[way] - shares[way]) > 0.03)
      fail_msg("way %u: %.3f instead of %.3f", way, found->victim_share[way], shares[way]);
  close_gpu(&o);
}

/* An H200's L1 has ways for 2048 lines and data for 1736 of them. It protects lines that were hit: LRU would
 * predict many, but not enough of its misses. */
static void more_ways_than_data(void **state)
{
  const struct gc_measured *found;
  struct opened o;

  (void)state;
  open_gpu(&o, "h200");
  found = find(&o, GC_L1);
  assert_int_equal(gc_capacity(measured(&o, GC_L1)), 1736 * 128);
  assert_int_equal(found->sets, 512);
  assert_int_equal(found->ways, 4);
  check_masks(&o, found, "0x1b0080,0x60100,0x40200,0x1a0400,0x170800,0x151000,0xd2000,0x4000,0xc8000");
  run_step(&o, gc_step_address_bits, GC_L1);
  check_masks(&o, found,
              "0xe927b0080,0x230860100,0x79fc40200,0xf16da0400,0x7c9570800,0xd5cb51000,0xb48ed2000,0x96fe04000,"
              "0xf956c8000");
  assert_int_equal(found->replaces, GC_REPLACES_SLRU);
  close_gpu(&o);
}

/* Changes the value of a key that a profile has once. */
static void set_value(char *text, size_t room, const char *key, const char *value)
{
  char *at = strstr(text, key);
  char rest[1 << 16];

  assert_non_null(at);
  assert_null(strstr(at + 1, key));
  at += strlen(key);
  snprintf(rest, sizeof(rest), "%s", at + strcspn(at, "\n"));
  snprintf(at, room - (size_t)(at - text), "%s%s", value, rest);
}

/* An H200 with other hashes: one without upper address bits; and one with some, and with ten times
 * as many disturbed loads. */
static void upper_address_bits(void **state)
{
  static const char low[] = "0x80 0x100 0x200 0x400 0x800 0x1000 0x2000 0x4000 ";
  static const struct {
    const char *last; /* mask */
    const char *outliers;
    const char *found; /* of the last mask; bits from 36 on are beyond what is tried */
  } cases[] = {
    {"0x108000", "0.0003 40 900", "0x108000"},
    {"0x1900108000", "0.003 40 900", "0x900108000"},
  };
  char path[4200], text[1 << 16];

  (void)state;
  snprintf(path, sizeof(path), "%s/h200", profile_folder());
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    char hash[300], expected[300];
    const struct gc_measured *found;
    struct opened o;

    snprintf(hash, sizeof(hash), "%s%s", low, cases[i].last);
    snprintf(expected, sizeof(expected), "0x80,0x100,0x200,0x400,0x800,0x1000,0x2000,0x4000,%s", cases[i].found);
    snprintf(text, sizeof(text), "%s", text_of(path));
    set_value(text, sizeof(text), "\nhash = masks ", hash);
    set_value(text, sizeof(text), "outliers = ", cases[i].outliers);
    open_profile(&o, "%s", text);
    found = find(&o, GC_L1);
    run_step(&o, gc_step_address_bits, GC_L1);
    check_masks(&o, found, expected);
    close_gpu(&o);
  }
}

/* A number of sets that is no power of two; random replacement; a tree. */
static void other_policies(void **state)
{
  const struct gc_measured *found;
  struct opened o;

  (void)state;
  open_gpu(&o, "a100");
  found = find(&o, GC_L1);
  assert_int_equal(found->sets, 308);
  assert_int_equal(found->ways, 4);
  assert_int_equal(found->mask_count, 0);
  assert_int_equal(found->replaces, GC_REPLACES_RANDOM);
  close_gpu(&o);
  open_gpu(&o, "v100");
  found = find(&o, GC_L1);
  assert_int_equal(found->sets, 242);
  assert_int_equal(found->replaces, GC_REPLACES_PLRU);
  close_gpu(&o);
}

/* The sets of a path that ends in the storage of L1. */
static const struct gc_measured *find_shared(struct opened *o, enum gc_kind kind)
{
  find(o, GC_L1);
  run_step(o, gc_step_storage, GC_L1);
  run_step(o, gc_step_capacity, kind);
  run_step(o, gc_step_latency, kind);
  run_step(o, gc_step_fetch, kind);
  run_step(o, gc_step_line, kind);
  run_step(o, gc_step_sharing, kind);
  assert_true(measured(o, kind)->shared_with & 1u << GC_L1);
  run_step(o, gc_step_sets, kind);
  return measured(o, kind);
}

/* Texture and read-only loads of an H200 and others: if their hash is that of L1, the sets are
 * those of L1. If it is another one, they have sets of their own. */
static void other_hash_in_one_storage(void **state)
{
#define TEXTURE_MASKS "0x80,0x100,0x150200,0x120400,0x130800,0x91000,0x112000,0xa4000,0xc8000"
  static const struct {
    struct edited gpu;
    enum gc_kind kind;
    const char *why; /* there are no sets; NULL: there are */
    uint64_t sets, ways;
    const char *masks;
  } cases[] = {
      {{"h200", {{0}}}, GC_TEXTURE, NULL, 512, 4, TEXTURE_MASKS},
      {{"h200", {{0}}}, GC_READ_ONLY, "same storage as L1Cache, and the same sets", 0, 0, ""},
      {{"h200", {{"[space nc]\n", "[space nc]\nother_hash = yes\n"}}},
       GC_READ_ONLY,
       NULL,
       512,
       4,
       TEXTURE_MASKS},
      {{"v100", {{0}}}, GC_TEXTURE, "same storage as L1Cache, and the same sets", 0, 0, ""},
      {{"h100",
        {{"[cache L1]\n", "[cache L1]\nother_hash = skew\n"},
         {"[space texture]\n", "[space texture]\nother_hash = yes\n"}}},
       GC_TEXTURE,
       "the sets are not those of L1Cache: the numbers of lines that conflict are not the same: "
       "the "
       "sets are unequal, or a set has more than 192 lines",
       0,
       0,
       ""},
  };

  (void)state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    const struct gc_measured *found;
    struct opened o;

    open_edited(&o, &cases[i].gpu);
    found = find_shared(&o, cases[i].kind);
    assert_string_equal(found->found[GC_SETS].why, cases[i].why ? cases[i].why : "");
    if (!cases[i].why) {
      assert_int_equal(found->sets, cases[i].sets);
      assert_int_equal(found->ways, cases[i].ways);
      check_masks(&o, found, cases[i].masks);
    }
    close_gpu(&o);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sets_of_the_papers),
      cmocka_unit_test(nugteren_at_48_kib),
      cmocka_unit_test(mei_victims),
      cmocka_unit_test(more_ways_than_data),
      cmocka_unit_test(upper_address_bits),
      cmocka_unit_test(other_policies),
      cmocka_unit_test(other_hash_in_one_storage),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
