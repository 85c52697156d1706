# SPDX-License-Identifier: BSD-3-Clause
# What packages install beside the plugin and the command.
packages_tests = tests/packages/service.bats tests/packages/version.sh
TESTS += $(packages_tests)
smoke_tests += $(packages_tests)
EXTRA_DIST += $(packages_tests) tests/packages/roots.sh tests/packages/rpm.sh
EXTRA_DIST += contrib/rpm/hwloc-gpucache.spec contrib/spack/package.py
EXTRA_DIST += contrib/upstream/README.md contrib/upstream/hwloc-gpucache-0.2.0-GCCcore-14.3.0.eb \
	contrib/upstream/hwloc-cuda-shared-memory.patch contrib/upstream/hwloc-same-locality.patch \
	contrib/upstream/pyhwloc-plugins-path.patch contrib/upstream/spack-hwloc-plugins.patch \
	contrib/upstream/sys-sage-gpu-osdev.patch

# What packages run when they are built, in about a minute: these tests start each part once (store,
# reader, records, public header, the plugin in a real lstopo, the command, and the service).
brief_tests = tests/unit/test_store tests/unit/test_record_xml tests/unit/test_graft tests/unit/test_lookup \
	tests/unit/install.sh tests/plugin/modes.bats tests/tool/usage.bats tests/tool/show.bats \
	tests/packages/service.bats
check-brief: all
	@$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(brief_tests)' check_LTLIBRARIES= \
	  check_PROGRAMS='$(filter tests/unit/test_%,$(brief_tests)) tests/plugin/topo-check'

# The Debian packages of this release archive, in bare roots of these releases; then the RPM packages.
SUITES = bookworm trixie
check-packages: dist
	@$(SHELL) '$(srcdir)/tests/packages/roots.sh' '$(distdir).tar.xz' $(SUITES) || test $$? -eq 77
	@$(SHELL) '$(srcdir)/tests/packages/rpm.sh' '$(distdir).tar.xz' '$(srcdir)/contrib/rpm/hwloc-gpucache.spec' || \
	  test $$? -eq 77

.PHONY: check-brief check-packages
