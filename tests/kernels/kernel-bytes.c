/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints the kernels of AMD code objects and the lengths of their argument structs on the host, for
 * amd-notes.awk.
 */
#include "kernels/args.h"

#include <stdio.h>

#define LINE(name, args, ...) printf("%s %zu\n", #name, sizeof(struct args));

int main(void)
{
  GPU_COMMON_KERNELS(LINE)
  GPU_AMD_KERNELS(LINE)
  GPU_SYSTEM_KERNELS(LINE)
  return 0;
}
