/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The kernels of AMD code objects and how long their argument structs are, as the host's compiler sees
 * them: what amd-notes.awk compares with.
 */
#include "kernels/args.h"

#include <stdio.h>

#define LINE(name, args) printf("%s %zu\n", #name, sizeof(struct args));

int main(void)
{
  GPU_COMMON_KERNELS(LINE)
  GPU_AMD_KERNELS(LINE)
  return 0;
}
