# SPDX-License-Identifier: BSD-3-Clause
# The plugin that hwloc loads. The process that loads it provides the symbols of hwloc, so libhwloc
# is not linked. Once loaded it stays mapped. It exports one symbol.
hwlocplugin_LTLIBRARIES = src/plugin/hwloc_gpucache.la
src_plugin_hwloc_gpucache_la_SOURCES = \
	src/plugin/component.c \
	src/plugin/load.c \
	src/plugin/load.h \
	src/plugin/gpu_records.c \
	src/plugin/gpu_records.h \
	src/plugin/messages.c \
	src/plugin/messages.h \
	src/plugin/settings.c \
	src/plugin/settings.h \
	src/plugin/worker.c \
	src/plugin/worker.h
src_plugin_hwloc_gpucache_la_CPPFLAGS = $(AM_CPPFLAGS) -DHWLOC_INSIDE_PLUGIN
src_plugin_hwloc_gpucache_la_CFLAGS = $(AM_CFLAGS) $(small_cflags)
src_plugin_hwloc_gpucache_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared \
	-export-symbols-regex '^hwloc_gpucache_component$$' -Wl,-z,nodelete \
	-Wl,--gc-sections -Wl,-O1 -Wl,-z,noseparate-code
src_plugin_hwloc_gpucache_la_LIBADD = \
	src/graft/libgraft.la \
	src/store/libstore.la \
	src/gpus/libgpus.la \
	src/record/librecord.la \
	src/util/libutil.la -lpthread
