/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A chase by atomic operations that other devices and the CPU see as atomic, too: doc/methods.md,
 * "Host memory".
 */
#include "chase.h"

CHASE(system)
