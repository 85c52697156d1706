/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The memory of the model is that of the resident blocks, whatever the length of the trace; each
 * allocation may fail; one seed gives one result. Linked with --wrap.
 */
#include "fake_trace.h"

#include <errno.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static long until_failure = -1; /* -1: none fails */
static unsigned long failures;
static size_t in_use, peak;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
int __real_posix_memalign(void **memory, size_t alignment, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
int __wrap_posix_memalign(void **memory, size_t alignment, size_t size);
void __wrap_free(void *memory);

static int fails(void)
{
  if (until_failure < 0 || until_failure-- > 0)
    return 0;
  failures++;
  return 1;
}

static void *note(void *memory)
{
  in_use += memory ? malloc_usable_size(memory) : 0;
  peak = in_use > peak ? in_use : peak;
  return memory;
}

void *__wrap_malloc(size_t size)
{
  return fails() ? NULL : note(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
  return fails() ? NULL : note(__real_calloc(count, size));
}

void *__wrap_realloc(void *old, size_t size)
{
  if (fails())
    return NULL;
  in_use -= old ? malloc_usable_size(old) : 0;
  return note(__real_realloc(old, size));
}

int __wrap_posix_memalign(void **memory, size_t alignment, size_t size)
{
  const int status = fails() ? ENOMEM : __real_posix_memalign(memory, alignment, size);

  if (!status)
    note(*memory);
  return status;
}

void __wrap_free(void *memory)
{
  in_use -= memory ? malloc_usable_size(memory) : 0;
  __real_free(memory);
}

/* Blocks of 4 warps with 20 loads of 32 lines, stores, and a barrier. */
static int make_block(uint64_t block, gc_trace_visitor *visit, void *visit_data, void *data)
{
  int status = 0;

  (void)data;
  for (unsigned warp = 0; warp < 4; warp++)
    for (unsigned i = 0; i < 20 && !status; i++)
      status = fake_visit(
          &(struct fake_instruction){.warp = warp,
                                     .pc = i,
                                     .stride = 128,
                                     .operation = i == 10   ? GC_TRACE_BARRIER
                                                  : i == 11 ? GC_TRACE_STORE
                                                            : GC_TRACE_LOAD,
                                     .base = (block * 97 + warp * 31 + i * 7) % 500 * 512},
          visit, visit_data);
  return status;
}

static struct gc_gpu_model gpu_of_policy(enum gc_policy policy)
{
  struct gc_gpu_model gpu = fake_gpu();

  gpu.sms = 4;
  gpu.blocks_per_sm = 3;
  gpu.outstanding_per_sm = 48;
  gpu.l1_cycles = 30;
  gpu.l2_near_cycles = gpu.l2_far_cycles = 200;
  gpu.memory_cycles = 600;
  gpu.memory_spread = 100;
  gpu.tlb[0] = (struct gc_tlb_level){.entries = 16, .entry_bytes = 1 << 16, .miss_cycles = 100};
  gpu.tlb[1] = (struct gc_tlb_level){.entries = 64,
                                     .entry_bytes = 1 << 16,
                                     .miss_cycles = 100,
                                     .instances = 2,
                                     .of_sm = {0, 1, 1, 0}};
  gpu.partitions = 2;
  gpu.copies = true;
  gpu.l1.policy = gpu.l2.policy = policy;
  gpu.l1.survival_count = gpu.l2.survival_count = 2;
  gpu.l1.fills[0] = gpu.l2.fills[0] = 100;
  gpu.l1.survives[0] = gpu.l2.survives[0] = 0.5;
  gpu.l1.fills[1] = gpu.l2.fills[1] = 200;
  return gpu;
}

/* 0, or what failed. */
static int run_blocks(const struct gc_gpu_model *gpu, const struct gc_model_options *options,
                      uint64_t blocks, struct gc_kernel_run *run)
{
  struct gc_trace trace = {.blocks = blocks, .make = make_block};
  struct gc_trace_launch launch = {.threads_per_block = 128};
  struct gc_error err = {""};
  struct gc_cache_model *predict = gc_cache_model_new(gpu, options);
  int status = -ENOMEM;

  memset(run, 0, sizeof *run);
  if (predict) {
    status = gc_cache_model_run(predict, &trace, &launch, run, &err);
    assert_true(!status == !err.text[0]);
  }
  gc_cache_model_free(predict);
  return status;
}

static void memory_is_that_of_resident_blocks(void **state)
{
  static const struct gc_model_options options = {.seed = 1};

  (void)state;
  for (enum gc_policy policy = GC_POLICY_LRU; policy <= GC_POLICY_SURVIVAL; policy++) {
    struct gc_gpu_model gpu = gpu_of_policy(policy);
    size_t few, before = in_use;
    struct gc_kernel_run run;

    peak = in_use;
    assert_int_equal(run_blocks(&gpu, &options, 100, &run), 0);
    assert_int_equal(run.counts.l1_loads.accesses, 100 * 4 * 18 * 32);
    free(run.loads);
    few = peak - before;
    peak = in_use;
    assert_int_equal(run_blocks(&gpu, &options, 3000, &run), 0);
    free(run.loads);
    if (peak - before > few + few / 10)
      fail_msg("30 times as many blocks: %zu bytes, not %zu", peak - before, few);
    assert_int_equal(in_use, before);
  }
}

/* The results of all kernels stay until the end, so a small kernel must have small ones. */
static void results_have_no_spare_space(void **state)
{
  static const struct gc_model_options options = {.seed = 1};
  struct gc_gpu_model gpu = gpu_of_policy(GC_POLICY_LRU);
  struct gc_kernel_run run;

  (void)state;
  assert_int_equal(run_blocks(&gpu, &options, 1, &run), 0);
  assert_true(run.load_count > 0);
  assert_true(malloc_usable_size(run.loads) < 2 * run.load_count * sizeof *run.loads + 64);
  free(run.loads);
}

static void each_allocation_fails_once(void **state)
{
  static const struct gc_model_options options = {.seed = 1, .compulsory = true};
  unsigned long points = 0;

  (void)state;
  for (unsigned i = 0; i < 2; i++) {
    struct gc_gpu_model gpu = gpu_of_policy(i == 0 ? GC_POLICY_RANDOM : GC_POLICY_SURVIVAL);

    gpu.l1.ways = 20; /* a hash table */
    for (long n = 0;; n++) {
      size_t before = in_use;
      struct gc_kernel_run run;
      int status;

      failures = 0;
      until_failure = n;
      status = run_blocks(&gpu, &options, 30, &run);
      until_failure = -1;
      assert_int_equal(status, failures ? -ENOMEM : 0);
      if (failures)
        assert_true(!run.loads && !run.counts.l1_loads.accesses);
      free(run.loads);
      assert_int_equal(in_use, before);
      if (!failures)
        break;
      points++;
    }
  }
  assert_in_range(points, 150, 5000);
}

static void one_seed_one_result(void **state)
{
  struct gc_gpu_model gpu = gpu_of_policy(GC_POLICY_RANDOM);
  struct gc_kernel_run runs[3];

  (void)state;
  for (unsigned i = 0; i < 3; i++) {
    struct gc_model_options options = {.seed = i / 2};

    assert_int_equal(run_blocks(&gpu, &options, 100, &runs[i]), 0);
  }
  assert_memory_equal(&runs[0].counts, &runs[1].counts, sizeof runs[0].counts);
  assert_int_equal(runs[0].cycles, runs[1].cycles);
  assert_memory_equal(runs[0].loads, runs[1].loads, runs[0].load_count * sizeof *runs[0].loads);
  assert_true(runs[0].cycles != runs[2].cycles);
  for (unsigned i = 0; i < 3; i++)
    free(runs[i].loads);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(memory_is_that_of_resident_blocks),
      cmocka_unit_test(results_have_no_spare_space),
      cmocka_unit_test(each_allocation_fails_once),
      cmocka_unit_test(one_seed_one_result),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
