/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages of the plugin. It runs in the process of any application: call this only when the
 * settings allow it.
 */
#ifndef GC_PLUGIN_MESSAGES_H
#define GC_PLUGIN_MESSAGES_H

#include "gpus/gpus.h"

/* Writes one line to stderr, "hwloc/gpucache: gpu0 (ID): sentence"; gpu may be NULL. */
void gc_plugin_say(const struct gc_gpu *gpu, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
