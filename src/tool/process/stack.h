/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A stack that is large enough, whatever the limit (ulimit -s) of the caller is. Measuring needs
 * some 100 KiB, and the vendors' libraries need more.
 */
#ifndef GC_TOOL_PROCESS_STACK_H
#define GC_TOOL_PROCESS_STACK_H

/* Calls work(argc, argv) and returns its result. Call it once, from main. If the stack of this
 * thread cannot grow to 8 MiB, work runs in a thread of its own, and this one waits with all
 * signals blocked. */
int gc_with_stack(int (*work)(int argc, char **argv), int argc, char **argv);

#endif
