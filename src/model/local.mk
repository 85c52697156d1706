# SPDX-License-Identifier: BSD-3-Clause
noinst_LTLIBRARIES += src/model/libmodel.la
src_model_libmodel_la_SOURCES = src/model/cache.c src/model/cache.h src/model/check.c \
	src/model/keys.c src/model/model.c src/model/model.h src/model/noise.c src/model/noise.h \
	src/model/profile.c src/model/profile.h src/model/values.c src/model/values.h
