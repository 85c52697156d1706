# SPDX-License-Identifier: BSD-3-Clause
# Our statistics on raw data that others recorded: tests/replay/replay prints, test_replay verifies.
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
EXTRA_DIST += tests/replay/document.sh doc/results/replay.md
