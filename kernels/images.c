/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The files are found through the assembler's include path: the build directory.
 */
#include "kernels/images.h"

/* IMAGE(symbol, file) */
#define IMAGE(name, file)                                                                          \
  __asm__(".pushsection .rodata\n"                                                                 \
          ".balign 64\n"                                                                           \
          ".globl " name ", " name "_bytes\n"                                                      \
          ".type " name ", %object\n" name ": .incbin \"" file "\"\n"                              \
          ".L" name "_end: .byte 0\n"                                                              \
          ".size " name ", . - " name "\n"                                                         \
          ".balign 8\n"                                                                            \
          ".type " name "_bytes, %object\n" name "_bytes: .quad .L" name "_end - " name "\n"       \
          ".size " name "_bytes, 8\n"                                                              \
          ".popsection\n");

IMAGE("gc_cuda_image", "kernels/cuda.image")
IMAGE("gc_cuda_stretch_image", "kernels/stretch.image")
