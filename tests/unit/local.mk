# SPDX-License-Identifier: BSD-3-Clause
# Unit tests: tests/unit/NAME is one program of tests/unit/NAME.c, linked with all rooms but the plugin.
# A new one is one word in this list.
unit_tests = \
	tests/unit/test_sim \
	tests/unit/test_stats

if HAVE_CMOCKA
check_PROGRAMS += $(unit_tests)
TESTS += $(unit_tests)
endif
LDADD = $(tool_libraries) $(CMOCKA_LIBS)
