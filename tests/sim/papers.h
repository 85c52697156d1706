/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The papers' tables, as they were printed, and next to each number that measuring the simulated GPU must not give
 * again, what it must give instead and why. Of the T1000 no paper tells a number (MT4G's table II lists it, no
 * more): what is in its SM has to be what is in an RTX 2080 Ti's.
 */
#ifndef GC_TESTS_SIM_PAPERS_H
#define GC_TESTS_SIM_PAPERS_H

#include "open.h"

#define KIB(n) ((n) * 1024.0)
#define MIB(n) ((n) * 1048576.0)
#define GIB(n) ((n) * 1073741824.0)

/* paper: 0 where it tells nothing. why: there if and only if both differ by more than measuring may. */
struct cell {
  double paper, measured;
  const char *why;
};
struct words {
  const char *paper, *measured, *why;
};
#define AS_TOLD(n) {(n), (n), NULL}

struct paper_row {
  const char *gpu, *paper;
  enum gc_kind kind;
  unsigned shared_kib; /* where L1 is divided: the carve-out that the paper's value belongs to */
  unsigned lone_kib;   /* what that leaves a block alone on its SM, where the driver takes shared memory for each */
  struct cell capacity, line, fetch, latency, penalty, per_sm;
  struct words with; /* without shared memory, which they did not look at */
};

#define FIRST_MISS "the change point, one of the first sizes that missed"
#define ADDRESS "eight cycles of each step compute the address (section 4.4)"
#define SECTOR "a line is there how far misses are apart, which is what a miss fetches: the sector"
#define LONGER "how far misses are apart; where MT4G found lines of L2 apart from sectors they have 128 bytes"
#define ONE_STORAGE "one storage with L1, as the same table says, which can have one capacity only"
#define MIDDLE "the middle of the transition, or more: of each size 255 loads are looked at"
#define LONE "of a block alone, which leaves what lone_kib is; 32 of them take 16 KiB more for themselves"
#define L1_FETCH "that test measures L1 (its loads of L2 find lines of L1); Groessler, and an H200 and H100, have 64"
#define API "what the driver tells"
#define OTHER_BOARD "another board, or another driver, that tells a little more"
#define CLOCKS "clock reads are in its window, which waits for no load; real ones gave ours (doc/results)"
#define WINDOW "clock read and a store to shared memory are in its window (section 3.2), how long is not told"

#define L1_NAME "L1Cache"
#define RO_NAME "ReadOnlyCache"
#define TX_NAME "TextureCache"

/* Mei: Mei et al. 2014, tables 1, 3, 4, 5 and section 4. Nugteren: Nugteren et al. 2014, section 5.1. Groessler:
 * Größler 2022, tables 5.4 to 5.9; his line is what a miss fetches, and both are compared. MT4G: Vanecek et al. 2025,
 * table III (H100), and results.json of the others, which preferred L1 and of which latencies are left out where the
 * thesis has some: theirs contain clock reads and stores, and partly do not wait for the load. */
