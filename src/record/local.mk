# SPDX-License-Identifier: BSD-3-Clause
# What is known of one GPU, and its names in a topology.
noinst_LTLIBRARIES += src/record/librecord.la
src_record_librecord_la_CFLAGS = $(AM_CFLAGS) $(small_cflags)
src_record_librecord_la_SOURCES = src/record/record.h \
  src/record/cores.c src/record/cores.h \
  src/record/coverage.c src/record/coverage.h \
  src/record/elements.c src/record/elements.h \
  src/record/infos.c src/record/infos.h \
  src/record/kinds.c src/record/kinds.h \
  src/record/lists.c src/record/lists.h \
  src/record/merge.c src/record/merge.h \
  src/record/per_sm.c src/record/per_sm.h \
  src/record/property_table.h \
  src/record/provisional.c src/record/provisional.h \
  src/record/reader.c src/record/reader.h \
  src/record/status.c src/record/status.h \
  src/record/values.c src/record/values.h \
  src/record/xml.c src/record/xml.h

gpucacheincludedir = $(includedir)/hwloc
gpucacheinclude_HEADERS = include/hwloc/gpucache.h
