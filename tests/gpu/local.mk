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
