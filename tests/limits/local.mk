# SPDX-License-Identifier: BSD-3-Clause
# The plugin and the command in processes that may do little. The numbers of loads grow with
# LIMITS_LOADS, which make check-fault sets.
check_PROGRAMS += tests/limits/load
tests_limits_load_SOURCES = tests/limits/load.c
tests_limits_load_CFLAGS = $(AM_CFLAGS) -pthread
tests_limits_load_LDADD = $(HWLOC_LIBS)
check_LTLIBRARIES += tests/limits/libgerman.la
tests_limits_libgerman_la_SOURCES = tests/limits/german.c
tests_limits_libgerman_la_LDFLAGS = -module -avoid-version -rpath /nowhere

check_PROGRAMS += tests/limits/hosts
tests_limits_hosts_SOURCES = tests/limits/hosts.c tests/limits/host_commands.c \
	tests/limits/host_places.c tests/limits/host_states.c tests/limits/hosts.h
tests_limits_hosts_CFLAGS = $(AM_CFLAGS) -pthread
tests_limits_hosts_LDADD = $(HWLOC_LIBS) -lm

limits_tests = tests/limits/plugin.bats tests/limits/command.bats tests/limits/hosts.bats
TESTS += $(limits_tests)
EXTRA_DIST += $(limits_tests)

# With ThreadSanitizer, in a build of their own.
check-threads:
	@CLANG='$(CLANG)' top_srcdir='$(abs_top_srcdir)' \
	  THREADS_SOURCES='$(src_util_libutil_la_SOURCES) $(src_record_librecord_la_SOURCES) $(gc_store_sources) $(src_gpus_libgpus_la_SOURCES) $(src_graft_libgraft_la_SOURCES) $(src_plugin_hwloc_gpucache_la_SOURCES)' \
	  THREADS_LIBS='$(src_record_librecord_la_LIBADD)' THREADS_HWLOC_LIBS='$(HWLOC_LIBS)' \
	  bash '$(srcdir)/tests/limits/threads.sh' \
	  $(DEFS) $(DEFAULT_INCLUDES) $(AM_CPPFLAGS) $(CPPFLAGS) -DHWLOC_INSIDE_PLUGIN \
	  -DGC_SITE_DIR='"/nowhere"'
.PHONY: check-threads

clean-local: clean-threads
clean-threads:
	rm -rf tests/limits/threads
.PHONY: clean-threads
EXTRA_DIST += tests/limits/threads.sh tests/limits/comma.locale tests/limits/comma.bash
