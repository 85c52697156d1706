/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/tool.h"

int gc_worse(int a, int b)
{
  static const int weight[] = {[GC_EXIT_DONE] = 0, [GC_EXIT_NO_GPU] = 1, [GC_EXIT_USAGE] = 2,
                               [GC_EXIT_FAILED] = 3};

  return weight[a] >= weight[b] ? a : b;
}
