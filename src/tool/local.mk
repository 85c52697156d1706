# SPDX-License-Identifier: BSD-3-Clause
# The command hwloc-gpucache: one file per subcommand. All but main.c is a library, for the tests.
bin_PROGRAMS += hwloc-gpucache
noinst_LTLIBRARIES += src/tool/libtool-gpucache.la

src_tool_libtool_gpucache_la_SOURCES = \
	src/tool/child.c \
	src/tool/export.c \
	src/tool/fleet.c \
	src/tool/here.c \
	src/tool/json.c \
	src/tool/list.c \
	src/tool/measure.c \
	src/tool/obtain.c \
	src/tool/plot.c \
	src/tool/plot.h \
	src/tool/plot_read.c \
	src/tool/plot_script.c \
	src/tool/progress.c \
	src/tool/purge.c \
	src/tool/report.c \
	src/tool/report_notes.c \
	src/tool/rest.c \
	src/tool/say.c \
	src/tool/show.c \
	src/tool/table.c \
	src/tool/targets.c \
	src/tool/tool.h \
	src/tool/watch.c

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
	$(HWLOC_LIBS) $(LIBXML2_LIBS) $(JANSSON_LIBS) -lpthread -lm

hwloc_gpucache_SOURCES = src/tool/main.c
hwloc_gpucache_LDADD = $(tool_libraries)
