# SPDX-License-Identifier: BSD-3-Clause
# Many loads at the same moment.
check_PROGRAMS += tests/many/many
tests_many_many_SOURCES = tests/many/many.c tests/many/many.h tests/many/report.c
tests_many_many_CFLAGS = $(AM_CFLAGS) -pthread
tests_many_many_LDADD = $(HWLOC_LIBS)

many_tests = tests/many/many.bats tests/many/killed.bats
TESTS += $(many_tests)
EXTRA_DIST += $(many_tests) tests/many/setup.bash

# The same with large numbers; prints figures.
check-many: all
	@MANY_PROCESSES=$${MANY_PROCESSES:-256} MANY_THREADS=$${MANY_THREADS:-32} \
	MANY_LOOPS=$${MANY_LOOPS:-50} MANY_KILLS=$${MANY_KILLS:-40} MANY_FIGURES=yes; \
	export MANY_PROCESSES MANY_THREADS MANY_LOOPS MANY_KILLS MANY_FIGURES; \
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(many_tests)'; status=$$?; \
	cat $(many_tests:.bats=.log); exit $$status

.PHONY: check-many
