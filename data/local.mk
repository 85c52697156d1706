# SPDX-License-Identifier: BSD-3-Clause
# Simulated GPUs, found by name in $(pkgdatadir)/sim.
simdir = $(pkgdatadir)/sim
dist_sim_DATA = data/sim/README data/sim/a100 data/sim/h100 data/sim/h200 data/sim/k20c \
	data/sim/p6000 data/sim/v100
