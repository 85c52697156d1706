/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The machine code of the kernels of one module, as a trace has it (doc/traces.md, "Version 2").
 */
#ifndef GC_TOOL_TRACE_MODULE_H
#define GC_TOOL_TRACE_MODULE_H

#include <stdbool.h>
#include <stdio.h>

struct gc_module;

/* Reads a cubin. nvdisasm: a path; "": there is none. NULL: the cubin cannot be read. The texts
 * must remain. */
struct gc_module *gc_module_read(const char *cubin, const char *nvdisasm);
void gc_module_free(struct gc_module *module);

/* Whether its kernels can launch kernels or graphs. */
bool gc_module_can_launch(const struct gc_module *module);

/* This kernel will be written. To be called for all of them before the first one is written: of
 * large modules, it takes long to disassemble all kernels. */
void gc_module_need(struct gc_module *module, const char *kernel);

/* Writes the lines "registers", "code" and "source" of a kernel, if they are known. Whether there
 * is code. */
bool gc_module_write(struct gc_module *module, const char *kernel, FILE *trace);

#endif
