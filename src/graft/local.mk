# SPDX-License-Identifier: BSD-3-Clause
# A record becomes objects of a topology. hwloc's symbols come from whoever links this.
noinst_LTLIBRARIES += src/graft/libgraft.la
src_graft_libgraft_la_SOURCES = \
	src/graft/compat.h \
	src/graft/graft.c \
	src/graft/graft.h
