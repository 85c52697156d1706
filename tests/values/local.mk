# SPDX-License-Identifier: BSD-3-Clause
# The values that are measured on simulated GPUs do not change unnoticed: make check compares some
# GPUs with tests/data/values, make check-values compares all.
TESTS += tests/values/values.sh

check-values: all
	$(srcdir)/tests/values/same-values.sh '$(srcdir)/tests/data/values' ./hwloc-gpucache

.PHONY: check-values
EXTRA_DIST += tests/values/values.sh tests/values/same-values.sh tests/values/record.awk tests/values/record-of-values.awk \
	tests/data/values/a100.tsv \
	tests/data/values/gtx470.tsv \
	tests/data/values/gtx560ti.tsv \
	tests/data/values/gtx780.tsv \
	tests/data/values/gtx840m.tsv \
	tests/data/values/h100.tsv \
	tests/data/values/h200.tsv \
	tests/data/values/k20c.tsv \
	tests/data/values/mi100.tsv \
	tests/data/values/mi210.tsv \
	tests/data/values/mi300x.tsv \
	tests/data/values/p100.tsv \
	tests/data/values/p6000.tsv \
	tests/data/values/rtx2080ti.tsv \
	tests/data/values/rx7900xtx.tsv \
	tests/data/values/t1000.tsv \
	tests/data/values/v100.tsv
