# SPDX-License-Identifier: BSD-3-Clause
# A GPU that can run a kernel: one back end per vendor, and the simulator.
noinst_LTLIBRARIES += src/device/libdevice.la
src_device_libdevice_la_SOURCES = src/device/common.c src/device/common.h src/device/device.h \
	src/device/images.c src/device/images.h src/device/numa.c src/device/numa.h src/device/open.c src/device/open.h \
	src/device/pinned.c src/device/pinned.h kernels/args.h
src_device_libdevice_la_LIBADD = src/util/libutil.la

# The assembler includes the images, which make does not see.
src/device/images.lo: kernels/cuda.image kernels/copies.image kernels/filler.image kernels/cluster.image \
	kernels/bulk.image kernels/jumps.image kernels/system.image $(AMD_IMAGES)

# NVIDIA
src_device_libdevice_la_SOURCES += src/device/cuda.c src/device/cuda.h \
	src/device/cuda_alias.c src/device/cuda_alias.h \
	src/device/cuda_concurrent.c src/device/cuda_concurrent.h \
	src/device/cuda_device.c src/device/cuda_device.h \
	src/device/cuda_driver.c src/device/cuda_driver.h \
	src/device/cuda_host.c src/device/cuda_host.h \
	src/device/cuda_launch.c src/device/cuda_launch.h \
	src/device/cuda_open.c src/device/cuda_open.h src/device/cuda_symbols.h

# AMD
src_device_libdevice_la_SOURCES += src/device/hip.c src/device/hip.h \
	src/device/hip_device.c src/device/hip_device.h \
	src/device/hip_driver.c src/device/hip_driver.h \
	src/device/hip_find.c src/device/hip_find.h \
	src/device/hip_host.c src/device/hip_host.h \
	src/device/hip_open.c src/device/hip_open.h src/device/hip_symbols.h

# Simulator
src_device_libdevice_la_SOURCES += src/device/sim.c src/device/sim.h \
	src/device/sim_block.h src/device/sim_device.h \
	src/device/sim_kernels.c src/device/sim_kernels.h \
	src/device/sim_launch.c src/device/sim_launch.h \
	src/device/sim_memory.c src/device/sim_memory.h \
	src/device/sim_ring.c src/device/sim_ring.h src/device/sim_target.h
src_device_libdevice_la_LIBADD += src/model/libmodel.la
