# SPDX-License-Identifier: BSD-3-Clause
# Which GPUs there are, told from /proc and /sys.
noinst_LTLIBRARIES += src/gpus/libgpus.la
src_gpus_libgpus_la_SOURCES = \
	src/gpus/amd.c \
	src/gpus/amd_known.c \
	src/gpus/gpus.c \
	src/gpus/gpus.h \
	src/gpus/kfd.c \
	src/gpus/kfd.h \
	src/gpus/nvidia.c \
	src/gpus/pci.c \
	src/gpus/sim.c \
	src/gpus/sim_tables.c \
	src/gpus/turn.c \
	src/gpus/vendors.h
