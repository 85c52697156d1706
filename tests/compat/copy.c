/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A program with a text that each copy of hwloc contains, as if it was linked with libhwloc.a.
 * (That file is not part of all packages of hwloc.)
 */
#include <stdlib.h>

int main(void)
{
  return getenv("HWLOC_DONT_ADD_VERSION_INFO") != NULL;
}
