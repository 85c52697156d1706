# SPDX-License-Identifier: BSD-3-Clause
# The readers of memory traces. Included by tests/predict/local.mk.
trace_tests = \
	tests/predict/test_trace_accelsim \
	tests/predict/test_trace_binary \
	tests/predict/test_trace_cut \
	tests/predict/test_trace_formats \
	tests/predict/test_trace_opcode \
	tests/predict/test_trace_stream \
	tests/predict/test_trace_tracez

if HAVE_CMOCKA
check_PROGRAMS += $(trace_tests)
TESTS += $(trace_tests)
endif

trace_libraries = src/predict/trace/libpredict-trace.la src/util/libutil.la $(CMOCKA_LIBS)
tests_predict_test_trace_accelsim_LDADD = $(trace_libraries)
tests_predict_test_trace_binary_LDADD = $(trace_libraries)
tests_predict_test_trace_formats_LDADD = $(trace_libraries)
tests_predict_test_trace_opcode_LDADD = $(trace_libraries)

# With an allocator that the test controls; libraries keep theirs.
tests_predict_test_trace_cut_LDADD = $(trace_libraries)
tests_predict_test_trace_cut_LDFLAGS = -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=strdup

# The test compresses files with the libraries. Its read() fails, is interrupted, or returns little.
tests_predict_test_trace_stream_CFLAGS = $(AM_CFLAGS) $(ZLIB_CFLAGS) $(LZMA_CFLAGS) $(ZSTD_CFLAGS)
tests_predict_test_trace_stream_LDADD = $(trace_libraries) $(ZLIB_LIBS) $(LZMA_LIBS) $(ZSTD_LIBS)
tests_predict_test_trace_stream_LDFLAGS = -Wl,--wrap=read

# The test writes files with the library.
tests_predict_test_trace_tracez_CFLAGS = $(AM_CFLAGS) $(ZSTD_CFLAGS)
tests_predict_test_trace_tracez_LDADD = $(trace_libraries) $(ZSTD_LIBS)

# tests/predict/trace_speed prints how fast the readers are (doc/traces.md).
check_PROGRAMS += tests/predict/trace_speed
other_programs += tests/predict/trace_speed
tests_predict_trace_speed_LDADD = src/predict/trace/libpredict-trace.la src/util/libutil.la

EXTRA_DIST += tests/predict/binary_trace.h tests/predict/trace_text.h tests/data/traces/kernel-1.traceg \
	tests/data/traces/kernel-2-ctx_0x6165.traceg.xz tests/data/traces/kernelslist.g \
	tests/data/traces/nugteren_00.trc tests/data/traces/paper.trc tests/data/traces/two-kernels.binary \
	tests/data/traces/two-kernels.tsv
