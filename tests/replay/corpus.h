/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MT4G's raw data at hand: a folder for each GPU, with its KIND-Size.txt (trace.h) and
 * results.json. The data are not part of this project; tests that need them skip where they are
 * not.
 */
#ifndef TESTS_REPLAY_CORPUS_H
#define TESTS_REPLAY_CORPUS_H

#include <stddef.h>
#include <stdint.h>

/* A size or line-size file, and what MT4G concluded from it: a capacity or a line. */
struct corpus_file {
  char gpu[64], element[32]; /* "Quadro-P6000", "Constant-L1" */
  char path[512];
  uint64_t peer_bytes; /* 0: MT4G tells none */
  double peer_confidence;
};

struct corpus {
  size_t n, line_count;
  struct corpus_file *files, *lines; /* size files and line-size files, by GPU, then element */
};

/* Where the data are: $MT4G_TRACES, else $top_srcdir/../shared/mt4g. NULL: nowhere. */
const char *corpus_folder(char *path, size_t size);

/* Every such file under folder. 0; or a negative errno with a sentence in problem. */
int corpus_open(const char *folder, struct corpus *corpus, char *problem, size_t size);
void corpus_free(struct corpus *corpus);

#endif
