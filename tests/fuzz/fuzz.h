/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What all fuzz targets have: the function that libFuzzer calls, or replay.c without libFuzzer.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A promise of the code under test. A broken one counts as a crash. */
#define PROMISE(what)                                                                              \
  do {                                                                                             \
    if (!(what)) {                                                                                 \
      fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #what);                         \
      abort();                                                                                     \
    }                                                                                              \
  } while (0)

/* Whether the text can go to a terminal as it is: no control character, also none of U+0080 to
 * U+009F, as one byte or as UTF-8 (after 0xc2). */
static inline int is_one_line(const char *text)
{
  for (unsigned char last = 0; *text; last = (unsigned char)*text++)
    if ((unsigned char)*text < ' ' || *text == 0x7f ||
        ((*text & 0xe0) == 0x80 && (last < 0x80 || last == 0xc2)))
      return 0;
  return 1;
}

#endif
