/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The machine code of the kernels of one module, as a trace has it (doc/traces.md, "Version 2").
 */
#ifndef GC_TOOL_TRACE_CODE_H
#define GC_TOOL_TRACE_CODE_H

#include "util/error.h"

#include <stdbool.h>
#include <stdio.h>

struct gc_code;

/* Reads a cubin, and disassembles it with nvdisasm ("": there is none). 0, or a negative errno with
 * a sentence. */
int gc_code_read(const char *cubin, const char *nvdisasm, struct gc_code **code,
                 struct gc_error *err);
void gc_code_free(struct gc_code *code);

/* Writes the lines "registers" and "code" of a kernel, if they are known. Whether there is code. */
bool gc_code_write(const struct gc_code *code, const char *kernel, FILE *trace);

#endif
