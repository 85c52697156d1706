/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Chips that no profile of data/sim has: one SM or CU, 300 and more, numbers with gaps, buses of
 * 1,024 bits and more, an unknown memory clock, no memory of its own, an LDS of 160 KiB, and
 * constant memory of another size. Each value is right, or absent with a reason.
 */
#include "open.h"

struct chip {
  const char *lines;               /* of the chip */
  double sms, bus_bits, clock_khz; /* 0: not stated */
};

static const struct chip chips[] = {
    {"sms = 1\nmemory_bus_bits = 1024\nmemory_clock_khz = 1000000\n", 1, 1024, 1000000},
    {"sms = 300\nmemory_bus_bits = 12288\nmemory_clock_khz = 4000000\n", 300, 12288, 4000000},
    {"sms = 20\nsm_ids = 0-2 5 8-9 32-37 40 63-69\nmemory_bus_bits = 8192\n", 20, 8192, 0},
    {"sms = 48\nintegrated = yes\nmemory_bus_bits = 256\nconstant_bytes = 128 KiB\n", 48, 256, 0},
};

static void measure(struct opened *o, const struct chip *chip)
{
  const struct gc_measure_options options = {.only = "L1Cache,L2Cache,DeviceMemory,SharedMemory,"
                                                     "ConstantL1Cache,ConstantL15Cache,GPU"};

  open_profile(
      o,
      "model = Chip\ncompute = 8.0\nclock_khz = 1500000\nthreads_per_block = 1024\n"
      "threads_per_sm = 2048\nblocks_per_sm = 16\nmemory = 4 GiB\nshared_per_sm = 100 KiB\n"
      "shared_per_block = 101376 B\nclock_overhead = 4\n%s"
      "memory_read_gbps = 150\n"
      "[cache L1]\nsize = 24 KiB\nline = 128\nsector = 32\nways = 4\nreplacement = lru\n"
      "[cache L2]\nscope = chip\nsize = 2 MiB\nline = 128\nsector = 32\nways = 16\n"
      "replacement = lru\nhash = xor\nread_gbps = 600\n"
      "[cache ConstantL1]\nsize = 2 KiB\nline = 64\nways = 4\nreplacement = lru\n"
      "[cache ConstantL1.5]\nsize = 32 KiB\nline = 256\nways = 8\nreplacement = lru\n"
      "[space constant]\npath = ConstantL1 28, ConstantL1.5 90, L2 220 2, memory 520 5\n"
      "[space ca]\npath = L1 30, L2 200 2, memory 500 5\n"
      "[space cg]\npath = L2 200 2, memory 500 5\n[space shared]\npath = memory 20\n",
      chip->lines);
  must(o, gc_measure(o->device, &options, o->record, &o->err), "measure");
}

/* within: a share */
static void right_or_absent(const struct opened *o, enum gc_kind kind, const char *key,
                            const char *property, double right, double within)
{
  const struct gc_element *element = gc_record_find(o->record, kind);
  const double found = element ? number(element, key) : NAN;
  char source[64];

  assert_non_null(element);
  snprintf(source, sizeof(source), "%sSource", property);
  if (isnan(found))
    assert_int_equal(strncmp(text(element, source), "absent:", strlen("absent:")), 0);
  else if (!(fabs(found - right) <= within * right))
    fail_msg("%.0f SMs: %s of %s is %g, not %g", (double)gc_model_facts(o->model)->sms, key,
             gc_kinds[kind].subtype, found, right);
}

static void has_fact(const struct opened *o, const char *key, double right)
{
  const char *value = gc_infos_get(&o->record->infos, key);

  if (right > 0 ? !value || strtod(value, NULL) != right : value != NULL)
    fail_msg("%s is '%s', not %g", key, value ? value : "", right);
}

static void values_are_right_or_absent(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof(chips) / sizeof(*chips); i++) {
    const struct chip *chip = &chips[i];
    struct opened o;

    measure(&o, chip);
    has_fact(&o, "SMs", chip->sms);
    has_fact(&o, "MemoryBusBits", chip->bus_bits);
    has_fact(&o, "MemoryClockKHz", chip->clock_khz);
    has_fact(&o, "SharedBytesPerBlock", 101376);
    has_fact(&o, "ConstantBytes", strstr(chip->lines, "constant_bytes") ? 131072 : 65536);
    right_or_absent(&o, GC_CONSTANT_L1, "CapacityBytes", "Capacity", 2048, 0.005);
    right_or_absent(&o, GC_CONSTANT_L1, "LatencyCycles", "Latency", 28, 0.01);
    right_or_absent(&o, GC_CONSTANT_L15, "CapacityBytes", "Capacity", 32768, 0.005);
    right_or_absent(&o, GC_CONSTANT_L15, "LatencyCycles", "Latency", 90, 0.02);
    assert_true(number(gc_record_find(o.record, GC_SHARED_MEMORY), "CapacityBytes") == 102400);
    assert_true(number(gc_record_find(o.record, GC_L1), "LatencyCycles") == 30);
    right_or_absent(&o, GC_L1, "CapacityBytes", "Capacity", 24576, 0.005);
    right_or_absent(&o, GC_L1, "Instances", "Instances", chip->sms, 0);
    right_or_absent(&o, GC_L2, "CapacityBytes", "Capacity", 2097152, 0.005);
    assert_false(isnan(number(gc_record_find(o.record, GC_L2), "LatencyCycles")));
    assert_false(isnan(number(gc_record_find(o.record, GC_DEVICE_MEMORY), "LatencyCycles")));
    right_or_absent(&o, GC_L2, "LatencyCycles", "Latency", 200, 0.02);
    right_or_absent(&o, GC_L2, "ReadGBps", "Read", 600, 0.03);
    right_or_absent(&o, GC_L2, "Partitions", "Partitions", 1, 0);
    right_or_absent(&o, GC_DEVICE_MEMORY, "LatencyCycles", "Latency", 500, 0.02);
    right_or_absent(&o, GC_DEVICE_MEMORY, "ReadGBps", "Read", 150, 0.03);
    assert_string_equal(text(gc_record_find(o.record, GC_DEVICE_MEMORY), "SharedWith"),
                        strstr(chip->lines, "integrated") ? "HostMemory" : "");
    close_gpu(&o);
  }
}

