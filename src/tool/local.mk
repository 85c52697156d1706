# SPDX-License-Identifier: BSD-3-Clause
# The command hwloc-gpucache, with one file for each subcommand. All files but main.c form a
# library, for the tests.
bin_PROGRAMS += hwloc-gpucache
noinst_LTLIBRARIES += src/tool/libtool-gpucache.la

src_tool_libtool_gpucache_la_SOURCES = \
	src/tool/child.c \
	src/tool/child.h \
	src/tool/environment.c \
	src/tool/environment.h \
	src/tool/export.c \
	src/tool/export.h \
	src/tool/fleet.c \
	src/tool/fleet.h \
	src/tool/format.c \
	src/tool/format.h \
	src/tool/here.c \
	src/tool/here.h \
	src/tool/json.c \
	src/tool/json.h \
	src/tool/libhwloc.c \
	src/tool/libhwloc.h \
	src/tool/keep.c \
	src/tool/keep.h \
	src/tool/list.c \
	src/tool/list.h \
	src/tool/measure.c \
	src/tool/measure.h \
	src/tool/obtain.c \
	src/tool/obtain.h \
	src/tool/pci_ids.c \
	src/tool/pci_ids.h \
	src/tool/plot.c \
	src/tool/plot.h \
	src/tool/plot_curve.c \
	src/tool/plot_curve.h \
	src/tool/plot_read.c \
	src/tool/plot_read.h \
	src/tool/plot_script.c \
	src/tool/plot_script.h \
	src/tool/plot_write.c \
	src/tool/plot_write.h \
	src/tool/progress.c \
	src/tool/progress.h \
	src/tool/purge.c \
	src/tool/purge.h \
	src/tool/raw_dir.c \
	src/tool/raw_dir.h \
	src/tool/report.c \
	src/tool/report.h \
	src/tool/report_notes.c \
	src/tool/report_notes.h \
	src/tool/rest.c \
	src/tool/rest.h \
	src/tool/results.c \
	src/tool/results.h \
	src/tool/say.c \
	src/tool/say.h \
	src/tool/show.c \
	src/tool/show.h \
	src/tool/stack.c \
	src/tool/stack.h \
	src/tool/table.c \
	src/tool/table.h \
	src/tool/targets.c \
	src/tool/targets.h \
	src/tool/tool.c \
	src/tool/tool.h \
	src/tool/watch.c \
	src/tool/watch.h

tool_libraries = \
	src/tool/libtool-gpucache.la \
	src/measure/libmeasure.la \
	src/stats/libstats.la \
	src/device/libdevice.la \
	src/model/libmodel.la \
	src/store/libstore.la \
	src/graft/libgraft.la \
	src/gpus/libgpus.la \
	src/record/librecord.la \
	src/util/libutil.la \
	$(HWLOC_LIBS) $(JANSSON_LIBS) -lpthread -lm

hwloc_gpucache_SOURCES = src/tool/main.c
hwloc_gpucache_LDADD = $(tool_libraries)
