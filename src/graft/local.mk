# SPDX-License-Identifier: BSD-3-Clause
# Makes the objects of a topology from a record. The program that links this provides hwloc's
# symbols.
noinst_LTLIBRARIES += src/graft/libgraft.la
src_graft_libgraft_la_CFLAGS = $(AM_CFLAGS) $(small_cflags)
src_graft_libgraft_la_SOURCES = \
	src/graft/compat.h \
	src/graft/graft.c \
	src/graft/graft.h \
	src/graft/host.c
