# SPDX-License-Identifier: BSD-3-Clause
# GPUs that GPGPU-Sim simulates, measured with the unmodified command. Needs a built GPGPU-Sim.
check-gpgpusim: all
	@$(AM_TESTS_ENVIRONMENT) DIR='$(DIR)' CUDA_INSTALL_PATH='$(CUDA_INSTALL_PATH)' CASES='$(CASES)' \
	  exec bash '$(srcdir)/tests/gpgpusim/check.sh'

# GPGPU-Sim's parser of options reads our exports. Needs the sources only.
check-gpgpusim-options: all
	@$(AM_TESTS_ENVIRONMENT) DIR='$(DIR)' exec $(SHELL) '$(srcdir)/tests/gpgpusim/options.sh'

.PHONY: check-gpgpusim check-gpgpusim-options

EXTRA_DIST += tests/gpgpusim/options.sh tests/gpgpusim/options.py tests/gpgpusim/check.sh tests/gpgpusim/compare.py tests/gpgpusim/kernels.py tests/gpgpusim/libcuda.cc \
	tests/gpgpusim/rewrite.cc tests/gpgpusim/rewrite.h tests/gpgpusim/host-clock.cc \
	tests/gpgpusim/host-clock.h doc/results/gpgpusim.md
