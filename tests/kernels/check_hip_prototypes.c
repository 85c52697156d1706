/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Compares src/device/hip_symbols.h with HIP's own header, at compile time: every prototype, number
 * and type. Without that header the test is skipped.
 */
#include <stdio.h>

#ifdef GC_HAVE_HIP_H
#define GC_HIP_TYPES_OF_HIP
#include "device/hip_symbols.h"

#include <hip/hip_runtime_api.h>

#define SAME_TYPE(name, type) _Static_assert(__builtin_types_compatible_p(name, type), #name);
#define SAME_PROTOTYPE(type, name, parameters)                                                     \
  _Static_assert(__builtin_types_compatible_p(__typeof__(&name), type(*) parameters), #name);
#define SAME_VALUE(name, value) _Static_assert((name) == (value), #name);

/* older headers lack later attributes */
#if HIP_VERSION < 50400000
#define hipDeviceAttributeWallClockRate 10017
#endif

HIP_TYPES(SAME_TYPE)
HIP_SYMBOLS(SAME_PROTOTYPE)
HIP_CONSTANTS(SAME_VALUE)
HIP_LAUNCH_CONSTANTS(SAME_VALUE)

_Static_assert(sizeof(hipUUID) == 16, "hipUUID");

int main(void)
{
#define COUNT(name, what) +1
#define COUNT_SYMBOL(type, name, parameters) +1
  printf("compiled: %d functions, %d constants and %d types are those of HIP %d.%d\n",
         0 HIP_SYMBOLS(COUNT_SYMBOL), 0 HIP_CONSTANTS(COUNT) HIP_LAUNCH_CONSTANTS(COUNT),
         0 HIP_TYPES(COUNT), HIP_VERSION_MAJOR, HIP_VERSION_MINOR);
  return 0;
}
#else
int main(void)
{
  printf("SKIPPED: there is no hip/hip_runtime_api.h (ROCm) to compare with\n");
  return 77;
}
#endif
