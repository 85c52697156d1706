/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What is launched: each kernel with its sizes and data. Grids grow with the number of SMs. The
 * sizes are chosen for SMs of 2048 threads with 217 KiB of L1, and for an L2 of 50 or 60 MB.
 */
#ifndef GC_PREDICT_GPU_CASES_CUH
#define GC_PREDICT_GPU_CASES_CUH

#include <cuda_runtime.h>

#include <functional>
#include <string>
#include <vector>

#include "access.cuh"

/* Ends the program with a sentence if a call of CUDA failed. */
void check(cudaError_t status, const char *what);

/* Memory of all cases, allocated once and never freed, so that the distances between arrays are the
 * same in each process. Each array begins at a multiple of 2 MiB. */
class Pool
{
public:
  explicit Pool(size_t bytes);
  template <class T> T *take(size_t count)
  {
    return (T *)take_bytes(count * sizeof(T));
  }
  template <class T> T *take(const std::vector<T> &values)
  {
    T *array = take<T>(values.size());

    check(cudaMemcpy(array, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice),
          "cudaMemcpy");
    return array;
  }
  const void *base() const
  {
    return base_;
  }

private:
  void *take_bytes(size_t bytes);
  char *base_;
  size_t size_, used_;
};

struct Case {
  std::string name;
  dim3 grid, block;
  uint32_t room; /* most instructions of a warp */
  std::function<void(Plain)> plain;
  std::function<void(Traced)> traced;
  const void *function; /* of the plain kernel */

  uint32_t blocks() const
  {
    return grid.x * grid.y * grid.z;
  }
  uint32_t threads() const
  {
    return block.x * block.y * block.z;
  }
};

std::vector<Case> make_cases(Pool &pool);

#endif
