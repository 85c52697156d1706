# SPDX-License-Identifier: BSD-3-Clause
# Fuzz targets: tests/fuzz/fuzz_NAME.c, with seeds in tests/fuzz/corpus-NAME. make check runs the
# seeds and some variants of them (replay.sh). make check-fuzz runs libFuzzer with
# AddressSanitizer and UndefinedBehaviorSanitizer (run.sh); it needs clang.
fuzz_replays = \
	tests/fuzz/replay-failure \
	tests/fuzz/replay-gpus \
	tests/fuzz/replay-kfd \
	tests/fuzz/replay-plot \
	tests/fuzz/replay-profile \
	tests/fuzz/replay-record \
	tests/fuzz/replay-remember \
	tests/fuzz/replay-sim \
	tests/fuzz/replay-topology \
	tests/fuzz/replay-trace \
	tests/fuzz/replay-visible
check_PROGRAMS += $(fuzz_replays) tests/fuzz/linear
TESTS += tests/fuzz/replay.sh tests/fuzz/linear
smoke_tests += tests/fuzz/replay.sh

fuzz_common = tests/fuzz/fuzz.h tests/fuzz/replay.c
tests_fuzz_replay_failure_SOURCES = tests/fuzz/fuzz_failure.c $(fuzz_common)
tests_fuzz_replay_failure_LDADD = src/store/libstore.la src/record/librecord.la src/util/libutil.la
tests_fuzz_replay_plot_SOURCES = tests/fuzz/fuzz_plot.c $(fuzz_common)
tests_fuzz_replay_plot_LDADD = $(tool_libraries)
tests_fuzz_replay_profile_SOURCES = tests/fuzz/fuzz_profile.c $(fuzz_common)
tests_fuzz_replay_profile_LDADD = src/model/libmodel.la src/util/libutil.la -lm
tests_fuzz_replay_record_SOURCES = tests/fuzz/fuzz_record.c $(fuzz_common)
tests_fuzz_replay_record_LDADD = src/record/librecord.la src/util/libutil.la
tests_fuzz_replay_sim_SOURCES = tests/fuzz/fuzz_sim.c $(fuzz_common)
tests_fuzz_replay_sim_LDADD = src/gpus/libgpus.la src/record/librecord.la src/util/libutil.la
tests_fuzz_replay_topology_SOURCES = tests/fuzz/fuzz_topology.c $(fuzz_common)
tests_fuzz_replay_topology_LDADD = $(tool_libraries)
tests_fuzz_linear_SOURCES = tests/fuzz/linear.c
tests_fuzz_linear_LDADD = src/record/librecord.la src/util/libutil.la

# src/gpus and src/predict/trace on files in memory.
fuzz_tree_flags = -DTREE_REPLACES_FILES -include $(abs_top_srcdir)/tests/fuzz/tree.h
fuzz_trace_flags = $(fuzz_tree_flags) -DGC_STREAM_TEXT=1024u
check_LTLIBRARIES += tests/fuzz/libgpus.la tests/fuzz/libtrace.la
tests_fuzz_libgpus_la_SOURCES = $(src_gpus_libgpus_la_SOURCES)
tests_fuzz_libgpus_la_CPPFLAGS = $(AM_CPPFLAGS) $(fuzz_tree_flags)
tests_fuzz_libtrace_la_SOURCES = $(src_predict_trace_libpredict_trace_la_SOURCES)
tests_fuzz_libtrace_la_CPPFLAGS = $(AM_CPPFLAGS) $(fuzz_trace_flags)
tests_fuzz_libtrace_la_CFLAGS = $(src_predict_trace_libpredict_trace_la_CFLAGS)
tests_fuzz_libtrace_la_LIBADD = $(src_predict_trace_libpredict_trace_la_LIBADD)
fuzz_tree = tests/fuzz/node.h tests/fuzz/tree.c tests/fuzz/tree.h $(fuzz_common)
fuzz_tree_libraries = tests/fuzz/libgpus.la src/record/librecord.la src/util/libutil.la
tests_fuzz_replay_gpus_SOURCES = tests/fuzz/fuzz_gpus.c $(fuzz_tree)
tests_fuzz_replay_gpus_LDADD = $(fuzz_tree_libraries)
tests_fuzz_replay_kfd_SOURCES = tests/fuzz/fuzz_kfd.c $(fuzz_tree)
tests_fuzz_replay_kfd_LDADD = $(fuzz_tree_libraries)
tests_fuzz_replay_remember_SOURCES = tests/fuzz/fuzz_remember.c $(fuzz_tree)
tests_fuzz_replay_remember_LDADD = $(fuzz_tree_libraries)
tests_fuzz_replay_trace_SOURCES = tests/fuzz/fuzz_trace.c $(fuzz_tree)
tests_fuzz_replay_trace_LDADD = tests/fuzz/libtrace.la src/util/libutil.la
tests_fuzz_replay_visible_SOURCES = tests/fuzz/fuzz_visible.c $(fuzz_tree)
tests_fuzz_replay_visible_LDADD = $(fuzz_tree_libraries)

