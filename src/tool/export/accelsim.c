/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A fragment of a gpgpusim.config (GPGPU-Sim, Accel-Sim). An option is active if the record
 * determines its value; the comment behind it says from what. The other options are comments, with
 * the reason and with what is known.
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include "tool/export/accelsim.h"

#include <hwloc/gpucache.h>

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <string.h>

static void put_head(const struct gc_record *record, FILE *out)
{
  const char *measured = gc_infos_get(&record->infos, "Measured");

  fprintf(
      out,
      "# %s%s%s: fragment of a gpgpusim.config, written by hwloc-gpucache export\n"
      "#\n"
      "# Active options have values of this GPU; the comment gives value, source and confidence.\n"
      "# Options that begin with \"#-\" could not be determined: set them yourself. Options that "
      "are\n"
      "# not here (pipelines, schedulers, interconnect, DRAM timing) are not measured: start from "
      "a\n"
      "# file in configs/tested-cfgs of GPGPU-Sim and replace the options that are in this "
      "fragment.\n",
      record->identity.model, measured ? ", measured " : "", measured ? measured : "");
}

/* -option FACT:FACT, from facts that the driver's interface states. */
struct fact_option {
  const char *option, *first, *second;
};
static const struct fact_option fact_options[] = {
    {"gpgpu_n_clusters", "SMs", NULL},
    {"gpgpu_shader_registers", "RegistersPerSM", NULL},
    {"gpgpu_registers_per_block", "RegistersPerBlock", NULL},
    {"gpgpu_shader_core_pipeline", "ThreadsPerSM", "WarpThreads"},
    {"gpgpu_shader_cta", "BlocksPerSM", NULL},
    {"gpgpu_shmem_per_block", "SharedBytesPerBlock", NULL},
};

static void put_fact_option(const struct gc_record *record, const struct fact_option *row,
                            FILE *out)
{
  const uint64_t first = gc_fact(record, row->first, INT_MAX, NULL);
  const uint64_t second = row->second ? gc_fact(record, row->second, INT_MAX, NULL) : 0;

  if (!first || (row->second && !second)) {
    fprintf(out, "#-%s  # the record has no %s\n", row->option, first ? row->second : row->first);
    return;
  }
  fprintf(out, "-%s %" PRIu64, row->option, first);
  if (row->second)
    fprintf(out, ":%" PRIu64, second);
  fprintf(out, "  # api: GPUCache%s%s%s\n", row->first, row->second ? ", GPUCache" : "",
          row->second ? row->second : "");
}

static void put_facts(const struct gc_record *record, FILE *out)
{
  const char *in_l1 = gc_infos_get(&record->infos, "GlobalLoadsInL1");
  unsigned major, minor;

  fputs("\n# the GPU and its SMs\n", out);
  if (gc_architecture(record, &major, &minor))
    fprintf(out,
            "-gpgpu_compute_capability_major %u  # api: GPUCacheComputeCapability\n"
            "-gpgpu_compute_capability_minor %u  # api: GPUCacheComputeCapability\n",
            major, minor);
  fputs("-gpgpu_n_cores_per_cluster 1  # with this, gpgpu_n_clusters is the number of SMs\n", out);
  for (size_t i = 0; i < sizeof fact_options / sizeof *fact_options; i++)
    put_fact_option(record, &fact_options[i], out);
  if (in_l1)
    fprintf(out, "-gpgpu_gmem_skip_L1D %d  # api: GPUCacheGlobalLoadsInL1 is %s\n",
            strcmp(in_l1, "yes") != 0, in_l1);
  gc_accelsim_clocks(record, out);
}

/* Latencies of dependent loads contain cycles of GPGPU-Sim's pipeline that no option states. */
static const struct latency_option {
  const char *option;
  enum gc_kind kind;
  unsigned extra; /* cycles; doc/results/gpgpusim.md measures them */
} latency_options[] = {
    {"gpgpu_l1_latency", GC_L1, 4},
    {"gpgpu_smem_latency", GC_SHARED_MEMORY, 5},
    {"gpgpu_l2_rop_latency", GC_L2, 12},
};

static void put_latency(const struct gc_record *record, const struct latency_option *row, FILE *out)
{
  const struct gc_element *element = gc_record_find(record, row->kind);
  const char *subtype = gc_kinds[row->kind].subtype;
  double cycles;

  if (!gc_real(element, HWLOC_GPUCACHE_LATENCY_CYCLES, &cycles) || cycles < row->extra + 2 ||
      cycles > INT_MAX) {
    fprintf(out, "#-%s  # ", row->option);
    gc_accelsim_why(element, subtype, "Latency", out);
    return;
  }
  fprintf(out, "-%s %.0f  # ", row->option, round(cycles - row->extra));
  gc_put_origin(element, subtype, HWLOC_GPUCACHE_LATENCY_CYCLES, "Latency", out);
  fprintf(out, "; less %u that GPGPU-Sim adds\n", row->extra);
}

static void put_shared_memory(const struct gc_record *record, FILE *out)
{
  static const char *const options[] = {"gpgpu_shmem_size", "gpgpu_shmem_sizeDefault"};
  const struct gc_element *shared = gc_record_find(record, GC_SHARED_MEMORY);
  const struct gc_element *l1 = gc_record_find(record, GC_L1);
  const char *banks = gc_number_text(shared, "Banks");
  const char *table = l1 ? gc_infos_get(&l1->infos, HWLOC_GPUCACHE_CARVEOUT_TABLE) : NULL;
  const char *bytes = gc_number_text(shared, HWLOC_GPUCACHE_CAPACITY_BYTES);

  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    fprintf(out, "%s-%s %s%s# ", bytes ? "" : "#", options[i], bytes ? bytes : "",
            bytes ? "  " : " ");
    if (bytes) {
      gc_put_origin(shared, HWLOC_GPUCACHE_SHARED_MEMORY, HWLOC_GPUCACHE_CAPACITY_BYTES,
                         "Capacity", out);
      fputc('\n', out);
    } else {
      gc_accelsim_why(shared, HWLOC_GPUCACHE_SHARED_MEMORY, "Capacity", out);
    }
  }
  if (banks)
    fprintf(out, "-gpgpu_shmem_num_banks %s  # Banks of SharedMemory\n", banks);
  else
    fputs("#-gpgpu_shmem_num_banks  # not measured\n", out);
  fputs(
      "#-gpgpu_adaptive_cache_config, -gpgpu_unified_l1d_size, -gpgpu_shmem_option  # the size of\n"
      "#   the storage that L1 and shared memory share is not measured",
      out);
  if (table)
    fprintf(out, ";\n#   L1 by carve-out, percent:bytes: %s", table);
  fputc('\n', out);
}

int gc_format_accelsim(const struct gc_record *record, const char *gpu, FILE *out,
                       struct gc_error *err)
{
  (void)gpu;
  (void)err;
  put_head(record, out);
  put_facts(record, out);
  fputs("\n# latencies\n", out);
  for (size_t i = 0; i < sizeof latency_options / sizeof *latency_options; i++)
    put_latency(record, &latency_options[i], out);
  fputs("\n# shared memory\n", out);
  put_shared_memory(record, out);
  gc_accelsim_caches(record, out);
  gc_accelsim_memory(record, out);
  return 0;
}
