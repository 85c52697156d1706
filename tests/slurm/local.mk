# SPDX-License-Identifier: BSD-3-Clause
# contrib/slurm on a real Slurm, on this machine. Not part of make check: it needs root and packages.
EXTRA_DIST += tests/slurm/check.sh contrib/slurm/fleet.sbatch contrib/slurm/prolog.sh

check-slurm: all
	@$(AM_TESTS_ENVIRONMENT) $(srcdir)/tests/slurm/check.sh || test $$? -eq 77

.PHONY: check-slurm
