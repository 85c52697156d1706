/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The machine code of the kernels of one module, as a trace has it (doc/traces.md, "Version 2").
 */
#ifndef GC_TOOL_TRACE_MODULE_H
#define GC_TOOL_TRACE_MODULE_H

#include "util/error.h"

#include <stdbool.h>
#include <stdio.h>

struct gc_module;

/* Reads a cubin, and disassembles it with nvdisasm ("": there is none). 0, or a negative errno with
 * a sentence. */
int gc_module_read(const char *cubin, const char *nvdisasm, struct gc_module **module,
                   struct gc_error *err);
void gc_module_free(struct gc_module *module);

/* Writes the lines "registers", "code" and "source" of a kernel, if they are known. Whether there
 * is code. */
bool gc_module_write(const struct gc_module *module, const char *kernel, FILE *trace);

#endif
