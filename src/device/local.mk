# A GPU that can run a kernel: one back end per vendor, and the simulator.
noinst_LTLIBRARIES += src/device/libdevice.la
src_device_libdevice_la_SOURCES = src/device/common.c src/device/common.h src/device/device.c \
	src/device/device.h
src_device_libdevice_la_LIBADD = src/util/libutil.la

# NVIDIA
src_device_libdevice_la_SOURCES += src/device/cuda.c src/device/cuda_device.h \
	src/device/cuda_driver.c src/device/cuda_driver.h src/device/cuda_open.c \
	src/device/cuda_symbols.h src/device/cuda_together.c
src_device_libdevice_la_LIBADD += kernels/libkernels.la

# AMD
src_device_libdevice_la_SOURCES += src/device/hip.c src/device/hip_device.h src/device/hip_driver.c \
	src/device/hip_driver.h src/device/hip_open.c src/device/hip_symbols.h

# Simulator
src_device_libdevice_la_SOURCES += src/device/sim.c src/device/sim_block.h src/device/sim_device.h \
	src/device/sim_kernels.c src/device/sim_memory.c kernels/sim.h
src_device_libdevice_la_LIBADD += src/model/libmodel.la
