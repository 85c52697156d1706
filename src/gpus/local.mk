# SPDX-License-Identifier: BSD-3-Clause
# Which GPUs there are, from /proc and /sys.
noinst_LTLIBRARIES += src/gpus/libgpus.la
src_gpus_libgpus_la_CFLAGS = $(AM_CFLAGS) $(small_cflags)
src_gpus_libgpus_la_SOURCES = \
	src/gpus/amd.c \
	src/gpus/amd.h \
	src/gpus/amd_nodes.c \
	src/gpus/amd_nodes.h \
	src/gpus/amd_tables.c \
	src/gpus/amd_tables.h \
	src/gpus/gpu_lock.c \
	src/gpus/gpu_lock.h \
	src/gpus/gpus.c \
	src/gpus/gpus.h \
	src/gpus/kfd.c \
	src/gpus/kfd.h \
	src/gpus/list.c \
	src/gpus/list.h \
	src/gpus/mig.c \
	src/gpus/mig.h \
	src/gpus/mig_files.c \
	src/gpus/mig_files.h \
	src/gpus/nodes.c \
	src/gpus/nodes.h \
	src/gpus/nvidia.c \
	src/gpus/nvidia.h \
	src/gpus/nvidia_other.c \
	src/gpus/nvidia_other.h \
	src/gpus/pci.c \
	src/gpus/pci.h \
	src/gpus/remember.c \
	src/gpus/remember.h \
	src/gpus/remember_dir.c \
	src/gpus/remember_dir.h \
	src/gpus/restrict.c \
	src/gpus/sim.c \
	src/gpus/sim.h \
	src/gpus/sim_tables.c \
	src/gpus/sim_tables.h \
	src/gpus/tree.c \
	src/gpus/tree.h \
	src/gpus/visible.h \
	src/gpus/visible_cuda.c \
	src/gpus/visible_list.h \
	src/gpus/visible_rocm.c
