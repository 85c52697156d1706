/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A libamdhip64 with the functions of ROCm 5.0, which has no hipDeviceGetUuid.
 */
#include "device/hip_symbols.h"

#include <stdlib.h>

#define hipDeviceGetUuid hip_device_get_uuid_later
#define SYMBOL(type, name, parameters)                                                             \
  __attribute__((visibility("default"), noreturn)) type name parameters;                           \
  type name parameters { abort(); }

#pragma GCC diagnostic ignored "-Wunused-parameter"
HIP_SYMBOLS(SYMBOL)
