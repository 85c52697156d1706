# SPDX-License-Identifier: BSD-3-Clause
# Simulated GPUs, found by name in $(pkgdatadir)/sim.
simdir = $(pkgdatadir)/sim
dist_sim_DATA = data/sim/README data/sim/h200 data/sim/p6000
