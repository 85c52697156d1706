/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The subcommand doctor: checks each link of the chain that ends with GPU caches in lstopo.
 */
#ifndef GC_TOOL_DOCTOR_DOCTOR_H
#define GC_TOOL_DOCTOR_DOCTOR_H

#include "tool/tool.h"

/* Checks all links and prints a finding for each, and what to do if it is not ok. tool->words may
 * name a program, which is then examined, too. GC_EXIT_DONE: lstopo will show the caches of each
 * GPU that this process may use, and that program can load plugins. Otherwise GC_EXIT_FAILED. Ends
 * at tool->timeout, or after a minute, whatever hangs. */
int gc_tool_doctor(const struct gc_tool *tool);

#endif
