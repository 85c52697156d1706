/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The tables of the papers as they were printed. Where the simulated GPU must give another value,
 * that value and the reason follow. No paper has values of the T1000 (MT4G's table II only lists
 * it), so its SM must have the values of an RTX 2080 Ti.
 */
#ifndef GC_TESTS_SIM_PAPERS_H
#define GC_TESTS_SIM_PAPERS_H

#include "open.h"

#define KIB(n) ((n) * 1024.0)
#define MIB(n) ((n) * 1048576.0)
#define GIB(n) ((n) * 1073741824.0)

/* paper: 0 if it has no value. why: set if and only if the values differ by more than measuring
 * may. */
struct cell {
  double paper, measured;
  const char *why;
};
struct words {
  const char *paper, *measured, *why;
};
#define SAME(n) {(n), (n), NULL}

struct paper_row {
  const char *gpu, *paper;
  enum gc_kind kind;
  unsigned shared_kib; /* carve-out that the paper's value belongs to, if L1 has one */
  unsigned single_kib; /* L1 that this leaves a single block, if the driver takes shared memory for each */
  struct cell capacity, line, fetch, latency, penalty, per_sm;
  struct cell far; /* latency of the far partition */
  struct words with; /* without shared memory, which the papers did not test */
};

#define FIRST_MISS "the change point, one of the first sizes that missed"
#define ADDRESS "eight cycles of each step compute the address (section 4.4)"
#define SECTOR "the paper calls the distance of misses a line, which is what a miss fetches: the sector"
#define LONGER "the distance of misses; the lines of L2 that MT4G found separately from sectors have 128 bytes"
#define ONE_STORAGE "one storage with L1 according to the same table, so both have the same capacity"
#define MIDDLE "the middle of the transition, or more: the paper evaluates 255 loads of each size"
#define SINGLE "of a single block, which is single_kib here; 32 blocks take 16 KiB more of shared memory"
#define L1_FETCH "that test measures L1 (its loads of L2 hit lines of L1); Groessler, and an H200 and H100, have 64"
#define API "the number that the driver reports"
#define OTHER_BOARD "another board or driver, which reports a little more"
#define CLOCKS "it includes clock reads and does not wait for the load; real GPUs gave our value (doc/results)"
#define ONE_SM "of one SM; the mean of all is 279 (Basaran and Alpay 2026, arXiv 2606.22588)"
#define BOARD "another board, of 80 GB: the latency of L2 is Groessler's, and the difference is the same"
#define AS_L40 "gpu-benches found 34 on an L40, which has the same SMs; AI_kernels has more on all GPUs"
#define CHAIN "7.5 cycles more than gpu-benches found on the same GPUs (A100, GH200); L2 and memory agree"
#define OVERHEAD "it includes a clock read and a store to shared memory of unknown length (section 3.2)"

#define L1_NAME "L1Cache"
#define RO_NAME "ReadOnlyCache"
#define TX_NAME "TextureCache"

/* Mei: Mei et al. 2014, tables 1, 3, 4, 5 and section 4. Nugteren: Nugteren et al. 2014, section
 * 5.1. Groessler: Größler 2022, tables 5.4 to 5.9; his line is what a miss fetches, and both are
 * compared. MT4G: Vanecek et al. 2025, table III (H100), and results.json of the other GPUs, with a
 * preference for L1. Latencies of MT4G are left out if the thesis has some: they include clock
 * reads and stores, and some do not wait for the load. AI_kernels: github.com/markdewing/AI_kernels,
 * latency/data. gpu-benches: github.com/RRZE-HPC/gpu-benches, gpu-latency. */
