/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes a file a constant of the program. The assembler finds the file through its include path,
 * which contains the build directory; make does not see that.
 */
#ifndef GC_UTIL_EMBED_H
#define GC_UTIL_EMBED_H

/* IMAGE(symbol, file): extern const unsigned char symbol[], with a NUL at its end, and extern const
 * uint64_t symbol_bytes. */
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

#endif
