/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A libcuda.so.1 with one GPU, which GPGPU-Sim simulates: the functions of the CUDA driver API that
 * hwloc-gpucache uses, over GPGPU-Sim's parser and its model of time. So the unmodified command
 * measures a GPU that someone else has modelled. check.sh builds it; none of GPGPU-Sim's code is
 * part of this project.
 *
 * A launch is simulated at once, so launches never run at the same time. Module, stream and context
 * are therefore only names. A second module (the copies of the kernels that constant banks need)
 * and texture objects are refused; what needs them is then absent, with the reason.
 *
 * The working directory must contain gpgpusim.config. GPGPUSIM_KERNELS is the directory of
 * cuda.image and cuda.ptx: the command contains a compressed fat binary, and this library uses the
 * PTX that the fat binary was made from.
 */
/* GPGPU-Sim's headers include the toolkit's definition of this type. */
#define CUuuid unused_uuid
#include "device/cuda_symbols.h"
#undef CUuuid

#include "host-clock.h"
#include "rewrite.h"

#include "gpgpu_context.h"
#include "gpgpu-sim/gpu-sim.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

struct CUfunc_st {
  std::string name;
  function_info *entry;
  int carveout; /* percent of shared memory, or -1 */
};

struct CUmod_st {
  symbol_table *symbols;
  std::map<std::string, CUfunc_st> functions;
};

/* One prototype for each function of the table, so that a wrong definition does not compile. */
extern "C" {
#define PROTOTYPE(name, parameters) CUresult name parameters;
CUDA_SYMBOLS(PROTOTYPE)
#undef PROTOTYPE
}

namespace
{

/* The heap of GPGPU-Sim starts at 3 GiB. A GPU with little memory: to evict what L2 holds, the
 * command reads half of its arena, which is a 20th of the memory. It needs at least 4 MiB. */
const unsigned long long LARGE = 2ull << 20, SMALL = 256;
const size_t TOTAL_BYTES = 128ull << 20;
const unsigned long long HEAP_END = GLOBAL_HEAP_START + TOTAL_BYTES;
const char BUS_ID[] = "0000:17:00.0", UUID[] = "GPGPU-Sim-GPU-00";

struct simulated_gpu {
  gpgpu_context *context = nullptr;
  gpgpu_sim *gpu = nullptr;
  CUctx_st *launches = nullptr; /* only initializes the parameters of a launch */
  CUmod_st *module = nullptr;
  std::map<unsigned long long, size_t> allocations;
} sim;

/* GPGPU-Sim prints to stdout, which belongs to the command. In the GNU C library, stdout is a
 * variable. */
class quiet
{
public:
  quiet() : kept(stdout)
  {
    stdout = log();
  }
  ~quiet()
  {
    fflush(stdout);
    stdout = kept;
  }

private:
  static FILE *log()
  {
    static FILE *file = fopen("gpgpusim.log", "w");
    return file ? file : stderr;
  }
  FILE *kept;
};

std::string read_file(const std::string &path)
{
  std::ifstream file(path, std::ios::binary);

  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/* The PTX of a fat binary: empty if this is not the one in GPGPUSIM_KERNELS. */
std::string find_ptx(const void *image)
{
  const char *kernels = getenv("GPGPUSIM_KERNELS");
  const std::string directory = kernels ? kernels : "";
  const std::string known = read_file(directory + "/cuda.image");

  if (known.empty() || memcmp(image, known.data(), known.size()) != 0)
    return "";
  return read_file(directory + "/cuda.ptx");
}

void start()
{
  quiet q;

  sim.context = GPGPU_Context();
  sim.gpu = sim.context->gpgpu_ptx_sim_init_perf();
  sim.gpu->set_prop(new cudaDeviceProp());
  sim.launches = new CUctx_st(new _cuda_device_id(sim.gpu));
  gpgpusim_nanoseconds = 1;
}

unsigned shared_bytes_of_sm()
{
  return (unsigned)sim.gpu->shared_mem_size();
}

/* The configuration has no carve-out: GPGPU-Sim gives a kernel as little shared memory as its
 * blocks need, and the rest to L1. So a kernel with a carve-out says that its blocks need that
 * much. */
unsigned shared_bytes_of_block(const CUfunc_st *function, unsigned blocks, unsigned bytes)
{
  const unsigned sms = sim.gpu->get_config().num_shader();
  const unsigned blocks_per_sm = (blocks + sms - 1) / sms;

  if (function->carveout <= 0 || blocks_per_sm == 0)
    return bytes;
  return std::max(bytes, shared_bytes_of_sm() / 100 * function->carveout / blocks_per_sm);
}

void simulate(kernel_info_t *grid)
{
  sim.gpu->init();
  sim.gpu->set_cache_config(grid->name());
  sim.gpu->launch(grid);
  while (sim.gpu->active()) {
    sim.gpu->cycle();
    sim.gpu->deadlock_check();
  }
  printf("%s: %llu cycles\n", grid->name().c_str(), sim.gpu->gpu_sim_cycle);
  gpgpusim_nanoseconds += sim.gpu->gpu_sim_cycle * 1000000 / sim.gpu->shader_clock();
  while (sim.gpu->finished_kernel())
    ;
  sim.gpu->update_stats();
}

struct attribute {
  unsigned number;
  int value;
};

CUresult find_attribute(int *value, unsigned number)
{
  const shader_core_config *core = sim.gpu->getShaderCoreConfig();
  const memory_config *memory = sim.gpu->getMemoryConfig();
  const int l2 = (int)(memory->m_L2_config.get_total_size_inKB() * 1024 * memory->m_n_mem *
                       memory->m_n_sub_partition_per_memory_channel);
  const int shared = (int)shared_bytes_of_sm();
  const int threads = std::min((int)sim.gpu->threads_per_core(), 1024);
  const attribute known[] = {
      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, threads},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, std::min(shared, 48 * 1024)},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, shared},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, shared},
      {CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, 65536},
      {CU_DEVICE_ATTRIBUTE_WARP_SIZE, sim.gpu->wrp_size()},
      {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, sim.gpu->num_registers_per_block()},
      {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, sim.gpu->num_registers_per_core()},
      {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, sim.gpu->shader_clock()},
      {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, (int)sim.gpu->get_config().num_shader()},
      {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, l2},
      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, (int)sim.gpu->threads_per_core()},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, (int)core->max_cta_per_core},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, sim.gpu->compute_capability_major()},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, sim.gpu->compute_capability_minor()},
      {CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED, 1},
  };

  for (const attribute &a : known)
    if (a.number == number) {
      *value = a.value;
      return CUDA_SUCCESS;
    }
  return CUDA_ERROR_NOT_SUPPORTED;
}

} // namespace

