# SPDX-License-Identifier: BSD-3-Clause
# The command, seen from outside.
tool_tests = \
	tests/tool/usage.bats \
	tests/tool/amd.bats \
	tests/tool/compare.bats \
	tests/tool/amdsim.bats \
	tests/tool/gpus.bats \
	tests/tool/first-day.bats \
	tests/tool/hip.bats \
	tests/tool/store.bats \
	tests/tool/show.bats \
	tests/tool/end.bats \
	tests/tool/failures.bats \
	tests/tool/locks.bats \
	tests/tool/peers.bats \
	tests/tool/keep.bats \
	tests/tool/raw.bats \
	tests/tool/doctor.bats \
	tests/tool/documents.bats \
	tests/tool/export.bats \
	tests/tool/predict.bats \
	tests/tool/predict-output.bats \
	tests/tool/report.bats \
	tests/tool/visible.bats
TESTS += $(tool_tests)
# These are about texts, pictures, documents and which records are replaced more than about the machine.
ci_tests += tests/tool/compare.bats tests/tool/documents.bats tests/tool/export.bats tests/tool/first-day.bats \
	tests/tool/keep.bats tests/tool/predict.bats tests/tool/predict-output.bats tests/tool/raw.bats tests/tool/report.bats
smoke_tests += tests/tool/usage.bats tests/tool/gpus.bats tests/tool/doctor.bats
tests/tool/amdsim.log: tests/records/mi100.xml tests/records/mi210.xml tests/records/mi300x.xml \
  tests/records/rx7900xtx.xml
tests/tool/show.log: $(sim_records) tests/records/small.xml
tests/tool/documents.log: tests/records/h200.xml tests/records/t1000.xml
tests/tool/doctor.log tests/tool/failures.log tests/tool/show.log tests/tool/store.log: tests/records/tiny.xml
EXTRA_DIST += $(tool_tests) \
	tests/tool/predict.bash \
	tests/tool/setup.bash \
	tests/tool/small \
	tests/tool/tiny

# A slow file system, by a library that is preloaded; the rpath makes it a shared one.
check_LTLIBRARIES += tests/tool/libslow.la
tests_tool_libslow_la_SOURCES = tests/tool/slow.c
tests_tool_libslow_la_LDFLAGS = -module -avoid-version -rpath /nowhere

# One that lacks locks, or fails.
check_LTLIBRARIES += tests/tool/libfaults.la
tests_tool_libfaults_la_SOURCES = tests/tool/faults.c
tests_tool_libfaults_la_LDFLAGS = -module -avoid-version -rpath /nowhere

# A file that another process cuts.
check_LTLIBRARIES += tests/tool/libcut.la
tests_tool_libcut_la_SOURCES = tests/tool/cut.c
tests_tool_libcut_la_LDFLAGS = -module -avoid-version -rpath /nowhere

# A fast machine.
check_LTLIBRARIES += tests/tool/libfast.la
tests_tool_libfast_la_SOURCES = tests/tool/fast.c
tests_tool_libfast_la_LDFLAGS = -module -avoid-version -rpath /nowhere

# What one measuring process passes on to another, for tests of --resume.
check_PROGRAMS += tests/tool/handover
tests_tool_handover_SOURCES = tests/tool/handover.c
tests_tool_handover_LDADD = $(tool_libraries)
