/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GC_UTIL_CPUS_H
#define GC_UTIL_CPUS_H

/* The CPUs that the calling thread may use, at least 1. Safe from any thread. */
unsigned gc_cpus(void);

#endif
