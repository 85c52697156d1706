/* SPDX-License-Identifier: BSD-3-Clause */
#include "predict/select.h"

#include "predict/trace/trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct selecting {
  struct gc_selection *selection;
  struct gc_wanted_names wanted;
};

/* One more kernel. */
static int append(struct gc_selection *selection, enum gc_selected selected)
{
  const size_t count = selection->count;

  if (!(count & (count - 1))) {
    uint8_t *longer = realloc(selection->kernels, count ? 2 * count : 1);

    if (!longer)
      return -ENOMEM;
    selection->kernels = longer;
  }
  selection->kernels[selection->count++] = (uint8_t)selected;
  return 0;
}

/* number: 0 for what is no kernel. */
static int note_unreadable(struct gc_selection *selection, uint64_t number, int status,
                           const struct gc_error *why)
{
  if (!selection->unreadable) {
    selection->unreadable = calloc(GC_REASONS_MOST, sizeof *selection->unreadable);
    if (!selection->unreadable)
      return -ENOMEM;
  }
  if (selection->unreadable_count < GC_REASONS_MOST)
    selection->unreadable[selection->unreadable_count] =
        (struct gc_unreadable){number, status, *why};
  selection->unreadable_count++;
  return 0;
}

/* Reads all blocks of the kernel. 0, or a negative errno with a sentence. */
static int check_blocks(struct gc_trace *trace, struct gc_error *err)
{
  int status;

  while ((status = gc_trace_next_block(trace, NULL, NULL, NULL, err)) == 1)
    ;
  return status;
}

/* The trace ends in a kernel that is not wanted, so that it may lack others, which are. */
static int note_end(struct gc_selection *selection, const char *path, int status,
                    struct gc_error *err)
{
  struct gc_error why;

  if (status == -ENOMEM)
    return gc_fail(err, -ENOMEM, "out of memory");
  gc_fail(&why, status, "%s: it cannot be read beyond kernel %zu: it is broken or truncated", path,
          selection->count);
  return note_unreadable(selection, 0, status, &why) ? gc_fail(err, -ENOMEM, "out of memory") : 0;
}

static int select_in(struct selecting *selecting, const char *path, struct gc_trace *trace,
                     struct gc_error *err)
{
  struct gc_selection *selection = selecting->selection;
  struct gc_trace_launch launch;
  int status;

  while ((status = gc_trace_next_kernel(trace, &launch, err))) {
    const bool unwanted =
        status == 1 && !gc_wanted_has(&selecting->wanted, launch.name, selection->count + 1);

    if (status == 1 && !unwanted)
      status = check_blocks(trace, err);
    if (status == -ENOMEM)
      return status;
    if (status < 0 && gc_trace_has_ended(trace))
      return note_unreadable(selection, 0, status, err) ? gc_fail(err, -ENOMEM, "out of memory")
                                                        : 0;
    if (unwanted)
      status = append(selection, GC_KERNEL_UNWANTED) ? -ENOMEM : -1;
    else if (status < 0)
      status = note_unreadable(selection, selection->count + 1, status, err) ||
                       append(selection, GC_KERNEL_UNREADABLE)
                   ? -ENOMEM
                   : -1;
    else
      status = append(selection, GC_KERNEL_PREDICTED);
    if (status == -ENOMEM)
      return gc_fail(err, -ENOMEM, "out of memory");
    if (status && (status = gc_trace_skip_kernel(trace)) <= 0)
      return unwanted && status ? note_end(selection, path, status, err) : 0;
  }
  return 0;
}

static int select_all(struct selecting *selecting, const char *const *traces, size_t count,
                      struct gc_error *err)
{
  int status = 0;

  for (size_t i = 0; i < count && !status; i++) {
    struct gc_trace *trace;

    status = gc_trace_open(traces[i], &trace, err);
    if (status)
      return status;
    status = select_in(selecting, traces[i], trace, err);
    gc_trace_close(trace);
  }
  return status;
}

int gc_selection_make(struct gc_selection *selection, const struct gc_wanted *wanted,
                      const char *const *traces, size_t count, struct gc_error *err)
{
  struct selecting selecting = {.selection = selection};
  int status = gc_wanted_compile(&selecting.wanted, wanted, err);

  memset(selection, 0, sizeof *selection);
  if (status)
    return status;
  status = select_all(&selecting, traces, count, err);
  gc_wanted_free(&selecting.wanted);
  return status;
}

void gc_selection_clear(struct gc_selection *selection)
{
  free(selection->kernels);
  free(selection->unreadable);
  memset(selection, 0, sizeof *selection);
}
