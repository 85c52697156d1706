# SPDX-License-Identifier: BSD-3-Clause
# The measurement on simulated GPUs, whose model states the true values. A new test is one word in this list.
sim_tests = \
	tests/sim/test_agree \
	tests/sim/test_amd \
	tests/sim/test_bandwidth \
	tests/sim/test_banks \
	tests/sim/test_census \
	tests/sim/test_chase \
	tests/sim/test_carveouts \
	tests/sim/test_chips \
	tests/sim/test_clock \
	tests/sim/test_close_levels \
	tests/sim/test_host \
	tests/sim/test_instances \
	tests/sim/test_instruction_cache \
	tests/sim/test_sm_groups \
	tests/sim/test_constant15 \
	tests/sim/test_delays \
	tests/sim/test_departure \
	tests/sim/test_fermi \
	tests/sim/test_flush \
	tests/sim/test_l2_survival \
	tests/sim/test_line \
	tests/sim/test_loops \
	tests/sim/test_bulk \
	tests/sim/test_busy \
	tests/sim/test_memory \
	tests/sim/test_warp_order \
	tests/sim/test_outstanding \
	tests/sim/test_failures \
	tests/sim/test_partition \
	tests/sim/test_slices \
	tests/sim/test_physical_l2 \
	tests/sim/test_physical_l3 \
	tests/sim/test_sets \
	tests/sim/test_shared \
	tests/sim/test_shared_l1 \
	tests/sim/test_sharing \
	tests/sim/test_stores \
	tests/sim/test_tables \
	tests/sim/test_tlbs \
	tests/sim/test_under_load \
	tests/sim/test_wander

if HAVE_CMOCKA
check_PROGRAMS += $(sim_tests)
TESTS += $(sim_tests)
# Methods that take seconds, and compute the same on every machine.
ci_tests += tests/sim/test_agree tests/sim/test_amd tests/sim/test_bandwidth tests/sim/test_busy tests/sim/test_carveouts \
	tests/sim/test_census \
	tests/sim/test_chips tests/sim/test_clock tests/sim/test_constant15 tests/sim/test_departure \
	tests/sim/test_failures tests/sim/test_flush tests/sim/test_host tests/sim/test_instruction_cache tests/sim/test_line \
	tests/sim/test_loops tests/sim/test_memory tests/sim/test_outstanding tests/sim/test_partition \
	tests/sim/test_physical_l2 tests/sim/test_physical_l3 tests/sim/test_sets tests/sim/test_shared_l1 \
	tests/sim/test_slices tests/sim/test_stores tests/sim/test_tlbs tests/sim/test_under_load tests/sim/test_wander
endif

# Kernels with loops of their own instead of the simulator's.
tests_sim_test_loops_LDFLAGS = -Wl,--wrap=gc_sim_run

# What these judge.
tests/sim/test_amd.log tests/sim/test_physical_l2.log tests/sim/test_sharing.log \
  tests/sim/test_tables.log tests/sim/test_under_load.log: $(sim_records)

# The GPUs that have been added last. With the sanitizers, recent.sh is skipped, and they are not measured.
if HAVE_CMOCKA
TESTS += tests/sim/recent.sh
ci_tests += tests/sim/recent.sh
if !SANITIZERS
tests/sim/recent.log: $(sim_recent_records) tests/sim/test_amd tests/sim/test_tables
endif
endif
EXTRA_DIST += tests/sim/recent.sh

TESTS += tests/sim/busy.bats
EXTRA_DIST += tests/sim/busy.bats tests/sim/by_sm.h tests/sim/open.h tests/sim/variant.h tests/sim/census.h tests/sim/papers.h tests/sim/published.h
