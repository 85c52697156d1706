# SPDX-License-Identifier: BSD-3-Clause
# The cache model for traces: a unit test is one word in this list.
predict_tests = \
	tests/predict/test_distance \
	tests/predict/test_model_cache \
	tests/predict/test_model_paper \
	tests/predict/test_model_sm \
	tests/predict/test_parameters
if HAVE_CMOCKA
check_PROGRAMS += $(predict_tests)
TESTS += $(predict_tests)
endif
include tests/predict/trace.mk

# Reuse distances with an allocator that the test controls.
tests_predict_test_distance_LDFLAGS = -Wl,--wrap=calloc,--wrap=aligned_alloc
tests_predict_test_distance_LDADD = src/predict/distance/libpredict-distance.la $(CMOCKA_LIBS) -lm

# The model, with traces in memory instead of files.
model_test_libraries = src/predict/model/libpredict-model.la src/util/libutil.la $(CMOCKA_LIBS) -lm
tests_predict_test_model_cache_SOURCES = tests/predict/test_model_cache.c tests/predict/fake_trace.c \
	tests/predict/fake_trace.h
tests_predict_test_model_cache_LDADD = $(model_test_libraries)
tests_predict_test_model_paper_SOURCES = tests/predict/test_model_paper.c tests/predict/fake_trace.c \
	tests/predict/fake_trace.h
tests_predict_test_model_paper_LDADD = $(model_test_libraries)
tests_predict_test_model_sm_SOURCES = tests/predict/test_model_sm.c tests/predict/fake_trace.c \
	tests/predict/fake_trace.h
tests_predict_test_model_sm_LDADD = $(model_test_libraries)

# The library, and the example of its header.
check_PROGRAMS += doc/examples/gpucache-predict
doc_examples_gpucache_predict_LDADD = src/predict/libhwloc-gpucache-predict.la
TESTS += tests/predict/library.sh
EXTRA_DIST += tests/predict/library.sh tests/predict/reference.h
