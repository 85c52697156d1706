# SPDX-License-Identifier: BSD-3-Clause
# What hwloc loads. Its hwloc symbols are those of the process that loads it, so libhwloc is not linked;
# it stays mapped once loaded, and shows one symbol.
hwlocplugin_LTLIBRARIES = src/plugin/hwloc_gpucache.la
src_plugin_hwloc_gpucache_la_SOURCES = \
	src/plugin/component.c \
	src/plugin/obtain.c \
	src/plugin/plugin.h \
	src/plugin/settings.c
src_plugin_hwloc_gpucache_la_CPPFLAGS = $(AM_CPPFLAGS) -DHWLOC_INSIDE_PLUGIN
src_plugin_hwloc_gpucache_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
src_plugin_hwloc_gpucache_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared \
	-export-symbols-regex '^hwloc_gpucache_component$$' -Wl,-z,nodelete
src_plugin_hwloc_gpucache_la_LIBADD = \
	src/graft/libgraft.la \
	src/store/libstore.la \
	src/gpus/libgpus.la \
	src/record/librecord.la \
	src/util/libutil.la \
	$(LIBXML2_LIBS)
