/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Bulk copies from L2, by another program, which checks the copied data: prints the median time of a
 * copy of 16 bytes on all SMs, in cycles, with the two clock reads; and the bytes per cycle by which
 * copies of 64 KiB take longer than copies of 16 KiB while one SM copies.
 */
#include <algorithm>
#include <cstdint>
#include <cstdio>

#define COPIES 64
#define SPAN (1u << 20)
#define BARRIER 128 /* bytes in front of the data */

extern __shared__ __align__(128) char shared[];

/* Checks of the data between two copies would make the times longer. */
template <bool check>
__global__ void copy(const uint32_t *from, uint32_t bytes, uint32_t *cycles, uint32_t *wrong)
{
  const uint32_t barrier = (uint32_t)__cvta_generic_to_shared(shared);
  const volatile uint32_t *data = (const volatile uint32_t *)(shared + BARRIER);
  const bool leader = threadIdx.x == 0;

  cycles += blockIdx.x * COPIES;
  if (leader)
    asm volatile("mbarrier.init.shared.b64 [%0], 1;\n\tfence.proxy.async;" ::"r"(barrier)
                 : "memory");
  __syncwarp();
  for (uint32_t i = 0; i < 2 * COPIES; i++) { /* the first half brings the data to L2 */
    const uint32_t apart = bytes < 128 ? 128 : bytes;
    const uint32_t word = (blockIdx.x * COPIES + i % COPIES) * apart % SPAN / 4;
    uint64_t start, end;

    if (leader)
      asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
                   : "memory");
    __syncwarp();
    /* compilers put more between the clock reads if they are statements of their own */
    asm volatile("{.reg .pred p;\n\telect.sync _|p, 0xffffffff;\n\tmov.u64 %0, %%clock64;\n\t"
                 "@p cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%2], [%3], "
                 "%4, [%5];\n\t"
                 "AGAIN: mbarrier.try_wait.parity.shared.b64 p, [%5], %6;\n\t"
                 "@!p bra AGAIN;\n\tmov.u64 %1, %%clock64;}"
                 : "=&l"(start), "=&l"(end)
                 : "r"(barrier + BARRIER), "l"(from + word), "r"(bytes), "r"(barrier), "r"(i % 2)
                 : "memory");
    cycles[i % COPIES] = (uint32_t)(end - start);
    if (check && leader && (data[0] != word || data[bytes / 4 - 1] != word + bytes / 4 - 1))
      atomicAdd(wrong, 1);
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncwarp();
  }
}

__global__ void fill(uint32_t *words)
{
  words[blockIdx.x * 1024 + threadIdx.x] = blockIdx.x * 1024 + threadIdx.x;
}

int main()
{
  const uint32_t sizes[] = {16, 16 << 10, 64 << 10};
  uint32_t *words, *cycles, *wrong, medians[3];
  int sms = 0;

  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
  cudaMalloc(&words, 2 * SPAN);
  cudaMallocManaged(&cycles, sms * COPIES * sizeof(*cycles));
  cudaMallocManaged(&wrong, sizeof(*wrong));
  *wrong = 0;
  fill<<<2 * SPAN / 4096, 1024>>>(words);
  cudaFuncSetAttribute(copy<true>, cudaFuncAttributeMaxDynamicSharedMemorySize, 66 << 10);
  cudaFuncSetAttribute(copy<false>, cudaFuncAttributeMaxDynamicSharedMemorySize, 66 << 10);
  for (int warm = 0; warm < 2; warm++)
    for (int s = 0; s < 3; s++) {
      const int blocks = s ? 1 : sms;

      copy<true><<<blocks, 32, 66 << 10>>>(words, sizes[s], cycles, wrong);
      copy<false><<<blocks, 32, 66 << 10>>>(words, sizes[s], cycles, wrong);
      if (cudaDeviceSynchronize() != cudaSuccess || *wrong)
        return fprintf(stderr, "%s, %u wrong copies\n", cudaGetErrorString(cudaGetLastError()), *wrong),
               1;
      std::sort(cycles, cycles + blocks * COPIES);
      medians[s] = cycles[blocks * COPIES / 2];
    }
  printf("%u %.1f\n", medians[0], double(sizes[2] - sizes[1]) / (medians[2] - medians[1]));
}
