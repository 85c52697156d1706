# SPDX-License-Identifier: BSD-3-Clause
# The cache model: predicts hits and misses of a trace on a GPU.
noinst_LTLIBRARIES += src/predict/model/libpredict-model.la
src_predict_model_libpredict_model_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
src_predict_model_libpredict_model_la_LIBADD = -lm
src_predict_model_libpredict_model_la_SOURCES = \
	src/predict/model/attribute.c \
	src/predict/model/attribute.h \
	src/predict/model/block.c \
	src/predict/model/block.h \
	src/predict/model/cache_lines.h \
	src/predict/model/check.c \
	src/predict/model/check.h \
	src/predict/model/coalesce.c \
	src/predict/model/coalesce.h \
	src/predict/model/few_ways.c \
	src/predict/model/few_ways.h \
	src/predict/model/gpu.h \
	src/predict/model/hash_index.h \
	src/predict/model/host_table.h \
	src/predict/model/in_flight.c \
	src/predict/model/in_flight.h \
	src/predict/model/l2.c \
	src/predict/model/l2.h \
	src/predict/model/latency.c \
	src/predict/model/latency.h \
	src/predict/model/lines.c \
	src/predict/model/lines.h \
	src/predict/model/loads.c \
	src/predict/model/loads.h \
	src/predict/model/many_ways.c \
	src/predict/model/model.c \
	src/predict/model/model.h \
	src/predict/model/partial.c \
	src/predict/model/partial.h \
	src/predict/model/placement.c \
	src/predict/model/placement.h \
	src/predict/model/random.h \
	src/predict/model/residency.c \
	src/predict/model/residency.h \
	src/predict/model/run.h \
	src/predict/model/sector_set.c \
	src/predict/model/sector_set.h \
	src/predict/model/set_index.c \
	src/predict/model/set_index.h \
	src/predict/model/sm.c \
	src/predict/model/sm.h \
	src/predict/model/sm_access.c \
	src/predict/model/sm_access.h \
	src/predict/model/sm_hints.c \
	src/predict/model/sm_hints.h \
	src/predict/model/sm_state.h \
	src/predict/model/survival.c \
	src/predict/model/tlb.c \
	src/predict/model/tlb.h \
	src/predict/model/warp_queue.h \
	src/predict/model/wheel.c \
	src/predict/model/wheel.h
