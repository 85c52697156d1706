# SPDX-License-Identifier: BSD-3-Clause
# What every module needs: errors, a clock, files for the user, hashes, numbers as text, child
# processes, holders of locks.
noinst_LTLIBRARIES += src/util/libutil.la
src_util_libutil_la_CFLAGS = $(AM_CFLAGS) $(small_cflags)
src_util_libutil_la_SOURCES = \
	src/util/bits.h \
	src/util/clock.c \
	src/util/clock.h \
	src/util/cpus.c \
	src/util/cpus.h \
	src/util/embed.h \
	src/util/env.c \
	src/util/env.h \
	src/util/error.c \
	src/util/error.h \
	src/util/file.c \
	src/util/file.h \
	src/util/hash.c \
	src/util/hash.h \
	src/util/holder.c \
	src/util/holder.h \
	src/util/number.c \
	src/util/number.h \
	src/util/reap.c \
	src/util/reap.h \
	src/util/regular.c \
	src/util/regular.h \
	src/util/small.h \
	src/util/spawn.c \
	src/util/spawn.h \
	src/util/scattered_order.h \
	src/util/symbols.c \
	src/util/symbols.h \
	src/util/walk.c \
	src/util/walk.h