static const struct paper_row paper_rows[] = {
  /* Fermi. Mei describes the replacement and the sets of its L1, Nugteren the hash: see
   * test_fermi.c */
  {"gtx560ti", "Mei", GC_L1, .capacity = SAME(KIB(16)), .line = SAME(128), .latency = {116, 94, OVERHEAD},
   .penalty = SAME(404 - 116)},
  {"gtx560ti", "Mei", GC_TEXTURE, .capacity = SAME(KIB(12)), .line = SAME(32), .latency = {240, 218, OVERHEAD},
   .penalty = SAME(470 - 240)},
  {"gtx560ti", "Mei", GC_SHARED_MEMORY, .capacity = SAME(KIB(48)), .latency = {50, 28, OVERHEAD}},
  {"gtx560ti", "Mei", GC_L2, .capacity = SAME(KIB(512)), .latency = {371, 349, OVERHEAD},
   .penalty = SAME(639 - 371)},
  {"gtx560ti", "Mei", GC_DEVICE_MEMORY, .capacity = SAME(GIB(1)), .latency = {639, 617, OVERHEAD}},
  {"gtx470", "Nugteren", GC_L1, .capacity = SAME(KIB(16)), .line = SAME(128)},
  {"gtx470", "Nugteren", GC_SHARED_MEMORY, .capacity = SAME(KIB(48))},

  /* Kepler */
  {"gtx780", "Mei", GC_TEXTURE, .capacity = SAME(KIB(12)), .line = SAME(32), .latency = {110, 96, OVERHEAD},
   .penalty = SAME(220 - 110)},
  {"gtx780", "Mei", GC_SHARED_MEMORY, .capacity = SAME(KIB(48))},
  {"gtx780", "Mei", GC_L2, .capacity = SAME(KIB(1536)), .latency = {230, 216, OVERHEAD},
   .penalty = SAME(371 - 230)},
  {"gtx780", "Mei", GC_DEVICE_MEMORY, .capacity = SAME(MIB(3071)), .latency = {371, 357, OVERHEAD}},

  {"k20c", "Groessler 5.4", GC_L1, .capacity = {KIB(16.137), KIB(16), FIRST_MISS}, .line = SAME(128),
   .fetch = SAME(128), .latency = {64, 56, ADDRESS}, .per_sm = SAME(1), .with = SAME("")},
  {"k20c", "Groessler 5.4", GC_TEXTURE, .capacity = {KIB(12.012), KIB(12), FIRST_MISS}, .line = SAME(32),
   .fetch = SAME(32), .latency = SAME(111), .per_sm = SAME(4), .with = SAME(RO_NAME)},
  {"k20c", "Groessler 5.4", GC_READ_ONLY, .capacity = {KIB(12.129), KIB(12), FIRST_MISS}, .line = SAME(32),
   .fetch = SAME(32), .latency = {130, 122, ADDRESS}, .per_sm = SAME(4), .with = SAME(TX_NAME)},
  {"k20c", "Groessler 5.4", GC_CONSTANT_L1, .capacity = {KIB(1.828), KIB(2), "about 2 KiB according to the text"},
   .line = SAME(64), .fetch = SAME(64), .latency = {50, 42, ADDRESS}, .per_sm = SAME(4), .with = SAME("")},
  {"k20c", "Groessler 5.4", GC_CONSTANT_L15, .capacity = {KIB(32.813), KIB(32), FIRST_MISS}, .line = SAME(256),
   .fetch = SAME(256), .latency = {120, 112, ADDRESS}},
  {"k20c", "Groessler 5.4", GC_SHARED_MEMORY, .capacity = SAME(KIB(48)), .latency = {47, 39, ADDRESS}},
  {"k20c", "Groessler 5.4", GC_L2, .capacity = SAME(MIB(1.25)), .line = {32, 128, LONGER}, .fetch = SAME(32),
   .latency = {223, 215, ADDRESS}},
  {"k20c", "Groessler 5.4", GC_DEVICE_MEMORY, .capacity = SAME(GIB(4.633)), .latency = {339, 331, ADDRESS}},

  /* Maxwell: no L1 for global loads */
  {"gtx840m", "Groessler 5.5", GC_TEXTURE, .capacity = {KIB(12.129), KIB(12), FIRST_MISS}, .line = SAME(32),
   .fetch = SAME(32), .latency = SAME(92), .per_sm = SAME(2), .with = SAME(RO_NAME)},
  {"gtx840m", "Groessler 5.5", GC_READ_ONLY, .capacity = {KIB(12.129), KIB(12), FIRST_MISS}, .line = SAME(32),
   .fetch = SAME(32), .latency = {92, 84, ADDRESS}, .per_sm = SAME(2), .with = SAME(TX_NAME)},
  {"gtx840m", "Groessler 5.5", GC_CONSTANT_L1, .capacity = {KIB(2.109), KIB(2), FIRST_MISS}, .line = SAME(64),
   .fetch = SAME(64), .latency = {33, 25, ADDRESS}, .per_sm = SAME(1), .with = SAME("")},
  {"gtx840m", "Groessler 5.5", GC_CONSTANT_L15, .capacity = {KIB(30.469), KIB(30), FIRST_MISS}, .line = SAME(256),
   .fetch = SAME(256), .latency = {86, 78, ADDRESS}},
  {"gtx840m", "Groessler 5.5", GC_SHARED_MEMORY, .capacity = SAME(KIB(64)), .latency = {31, 23, ADDRESS}},
  {"gtx840m", "Groessler 5.5", GC_L2, .capacity = SAME(MIB(1)), .line = {32, 128, LONGER}, .fetch = SAME(32),
   .latency = {173, 165, ADDRESS}},
  {"gtx840m", "Groessler 5.5", GC_DEVICE_MEMORY, .capacity = SAME(GIB(1.958)), .latency = {448, 440, ADDRESS}},

  /* Pascal */
  {"p6000", "Groessler 5.6", GC_L1, .capacity = {KIB(24.012), KIB(24), FIRST_MISS}, .line = {32, 128, SECTOR},
   .fetch = SAME(32), .latency = {92, 84, ADDRESS}, .per_sm = SAME(2), .with = SAME(TX_NAME "," RO_NAME)},
  {"p6000", "Groessler 5.6", GC_TEXTURE, .capacity = {KIB(24.012), KIB(24), FIRST_MISS}, .line = {32, 128, SECTOR},
   .fetch = SAME(32), .latency = SAME(85), .per_sm = SAME(2), .with = SAME(L1_NAME "," RO_NAME)},
  {"p6000", "Groessler 5.6", GC_READ_ONLY, .capacity = {KIB(24.012), KIB(24), FIRST_MISS}, .line = {32, 128, SECTOR},
   .fetch = SAME(32), .latency = {94, 86, ADDRESS}, .per_sm = SAME(2), .with = SAME(L1_NAME "," TX_NAME)},
  {"p6000", "Groessler 5.6", GC_CONSTANT_L1, .capacity = {KIB(2.141), KIB(2), FIRST_MISS}, .line = SAME(64),
   .fetch = SAME(64), .latency = {33, 25, ADDRESS}, .per_sm = SAME(1), .with = SAME("")},
  {"p6000", "Groessler 5.6", GC_CONSTANT_L15,
   .capacity = {KIB(31.25), KIB(32), "constants of its own are in it too (up to 1.5 KiB, section 5.3.4)"},
   .line = SAME(256), .fetch = SAME(256), .latency = {94, 86, ADDRESS}},
  {"p6000", "Groessler 5.6", GC_SHARED_MEMORY, .capacity = SAME(KIB(96)), .latency = {31, 23, ADDRESS}},
  {"p6000", "Groessler 5.6", GC_L2, .capacity = {MIB(3), 2947584, API}, .line = {32, 128, SECTOR}, .fetch = SAME(32),
   .latency = {243, 235, ADDRESS}},
  {"p6000", "Groessler 5.6", GC_DEVICE_MEMORY, .capacity = {GIB(23.877), 25623527424, OTHER_BOARD},
   .latency = {412, 404, ADDRESS}},
  {"p6000", "MT4G", GC_L1, .capacity = SAME(24576), .line = SAME(128), .fetch = SAME(32),
   .with = {"ConstantL1Cache," TX_NAME "," RO_NAME, TX_NAME "," RO_NAME,
            "the same storage as texture and read-only, which are not shared with constants in the same file"}},
  {"p6000", "MT4G", GC_TEXTURE, .capacity = SAME(24576), .line = SAME(128), .fetch = SAME(32),
   .per_sm = SAME(2), .with = SAME(L1_NAME "," RO_NAME)},
  {"p6000", "MT4G", GC_READ_ONLY, .capacity = SAME(24576), .line = SAME(128), .fetch = SAME(32),
   .per_sm = SAME(2), .with = SAME(L1_NAME "," TX_NAME)},
  {"p6000", "MT4G", GC_CONSTANT_L1, .capacity = {2112, 2048, FIRST_MISS}, .line = SAME(64), .fetch = SAME(64),
   .per_sm = SAME(1), .with = {L1_NAME, "", "as L1, above"}},
  {"p6000", "MT4G", GC_CONSTANT_L15, .capacity = {31488, 32768, "constants of its own are in it too"},
   .line = SAME(256), .fetch = SAME(256)},
  {"p6000", "MT4G", GC_L2,
   .capacity = {3145728, 2947584, "the nominal size, to which it rounds (IV-F1); its own trace hits up to 2,947,584"},
   .line = SAME(128), .fetch = SAME(32)},

  /* Volta. The thesis used 96 KiB of shared memory; MT4G used 8, if its value of the texture cache
   * is right */
  {"v100", "Groessler 5.7", GC_L1, 96,
   .capacity = {KIB(25.629), KIB(25), "6 to 8 KiB are lost according to the text: 7 here"}, .line = {32, 128, SECTOR},
   .fetch = SAME(32), .latency = {36, 28, ADDRESS}, .per_sm = SAME(1), .with = SAME(TX_NAME "," RO_NAME)},
  {"v100", "Groessler 5.7", GC_TEXTURE, 96, .capacity = {KIB(24.023), KIB(25), ONE_STORAGE}, .line = {32, 128, SECTOR},
   .fetch = SAME(32), .latency = SAME(80), .per_sm = SAME(1), .with = SAME(L1_NAME "," RO_NAME)},
  {"v100", "Groessler 5.7", GC_READ_ONLY, 96, .capacity = {KIB(25.629), KIB(25), "as L1"}, .line = {32, 128, SECTOR},
   .fetch = SAME(32), .latency = {36, 28, ADDRESS}, .per_sm = SAME(1), .with = SAME(L1_NAME "," TX_NAME)},
  {"v100", "Groessler 5.7", GC_CONSTANT_L1, .capacity = {KIB(2.078), KIB(2), FIRST_MISS}, .line = SAME(64),
   .fetch = SAME(64), .latency = {32, 24, ADDRESS}, .per_sm = SAME(1), .with = SAME("")},
  {"v100", "Groessler 5.7", GC_CONSTANT_L15, .capacity = {KIB(62.5), KIB(128), "a lower bound: 128 assumed"},
   .line = SAME(256), .fetch = SAME(256), .latency = {105, 97, ADDRESS}},
  {"v100", "Groessler 5.7", GC_SHARED_MEMORY, .capacity = SAME(KIB(96)), .latency = {27, 19, ADDRESS}},
  {"v100", "Groessler 5.7", GC_L2, .capacity = SAME(MIB(6)), .line = {64, 128, SECTOR}, .fetch = SAME(64),
   .latency = {215, 207, ADDRESS}},
  {"v100", "Groessler 5.7", GC_DEVICE_MEMORY, .capacity = {GIB(31.748), 16928342016, "32 GB; here MT4G's of 16"},
   .latency = {430, 422, ADDRESS}},
  {"v100", "MT4G", GC_L1, 8, .capacity = {117760, 115712, MIDDLE}, .line = SAME(128), .fetch = SAME(32),
   .per_sm = SAME(1), .with = SAME(TX_NAME "," RO_NAME)},
  {"v100", "MT4G", GC_TEXTURE, 8, .capacity = SAME(115712), .line = SAME(128), .fetch = SAME(32),
   .per_sm = SAME(1), .with = SAME(L1_NAME "," RO_NAME)},
  {"v100", "MT4G", GC_READ_ONLY, 8, .capacity = {117760, 115712, MIDDLE}, .line = SAME(128), .fetch = SAME(32),
   .per_sm = SAME(1), .with = SAME(L1_NAME "," TX_NAME)},
  {"v100", "MT4G", GC_CONSTANT_L1, .capacity = {2112, 2048, FIRST_MISS}, .line = SAME(64), .fetch = SAME(64),
   .per_sm = SAME(1), .with = SAME("")},
  {"v100", "MT4G", GC_CONSTANT_L15, .fetch = SAME(256)},
  {"v100", "MT4G", GC_L2, .capacity = SAME(6291456), .line = SAME(128), .fetch = {32, 64, L1_FETCH}},

  /* Turing, with 64 KiB of shared memory */
  {"rtx2080ti", "Groessler 5.8", GC_L1, 64, .capacity = {KIB(26.137), KIB(26), FIRST_MISS}, .line = {32, 128, SECTOR},
   .fetch = SAME(32), .latency = {40, 32, ADDRESS}, .per_sm = SAME(1), .with = SAME(TX_NAME "," RO_NAME)},
  {"rtx2080ti", "Groessler 5.8", GC_TEXTURE, 64, .capacity = {KIB(25.012), KIB(26), ONE_STORAGE},
   .line = {32, 128, SECTOR}, .fetch = SAME(32), .latency = SAME(86), .per_sm = SAME(1),
   .with = SAME(L1_NAME "," RO_NAME)},
  {"rtx2080ti", "Groessler 5.8", GC_READ_ONLY, 64, .capacity = {KIB(26.137), KIB(26), FIRST_MISS},
   .line = {32, 128, SECTOR}, .fetch = SAME(32), .latency = {40, 32, ADDRESS}, .per_sm = SAME(1),
   .with = SAME(L1_NAME "," TX_NAME)},
  {"rtx2080ti", "Groessler 5.8", GC_CONSTANT_L1, .capacity = {KIB(2.078), KIB(2), FIRST_MISS}, .line = SAME(64),
   .fetch = SAME(64), .latency = {32, 24, ADDRESS}, .per_sm = SAME(1), .with = SAME("")},
  {"rtx2080ti", "Groessler 5.8", GC_CONSTANT_L15,
   .capacity = {KIB(42), KIB(46), "38 to 46 KiB from run to run: the largest one"}, .line = SAME(256),
   .fetch = SAME(256), .latency = {105, 97, ADDRESS}},
  {"rtx2080ti", "Groessler 5.8", GC_SHARED_MEMORY, .capacity = SAME(KIB(64)), .latency = {30, 22, ADDRESS}},
  {"rtx2080ti", "Groessler 5.8", GC_L2, .capacity = SAME(MIB(5.5)), .line = {64, 128, SECTOR}, .fetch = SAME(64),
   .latency = {230, 222, ADDRESS}},
  {"rtx2080ti", "Groessler 5.8", GC_DEVICE_MEMORY, .capacity = SAME(GIB(11)), .latency = {425, 417, ADDRESS}},

  /* Ampere: the thesis used 164 KiB of shared memory. MT4G used 16; its traces hit up to 169
   * (texture) and 170.5 KiB */
  {"a100", "Groessler 5.9", GC_L1, 164, .capacity = {KIB(22.254), KIB(22), FIRST_MISS}, .line = {32, 128, SECTOR},
   .fetch = SAME(32), .latency = {39, 31, ADDRESS}, .per_sm = SAME(1), .with = SAME(TX_NAME "," RO_NAME)},
  {"a100", "Groessler 5.9", GC_TEXTURE, 164, .capacity = {KIB(21.191), KIB(22), ONE_STORAGE}, .line = {32, 128, SECTOR},
   .fetch = SAME(32), .latency = SAME(89), .per_sm = SAME(1), .with = SAME(L1_NAME "," RO_NAME)},
  {"a100", "Groessler 5.9", GC_READ_ONLY, 164, .capacity = {KIB(22.254), KIB(22), FIRST_MISS},
   .line = {32, 128, SECTOR}, .fetch = SAME(32), .latency = {38, 30, ADDRESS}, .per_sm = SAME(1),
   .with = SAME(L1_NAME "," TX_NAME)},
  {"a100", "Groessler 5.9", GC_CONSTANT_L1, .capacity = {KIB(2.141), KIB(2), FIRST_MISS}, .line = SAME(64),
   .fetch = SAME(64), .latency = {34, 26, ADDRESS}, .per_sm = SAME(1), .with = SAME("")},
  {"a100", "Groessler 5.9", GC_CONSTANT_L15, .capacity = {KIB(62.5), KIB(128), "a lower bound: 128 assumed"},
   .line = SAME(256), .fetch = SAME(256), .latency = {114, 106, ADDRESS}},
  {"a100", "Groessler 5.9", GC_SHARED_MEMORY, .capacity = SAME(KIB(164)), .latency = {28, 20, ADDRESS}},
  {"a100", "Groessler 5.9", GC_L2, .capacity = {MIB(40), 19444480, API}, .line = {64, 128, SECTOR},
   .fetch = SAME(64), .latency = {223, 215, ADDRESS}},
  {"a100", "Groessler 5.9", GC_DEVICE_MEMORY, .capacity = {GIB(39.409), 42406903808, OTHER_BOARD},
   .latency = {567, 559, ADDRESS}},
  {"a100", "MT4G", GC_L1, 16, 170, .capacity = {176128, KIB(154), SINGLE}, .line = SAME(128), .fetch = SAME(32),
   .per_sm = SAME(1), .with = {TX_NAME, TX_NAME "," RO_NAME, "textures are shared with both in the same file"}},
  {"a100", "MT4G", GC_TEXTURE, 16, 170, .capacity = {176128, KIB(154), SINGLE}, .line = SAME(128),
   .fetch = SAME(32), .per_sm = SAME(1), .with = SAME(L1_NAME "," RO_NAME)},
  {"a100", "MT4G", GC_READ_ONLY, 16, 170, .capacity = {176128, KIB(154), SINGLE}, .line = SAME(128),
   .fetch = SAME(32), .per_sm = SAME(1),
   .with = {TX_NAME, L1_NAME "," TX_NAME, "textures are shared with both in the same file"}},
  {"a100", "MT4G", GC_CONSTANT_L1, .capacity = {2112, 2048, FIRST_MISS}, .line = SAME(64), .fetch = SAME(64),
   .per_sm = SAME(1), .with = SAME("")},
  {"a100", "MT4G", GC_CONSTANT_L15, .fetch = SAME(256)},
  {"a100", "gpu-benches", GC_L2, .latency = {206, 215, BOARD}, .far = {388, 397, BOARD}},
  {"a100", "MT4G", GC_L2,
   .capacity = {20971520, 19444480, "half of the nominal size, to which it rounds (IV-F1); half of its recorded loads "
                                    "miss at that size: they hit up to 19,442,432 (doc/results/replay.md)"},
   .line = SAME(128), .fetch = {32, 64, L1_FETCH}},

  /* Hopper: the traces of all three hit up to 233 KiB. Table III prints 238848 bytes as 238 KiB */
  {"h100", "MT4G", GC_L1, 16, 233, .capacity = {238848, KIB(217), SINGLE}, .line = SAME(128), .fetch = SAME(32),
   .latency = {38, 32, CLOCKS}, .per_sm = SAME(1), .with = SAME(TX_NAME "," RO_NAME)},
  {"h100", "MT4G", GC_TEXTURE, 16, 233, .capacity = {243456, KIB(217), SINGLE}, .line = SAME(128),
   .fetch = SAME(32), .latency = {39, 88, CLOCKS}, .per_sm = SAME(1), .with = SAME(L1_NAME "," RO_NAME)},
  {"h100", "MT4G", GC_READ_ONLY, 16, 233, .capacity = {238848, KIB(217), SINGLE}, .line = SAME(128),
   .fetch = SAME(32), .latency = {35, 32, CLOCKS}, .per_sm = SAME(1), .with = SAME(L1_NAME "," TX_NAME)},
  {"h100", "MT4G", GC_CONSTANT_L1, .capacity = {2112, 2048, FIRST_MISS}, .line = SAME(64), .fetch = SAME(64),
   .latency = {21, 28, CLOCKS}, .per_sm = SAME(1), .with = SAME("")},
  {"h100", "MT4G", GC_CONSTANT_L15, .capacity = {KIB(64), KIB(128), "a lower bound; a real one gave 128"},
   .fetch = SAME(256), .latency = {105, 107, CLOCKS}},
  {"h100", "MT4G", GC_SHARED_MEMORY, .capacity = SAME(KIB(228)), .latency = {30, 23, CLOCKS}},
  {"h100", "MT4G", GC_L2, .capacity = SAME(26214400), .line = SAME(128), .fetch = {32, 64, L1_FETCH},
   .latency = {220, 279, CLOCKS}},
  {"h100", "MT4G", GC_DEVICE_MEMORY, .latency = {843, 687, CLOCKS}},

  /* L1: 240,896 bytes in this run of the program, 258,304 in another one */
  {"h200", "MT4G", GC_L1, 16, 233, .capacity = {240896, KIB(217), SINGLE},
   .line = {224, 128, "128 in another run of the same program"}, .fetch = SAME(32), .latency = {38, 32, CLOCKS},
   .per_sm = SAME(1), .with = SAME(TX_NAME "," RO_NAME)},
  {"h200", "MT4G", GC_TEXTURE, 16, 233, .capacity = {246784, KIB(217), SINGLE}, .line = SAME(128),
   .fetch = SAME(32), .latency = {38.8, 88, CLOCKS}, .per_sm = SAME(1), .with = SAME(L1_NAME "," RO_NAME)},
  {"h200", "MT4G", GC_READ_ONLY, 16, 233, .capacity = {240896, KIB(217), SINGLE}, .line = SAME(128),
   .fetch = SAME(32), .latency = {34.9, 32, CLOCKS}, .per_sm = SAME(1), .with = SAME(L1_NAME "," TX_NAME)},
  {"h200", "MT4G", GC_CONSTANT_L1, .capacity = {2112, 2048, FIRST_MISS}, .line = SAME(64), .fetch = SAME(64),
   .latency = {20.7, 28, CLOCKS}, .per_sm = SAME(1), .with = SAME("")},
  {"h200", "MT4G", GC_CONSTANT_L15, .fetch = SAME(256), .latency = {110.9, 98, CLOCKS}},
  {"h200", "MT4G", GC_SHARED_MEMORY, .capacity = SAME(233472), .latency = {29.9, 23, CLOCKS}},
  {"h200", "MT4G", GC_L2, .capacity = {31457280, 29493120, "half of the nominal size, to which it rounds (IV-F1)"},
   .line = SAME(128), .fetch = {32, 64, L1_FETCH}, .latency = {216.6, 280, CLOCKS}},
  {"h200", "doc/results/h200", GC_L1, .capacity = SAME(KIB(217))},
  {"h200", "doc/results/h200", GC_TEXTURE, .capacity = SAME(KIB(217))},
  {"h200", "doc/results/h200", GC_READ_ONLY, .capacity = SAME(KIB(217))},
  {"h200", "doc/results/h200", GC_L2, .capacity = SAME(29491200)},
  {"h200", "doc/results/h200", GC_CONSTANT_L1, .capacity = SAME(KIB(2))},
  {"h200", "doc/results/h200", GC_CONSTANT_L15, .capacity = SAME(KIB(128))},
  {"h200", "MT4G", GC_DEVICE_MEMORY, .capacity = SAME(150109880320), .latency = {799, 671, CLOCKS}},

  {"gh200", "gpu-benches", GC_L1, .capacity = {KIB(221), KIB(217), FIRST_MISS}, .latency = SAME(32)},
  {"gh200", "gpu-benches", GC_L2, .latency = SAME(280)},
  {"gh200", "gpu-benches", GC_DEVICE_MEMORY, .latency = SAME(680)},

  /* Ada. The L1 of a single thread, as it is for as many blocks as can reside */
  {"l40", "gpu-benches", GC_L1, .capacity = {KIB(89.2), KIB(89), FIRST_MISS}, .latency = SAME(34)},
  {"l40", "NVIDIA", GC_L2, .capacity = SAME(MIB(96))},
  {"l40", "gpu-benches", GC_L2, .latency = {274, 279, ONE_SM}},
  {"l40", "gpu-benches", GC_DEVICE_MEMORY, .latency = SAME(624)},

  {"rtx4090", "NVIDIA", GC_L2, .capacity = SAME(MIB(72))},
  {"rtx4090", "AI_kernels", GC_L1, .latency = {39.9, 34, AS_L40}},
  {"rtx4090", "AI_kernels", GC_L2, .latency = SAME(296)},
  {"rtx4090", "AI_kernels", GC_DEVICE_MEMORY, .latency = SAME(634)},

  /* Blackwell. "driver": what users report that it states. See the profiles. */
  {"rtx5090", "driver", GC_SHARED_MEMORY, .capacity = SAME(102400)},
  {"rtx5090", "driver", GC_L2, .capacity = SAME(100663296)},
  {"rtx5090", "driver", GC_DEVICE_MEMORY, .capacity = SAME(33680457728)},
  {"rtx5090", "AI_kernels", GC_L1, .latency = {44.1, 36, CHAIN}},
  {"rtx5090", "AI_kernels", GC_L2, .latency = SAME(360)},
  {"rtx5090", "AI_kernels", GC_DEVICE_MEMORY, .latency = SAME(932)},
  {"b200", "driver", GC_SHARED_MEMORY, .capacity = SAME(KIB(228))},
  {"b200", "driver", GC_L2, .capacity = {132644864, 66318720, "of both dies; one SM uses its own"}},
  {"b200", "AI_kernels", GC_L1, .latency = {39.6, 32, CHAIN}},
  {"b200", "AI_kernels", GC_L2, .latency = SAME(294), .far = SAME(637)},
  {"b200", "AI_kernels", GC_DEVICE_MEMORY, .latency = SAME(853)},
  {"b300", "AI_kernels", GC_L1, .latency = {39.4, 32, CHAIN}},
  {"b300", "AI_kernels", GC_L2, .latency = SAME(294), .far = SAME(633)},
  {"b300", "AI_kernels", GC_DEVICE_MEMORY, .latency = SAME(843)},
  {"b300", "PTX ISA", GC_TENSOR_MEMORY, .capacity = SAME(KIB(256)), .per_sm = SAME(1)},
  {"b200", "PTX ISA", GC_TENSOR_MEMORY, .capacity = SAME(KIB(256)), .per_sm = SAME(1)},
  {"rtxpro6000", "NVIDIA", GC_L2, .capacity = SAME(MIB(128))},
  {"rtxpro6000", "AI_kernels", GC_L1, .latency = {44.1, 36, CHAIN}},
  {"rtxpro6000", "AI_kernels", GC_L2, .latency = SAME(352)},
  {"rtxpro6000", "AI_kernels", GC_DEVICE_MEMORY, .latency = SAME(860)},
  {"gb10", "chips and cheese", GC_L2, .capacity = SAME(MIB(24))},
  {"gb10", "hwloc 766", GC_DEVICE_MEMORY, .capacity = SAME(128453672960)},
};
#define PAPER_ROWS (sizeof(paper_rows) / sizeof(*paper_rows))

#endif
