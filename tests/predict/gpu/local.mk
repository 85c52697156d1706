# SPDX-License-Identifier: BSD-3-Clause
# Predicted against counted hit rates on a real GPU: make check-gpu-predict.
check_PROGRAMS += tests/predict/gpu/baselines
other_programs += tests/predict/gpu/baselines
tests_predict_gpu_baselines_SOURCES = tests/predict/gpu/baselines.c $(paper_model)
tests_predict_gpu_baselines_LDADD = $(predict_libraries) src/record/librecord.la \
	src/util/libutil.la -lpthread -lm
EXTRA_DIST += tests/predict/gpu/access.cuh tests/predict/gpu/cases.cu tests/predict/gpu/cases.cuh \
	tests/predict/gpu/dense.cuh tests/predict/gpu/grid.cuh tests/predict/gpu/irregular.cuh \
	tests/predict/gpu/kernels.cu tests/predict/gpu/order.cuh tests/predict/gpu/probes.cuh tests/predict/gpu/held-out \
	tests/predict/gpu/add-at-once.sh tests/predict/gpu/at-once.py tests/predict/gpu/check.sh \
	tests/predict/gpu/collect.py tests/predict/gpu/count.sh tests/predict/gpu/facts.sh \
	tests/predict/gpu/loops.cu tests/predict/gpu/replay.cu tests/predict/gpu/sequences.cu tests/predict/gpu/policies.py \
	tests/predict/gpu/table.py tests/predict/gpu/timed.cuh \
	tests/predict/gpu/timed.py

check-gpu-predict: all tests/predict/gpu/baselines
	@$(AM_TESTS_ENVIRONMENT) $(SHELL) '$(srcdir)/tests/predict/gpu/check.sh' $(OUT); \
	  status=$$?; [ $$status -eq 77 ] || exit $$status

.PHONY: check-gpu-predict
