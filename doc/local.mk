# SPDX-License-Identifier: BSD-3-Clause
# Manual pages, with the directories of this installation. Other documents are added to EXTRA_DIST as they come.
man_MANS = doc/hwloc-gpucache.1
EXTRA_DIST += doc/hwloc-gpucache.1.in doc/readme.sh
# Made from records of simulated GPUs by make renew-values.
EXTRA_DIST += doc/simulated.sh doc/results/simulated.md doc/results/simulated/b200.html \
	doc/results/simulated/mi355x.html
CLEANFILES += doc/hwloc-gpucache.1

# "[@]": config.status would put the directory here, with ${prefix} in it
doc/hwloc-gpucache.1: doc/hwloc-gpucache.1.in Makefile
	$(AM_V_GEN)$(MKDIR_P) doc && sed -e 's|@localstatedir[@]|$(localstatedir)|g' \
	  -e 's|@pkgdatadir[@]|$(pkgdatadir)|g' '$(srcdir)/doc/hwloc-gpucache.1.in' >$@.tmp && mv $@.tmp $@

# Curves of a real GPU: data, and the pictures that "hwloc-gpucache plot" draws from them.
EXTRA_DIST += doc/results/h200/curves/README.md \
	doc/results/h200/curves/gpu0-ConstantL1Cache-capacity.svg \
	doc/results/h200/curves/gpu0-ConstantL1Cache-capacity.tsv \
	doc/results/h200/curves/gpu0-L1Cache-capacity.svg \
	doc/results/h200/curves/gpu0-L1Cache-capacity.tsv \
	doc/results/h200/curves/gpu0-L1Cache-carve-outs.svg \
	doc/results/h200/curves/gpu0-L1Cache-carve-outs.tsv \
	doc/results/h200/curves/gpu0-L2Cache-capacity.svg \
	doc/results/h200/curves/gpu0-L2Cache-capacity.tsv

EXTRA_DIST += doc/amd.md doc/architecture.md doc/deploy.md doc/first-day.md doc/glossary.md doc/install.md doc/limitations.md \
	doc/methods.md doc/modelling.md doc/placement.md doc/predict.md doc/python.md doc/testing.md doc/traces.md doc/tune-a-kernel.md doc/use-lstopo.md doc/write-a-program.md doc/site.md doc/results/performance.md doc/results/predict-speed.md doc/results/structure.md doc/results/sys-sage.md doc/results/trace.md
# Results of real GPUs.
EXTRA_DIST += doc/results/structure/h100-repeat.txt doc/results/structure/h100.xml \
	doc/results/structure/h100-compare.txt doc/results/structure/h100-bench.txt \
	doc/results/structure/h200-bench.txt doc/results/structure/h200-repeat.txt doc/results/structure/h200.xml \
	doc/results/structure/h200.svg
EXTRA_DIST += doc/results/h200/README.md doc/results/h200/lstopo.png doc/results/h200/lstopo.txt \
	doc/results/h200/record.xml doc/results/h200/report.png doc/results/h200/show.txt doc/results/h200/repeat.txt \
	doc/results/h200/bench.txt doc/results/h200/check-gpu.txt doc/results/h200/four-gpus.txt doc/results/h200/two-gpus.txt
EXTRA_DIST += doc/results/h200/next-to-mt4g/bench.txt doc/results/h200/next-to-mt4g/record.xml \
	doc/results/h200/next-to-mt4g/repeat.txt doc/results/h200/next-to-mt4g/mt4g-l1.json \
	doc/results/h200/next-to-mt4g/mt4g-l2.json doc/results/h200/next-to-mt4g/mt4g-mem.json \
	doc/results/h200/next-to-mt4g/mt4g-mem-again.json doc/results/h200/next-to-mt4g/mt4g-sm.json
EXTRA_DIST += doc/results/bulk.md doc/results/fleet.md doc/results/flush.md doc/results/host.md doc/results/load.md \
	doc/results/peers.md
EXTRA_DIST += doc/results/predict.md doc/results/predict/at-once.tsv doc/results/predict/baselines.tsv \
	doc/results/predict/baselines-before.tsv doc/results/predict/counters.tsv doc/results/predict/place.tsv.gz \
	doc/results/predict/record.xml doc/results/predict/record-h100.xml doc/results/predict/counters-h100.tsv \
	doc/results/predict/predicted.tsv doc/results/predict/l1-loops.tsv
EXTRA_DIST += doc/results/h100/README.md doc/results/h100/show.txt doc/results/h100/repeat.txt \
	doc/results/h100/bench.txt doc/results/h100/check-gpu.txt
