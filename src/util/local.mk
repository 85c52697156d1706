# SPDX-License-Identifier: BSD-3-Clause
# What every room needs: errors as sentences, children under a deadline, files for the user, numbers as text.
noinst_LTLIBRARIES += src/util/libutil.la
src_util_libutil_la_SOURCES = \
	src/util/error.c \
	src/util/error.h \
	src/util/file.c \
	src/util/file.h \
	src/util/hash.c \
	src/util/hash.h \
	src/util/number.c \
	src/util/number.h \
	src/util/spawn.c \
	src/util/spawn.h
