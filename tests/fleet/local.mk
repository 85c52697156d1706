# SPDX-License-Identifier: BSD-3-Clause
# Records of clusters that do not exist, and how often compare blames a good GPU.
EXTRA_DIST += tests/fleet/measure.sh tests/fleet/copies.sh
check_PROGRAMS += tests/fleet/false-alarms
other_programs += tests/fleet/false-alarms
tests_fleet_false_alarms_SOURCES = tests/fleet/false-alarms.c
tests_fleet_false_alarms_LDADD = src/stats/libstats.la -lm
