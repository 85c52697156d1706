# SPDX-License-Identifier: BSD-3-Clause
# What only a real GPU can show: make check-gpu. Scripts, so that each can say why it skips.
check_PROGRAMS += tests/gpu/chase-smoke

GPU_TESTS += tests/gpu/kernels.sh
EXTRA_DIST += tests/gpu/kernels.sh

# Another program on the GPU.
check_PROGRAMS += tests/gpu/hammer
GPU_TESTS += tests/gpu/busy.sh
EXTRA_DIST += tests/gpu/busy.sh

# The main job, and that it comes to the same every time.
GPU_TESTS += tests/gpu/end-to-end.sh tests/gpu/repeat.sh
EXTRA_DIST += tests/gpu/end-to-end.sh tests/gpu/repeat.sh

# A kernel that fails, by a library that is preloaded; the rpath makes it a shared one.
check_LTLIBRARIES += tests/gpu/libspoil.la
tests_gpu_libspoil_la_SOURCES = tests/gpu/spoil.c
tests_gpu_libspoil_la_LDFLAGS = -module -avoid-version -rpath /nowhere
GPU_TESTS += tests/gpu/failures.sh
EXTRA_DIST += tests/gpu/failures.sh
