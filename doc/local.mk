# SPDX-License-Identifier: BSD-3-Clause
# Manual pages. Other documents are added to EXTRA_DIST as they come.
dist_man_MANS = doc/hwloc-gpucache.1
