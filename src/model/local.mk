# SPDX-License-Identifier: BSD-3-Clause
# The simulated GPU: a memory hierarchy in software.
noinst_LTLIBRARIES += src/model/libmodel.la
src_model_libmodel_la_SOURCES = src/model/aged.c src/model/aged.h src/model/again.c src/model/again.h src/model/atomic.c src/model/cache.c src/model/cache.h src/model/cache_set.h src/model/cache_state.h \
	src/model/check.c src/model/check.h \
	src/model/chip.c src/model/chip.h src/model/clock.c src/model/clock.h src/model/clusters.c src/model/compete.c \
	src/model/compete.h src/model/facts.h src/model/host.c src/model/fixed.c src/model/fixed.h src/model/keys.c src/model/keys.h \
	src/model/model.c src/model/model.h src/model/noise.c src/model/noise.h \
	src/model/outstanding.c src/model/pages.c src/model/pages.h src/model/parse.c src/model/parse.h src/model/placement.h src/model/profile.c src/model/profile.h \
	src/model/queue.c src/model/queue.h src/model/rows.c src/model/run.c src/model/run.h src/model/store.c src/model/sweep.c src/model/truth.c src/model/truth.h src/model/values.c src/model/values.h \
	src/model/walk.c src/model/walk.h src/model/warps.c src/model/wide.c src/model/wide.h src/model/wide_cache.c src/model/wide_cache.h src/model/window.c src/model/window.h
