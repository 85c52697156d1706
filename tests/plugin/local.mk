# SPDX-License-Identifier: BSD-3-Clause
# The plugin inside real hwloc programs.
check_PROGRAMS += tests/plugin/topo-check
tests_plugin_topo_check_SOURCES = tests/plugin/topo-check.c
tests_plugin_topo_check_CFLAGS = $(AM_CFLAGS) -pthread
tests_plugin_topo_check_LDADD = $(HWLOC_LIBS)

# Calls that never return, for tests/plugin/blocked.bats.
check_LTLIBRARIES += tests/plugin/libblock.la
tests_plugin_libblock_la_SOURCES = tests/plugin/block.c
tests_plugin_libblock_la_LDFLAGS = -module -avoid-version -rpath /nowhere

# A clock that events move, for tests/plugin/failures.bats and process.bats.
check_LTLIBRARIES += tests/plugin/libleap.la
tests_plugin_libleap_la_SOURCES = tests/plugin/leap.c
tests_plugin_libleap_la_LDFLAGS = -module -avoid-version -rpath /nowhere

plugin_tests = \
	tests/plugin/objects.bats \
	tests/plugin/amd.bats \
	tests/plugin/blocked.bats \
	tests/plugin/failures.bats \
	tests/plugin/memattrs.bats \
	tests/plugin/modes.bats \
	tests/plugin/process.bats \
	tests/plugin/remember.bats \
	tests/plugin/light.sh \
	tests/plugin/provisional.bats \
	tests/plugin/real.bats \
	tests/plugin/visible.bats
TESTS += $(plugin_tests)
smoke_tests += tests/plugin/light.sh tests/plugin/objects.bats tests/plugin/real.bats
tests/plugin/real.log: tests/records/h200.xml tests/records/mi300x.xml
EXTRA_DIST += $(plugin_tests) \
	tests/plugin/fake-node.sh \
	tests/plugin/fake-tool.sh \
	tests/plugin/setup.bash
