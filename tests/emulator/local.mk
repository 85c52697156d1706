# SPDX-License-Identifier: BSD-3-Clause
# The kernels for AMD GPUs, executed where there is no AMD GPU. Needs a checkout of tinygrad: emulator.sh.
TESTS += tests/emulator/emulator.sh
EXTRA_DIST += tests/emulator/emulator.sh tests/emulator/code_object.py tests/emulator/machine.py \
	tests/emulator/ring.py tests/emulator/run.py
