# SPDX-License-Identifier: BSD-3-Clause
# What src/ and kernels/ include: nothing from above, and no circles. check.sh holds the order of
# folders.
TESTS += tests/includes/check.sh tests/includes/broken.sh
smoke_tests += tests/includes/check.sh
EXTRA_DIST += tests/includes/check.sh tests/includes/broken.sh
