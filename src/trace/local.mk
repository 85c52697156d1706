# SPDX-License-Identifier: BSD-3-Clause
# The library that `hwloc-gpucache trace` has the CUDA driver load into programs. Only its entry point
# is visible, and it needs libc alone, so that it does not get in the way of a program's libraries.
pkglib_LTLIBRARIES += src/trace/hwloc-gpucache-trace.la
src_trace_hwloc_gpucache_trace_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
src_trace_hwloc_gpucache_trace_la_SOURCES = \
	src/trace/api.c \
	src/trace/api.h \
	src/trace/calls.c \
	src/trace/calls.h \
	src/trace/captures.c \
	src/trace/captures.h \
	src/trace/contexts.c \
	src/trace/contexts.h \
	src/trace/gathered.c \
	src/trace/gathered.h \
	src/trace/inject.c \
	src/trace/launches.c \
	src/trace/launches.h \
	src/trace/modules.c \
	src/trace/modules.h \
	src/trace/part.c \
	src/trace/part.h \
	src/trace/patching.c \
	src/trace/patching.h \
	src/trace/recorder.c \
	src/trace/recorder.h \
	src/trace/sample.c \
	src/trace/sample.h \
	src/trace/sanitizer.h \
	src/trace/memsets.c \
	src/trace/memsets.h \
	src/trace/waiting.c \
	src/trace/waiting.h
src_trace_hwloc_gpucache_trace_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared \
	-export-symbols-regex '^InitializeInjection$$'
src_trace_hwloc_gpucache_trace_la_LIBADD = src/trace/libtrace.la src/trace/libimage.la \
	src/predict/libwanted.la src/util/libutil.la -lpthread

noinst_LTLIBRARIES += src/trace/libimage.la
src_trace_libimage_la_SOURCES = src/trace/image.c src/trace/image.h
src/trace/image.lo: kernels/trace.image kernels/trace.ptx

# What the command uses, too.
noinst_LTLIBRARIES += src/trace/libtrace.la
src_trace_libtrace_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
src_trace_libtrace_la_SOURCES = src/trace/settings.c src/trace/settings.h
