# SPDX-License-Identifier: BSD-3-Clause
# The project's statistics on raw data that MT4G recorded: tests/replay/replay prints the results,
# test_replay checks them.

# The raw data, unpacked. Without xz only the tests here fail, and say what is missing.
tests/unpacked/mt4g/.unpacked: tests/data/mt4g/traces.tar.xz
	$(AM_V_GEN)rm -rf tests/unpacked/mt4g && $(MKDIR_P) tests/unpacked/mt4g && \
	if xz -dc '$(srcdir)/tests/data/mt4g/traces.tar.xz' | tar -x -o -f - -C tests/unpacked/mt4g; then \
	  touch $@; \
	else \
	  echo 'tests/data/mt4g/traces.tar.xz cannot be unpacked: install xz (Debian package xz-utils)' >&2; \
	fi
check_DATA += tests/unpacked/mt4g/.unpacked
EXTRA_DIST += tests/data/mt4g/LICENSE tests/data/mt4g/README tests/data/mt4g/traces.tar.xz

replay_sources = \
	tests/replay/corpus.c \
	tests/replay/corpus.h \
	tests/replay/judge.c \
	tests/replay/judge.h \
	tests/replay/trace.c \
	tests/replay/trace.h

check_PROGRAMS += tests/replay/replay
tests_replay_replay_SOURCES = tests/replay/replay.c $(replay_sources)
tests_replay_replay_LDADD = src/stats/libstats.la $(JANSSON_LIBS) -lm

if HAVE_CMOCKA
check_PROGRAMS += tests/replay/test_replay
tests_replay_test_replay_SOURCES = tests/replay/test_replay.c $(replay_sources)
tests_replay_test_replay_LDADD = src/stats/libstats.la $(JANSSON_LIBS) $(CMOCKA_LIBS) -lm
TESTS += tests/replay/test_replay
endif

TESTS += tests/replay/document.sh
smoke_tests += tests/replay/document.sh
EXTRA_DIST += tests/replay/document.sh doc/results/replay.md
