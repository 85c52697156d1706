# SPDX-License-Identifier: BSD-3-Clause
# What is known of one GPU, and the names it has in a topology.
noinst_LTLIBRARIES += src/record/librecord.la
src_record_librecord_la_SOURCES = src/record/record.h src/record/record.c src/record/kinds.c \
  src/record/infos.c src/record/values.c src/record/merge.c src/record/per_sm.c \
  src/record/reader.h src/record/reader.c src/record/xml.c
src_record_librecord_la_CPPFLAGS = $(AM_CPPFLAGS) $(LIBXML2_CFLAGS)
src_record_librecord_la_LIBADD = $(LIBXML2_LIBS)

gpucacheincludedir = $(includedir)/hwloc
gpucacheinclude_HEADERS = include/hwloc/gpucache.h