static const struct paper_row paper_rows[] = {
  /* Fermi. Of its L1 Mei tells policy and sets, Nugteren the hash: test_fermi.c */
  {"gtx560ti", "Mei", GC_L1, .capacity = AS_TOLD(KIB(16)), .line = AS_TOLD(128), .latency = {116, 94, WINDOW},
   .penalty = AS_TOLD(404 - 116)},
  {"gtx560ti", "Mei", GC_TEXTURE, .capacity = AS_TOLD(KIB(12)), .line = AS_TOLD(32), .latency = {240, 218, WINDOW},
   .penalty = AS_TOLD(470 - 240)},
  {"gtx560ti", "Mei", GC_SHARED_MEMORY, .capacity = AS_TOLD(KIB(48)), .latency = {50, 28, WINDOW}},
  {"gtx560ti", "Mei", GC_L2, .capacity = AS_TOLD(KIB(512)), .latency = {371, 349, WINDOW},
   .penalty = AS_TOLD(639 - 371)},
  {"gtx560ti", "Mei", GC_DEVICE_MEMORY, .capacity = AS_TOLD(GIB(1)), .latency = {639, 617, WINDOW}},
  {"gtx470", "Nugteren", GC_L1, .capacity = AS_TOLD(KIB(16)), .line = AS_TOLD(128)},
  {"gtx470", "Nugteren", GC_SHARED_MEMORY, .capacity = AS_TOLD(KIB(48))},

  /* Kepler */
  {"gtx780", "Mei", GC_TEXTURE, .capacity = AS_TOLD(KIB(12)), .line = AS_TOLD(32), .latency = {110, 96, WINDOW},
   .penalty = AS_TOLD(220 - 110)},
  {"gtx780", "Mei", GC_SHARED_MEMORY, .capacity = AS_TOLD(KIB(48))},
  {"gtx780", "Mei", GC_L2, .capacity = AS_TOLD(KIB(1536)), .latency = {230, 216, WINDOW},
   .penalty = AS_TOLD(371 - 230)},
  {"gtx780", "Mei", GC_DEVICE_MEMORY, .capacity = AS_TOLD(MIB(3071)), .latency = {371, 357, WINDOW}},

  {"k20c", "Groessler 5.4", GC_L1, .capacity = {KIB(16.137), KIB(16), FIRST_MISS}, .line = AS_TOLD(128),
   .fetch = AS_TOLD(128), .latency = {64, 56, ADDRESS}, .per_sm = AS_TOLD(1), .with = AS_TOLD("")},
  {"k20c", "Groessler 5.4", GC_TEXTURE, .capacity = {KIB(12.012), KIB(12), FIRST_MISS}, .line = AS_TOLD(32),
   .fetch = AS_TOLD(32), .latency = AS_TOLD(111), .per_sm = AS_TOLD(4), .with = AS_TOLD(RO_NAME)},
  {"k20c", "Groessler 5.4", GC_READ_ONLY, .capacity = {KIB(12.129), KIB(12), FIRST_MISS}, .line = AS_TOLD(32),
   .fetch = AS_TOLD(32), .latency = {130, 122, ADDRESS}, .per_sm = AS_TOLD(4), .with = AS_TOLD(TX_NAME)},
  {"k20c", "Groessler 5.4", GC_CONSTANT_L1, .capacity = {KIB(1.828), KIB(2), "approximately 2 KiB, says the text"},
   .line = AS_TOLD(64), .fetch = AS_TOLD(64), .latency = {50, 42, ADDRESS}, .per_sm = AS_TOLD(4), .with = AS_TOLD("")},
  {"k20c", "Groessler 5.4", GC_CONSTANT_L15, .capacity = {KIB(32.813), KIB(32), FIRST_MISS}, .line = AS_TOLD(256),
   .fetch = AS_TOLD(256), .latency = {120, 112, ADDRESS}},
  {"k20c", "Groessler 5.4", GC_SHARED_MEMORY, .capacity = AS_TOLD(KIB(48)), .latency = {47, 39, ADDRESS}},
  {"k20c", "Groessler 5.4", GC_L2, .capacity = AS_TOLD(MIB(1.25)), .line = {32, 128, LONGER}, .fetch = AS_TOLD(32),
   .latency = {223, 215, ADDRESS}},
  {"k20c", "Groessler 5.4", GC_DEVICE_MEMORY, .capacity = AS_TOLD(GIB(4.633)), .latency = {339, 331, ADDRESS}},

  /* Maxwell: no L1 for global loads */
  {"gtx840m", "Groessler 5.5", GC_TEXTURE, .capacity = {KIB(12.129), KIB(12), FIRST_MISS}, .line = AS_TOLD(32),
   .fetch = AS_TOLD(32), .latency = AS_TOLD(92), .per_sm = AS_TOLD(2), .with = AS_TOLD(RO_NAME)},
  {"gtx840m", "Groessler 5.5", GC_READ_ONLY, .capacity = {KIB(12.129), KIB(12), FIRST_MISS}, .line = AS_TOLD(32),
   .fetch = AS_TOLD(32), .latency = {92, 84, ADDRESS}, .per_sm = AS_TOLD(2), .with = AS_TOLD(TX_NAME)},
  {"gtx840m", "Groessler 5.5", GC_CONSTANT_L1, .capacity = {KIB(2.109), KIB(2), FIRST_MISS}, .line = AS_TOLD(64),
   .fetch = AS_TOLD(64), .latency = {33, 25, ADDRESS}, .per_sm = AS_TOLD(1), .with = AS_TOLD("")},
  {"gtx840m", "Groessler 5.5", GC_CONSTANT_L15, .capacity = {KIB(30.469), KIB(30), FIRST_MISS}, .line = AS_TOLD(256),
   .fetch = AS_TOLD(256), .latency = {86, 78, ADDRESS}},
  {"gtx840m", "Groessler 5.5", GC_SHARED_MEMORY, .capacity = AS_TOLD(KIB(64)), .latency = {31, 23, ADDRESS}},
  {"gtx840m", "Groessler 5.5", GC_L2, .capacity = AS_TOLD(MIB(1)), .line = {32, 128, LONGER}, .fetch = AS_TOLD(32),
   .latency = {173, 165, ADDRESS}},
  {"gtx840m", "Groessler 5.5", GC_DEVICE_MEMORY, .capacity = AS_TOLD(GIB(1.958)), .latency = {448, 440, ADDRESS}},

  /* Pascal */
  {"p6000", "Groessler 5.6", GC_L1, .capacity = {KIB(24.012), KIB(24), FIRST_MISS}, .line = {32, 128, SECTOR},
   .fetch = AS_TOLD(32), .latency = {92, 84, ADDRESS}, .per_sm = AS_TOLD(2), .with = AS_TOLD(TX_NAME "," RO_NAME)},
  {"p6000", "Groessler 5.6", GC_TEXTURE, .capacity = {KIB(24.012), KIB(24), FIRST_MISS}, .line = {32, 128, SECTOR},
   .fetch = AS_TOLD(32), .latency = AS_TOLD(85), .per_sm = AS_TOLD(2), .with = AS_TOLD(L1_NAME "," RO_NAME)},
  {"p6000", "Groessler 5.6", GC_READ_ONLY, .capacity = {KIB(24.012), KIB(24), FIRST_MISS}, .line = {32, 128, SECTOR},
   .fetch = AS_TOLD(32), .latency = {94, 86, ADDRESS}, .per_sm = AS_TOLD(2), .with = AS_TOLD(L1_NAME "," TX_NAME)},
  {"p6000", "Groessler 5.6", GC_CONSTANT_L1, .capacity = {KIB(2.141), KIB(2), FIRST_MISS}, .line = AS_TOLD(64),
   .fetch = AS_TOLD(64), .latency = {33, 25, ADDRESS}, .per_sm = AS_TOLD(1), .with = AS_TOLD("")},
  {"p6000", "Groessler 5.6", GC_CONSTANT_L15,
   .capacity = {KIB(31.25), KIB(32), "constants of its own are in it too (up to 1.5 KiB, section 5.3.4)"},
   .line = AS_TOLD(256), .fetch = AS_TOLD(256), .latency = {94, 86, ADDRESS}},
  {"p6000", "Groessler 5.6", GC_SHARED_MEMORY, .capacity = AS_TOLD(KIB(96)), .latency = {31, 23, ADDRESS}},
  {"p6000", "Groessler 5.6", GC_L2, .capacity = {MIB(3), 2947584, API}, .line = {32, 128, SECTOR}, .fetch = AS_TOLD(32),
   .latency = {243, 235, ADDRESS}},
  {"p6000", "Groessler 5.6", GC_DEVICE_MEMORY, .capacity = {GIB(23.877), 25623527424, OTHER_BOARD},
   .latency = {412, 404, ADDRESS}},
  {"p6000", "MT4G", GC_L1, .capacity = AS_TOLD(24576), .line = AS_TOLD(128), .fetch = AS_TOLD(32),
   .with = {"ConstantL1Cache," TX_NAME "," RO_NAME, TX_NAME "," RO_NAME,
            "the same storage as texture and read-only, which are not shared with constants in the same file"}},
  {"p6000", "MT4G", GC_TEXTURE, .capacity = AS_TOLD(24576), .line = AS_TOLD(128), .fetch = AS_TOLD(32),
   .per_sm = AS_TOLD(2), .with = AS_TOLD(L1_NAME "," RO_NAME)},
  {"p6000", "MT4G", GC_READ_ONLY, .capacity = AS_TOLD(24576), .line = AS_TOLD(128), .fetch = AS_TOLD(32),
   .per_sm = AS_TOLD(2), .with = AS_TOLD(L1_NAME "," TX_NAME)},
  {"p6000", "MT4G", GC_CONSTANT_L1, .capacity = {2112, 2048, FIRST_MISS}, .line = AS_TOLD(64), .fetch = AS_TOLD(64),
   .per_sm = AS_TOLD(1), .with = {L1_NAME, "", "as L1, above"}},
  {"p6000", "MT4G", GC_CONSTANT_L15, .capacity = {31488, 32768, "constants of its own are in it too"},
   .line = AS_TOLD(256), .fetch = AS_TOLD(256)},
  {"p6000", "MT4G", GC_L2,
   .capacity = {3145728, 2947584, "the nominal size, to which it rounds (IV-F1); its own trace hits up to 2,947,584"},
   .line = AS_TOLD(128), .fetch = AS_TOLD(32)},

  /* Volta. The thesis took 96 KiB of shared memory, MT4G 8 if its textures are to be believed */
  {"v100", "Groessler 5.7", GC_L1, 96,
   .capacity = {KIB(25.629), KIB(25), "6 to 8 KiB are lost, says the text: 7 here"}, .line = {32, 128, SECTOR},
   .fetch = AS_TOLD(32), .latency = {36, 28, ADDRESS}, .per_sm = AS_TOLD(1), .with = AS_TOLD(TX_NAME "," RO_NAME)},
  {"v100", "Groessler 5.7", GC_TEXTURE, 96, .capacity = {KIB(24.023), KIB(25), ONE_STORAGE}, .line = {32, 128, SECTOR},
   .fetch = AS_TOLD(32), .latency = AS_TOLD(80), .per_sm = AS_TOLD(1), .with = AS_TOLD(L1_NAME "," RO_NAME)},
  {"v100", "Groessler 5.7", GC_READ_ONLY, 96, .capacity = {KIB(25.629), KIB(25), "as L1"}, .line = {32, 128, SECTOR},
   .fetch = AS_TOLD(32), .latency = {36, 28, ADDRESS}, .per_sm = AS_TOLD(1), .with = AS_TOLD(L1_NAME "," TX_NAME)},
  {"v100", "Groessler 5.7", GC_CONSTANT_L1, .capacity = {KIB(2.078), KIB(2), FIRST_MISS}, .line = AS_TOLD(64),
   .fetch = AS_TOLD(64), .latency = {32, 24, ADDRESS}, .per_sm = AS_TOLD(1), .with = AS_TOLD("")},
  {"v100", "Groessler 5.7", GC_CONSTANT_L15, .capacity = {KIB(62.5), KIB(128), "more than that, it says: 128 assumed"},
   .line = AS_TOLD(256), .fetch = AS_TOLD(256), .latency = {105, 97, ADDRESS}},
  {"v100", "Groessler 5.7", GC_SHARED_MEMORY, .capacity = AS_TOLD(KIB(96)), .latency = {27, 19, ADDRESS}},
  {"v100", "Groessler 5.7", GC_L2, .capacity = AS_TOLD(MIB(6)), .line = {64, 128, SECTOR}, .fetch = AS_TOLD(64),
   .latency = {215, 207, ADDRESS}},
  {"v100", "Groessler 5.7", GC_DEVICE_MEMORY, .capacity = {GIB(31.748), 16928342016, "32 GB; here MT4G's of 16"},
   .latency = {430, 422, ADDRESS}},
  {"v100", "MT4G", GC_L1, 8, .capacity = {117760, 115712, MIDDLE}, .line = AS_TOLD(128), .fetch = AS_TOLD(32),
   .per_sm = AS_TOLD(1), .with = AS_TOLD(TX_NAME "," RO_NAME)},
  {"v100", "MT4G", GC_TEXTURE, 8, .capacity = AS_TOLD(115712), .line = AS_TOLD(128), .fetch = AS_TOLD(32),
   .per_sm = AS_TOLD(1), .with = AS_TOLD(L1_NAME "," RO_NAME)},
  {"v100", "MT4G", GC_READ_ONLY, 8, .capacity = {117760, 115712, MIDDLE}, .line = AS_TOLD(128), .fetch = AS_TOLD(32),
   .per_sm = AS_TOLD(1), .with = AS_TOLD(L1_NAME "," TX_NAME)},
  {"v100", "MT4G", GC_CONSTANT_L1, .capacity = {2112, 2048, FIRST_MISS}, .line = AS_TOLD(64), .fetch = AS_TOLD(64),
   .per_sm = AS_TOLD(1), .with = AS_TOLD("")},
  {"v100", "MT4G", GC_CONSTANT_L15, .fetch = AS_TOLD(256)},
  {"v100", "MT4G", GC_L2, .capacity = AS_TOLD(6291456), .line = AS_TOLD(128), .fetch = {32, 64, L1_FETCH}},

  /* Turing, with 64 KiB of shared memory */
  {"rtx2080ti", "Groessler 5.8", GC_L1, 64, .capacity = {KIB(26.137), KIB(26), FIRST_MISS}, .line = {32, 128, SECTOR},
   .fetch = AS_TOLD(32), .latency = {40, 32, ADDRESS}, .per_sm = AS_TOLD(1), .with = AS_TOLD(TX_NAME "," RO_NAME)},
  {"rtx2080ti", "Groessler 5.8", GC_TEXTURE, 64, .capacity = {KIB(25.012), KIB(26), ONE_STORAGE},
   .line = {32, 128, SECTOR}, .fetch = AS_TOLD(32), .latency = AS_TOLD(86), .per_sm = AS_TOLD(1),
   .with = AS_TOLD(L1_NAME "," RO_NAME)},
  {"rtx2080ti", "Groessler 5.8", GC_READ_ONLY, 64, .capacity = {KIB(26.137), KIB(26), FIRST_MISS},
   .line = {32, 128, SECTOR}, .fetch = AS_TOLD(32), .latency = {40, 32, ADDRESS}, .per_sm = AS_TOLD(1),
   .with = AS_TOLD(L1_NAME "," TX_NAME)},
  {"rtx2080ti", "Groessler 5.8", GC_CONSTANT_L1, .capacity = {KIB(2.078), KIB(2), FIRST_MISS}, .line = AS_TOLD(64),
   .fetch = AS_TOLD(64), .latency = {32, 24, ADDRESS}, .per_sm = AS_TOLD(1), .with = AS_TOLD("")},
  {"rtx2080ti", "Groessler 5.8", GC_CONSTANT_L15,
   .capacity = {KIB(42), KIB(46), "38 to 46 KiB from run to run: the largest that was told"}, .line = AS_TOLD(256),
   .fetch = AS_TOLD(256), .latency = {105, 97, ADDRESS}},
  {"rtx2080ti", "Groessler 5.8", GC_SHARED_MEMORY, .capacity = AS_TOLD(KIB(64)), .latency = {30, 22, ADDRESS}},
  {"rtx2080ti", "Groessler 5.8", GC_L2, .capacity = AS_TOLD(MIB(5.5)), .line = {64, 128, SECTOR}, .fetch = AS_TOLD(64),
   .latency = {230, 222, ADDRESS}},
  {"rtx2080ti", "Groessler 5.8", GC_DEVICE_MEMORY, .capacity = AS_TOLD(GIB(11)), .latency = {425, 417, ADDRESS}},

  /* Ampere: the thesis took 164 KiB of shared memory; MT4G 16, and its traces hit up to 169 (texture) and 170.5 KiB */
  {"a100", "Groessler 5.9", GC_L1, 164, .capacity = {KIB(22.254), KIB(22), FIRST_MISS}, .line = {32, 128, SECTOR},
   .fetch = AS_TOLD(32), .latency = {39, 31, ADDRESS}, .per_sm = AS_TOLD(1), .with = AS_TOLD(TX_NAME "," RO_NAME)},
  {"a100", "Groessler 5.9", GC_TEXTURE, 164, .capacity = {KIB(21.191), KIB(22), ONE_STORAGE}, .line = {32, 128, SECTOR},
   .fetch = AS_TOLD(32), .latency = AS_TOLD(89), .per_sm = AS_TOLD(1), .with = AS_TOLD(L1_NAME "," RO_NAME)},
  {"a100", "Groessler 5.9", GC_READ_ONLY, 164, .capacity = {KIB(22.254), KIB(22), FIRST_MISS},
   .line = {32, 128, SECTOR}, .fetch = AS_TOLD(32), .latency = {38, 30, ADDRESS}, .per_sm = AS_TOLD(1),
   .with = AS_TOLD(L1_NAME "," TX_NAME)},
  {"a100", "Groessler 5.9", GC_CONSTANT_L1, .capacity = {KIB(2.141), KIB(2), FIRST_MISS}, .line = AS_TOLD(64),
   .fetch = AS_TOLD(64), .latency = {34, 26, ADDRESS}, .per_sm = AS_TOLD(1), .with = AS_TOLD("")},
  {"a100", "Groessler 5.9", GC_CONSTANT_L15, .capacity = {KIB(62.5), KIB(128), "more than that, it says: 128 assumed"},
   .line = AS_TOLD(256), .fetch = AS_TOLD(256), .latency = {114, 106, ADDRESS}},
  {"a100", "Groessler 5.9", GC_SHARED_MEMORY, .capacity = AS_TOLD(KIB(164)), .latency = {28, 20, ADDRESS}},
  {"a100", "Groessler 5.9", GC_L2, .capacity = {MIB(40), 19444480, API}, .line = {64, 128, SECTOR},
   .fetch = AS_TOLD(64), .latency = {223, 215, ADDRESS}},
  {"a100", "Groessler 5.9", GC_DEVICE_MEMORY, .capacity = {GIB(39.409), 42406903808, OTHER_BOARD},
   .latency = {567, 559, ADDRESS}},
  {"a100", "MT4G", GC_L1, 16, 170, .capacity = {176128, KIB(154), LONE}, .line = AS_TOLD(128), .fetch = AS_TOLD(32),
   .per_sm = AS_TOLD(1), .with = {TX_NAME, TX_NAME "," RO_NAME, "textures are shared with both in the same file"}},
  {"a100", "MT4G", GC_TEXTURE, 16, 170, .capacity = {176128, KIB(154), LONE}, .line = AS_TOLD(128),
   .fetch = AS_TOLD(32), .per_sm = AS_TOLD(1), .with = AS_TOLD(L1_NAME "," RO_NAME)},
  {"a100", "MT4G", GC_READ_ONLY, 16, 170, .capacity = {176128, KIB(154), LONE}, .line = AS_TOLD(128),
   .fetch = AS_TOLD(32), .per_sm = AS_TOLD(1),
   .with = {TX_NAME, L1_NAME "," TX_NAME, "textures are shared with both in the same file"}},
  {"a100", "MT4G", GC_CONSTANT_L1, .capacity = {2112, 2048, FIRST_MISS}, .line = AS_TOLD(64), .fetch = AS_TOLD(64),
   .per_sm = AS_TOLD(1), .with = AS_TOLD("")},
  {"a100", "MT4G", GC_CONSTANT_L15, .fetch = AS_TOLD(256)},
  {"a100", "MT4G", GC_L2,
   .capacity = {20971520, 19444480, "half of the nominal size, to which it rounds (IV-F1), and where half of the loads "
                                    "that it recorded miss: they hit up to 19,442,432 (doc/results/replay.md)"},
   .line = AS_TOLD(128), .fetch = {32, 64, L1_FETCH}},

  /* Hopper: the traces of all three hit up to 233 KiB. Table III prints 238848 bytes as 238 KiB */
  {"h100", "MT4G", GC_L1, 16, 233, .capacity = {238848, KIB(217), LONE}, .line = AS_TOLD(128), .fetch = AS_TOLD(32),
   .latency = {38, 32, CLOCKS}, .per_sm = AS_TOLD(1), .with = AS_TOLD(TX_NAME "," RO_NAME)},
  {"h100", "MT4G", GC_TEXTURE, 16, 233, .capacity = {243456, KIB(217), LONE}, .line = AS_TOLD(128),
   .fetch = AS_TOLD(32), .latency = {39, 88, CLOCKS}, .per_sm = AS_TOLD(1), .with = AS_TOLD(L1_NAME "," RO_NAME)},
  {"h100", "MT4G", GC_READ_ONLY, 16, 233, .capacity = {238848, KIB(217), LONE}, .line = AS_TOLD(128),
   .fetch = AS_TOLD(32), .latency = {35, 32, CLOCKS}, .per_sm = AS_TOLD(1), .with = AS_TOLD(L1_NAME "," TX_NAME)},
  {"h100", "MT4G", GC_CONSTANT_L1, .capacity = {2112, 2048, FIRST_MISS}, .line = AS_TOLD(64), .fetch = AS_TOLD(64),
   .latency = {21, 28, CLOCKS}, .per_sm = AS_TOLD(1), .with = AS_TOLD("")},
  {"h100", "MT4G", GC_CONSTANT_L15, .capacity = {KIB(64), KIB(128), "more than that, it says; a real one gave 128"},
   .fetch = AS_TOLD(256), .latency = {105, 107, CLOCKS}},
  {"h100", "MT4G", GC_SHARED_MEMORY, .capacity = AS_TOLD(KIB(228)), .latency = {30, 23, CLOCKS}},
  {"h100", "MT4G", GC_L2, .capacity = AS_TOLD(26214400), .line = AS_TOLD(128), .fetch = {32, 64, L1_FETCH},
   .latency = {220, 279, CLOCKS}},
  {"h100", "MT4G", GC_DEVICE_MEMORY, .latency = {843, 687, CLOCKS}},

  /* L1: 240,896 bytes here, 258,304 by the same program another time */
  {"h200", "MT4G", GC_L1, 16, 233, .capacity = {240896, KIB(217), LONE},
   .line = {224, 128, "128 by the same program another time"}, .fetch = AS_TOLD(32), .latency = {38, 32, CLOCKS},
   .per_sm = AS_TOLD(1), .with = AS_TOLD(TX_NAME "," RO_NAME)},
  {"h200", "MT4G", GC_TEXTURE, 16, 233, .capacity = {246784, KIB(217), LONE}, .line = AS_TOLD(128),
   .fetch = AS_TOLD(32), .latency = {38.8, 88, CLOCKS}, .per_sm = AS_TOLD(1), .with = AS_TOLD(L1_NAME "," RO_NAME)},
  {"h200", "MT4G", GC_READ_ONLY, 16, 233, .capacity = {240896, KIB(217), LONE}, .line = AS_TOLD(128),
   .fetch = AS_TOLD(32), .latency = {34.9, 32, CLOCKS}, .per_sm = AS_TOLD(1), .with = AS_TOLD(L1_NAME "," TX_NAME)},
  {"h200", "MT4G", GC_CONSTANT_L1, .capacity = {2112, 2048, FIRST_MISS}, .line = AS_TOLD(64), .fetch = AS_TOLD(64),
   .latency = {20.7, 28, CLOCKS}, .per_sm = AS_TOLD(1), .with = AS_TOLD("")},
  {"h200", "MT4G", GC_CONSTANT_L15, .fetch = AS_TOLD(256), .latency = {110.9, 98, CLOCKS}},
  {"h200", "MT4G", GC_SHARED_MEMORY, .capacity = AS_TOLD(233472), .latency = {29.9, 23, CLOCKS}},
  {"h200", "MT4G", GC_L2, .capacity = {31457280, 29493120, "half of the nominal size, to which it rounds (IV-F1)"},
   .line = AS_TOLD(128), .fetch = {32, 64, L1_FETCH}, .latency = {216.6, 280, CLOCKS}},
  {"h200", "doc/results/h200", GC_L1, .capacity = AS_TOLD(KIB(217))},
  {"h200", "doc/results/h200", GC_TEXTURE, .capacity = AS_TOLD(KIB(217))},
  {"h200", "doc/results/h200", GC_READ_ONLY, .capacity = AS_TOLD(KIB(217))},
  {"h200", "doc/results/h200", GC_L2, .capacity = AS_TOLD(29491200)},
  {"h200", "doc/results/h200", GC_CONSTANT_L1, .capacity = AS_TOLD(KIB(2))},
  {"h200", "doc/results/h200", GC_CONSTANT_L15, .capacity = AS_TOLD(KIB(128))},
  {"h200", "MT4G", GC_DEVICE_MEMORY, .capacity = AS_TOLD(150109880320), .latency = {799, 671, CLOCKS}},
};
#define PAPER_ROWS (sizeof(paper_rows) / sizeof(*paper_rows))

#endif
