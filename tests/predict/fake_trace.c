/*
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "fake_trace.h"

#include "predict/model/check.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

int gc_trace_next_block(struct gc_trace *trace, gc_trace_visitor *visit, void *data,
                        uint64_t *number, struct gc_error *err)
{
  int status;

  if (trace->next == trace->blocks)
    return 0;
  if (trace->fail_at && trace->next == trace->fail_at - 1)
    return gc_fail(err, -EBADMSG, "block %u is broken", trace->fail_at - 1);
  if (number)
    *number = trace->next;
  status = visit ? trace->make(trace->next, visit, data, trace->data) : 0;
  trace->next++;
  return status ? status : 1;
}

int fake_visit(const struct fake_instruction *from, gc_trace_visitor *visit, void *visit_data)
{
  struct gc_trace_instruction to = {.operation = from->operation,
                                    .hint = from->hint,
                                    .pc = from->pc,
                                    .bytes = from->bytes ? from->bytes : 4,
                                    .count = from->count ? from->count : 1,
                                    .waits = from->waits,
                                    .mask = from->mask ? from->mask : FAKE_ALL};

  for (unsigned i = 0; i < GC_TRACE_LANES; i++)
    to.addresses[i] = from->base + i * from->stride;
  return visit(from->warp, &to, visit_data);
}

int fake_from_list(uint64_t block, gc_trace_visitor *visit, void *visit_data, void *data)
{
  const struct fake_list *list = data;
  int status = 0;

  for (size_t i = 0; i < list->count && !status; i++)
    if (list->instructions[i].block == block)
      status = fake_visit(&list->instructions[i], visit, visit_data);
  return status;
}

struct gc_gpu_model fake_gpu(void)
{
  struct gc_cache_geometry l1 = {
      .line_bytes = 128, .sector_bytes = 32, .sets = 1, .ways = 128, .policy = GC_POLICY_LRU};
  struct gc_cache_geometry l2 = l1;

  l2.sets = 256;
  l2.ways = 16;
  l2.store_miss = GC_ALLOCATE_SECTOR;
  return (struct gc_gpu_model){
      .sms = 1, .warp_threads = 32, .loads_in_l1 = true, .l1 = l1, .l2 = l2, .partitions = 1};
}

struct gc_kernel_run fake_run_trace(const struct gc_gpu_model *gpu,
                                    const struct gc_model_options *options,
                                    const struct gc_trace_launch *launch, struct gc_trace *trace)
{
  struct gc_cache_model *predict = gc_cache_model_new(gpu, options);
  struct gc_error err = {""};
  struct gc_kernel_run run;

  if (gc_gpu_model_check(gpu, &err))
    fail_msg("%s", err.text);
  assert_non_null(predict);
  if (gc_cache_model_run(predict, trace, launch, &run, &err))
    fail_msg("%s", err.text);
  gc_cache_model_free(predict);
  return run;
}

struct gc_kernel_run fake_run(const struct gc_gpu_model *gpu,
                              const struct gc_model_options *options,
                              const struct gc_trace_launch *launch, const struct fake_list *list)
{
  struct gc_trace trace = {.make = fake_from_list, .data = (void *)list};

  for (size_t i = 0; i < list->count; i++)
    if (list->instructions[i].block >= trace.blocks)
      trace.blocks = list->instructions[i].block + 1;
  return fake_run_trace(gpu, options, launch, &trace);
}
