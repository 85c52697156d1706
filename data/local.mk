# SPDX-License-Identifier: BSD-3-Clause
# Simulated GPUs, found by name in $(pkgdatadir)/sim.
simdir = $(pkgdatadir)/sim
dist_sim_DATA = data/sim/README \
	data/sim/a100 \
	data/sim/gtx470 \
	data/sim/gtx560ti \
	data/sim/gtx780 \
	data/sim/gtx840m \
	data/sim/h100 \
	data/sim/h200 \
	data/sim/k20c \
	data/sim/mi100 \
	data/sim/mi210 \
	data/sim/mi300x \
	data/sim/p6000 \
	data/sim/rtx2080ti \
	data/sim/rx7900xtx \
	data/sim/t1000 \
	data/sim/v100

# How "hwloc-gpucache plot" draws.
plotdir = $(pkgdatadir)/plot
dist_plot_DATA = data/plot/carveouts.gp \
	data/plot/curve.gp \
	data/plot/repeats.gp \
	data/plot/style.gp \
	data/plot/table.gp \
	data/plot/trace.gp
