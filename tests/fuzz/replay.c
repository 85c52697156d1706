/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * main() of a fuzz target where there is no libFuzzer: runs each file that is named as an argument,
 * and some hundred variants of it: beginnings, and texts with a few changed bytes. The variants are
 * the same in every run.
 */
#include "fuzz.h"

#include <errno.h>
#include <string.h>

#define MOST_BYTES (1 << 20)
#define VARIANTS 400

static uint64_t state = 1;

static uint32_t draw(size_t below)
{
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)((state >> 33) % below);
}

/* In memory of exactly that size, so that the sanitizers notice a read beyond it. */
static void run(const uint8_t *bytes, size_t size)
{
  uint8_t *copy = malloc(size ? size : 1);

  PROMISE(copy);
  memcpy(copy, bytes, size);
  LLVMFuzzerTestOneInput(copy, size);
  free(copy);
}

static void run_variants(uint8_t *bytes, size_t size)
{
  static const uint8_t values[] = {0, '\n', ' ', '"', '<', '=', ':', '-', '9', 0xff};

  run(bytes, size);
  for (unsigned i = 0; size && i < VARIANTS; i++) {
    struct {
      size_t at;
      uint8_t was;
    } changes[3];
    const unsigned count = i % 4;

    for (unsigned k = 0; k < count; k++) {
      changes[k].at = draw(size);
      changes[k].was = bytes[changes[k].at];
      bytes[changes[k].at] = values[draw(sizeof(values))];
    }
    run(bytes, count ? size : draw(size));
    for (unsigned k = count; k-- > 0;)
      bytes[changes[k].at] = changes[k].was;
  }
}

int main(int argc, char **argv)
{
  uint8_t *bytes = malloc(MOST_BYTES);

  PROMISE(bytes);
  for (int i = 1; i < argc; i++) {
    FILE *file = fopen(argv[i], "r");

    if (!file) {
      fprintf(stderr, "%s: %s\n", argv[i], strerror(errno));
      return 1;
    }
    fprintf(stderr, "%s\n", argv[i]); /* the last line names the file that failed */
    run_variants(bytes, fread(bytes, 1, MOST_BYTES, file));
    fclose(file);
  }
  free(bytes);
  return argc > 1 ? 0 : 1;
}
