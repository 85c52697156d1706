/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The host's clock, as a program on a computer with the simulated GPU would read it. A simulated
 * microsecond takes many milliseconds; on the real clock, every launch would look as if it had waited
 * for another program.
 */
#ifndef GPGPUSIM_HOST_CLOCK_H
#define GPGPUSIM_HOST_CLOCK_H

/* Simulated nanoseconds since the GPU was opened; 0 before that. From the first nanosecond on,
 * CLOCK_MONOTONIC of this process advances by them only. */
extern "C" unsigned long long gpgpusim_nanoseconds;

#endif
