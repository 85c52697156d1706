# SPDX-License-Identifier: BSD-3-Clause
# Simulated GPUs, found by name in $(pkgdatadir)/sim.
simdir = $(pkgdatadir)/sim
sim_profiles = \
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
	data/sim/p100 \
	data/sim/p6000 \
	data/sim/rtx2080ti \
	data/sim/rx7900xtx \
	data/sim/t1000 \
	data/sim/v100
# Tests of tier ci measure these: tests/sim/recent.sh.
sim_recent_profiles = \
	data/sim/b200 \
	data/sim/b300 \
	data/sim/gb10 \
	data/sim/gh200 \
	data/sim/l40 \
	data/sim/mi300a \
	data/sim/mi355x \
	data/sim/rtx4090 \
	data/sim/rtx5090 \
	data/sim/rtxpro6000
dist_sim_DATA = data/sim/README $(sim_profiles) $(sim_recent_profiles)

# For the services of a node: they measure at boot and whenever a driver is loaded, and make the
# directory of the site's records. "[@]" as in doc/local.mk.
service_files = data/systemd/hwloc-gpucache.service data/systemd/hwloc-gpucache.conf
EXTRA_DIST += data/systemd/hwloc-gpucache.service.in data/systemd/hwloc-gpucache.conf.in \
	data/systemd/60-hwloc-gpucache.rules
CLEANFILES += $(service_files)
noinst_DATA = $(service_files)
$(service_files): data/systemd/hwloc-gpucache.service.in data/systemd/hwloc-gpucache.conf.in Makefile
	$(AM_V_GEN)$(MKDIR_P) data/systemd && sed -e 's|@localstatedir[@]|$(localstatedir)|g' \
	  -e 's|@bindir[@]|$(bindir)|g' '$(srcdir)/$@.in' >$@.tmp && mv $@.tmp $@
if INSTALL_UNIT
systemdsystemunit_DATA = data/systemd/hwloc-gpucache.service
endif
if INSTALL_TMPFILES
tmpfiles_DATA = data/systemd/hwloc-gpucache.conf
endif
if INSTALL_UDEV_RULE
udevrules_DATA = data/systemd/60-hwloc-gpucache.rules
endif
