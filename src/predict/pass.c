/* SPDX-License-Identifier: BSD-3-Clause */
#include "predict/pass.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The next kernel of the result, zero. NULL: no memory. */
static struct gc_pass_kernel *append(struct gc_pass *pass)
{
  if (!(pass->count & (pass->count - 1))) {
    const size_t room = pass->count ? 2 * pass->count : 1;
    struct gc_pass_kernel *longer = reallocarray(pass->kernels, room, sizeof *longer);

    if (!longer)
      return NULL;
    pass->kernels = longer;
  }
  return memset(&pass->kernels[pass->count++], 0, sizeof *pass->kernels);
}

/* One kernel. The first one makes the model; L2 keeps its contents from kernel to kernel. */
static int run_kernel(struct gc_pass *pass, struct gc_trace *trace,
                      const struct gc_trace_launch *launch, struct gc_cache_model **model,
                      struct gc_error *err)
{
  struct gc_pass_kernel *kernel = append(pass);
  int status;

  if (!kernel)
    return gc_fail(err, -ENOMEM, "out of memory");
  kernel->launch = *launch;
  status = gc_parameters_gpu(&pass->parameters, launch, &pass->changes,
                             pass->undrawn ? 0 : pass->options.seed, &kernel->gpu, err);
  if (status)
    return status;
  if (!*model)
    *model = gc_cache_model_new(&kernel->gpu, &pass->options);
  else if (gc_cache_model_change_sms(*model, &kernel->gpu))
    return gc_fail(err, -ENOMEM, "out of memory");
  if (!*model)
    return gc_fail(err, -ENOMEM, "out of memory");
  return gc_cache_model_run(*model, trace, launch, &kernel->run, err);
}

static int run_trace(struct gc_pass *pass, const char *path, struct gc_cache_model **model,
                     struct gc_error *err)
{
  struct gc_trace_launch launch;
  struct gc_trace *trace;
  int status = gc_trace_open(path, &trace, err);

  if (status)
    return status;
  while ((status = gc_trace_next_kernel(trace, &launch, err)) > 0) {
    status = run_kernel(pass, trace, &launch, model, err);
    if (status)
      break;
  }
  gc_trace_close(trace);
  return status;
}

int gc_pass_run(struct gc_pass *pass, struct gc_error *err)
{
  struct gc_cache_model *model = NULL;
  int status = 0;

  for (size_t i = 0; i < pass->trace_count && !status; i++)
    status = run_trace(pass, pass->traces[i], &model, err);
  gc_cache_model_free(model);
  return status;
}

void gc_pass_clear(struct gc_pass *pass)
{
  for (size_t i = 0; i < pass->count; i++)
    free(pass->kernels[i].run.loads);
  free(pass->kernels);
  pass->kernels = NULL;
  pass->count = 0;
}
