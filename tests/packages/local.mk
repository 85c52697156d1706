# SPDX-License-Identifier: BSD-3-Clause
# What packages install beside the plugin and the command.
packages_tests = tests/packages/service.bats tests/packages/version.sh
TESTS += $(packages_tests)
smoke_tests += $(packages_tests)
EXTRA_DIST += $(packages_tests)
EXTRA_DIST += contrib/rpm/hwloc-gpucache.spec contrib/spack/package.py
