# SPDX-License-Identifier: BSD-3-Clause
# What src/ and kernels/ include, declare and call: nothing from above, and no circles. check.sh
# holds the order of folders.
include_checks = tests/includes/check.sh tests/includes/declarations.sh
TESTS += $(include_checks) tests/includes/broken.sh
smoke_tests += $(include_checks)
EXTRA_DIST += $(include_checks) tests/includes/broken.sh
