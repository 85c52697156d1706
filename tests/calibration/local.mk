# SPDX-License-Identifier: BSD-3-Clause
# Is confidence calibrated? Measures random simulated GPUs: 24 in make check (4 with --enable-sanitizers), DRAWN in
# make check-calibration. SEED: which GPUs; NOISE: the noise of their loads; KIND: of the GPUs (draw.h).
check_PROGRAMS += tests/calibration/calibrate
TESTS += tests/calibration/calibrate
ci_tests += tests/calibration/calibrate
tests_calibration_calibrate_SOURCES = tests/calibration/calibrate.c \
	tests/calibration/court.h \
	tests/calibration/draw.c tests/calibration/draw.h tests/calibration/draw_amd.c \
	tests/calibration/draw_banks.c tests/calibration/draw_gpcs.c \
	tests/calibration/draw_habits.c tests/calibration/draw_hierarchy.c \
	tests/calibration/draw_pages.c tests/calibration/draw_slices.c \
	tests/calibration/draw_unusual.c \
	tests/calibration/departure.c tests/calibration/draw_translation.c \
	tests/calibration/drawing.h \
	tests/calibration/earn.c tests/calibration/earn.h tests/calibration/flush.c \
	tests/calibration/gate.c tests/calibration/gate.h tests/calibration/hosts.c \
	tests/calibration/judge.c tests/calibration/judge.h \
	tests/calibration/judge_banks.c tests/calibration/judge_slices.c \
	tests/calibration/reasons.c \
	tests/calibration/tail.c tests/calibration/tail.h \
	tests/calibration/report.c tests/calibration/report.h \
	tests/calibration/sm_groups.c \
	tests/calibration/tally.c tests/calibration/tally.h \
	tests/calibration/structure.c \
	tests/calibration/texts.c tests/calibration/tlbs.c tests/calibration/under_load.c tests/calibration/writes.c \
	tests/calibration/workers.c tests/calibration/workers.h
tests_calibration_calibrate_LDADD = $(tool_libraries)

if HAVE_CMOCKA
check_PROGRAMS += tests/calibration/test_gate
TESTS += tests/calibration/test_gate
ci_tests += tests/calibration/test_gate
endif
tests_calibration_test_gate_SOURCES = tests/calibration/test_gate.c \
	tests/calibration/court.h \
	tests/calibration/draw.c tests/calibration/draw.h tests/calibration/draw_amd.c \
	tests/calibration/draw_banks.c tests/calibration/draw_gpcs.c \
	tests/calibration/draw_habits.c tests/calibration/draw_hierarchy.c \
	tests/calibration/draw_pages.c tests/calibration/draw_slices.c \
	tests/calibration/draw_unusual.c \
	tests/calibration/departure.c tests/calibration/draw_translation.c \
	tests/calibration/drawing.h \
	tests/calibration/earn.c tests/calibration/earn.h tests/calibration/flush.c \
	tests/calibration/gate.c tests/calibration/gate.h tests/calibration/hosts.c \
	tests/calibration/judge.c tests/calibration/judge.h \
	tests/calibration/judge_banks.c tests/calibration/judge_slices.c \
	tests/calibration/reasons.c \
	tests/calibration/tail.c tests/calibration/tail.h \
	tests/calibration/sm_groups.c \
	tests/calibration/tally.c tests/calibration/tally.h \
	tests/calibration/structure.c \
	tests/calibration/texts.c tests/calibration/tlbs.c tests/calibration/under_load.c tests/calibration/writes.c
tests_calibration_test_gate_LDADD = $(tool_libraries) $(CMOCKA_LIBS)

SEED = 2026
NOISE = 2026
DRAWN = 2000
KIND = all
check-calibration: tests/calibration/calibrate
	tests/calibration/calibrate --kind '$(KIND)' -n '$(DRAWN)' -s '$(SEED)' -t '$(NOISE)'

.PHONY: check-calibration

EXTRA_DIST += doc/results/calibration.md tests/calibration/summary.awk
