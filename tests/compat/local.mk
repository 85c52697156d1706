# SPDX-License-Identifier: BSD-3-Clause
# Other versions and builds of hwloc, and another clang. contrib/test-hwloc runs check-hwloc with several versions.
TESTS += tests/compat/amd-clang.bats tests/compat/libhwloc.bats tests/compat/late.bats
ci_tests += tests/compat/amd-clang.bats
tests/compat/late.log: tests/records/tiny.xml
EXTRA_DIST += tests/compat/amd-clang.bats tests/compat/libhwloc.bats tests/compat/late.bats

# A program that loads libhwloc with dlopen, and one that contains a copy of hwloc.
check_PROGRAMS += tests/compat/late tests/compat/copy
tests_compat_late_SOURCES = tests/compat/late.c
tests_compat_late_LDADD =
tests_compat_copy_SOURCES = tests/compat/copy.c
tests_compat_copy_LDADD =

# All tests whose result can depend on the version of hwloc, and how many test cases pass.
hwloc_tests = $(plugin_tests) tests/compat/libhwloc.bats tests/compat/late.bats tests/tool/doctor.bats \
	tests/tool/amdsim.bats tests/tool/show.bats tests/tool/store.bats tests/tool/usage.bats \
	tests/unit/public-header.sh tests/unit/example.sh tests/unit/install.sh
if HAVE_CMOCKA
hwloc_tests += tests/unit/test_export tests/unit/test_lookup tests/unit/test_record_xml tests/unit/test_selection
endif
# This runs once for each hwloc, so it builds only the programs that these tests use.
check-hwloc: all $(check_DATA)
	@$(MAKE) $(AM_MAKEFLAGS) `echo $(check_PROGRAMS) $(check_LTLIBRARIES) | tr ' ' '\n' | \
	  grep -E '^((tests/(plugin|compat|tool|bench)|doc)/|tests/limits/load|tests/unit/(fake|hip)-)'` || exit 1; \
	for test in $(hwloc_tests); do test=`echo $$test | sed 's/\.[a-z]*$$//'`; rm -f $$test.log $$test.trs; done; \
	status=0; $(MAKE) $(AM_MAKEFLAGS) $(TEST_SUITE_LOG) TESTS='$(hwloc_tests)' || status=1; \
	$(MAKE) $(AM_MAKEFLAGS) --no-print-directory -s tally TESTS='$(hwloc_tests)'; exit $$status

.PHONY: check-hwloc
