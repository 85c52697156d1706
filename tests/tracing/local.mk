# SPDX-License-Identifier: BSD-3-Clause
# Recording a trace, with a stand-in for the driver and the Sanitizer API.
tracing_tests = tests/tracing/trace.bats
TESTS += $(tracing_tests)
smoke_tests += $(tracing_tests)
tests/tracing/trace.log: tests/records/gtx470.xml tests/records/t1000.xml
EXTRA_DIST += $(tracing_tests) tests/tracing/copy.sass

# It has the name libcuda.so.1 inside, hence rpath and version-info.
check_LTLIBRARIES += tests/tracing/libcuda.la
tests_tracing_libcuda_la_SOURCES = tests/tracing/driver.c tests/tracing/driver.h
tests_tracing_libcuda_la_LDFLAGS = -rpath /nowhere -version-info 1:0:0

# Only libtool's rpath leads to that library.
check_PROGRAMS += tests/tracing/program
tests_tracing_program_SOURCES = tests/tracing/program.c tests/tracing/driver.h
tests_tracing_program_LDADD = tests/tracing/libcuda.la -lpthread
