/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_TRACE_DRIVER_H
#define TESTS_TRACE_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gpu_trace;

#define FAKE_START UINT64_C(0x7f0000100000) /* pc of each kernel */

typedef void fake_kernel(struct gpu_trace *trace, unsigned blocks, unsigned threads);

unsigned cuInit(unsigned flags);
/* How a kernel is launched. cluster {0}: without. */
struct fake_launch {
  unsigned grid[3], block[3], cluster[3];
  void *stream;
  bool cooperative;
};

void fake_launch_as(const char *name, const struct fake_launch *as, fake_kernel *run);
void fake_launch(const char *name, unsigned blocks, unsigned threads, fake_kernel *run);
void fake_record(struct gpu_trace *trace, unsigned sm, const uint64_t *words, size_t count);
/* A graph of kernels of 64 threads is launched, or only uploaded. The first call instantiates it;
 * all calls must be for the same graph. */
void fake_graph(const char *const *names, const unsigned *blocks, fake_kernel *const *runs,
                size_t count, bool upload);
void fake_patch(void);        /* as the tracer must not do it */
void fake_change_graph(void); /* the instantiated one, if there is one */
void fake_capture(bool begin); /* of the stream */
void fake_destroy_stream(bool succeeds);
/* Widths and pitches are bytes. */
void fake_memset(uint64_t address, uint64_t width, uint64_t height, uint64_t pitch);
void fake_copy(uint64_t to, uint64_t from, uint64_t bytes,
               unsigned direction); /* as the API has it */
void fake_copy_rows(uint64_t to, uint64_t to_pitch, uint64_t from, uint64_t from_pitch,
                    uint64_t width, uint64_t height, uint64_t depth);
void fake_destroy(void); /* the context */
void fake_reset(void);   /* destroys the context and makes one with the same handle */

#endif
