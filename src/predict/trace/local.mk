# SPDX-License-Identifier: BSD-3-Clause
# Readers of memory traces (trace.h), and the compressed files that they may be in.
noinst_LTLIBRARIES += src/predict/trace/libpredict-trace.la
src_predict_trace_libpredict_trace_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden \
	$(ZLIB_CFLAGS) $(LZMA_CFLAGS) $(ZSTD_CFLAGS)
src_predict_trace_libpredict_trace_la_LIBADD = $(ZLIB_LIBS) $(LZMA_LIBS) $(ZSTD_LIBS)
src_predict_trace_libpredict_trace_la_SOURCES = \
	src/predict/trace/accelsim.c \
	src/predict/trace/accelsim.h \
	\
	src/predict/trace/accelsim_header.c \
	src/predict/trace/accelsim_line.c \
	src/predict/trace/accelsim_memory.c \
	src/predict/trace/binary.c \
	src/predict/trace/binary.h \
	src/predict/trace/binary_record.c \
	src/predict/trace/binary_record.h \
	src/predict/trace/code.c \
	src/predict/trace/code.h \
	src/predict/trace/code_path.c \
	src/predict/trace/decode.c \
	src/predict/trace/decode.h \
	src/predict/trace/format.h \
	src/predict/trace/issue.c \
	src/predict/trace/issue.h \
	src/predict/trace/list.c \
	src/predict/trace/opcode.c \
	src/predict/trace/opcode.h \
	src/predict/trace/open.c \
	src/predict/trace/paper.c \
	src/predict/trace/registers.c \
	src/predict/trace/registers.h \
	src/predict/trace/scan.h \
	src/predict/trace/stream.c \
	src/predict/trace/stream.h \
	src/predict/trace/touched.h \
	src/predict/trace/trace.h \
	src/predict/trace/tracez.c \
	src/predict/trace/tracez.h \
	src/predict/trace/tsv.c \
	src/predict/trace/tsv.h \
	src/predict/trace/tsv_header.c \
	src/predict/trace/tsv_header.h \
	src/predict/trace/tsv_line.c
