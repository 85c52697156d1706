# SPDX-License-Identifier: BSD-3-Clause
# Where records live.
gc_store_sources = src/store/store.h src/store/dir.h src/store/dir.c src/store/find.c \
  src/store/write.c src/store/failure.c src/store/lock.c src/store/tidy.c

noinst_LTLIBRARIES += src/store/libstore.la
src_store_libstore_la_SOURCES = $(gc_store_sources)
src_store_libstore_la_CPPFLAGS = $(AM_CPPFLAGS) \
  -DGC_SITE_DIR='"$(localstatedir)/cache/hwloc-gpucache"'
