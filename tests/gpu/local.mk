# SPDX-License-Identifier: BSD-3-Clause
# Tests that need a real GPU: make check-gpu. They are scripts, so that each can say why it is
# skipped.
check_PROGRAMS += tests/gpu/chase-smoke

GPU_TESTS += tests/gpu/kernels.sh
EXTRA_DIST += tests/gpu/kernels.sh

# Another program uses the GPU.
check_PROGRAMS += tests/gpu/hammer
other_programs += tests/gpu/hammer
GPU_TESTS += tests/gpu/busy.sh
EXTRA_DIST += tests/gpu/busy.sh

# Another client of an MPS server, and a program that has allocated almost all memory.
check_PROGRAMS += tests/gpu/neighbour
other_programs += tests/gpu/neighbour
check_LTLIBRARIES += tests/gpu/libthroughmps.la
tests_gpu_libthroughmps_la_SOURCES = tests/gpu/through-mps.c
tests_gpu_libthroughmps_la_LDFLAGS = -module -avoid-version -rpath /nowhere
GPU_TESTS += tests/gpu/mps.sh tests/gpu/memory.sh
EXTRA_DIST += tests/gpu/mps.sh tests/gpu/memory.sh

# The main use, and whether results repeat.
GPU_TESTS += tests/gpu/end-to-end.sh tests/gpu/repeat.sh
EXTRA_DIST += tests/gpu/end-to-end.sh tests/gpu/repeat.sh

# Programs with nvcc test values.
GPU_TESTS += tests/gpu/bulk.sh tests/gpu/flush.sh
EXTRA_DIST += tests/gpu/bulk.sh tests/gpu/bulk.cu tests/gpu/flush.sh tests/gpu/flush.cu

# CUDA_VISIBLE_DEVICES, as the driver understands it.
GPU_TESTS += tests/gpu/visible.sh
EXTRA_DIST += tests/gpu/visible.sh

# A preloaded library makes a kernel fail. The rpath makes libtool build it as a shared library.
check_LTLIBRARIES += tests/gpu/libspoil.la
tests_gpu_libspoil_la_SOURCES = tests/gpu/spoil.c
tests_gpu_libspoil_la_LDFLAGS = -module -avoid-version -rpath /nowhere
GPU_TESTS += tests/gpu/failures.sh
EXTRA_DIST += tests/gpu/failures.sh

# All GPUs of the machine together.
GPU_TESTS += tests/gpu/several.sh tests/gpu/peers.sh
EXTRA_DIST += tests/gpu/several.sh tests/gpu/peers.sh tests/gpu/peers.cu

# A program with nvcc is recorded, and its hit rates are predicted and counted.
GPU_TESTS += tests/gpu/trace.sh
EXTRA_DIST += tests/gpu/check.h tests/gpu/copy_product.h tests/gpu/recording.sh tests/gpu/trace.sh \
	tests/gpu/trace.cu

# The same for kernels of PyTorch.
GPU_TESTS += tests/gpu/torch.sh
EXTRA_DIST += tests/gpu/torch.sh tests/gpu/torch_kinds.py tests/gpu/programs.py

# The same for kernels of graphs, and a sample of the launches.
GPU_TESTS += tests/gpu/graphs.sh tests/gpu/sample.sh
EXTRA_DIST += tests/gpu/graphs.sh tests/gpu/graphs.cu tests/gpu/sample.sh tests/gpu/sample.cu

# What doc/results/predict.md states about GPUs: what is left in L2, what protects a line of L1, which requests are joined.
GPU_TESTS += tests/gpu/l2-contents.sh tests/gpu/protect.sh tests/gpu/join.sh
EXTRA_DIST += tests/gpu/l2-contents.sh tests/gpu/l2-contents.cu tests/gpu/protect.sh tests/gpu/protect.cu
EXTRA_DIST += tests/gpu/join.sh tests/gpu/join.cu

# Which warps go first: what is known for the model of predict.
GPU_TESTS += tests/gpu/order.sh
EXTRA_DIST += tests/gpu/order.sh tests/gpu/order.cu
