/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * kernels/cuda.image is found through the assembler's include path: the build directory.
 */
#include "kernels/images.h"

__asm__(".pushsection .rodata\n"
        ".balign 64\n"
        ".globl gc_cuda_image, gc_cuda_image_bytes\n"
        ".type gc_cuda_image, %object\n"
        "gc_cuda_image: .incbin \"kernels/cuda.image\"\n"
        ".Lgc_cuda_image_end: .byte 0\n"
        ".size gc_cuda_image, . - gc_cuda_image\n"
        ".balign 8\n"
        ".type gc_cuda_image_bytes, %object\n"
        "gc_cuda_image_bytes: .quad .Lgc_cuda_image_end - gc_cuda_image\n"
        ".size gc_cuda_image_bytes, 8\n"
        ".popsection\n");
