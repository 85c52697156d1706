# SPDX-License-Identifier: BSD-3-Clause
# Is confidence calibrated? Measures random simulated GPUs: 40 in make check, 2000 in make check-
# calibration.
check_PROGRAMS += tests/calibration/calibrate
TESTS += tests/calibration/calibrate
tests_calibration_calibrate_SOURCES = tests/calibration/calibrate.c tests/calibration/judge.h \
	tests/calibration/judge.c tests/calibration/court.h tests/calibration/texts.c \
	tests/calibration/draw.h tests/calibration/drawing.h tests/calibration/draw.c \
	tests/calibration/draw_amd.c tests/calibration/draw_pages.c
tests_calibration_calibrate_LDADD = $(tool_libraries)

check-calibration: tests/calibration/calibrate
	tests/calibration/calibrate -n 2000

.PHONY: check-calibration

EXTRA_DIST += doc/results/calibration.md
