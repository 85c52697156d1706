# SPDX-License-Identifier: BSD-3-Clause
# The cache model for traces.
predict_tests = tests/predict/test_parameters
if HAVE_CMOCKA
check_PROGRAMS += $(predict_tests)
TESTS += $(predict_tests)
endif

check_PROGRAMS += doc/examples/gpucache-predict
doc_examples_gpucache_predict_LDADD = src/predict/libhwloc-gpucache-predict.la
TESTS += tests/predict/library.sh
EXTRA_DIST += tests/predict/library.sh
