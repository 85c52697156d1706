# SPDX-License-Identifier: BSD-3-Clause
# The cache model for traces: a unit test is one word in this list.
predict_tests = \
	tests/predict/test_coalesce \
	tests/predict/test_distance \
	tests/predict/test_library \
	tests/predict/test_many_kernels \
	tests/predict/test_model_attribute \
	tests/predict/test_model_cache \
	tests/predict/test_model_memory \
	tests/predict/test_model_paper \
	tests/predict/test_model_sm \
	tests/predict/test_parameters \
	tests/predict/test_pass \
	tests/predict/test_threads \
	tests/predict/test_wheel
if HAVE_CMOCKA
check_PROGRAMS += $(predict_tests)
TESTS += $(predict_tests)
# These compute the same on every machine, for seconds.
ci_tests += tests/predict/test_distance tests/predict/test_model_attribute tests/predict/test_model_cache \
	tests/predict/test_model_memory tests/predict/test_model_paper tests/predict/test_model_sm \
	tests/predict/test_trace_cut
endif
include tests/predict/trace.mk
include tests/predict/gpu/local.mk

# Reuse distances with an allocator that the test controls.
tests_predict_test_distance_LDFLAGS = \
	-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=strdup,--wrap=aligned_alloc
tests_predict_test_distance_LDADD = src/predict/distance/libpredict-distance.la $(CMOCKA_LIBS) -lm
EXTRA_DIST += tests/predict/reference.h

# The model, with traces in memory instead of files.
fake_trace = tests/predict/fake_trace.c tests/predict/fake_trace.h
paper_model = tests/predict/paper_model.c tests/predict/paper_model.h
model_libraries = src/predict/model/libpredict-model.la src/util/libutil.la
tests_predict_test_coalesce_LDADD = $(model_libraries) $(CMOCKA_LIBS)
tests_predict_test_model_attribute_SOURCES = tests/predict/test_model_attribute.c $(fake_trace)
tests_predict_test_model_attribute_LDADD = $(model_libraries) $(CMOCKA_LIBS)
tests_predict_test_model_cache_SOURCES = tests/predict/test_model_cache.c $(fake_trace)
tests_predict_test_model_cache_LDADD = $(model_libraries) $(CMOCKA_LIBS)
tests_predict_test_model_memory_SOURCES = tests/predict/test_model_memory.c $(fake_trace)
tests_predict_test_model_memory_LDADD = $(model_libraries) $(CMOCKA_LIBS)
tests_predict_test_model_memory_LDFLAGS = -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free,--wrap=posix_memalign
tests_predict_test_model_paper_SOURCES = tests/predict/test_model_paper.c $(paper_model) $(fake_trace)
tests_predict_test_model_paper_LDADD = $(model_libraries) $(CMOCKA_LIBS)
tests_predict_test_model_sm_SOURCES = tests/predict/test_model_sm.c $(fake_trace)
tests_predict_test_model_sm_LDADD = $(model_libraries) $(CMOCKA_LIBS) -lm

# Threads, with passes of the test.
tests_predict_test_wheel_SOURCES = tests/predict/test_wheel.c
tests_predict_test_wheel_LDADD = $(model_libraries) $(CMOCKA_LIBS)
tests_predict_test_threads_SOURCES = tests/predict/test_threads.c src/predict/threads.c
tests_predict_test_threads_LDADD = src/util/libutil.la $(CMOCKA_LIBS) -lpthread
tests_predict_test_threads_LDFLAGS = -Wl,--wrap=sched_getaffinity,--wrap=sysconf

# The limit of kernels, with traces and a model of the test.
tests_predict_test_pass_LDADD = $(predict_libraries) src/record/librecord.la src/util/libutil.la $(CMOCKA_LIBS) \
	-lpthread -lm
tests_predict_test_pass_LDFLAGS = -Wl,--wrap=gc_trace_open,--wrap=gc_trace_next_kernel,--wrap=gc_trace_close \
	-Wl,--wrap=gc_trace_get_ignored,--wrap=gc_parameters_gpu,--wrap=gc_gpu_model_check \
	-Wl,--wrap=gc_cache_model_new,--wrap=gc_cache_model_free,--wrap=gc_cache_model_change_sms \
	-Wl,--wrap=gc_cache_model_run

# Work, counted by calls.
tests_predict_test_many_kernels_LDADD = $(predict_libraries) src/record/librecord.la src/util/libutil.la \
	$(CMOCKA_LIBS) -lpthread -lm
tests_predict_test_many_kernels_LDFLAGS = -Wl,--wrap=gc_lines_init,--wrap=gc_sm_begin,--wrap=gc_sm_advance

# The library, and the example of its header.
tests_predict_test_library_LDADD = src/predict/libhwloc-gpucache-predict.la $(CMOCKA_LIBS) -lpthread
check_PROGRAMS += doc/examples/gpucache-predict
doc_examples_gpucache_predict_LDADD = src/predict/libhwloc-gpucache-predict.la
TESTS += tests/predict/library.sh
smoke_tests += tests/predict/library.sh
EXTRA_DIST += tests/predict/library.sh

# Traces of kernels, written by a program.
check_PROGRAMS += tests/predict/traces/make-trace
tests_predict_traces_make_trace_SOURCES = tests/predict/traces/dense.c \
	tests/predict/traces/irregular.c tests/predict/traces/trace.h tests/predict/traces/write.c
tests_predict_traces_make_trace_LDADD =
TESTS += tests/predict/traces.sh
EXTRA_DIST += tests/predict/traces.sh

# Speed: of reuse distances (bench.sh has its variables), and of the model.
check_PROGRAMS += tests/predict/bench-distance tests/predict/bench-model
other_programs += tests/predict/bench-distance tests/predict/bench-model
tests_predict_bench_distance_LDADD = src/predict/distance/libpredict-distance.la -lm
tests_predict_bench_model_LDADD = $(model_libraries)
EXTRA_DIST += tests/predict/bench.sh
bench-predict: tests/predict/bench-distance tests/predict/bench-model
	@top_builddir='$(abs_top_builddir)' exec $(SHELL) '$(srcdir)/tests/predict/bench.sh'
.PHONY: bench-predict