static const struct chip amd_chips[] = {
    {"sms = 1\nsm_ids = 5\nmemory_bus_bits = 1024\nmemory_clock_khz = 1000000\n", 1, 1024, 1000000},
    {"sms = 304\nsm_ids = 0-1 3-4 6 9-10 12\nsm_ids_repeat = 38 16\nmemory_bus_bits = 8192\n", 304,
     8192, 0},
    {"sms = 304\nsm_ids = 0-1 3-4 6 9-10 12\nsm_ids_repeat = 38 16\nxcds = 8\n", 304, 0, 0},
};

static void measure_amd(struct opened *o, const struct chip *chip)
{
  const bool xcds = strstr(chip->lines, "xcds");
  const struct gc_measure_options options = {
      .only = "L1Cache,ScalarL1Cache,LDS,L2Cache,DeviceMemory,GPU"};

  open_profile(
      o,
      "model = Chip\ngfx = gfx950\nwarp = 64\nclock_khz = 2000000\nthreads_per_block = 1024\n"
      "threads_per_sm = 2048\nblocks_per_sm = 32\nmemory = 4 GiB\nshared_per_sm = 160 KiB\n"
      "shared_per_block = 160 KiB\nclock_overhead = 8\n%s"
      "memory_read_gbps = 150\n"
      "[cache L1]\nsize = 32 KiB\nline = 128\nways = 64\nreplacement = lru\n"
      "[cache ScalarL1]\nscope = range\nsize = 16 KiB\nline = 64\nways = 4\nreplacement = lru\n"
      "[cache L2]\nscope = %s\nsize = 16 MiB\nline = 128\nways = 16\nreplacement = lru\n"
      "hash = xor\nread_gbps = 1800\n"
      "[space ca]\npath = L1 116, L2 213 2, memory 700 5\n"
      "[space cg]\npath = L2 213 2, memory 700 5\n"
      "[space scalar]\npath = ScalarL1 44, L2 180 2, memory 665 5\n"
      "[space shared]\npath = memory 56\n"
      "[sysfs L2Cache]\nNominalBytes = 16777216\nInstances = %d\n",
      chip->lines, xcds ? "xcd" : "chip", xcds ? 8 : 1);
  must(o, gc_measure(o->device, &options, o->record, &o->err), "measure");
}

static void values_of_amd_are_right_or_absent(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof(amd_chips) / sizeof(*amd_chips); i++) {
    const struct chip *chip = &amd_chips[i];
    const double l2s = strstr(chip->lines, "xcds") ? 8 : 1;
    struct opened o;

    measure_amd(&o, chip);
    has_fact(&o, "SMs", chip->sms);
    has_fact(&o, "MemoryBusBits", chip->bus_bits);
    has_fact(&o, "MemoryClockKHz", chip->clock_khz);
    has_fact(&o, "SharedBytesPerBlock", 163840);
    assert_true(number(gc_record_find(o.record, GC_LDS), "CapacityBytes") == 163840);
    assert_true(number(gc_record_find(o.record, GC_LDS), "LatencyCycles") == 56);
    assert_true(number(gc_record_find(o.record, GC_L1), "LatencyCycles") == 116);
    right_or_absent(&o, GC_LDS, "Instances", "Instances", chip->sms, 0);
    right_or_absent(&o, GC_L1, "CapacityBytes", "Capacity", 32768, 0.005);
    right_or_absent(&o, GC_L1, "Instances", "Instances", chip->sms, 0);
    right_or_absent(&o, GC_SCALAR_L1, "CapacityBytes", "Capacity", 16384, 0.005);
    right_or_absent(&o, GC_SCALAR_L1, "LatencyCycles", "Latency", 44, 0.01);
    right_or_absent(&o, GC_SCALAR_L1, "Instances", "Instances", chip->sms == 1 ? 1 : 5 * 38, 0);
    right_or_absent(&o, GC_L2, "CapacityBytes", "Capacity", 16777216, 0.005);
    right_or_absent(&o, GC_L2, "LatencyCycles", "Latency", 213, 0.02);
    right_or_absent(&o, GC_L2, "ReadGBps", "Read", 1800, 0.03);
    right_or_absent(&o, GC_L2, "Instances", "Instances", l2s, 0);
    right_or_absent(&o, GC_DEVICE_MEMORY, "LatencyCycles", "Latency", 700, 0.02);
    right_or_absent(&o, GC_DEVICE_MEMORY, "ReadGBps", "Read", 150, 0.03);
    close_gpu(&o);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_are_right_or_absent),
      cmocka_unit_test(values_of_amd_are_right_or_absent),
  };

  return cmocka_run_group_tests_name("chips", tests, NULL, NULL);
}
