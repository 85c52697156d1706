# SPDX-License-Identifier: BSD-3-Clause
# Where records are kept.
gc_store_sources = src/store/store.h \
  src/store/dir.c src/store/dir.h \
  src/store/due.c src/store/due.h \
  src/store/failure.c src/store/failure.h \
  src/store/file.c src/store/file.h \
  src/store/find.c src/store/find.h \
  src/store/hold.c src/store/hold.h \
  src/store/lock.c src/store/lock.h \
  src/store/tidy.c src/store/tidy.h \
  src/store/write.c src/store/write.h

noinst_LTLIBRARIES += src/store/libstore.la
src_store_libstore_la_CFLAGS = $(AM_CFLAGS) $(small_cflags)
src_store_libstore_la_SOURCES = $(gc_store_sources)
src_store_libstore_la_CPPFLAGS = $(AM_CPPFLAGS) \
  -DGC_SITE_DIR='"$(localstatedir)/cache/hwloc-gpucache"'
