/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/cores.h"

#include <stddef.h>

/* CUDA C++ Programming Guide, table "Throughput of Native Arithmetic Instructions": 32-bit
 * floating-point operations per clock cycle and SM. From the newest to the oldest; a row holds for
 * its own minor number and greater ones. */
static const struct {
  uint32_t major, minor, cores;
} table[] = {
    {12, 0, 128}, {11, 0, 128}, {10, 0, 128}, {9, 0, 128}, {8, 6, 128}, {8, 0, 64}, {7, 0, 64},
    {6, 1, 128},  {6, 0, 64},   {5, 0, 128},  {3, 0, 192}, {2, 1, 48},  {2, 0, 32},
};

/* PTX ISA 9.0, "Tensor Memory" and the targets of tcgen05.alloc: sm_100, sm_101, sm_103 and sm_110,
 * not sm_120 and sm_121. */
bool gc_has_tensor_memory(uint32_t major)
{
  return major == 10 || major == 11;
}

uint32_t gc_cores_of_capability(uint32_t major, uint32_t minor)
{
  for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
    if (table[i].major == major && table[i].minor <= minor)
      return table[i].cores;
  return 0;
}
