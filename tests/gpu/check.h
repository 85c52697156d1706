/* SPDX-License-Identifier: BSD-3-Clause */
#include <cstdio>
#include <cstdlib>

/* Ends the program with a message if a call of CUDA or of a library of it fails. */
#define CHECK(call)                                                                                \
  do {                                                                                             \
    const int status = (int)(call);                                                                \
    if (status) {                                                                                  \
      fprintf(stderr, "%s: error %d\n", #call, status);                                            \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)
