/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/modules.h"

#include "trace/api.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST_MODULE ((size_t)64 << 20)
#define TOO_LARGE "its CUDA module has more than 64 MiB"

/* Each instruction and the function of kernels/trace.c for it. */
static const struct {
  Sanitizer_InstructionId instruction;
  const char *function;
} patches[] = {
    {SANITIZER_INSTRUCTION_GLOBAL_MEMORY_ACCESS, "gpucache_global"},
    {SANITIZER_INSTRUCTION_LOCAL_MEMORY_ACCESS, "gpucache_local"},
    {SANITIZER_INSTRUCTION_BARRIER, "gpucache_barrier"},
    {SANITIZER_INSTRUCTION_MEMCPY_ASYNC, "gpucache_async"},
    {SANITIZER_INSTRUCTION_BULK_COPY_GLOBAL_TO_SHARED, "gpucache_bulk_load"},
    {SANITIZER_INSTRUCTION_BULK_COPY_SHARED_TO_GLOBAL, "gpucache_bulk_store"},
    {SANITIZER_INSTRUCTION_BULK_REDUCTION_SHARED_TO_GLOBAL, "gpucache_bulk_atomic"},
};

static struct gc_traced_module *modules;
static int saved; /* modules with machine code */

/* The API forgets them when functions are taken out. */
static int select_instructions(struct gc_traced_module *module)
{
  int status = 0;

  for (size_t i = 0; i < sizeof patches / sizeof *patches && !status; i++)
    status =
        GC_SANITIZER(sanitizerPatchInstructions,
                     (patches[i].instruction, module->handle, patches[i].function), &module->why);
  return status;
}

void gc_module_put_in(struct gc_traced_module *module)
{
  if (!module->patched && !*module->why.text && !select_instructions(module))
    module->patched = !GC_SANITIZER(sanitizerPatchModule, (module->handle), &module->why);
}

void gc_module_take_out(struct gc_traced_module *module)
{
  struct gc_error unused;

  if (module->patched)
    module->patched = GC_SANITIZER(sanitizerUnpatchModule, (module->handle), &unused);
}

struct gc_traced_module *gc_modules_add(const Sanitizer_ResourceModuleData *data,
                                        const struct gc_part *part)
{
  struct gc_traced_module *module = calloc(1, sizeof *module);
  char suffix[32];

  if (!module)
    return NULL;
  module->context = data->context;
  module->handle = data->module;
  snprintf(suffix, sizeof suffix, "-%d.cubin", saved + 1);
  module->code = !data->pCubin || !data->cubinSize ? -ENODATA
                 : data->cubinSize > LARGEST_MODULE
                     ? -EFBIG
                     : gc_part_write(part, suffix, data->pCubin, data->cubinSize);
  if (!module->code)
    module->code = ++saved;
  module->next = modules;
  return modules = module;
}

const char *gc_module_why_not_saved(int code)
{
  return code == -EFBIG     ? TOO_LARGE
         : code == -ENODATA ? "the driver does not show it"
                            : strerror(-code);
}

static void forget(struct gc_traced_module **at)
{
  struct gc_traced_module *const module = *at;

  *at = module->next;
  free(module);
}

void gc_modules_remove(void *handle)
{
  struct gc_traced_module **at = &modules;

  while (*at && (*at)->handle != handle)
    at = &(*at)->next;
  if (*at)
    forget(at);
}

void gc_modules_remove_all(const void *context)
{
  struct gc_traced_module **at = &modules;

  while (*at)
    if ((*at)->context == context)
      forget(at);
    else
      at = &(*at)->next;
}

struct gc_traced_module *gc_modules_first(void)
{
  return modules;
}

int gc_modules_find(void *handle, const struct gc_traced_module **result, struct gc_error *err)
{
  const struct gc_traced_module *module = modules;

  while (module && module->handle != handle)
    module = module->next;
  *result = module;
  if (!module)
    return gc_fail(err, -ENODEV, "its CUDA module existed before recording began");
  if (*module->why.text)
    return gc_fail(err, -EIO, "%s", module->why.text);
  return module->patched ? 0 : gc_fail(err, -EXDEV, "its CUDA module belongs to another context than that of the calling thread");
}
