/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/image.h"

#include "util/embed.h"

IMAGE("gc_trace_image", "kernels/trace.image")
IMAGE("gc_trace_ptx", "kernels/trace.ptx")