# With libFuzzer, in a build of their own. FUZZ_SECONDS: for each target. FUZZ_RUNS: executions of
# each target, in place of a time. FUZZ_TARGETS: some of them.
FUZZ_SECONDS = 10
FUZZ_RUNS =
FUZZ_TARGETS = failure gpus kfd plot profile record remember sim topology trace visible
fuzz_tool_sources = src/predict/parameters/carveouts.c src/tool/print/format.c src/tool/print/html.c \
	src/tool/plot/by_column.c src/tool/plot/by_size.c src/tool/plot/chart.c \
	src/tool/plot/distances.c src/tool/plot/latencies.c src/tool/plot/picture.c \
	src/tool/plot/raw_data.c src/tool/sources/topology.c
check-fuzz:
	@CLANG='$(CLANG)' top_srcdir='$(abs_top_srcdir)' FUZZ_SECONDS='$(FUZZ_SECONDS)' \
	  FUZZ_RUNS='$(FUZZ_RUNS)' \
	  FUZZ_GPUS_FLAGS='$(fuzz_tree_flags)' FUZZ_TRACE_FLAGS='$(fuzz_trace_flags)' \
	  FUZZ_SOURCES='$(src_util_libutil_la_SOURCES) $(src_record_librecord_la_SOURCES) $(gc_store_sources) $(src_gpus_libgpus_la_SOURCES) $(src_model_libmodel_la_SOURCES) $(src_predict_trace_libpredict_trace_la_SOURCES) $(fuzz_tool_sources)' \
	  FUZZ_LIBS='$(fuzz_libraries) -lm' \
	  bash '$(srcdir)/tests/fuzz/run.sh' $(FUZZ_TARGETS) -- \
	  $(DEFS) $(DEFAULT_INCLUDES) $(AM_CPPFLAGS) $(CPPFLAGS) -DGC_SITE_DIR='"/nowhere"'
fuzz_libraries = $(src_record_librecord_la_LIBADD) $(src_predict_trace_libpredict_trace_la_LIBADD)
.PHONY: check-fuzz

clean-local: clean-fuzz
clean-fuzz:
	rm -rf tests/fuzz/bin tests/fuzz/found
.PHONY: clean-fuzz

EXTRA_DIST += tests/fuzz/replay.sh tests/fuzz/run.sh tests/fuzz/seeds.sh tests/fuzz/record.dict \
	tests/fuzz/visible.dict tests/fuzz/corpus-failure tests/fuzz/corpus-gpus tests/fuzz/corpus-kfd \
	tests/fuzz/corpus-plot tests/fuzz/corpus-profile tests/fuzz/corpus-record \
	tests/fuzz/corpus-remember tests/fuzz/corpus-sim tests/fuzz/corpus-topology \
	tests/fuzz/corpus-trace tests/fuzz/corpus-visible
