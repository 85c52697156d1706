# SPDX-License-Identifier: BSD-3-Clause
# sys-sage imports our exports. Needs an installed sys-sage.
check-sys-sage: all
	@$(AM_TESTS_ENVIRONMENT) DIR='$(DIR)' GPUS='$(GPUS)' \
	  exec bash '$(srcdir)/tests/sys-sage/check.sh'

.PHONY: check-sys-sage

EXTRA_DIST += tests/sys-sage/check.sh tests/sys-sage/expected.awk tests/sys-sage/tree.cc
