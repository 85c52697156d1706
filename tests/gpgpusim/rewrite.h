/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Rewrites PTX so that GPGPU-Sim can parse and execute it.
 */
#ifndef GPGPUSIM_REWRITE_H
#define GPGPUSIM_REWRITE_H

#include <string>

/* What the text of the program has to know about the simulated GPU. */
struct gpu_facts {
  unsigned clock_khz;
  /* The generic address of shared memory is `shared_start` + SM number * `shared_stride`. */
  unsigned long long shared_start, shared_stride;
};

std::string rewrite_ptx(const std::string &ptx, const gpu_facts &facts);

#endif
