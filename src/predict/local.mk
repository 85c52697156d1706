# SPDX-License-Identifier: BSD-3-Clause
# The cache model for traces, as a library for programs, and for the command. Each folder is a
# convenience library.
noinst_LTLIBRARIES += src/predict/libpredict.la
src_predict_libpredict_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
src_predict_libpredict_la_SOURCES = \
	src/predict/demangle.c \
	src/predict/demangle.h \
	src/predict/parameters/assumptions.c \
	src/predict/parameters/assumptions.h \
	src/predict/parameters/carveouts.c \
	src/predict/parameters/carveouts.h \
	src/predict/parameters/change.c \
	src/predict/parameters/change.h \
	src/predict/parameters/geometry.c \
	src/predict/parameters/geometry.h \
	src/predict/parameters/groups.c \
	src/predict/parameters/groups.h \
	src/predict/parameters/launch.c \
	src/predict/parameters/parameters.h \
	src/predict/parameters/read.c \
	src/predict/parameters/sets.c \
	src/predict/parameters/sets.h \
	src/predict/parameters/tlbs.c \
	src/predict/parameters/tlbs.h \
	src/predict/pass.c \
	src/predict/pass.h \
	src/predict/predict.c \
	src/predict/predict.h \
	src/predict/prediction.h \
	src/predict/remedy.c \
	src/predict/remedy.h \
	src/predict/reuse.c \
	src/predict/reuse.h \
	src/predict/select.c \
	src/predict/select.h \
	src/predict/sums.c \
	src/predict/sums.h \
	src/predict/threads.c \
	src/predict/threads.h

# Which kernels are wanted: also for the library that is loaded into programs.
noinst_LTLIBRARIES += src/predict/libwanted.la
src_predict_libwanted_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
src_predict_libwanted_la_SOURCES = src/predict/wanted.c src/predict/wanted.h

predict_libraries = \
	src/predict/libpredict.la \
	src/predict/libwanted.la \
	src/predict/model/libpredict-model.la \
	src/predict/distance/libpredict-distance.la \
	src/predict/trace/libpredict-trace.la

include src/predict/trace/local.mk
include src/predict/distance/local.mk
include src/predict/model/local.mk

# The library. Only the functions of its header are visible.
lib_LTLIBRARIES += src/predict/libhwloc-gpucache-predict.la
gpucacheinclude_HEADERS += include/hwloc/gpucache-predict.h
src_predict_libhwloc_gpucache_predict_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
src_predict_libhwloc_gpucache_predict_la_SOURCES = \
	src/predict/accesses.c \
	src/predict/accesses.h \
	src/predict/library.c
src_predict_libhwloc_gpucache_predict_la_LIBADD = \
	$(predict_libraries) \
	src/record/librecord.la \
	src/util/libutil.la \
	-lpthread -lm
src_predict_libhwloc_gpucache_predict_la_LDFLAGS = -version-info 0:0:0 -no-undefined \
	-export-symbols-regex '^hwloc_gpucache_(predict|record)'

pkgconfigdir = $(libdir)/pkgconfig
pkgconfig_DATA = src/predict/hwloc-gpucache-predict.pc
