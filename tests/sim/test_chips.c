/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Chips that no profile of data/sim has: one SM, 300 SMs, SM numbers with gaps, buses of 1,024 bits
 * and more, an unknown memory clock, and no memory of its own. Each value is right, or absent with
 * a reason.
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
    {"sms = 48\nintegrated = yes\nmemory_bus_bits = 256\n", 48, 256, 0},
};

static void measure(struct opened *o, const struct chip *chip)
{
  const struct gc_measure_options options = {.only =
                                                 "L1Cache,L2Cache,DeviceMemory,SharedMemory,GPU"};

  open_profile(
      o,
      "model = Chip\ncompute = 8.0\nclock_khz = 1500000\nthreads_per_block = 1024\n"
      "threads_per_sm = 2048\nblocks_per_sm = 16\nmemory = 4 GiB\nshared_per_sm = 100 KiB\n"
      "shared_per_block = 101376 B\nclock_overhead = 4\n%s"
      "memory_read_gbps = 150\n"
      "[cache L1]\nsize = 24 KiB\nline = 128\nsector = 32\nways = 4\nreplacement = lru\n"
      "[cache L2]\nscope = chip\nsize = 2 MiB\nline = 128\nsector = 32\nways = 16\n"
      "replacement = lru\nhash = xor\nread_gbps = 600\n"
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

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_are_right_or_absent),
  };

  return cmocka_run_group_tests_name("chips", tests, NULL, NULL);
}
