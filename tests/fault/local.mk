# SPDX-License-Identifier: BSD-3-Clause
# Every allocation and system call fails once: make check-fault, and every n-th of them in make
# check. tests/fault/faults.c explains how.
check_LTLIBRARIES += tests/fault/libinject.la
tests_fault_libinject_la_SOURCES = tests/fault/inject.c tests/fault/inject.h
tests_fault_libinject_la_LDFLAGS = -module -avoid-version -rpath /nowhere
tests_fault_libinject_la_LIBADD = -ldl -lpthread
check_PROGRAMS += tests/fault/faults tests/fault/host
tests_fault_faults_SOURCES = tests/fault/faults.c tests/fault/inject.h
tests_fault_faults_LDADD =
tests_fault_host_SOURCES = tests/fault/host.c tests/fault/inject.h
tests_fault_host_LDADD = $(HWLOC_LIBS) -ldl
TESTS += tests/fault/faults.sh
EXTRA_DIST += tests/fault/faults.sh

# All of them. FAULT_SCENARIOS: some of tests/fault/faults.sh. FAULT_EVERY: every n-th only.
FAULT_SCENARIOS =
FAULT_EVERY = 1
check-fault: all tests/fault/faults tests/fault/host tests/fault/libinject.la
	@$(AM_TESTS_ENVIRONMENT) FAULT_EVERY='$(FAULT_EVERY)' \
	  bash '$(srcdir)/tests/fault/faults.sh' $(FAULT_SCENARIOS)
	@LIMITS_LOADS='$(LIMITS_LOADS)' $(MAKE) $(AM_MAKEFLAGS) check TESTS=tests/limits/plugin.bats
LIMITS_LOADS = 10000
.PHONY: check-fault
