/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The raw data of MT4G (tests/data/mt4g/README): one folder for each GPU, with ELEMENT-Size.txt and
 * ELEMENT-Line-Size.txt (trace.h) and results.json. make check unpacks them.
 */
#ifndef TESTS_REPLAY_CORPUS_H
#define TESTS_REPLAY_CORPUS_H

#include <stddef.h>
#include <stdint.h>

/* A size or line-size file, and the capacity or line size that MT4G concluded from it. */
struct corpus_file {
  char gpu[64], element[32]; /* "Quadro-P6000", "Constant-L1" */
  char path[512];
  uint64_t peer_bytes; /* 0: MT4G reports none */
  double peer_confidence;
};

struct corpus {
  size_t n, line_count;
  struct corpus_file *files, *lines; /* size files and line-size files, by GPU, then element */
};

/* Where the data are: $MT4G_TRACES, or $top_builddir/tests/unpacked/mt4g if it is not set. */
const char *corpus_folder(char *path, size_t size);

/* Finds every such file under folder. Returns 0, or a negative errno with a message in problem. */
int corpus_open(const char *folder, struct corpus *corpus, char *problem, size_t size);
void corpus_free(struct corpus *corpus);

#endif
