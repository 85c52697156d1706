/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "util/cpus.h"

#include <sched.h>
#include <unistd.h>

unsigned gc_cpus(void)
{
  cpu_set_t set;
  long online;

  if (!sched_getaffinity(0, sizeof(set), &set))
    return (unsigned)CPU_COUNT(&set);
  online = sysconf(_SC_NPROCESSORS_ONLN); /* there may be more of them than the set has */
  return online > 0 ? (unsigned)online : 1;
}