CUresult cuGetErrorName(CUresult error, const char **name)
{
#define NAME(constant, number) {number, #constant},
  static const struct {
    unsigned number;
    const char *name;
  } names[] = {CUDA_CONSTANTS(NAME)};
#undef NAME

  /* The errors come first in the table. */
  for (const auto &n : names)
    if (n.number == error && !strncmp(n.name, "CUDA_", 5)) {
      *name = n.name;
      return CUDA_SUCCESS;
    }
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuInit(unsigned int)
{
  if (!sim.gpu)
    start();
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *count)
{
  *count = 1;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
  *device = ordinal;
  return ordinal ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *name, int size, CUdevice)
{
  snprintf(name, (size_t)size, "GPGPU-Sim");
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice)
{
  memcpy(uuid->bytes, UUID, sizeof(uuid->bytes));
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetPCIBusId(char *id, int size, CUdevice)
{
  snprintf(id, (size_t)size, "%s", BUS_ID);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice)
{
  return find_attribute(value, attribute);
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice)
{
  *bytes = TOTAL_BYTES;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice, unsigned int)
{
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice)
{
  *context = sim.launches;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice)
{
  return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext)
{
  return CUDA_SUCCESS;
}

CUresult cuCtxGetLimit(size_t *, CUlimit)
{
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuCtxSynchronize(void)
{
  return CUDA_SUCCESS;
}

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
  const gpu_facts facts = {(unsigned)sim.gpu->shader_clock(), SHARED_GENERIC_START,
                           SHARED_MEM_SIZE_MAX};
  const std::string ptx = find_ptx(image);
  quiet q;

  if (sim.module || ptx.empty())
    return CUDA_ERROR_NOT_SUPPORTED;
  sim.module = new CUmod_st();
  sim.module->symbols =
      sim.context->gpgpu_ptx_sim_load_ptx_from_string(rewrite_ptx(ptx, facts).c_str(), 1);
  *module = sim.module;
  return CUDA_SUCCESS;
}

CUresult cuModuleUnload(CUmodule)
{
  return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
  symbol *found = module->symbols->lookup(name);

  if (!found || !found->get_pc())
    return CUDA_ERROR_INVALID_VALUE;
  *function = &module->functions.insert({name, {name, found->get_pc(), -1}}).first->second;
  sim.launches->register_hostFun_function((const char *)*function, (*function)->entry);
  return CUDA_SUCCESS;
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *bytes, CUmodule module,
                              const char *name)
{
  symbol *found = module->symbols->lookup(name);

  if (!found)
    return CUDA_ERROR_INVALID_VALUE;
  *address = found->get_address();
  *bytes = found->get_size_in_bytes();
  return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream *stream, unsigned int)
{
  *stream = nullptr;
  return CUDA_SUCCESS;
}

CUresult cuStreamDestroy_v2(CUstream)
{
  return CUDA_SUCCESS;
}

CUresult cuMemGetInfo_v2(size_t *free_bytes, size_t *total_bytes)
{
  *free_bytes = *total_bytes = TOTAL_BYTES;
  for (const auto &a : sim.allocations)
    *free_bytes -= a.second;
  return CUDA_SUCCESS;
}

/* The first gap that is large enough. Like the driver, large allocations start at 2 MiB. */
CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes)
{
  const unsigned long long align = bytes >= LARGE ? LARGE : SMALL;
  unsigned long long at = GLOBAL_HEAP_START;

  for (const auto &a : sim.allocations) {
    if (at + bytes <= a.first)
      break;
    at = (a.first + a.second + align - 1) / align * align;
  }
  if (!bytes || at + bytes > HEAP_END)
    return CUDA_ERROR_OUT_OF_MEMORY;
  sim.allocations[at] = bytes;
  *address = at;
  return CUDA_SUCCESS;
}

CUresult cuMemFree_v2(CUdeviceptr address)
{
  return sim.allocations.erase(address) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *bytes, CUdeviceptr address)
{
  const auto found = sim.allocations.find(address);

  if (found == sim.allocations.end())
    return CUDA_ERROR_INVALID_VALUE;
  *base = found->first;
  *bytes = found->second;
  return CUDA_SUCCESS;
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes)
{
  quiet q;

  sim.gpu->memcpy_to_gpu(to, from, bytes);
  return CUDA_SUCCESS;
}

CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes)
{
  quiet q;

  sim.gpu->memcpy_from_gpu(to, from, bytes);
  return CUDA_SUCCESS;
}

CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t bytes)
{
  quiet q;

  sim.gpu->gpu_memset(to, value, bytes);
  return CUDA_SUCCESS;
}

CUresult cuTexObjectCreate(CUtexObject *, const CUDA_RESOURCE_DESC *, const CUDA_TEXTURE_DESC *,
                           const CUDA_RESOURCE_VIEW_DESC *)
{
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuTexObjectDestroy(CUtexObject)
{
  return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value)
{
  if (attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) {
    if (!sim.gpu->getShaderCoreConfig()->adaptive_cache_config)
      return CUDA_ERROR_NOT_SUPPORTED;
    function->carveout = value;
  }
  return CUDA_SUCCESS;
}

CUresult cuFuncSetCacheConfig(CUfunction, CUfunc_cache)
{
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int, unsigned int,
                        unsigned int block_x, unsigned int, unsigned int, unsigned int shared_bytes,
                        CUstream, void **parameters, void **)
{
  function_info *entry = function->entry;
  gpgpu_ptx_sim_arg_list_t args;
  gpgpu_ptx_sim_info needs = {};
  quiet q;

  /* GPGPU-Sim would abort */
  if (!grid_x || !block_x || block_x > sim.gpu->threads_per_core() ||
      shared_bytes > shared_bytes_of_sm())
    return CUDA_ERROR_INVALID_VALUE;
  needs.smem = (int)shared_bytes_of_block(function, grid_x, shared_bytes);
  entry->set_kernel_info(needs);
  for (unsigned i = 0; i < entry->num_args(); i++) {
    const std::pair<size_t, unsigned> p = entry->get_param_config(i);

    args.push_front(gpgpu_ptx_sim_arg(parameters[i], p.first, p.second));
  }
  kernel_info_t *grid = sim.context->api->gpgpu_cuda_ptx_sim_init_grid(
      (const char *)function, args, dim3(grid_x, 1, 1), dim3(block_x, 1, 1), sim.launches);
  if (!entry->is_pdom_set()) {
    entry->do_pdom();
    entry->set_pdom();
  }
  simulate(grid);
  delete grid;
  return CUDA_SUCCESS;
}
