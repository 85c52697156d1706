/*
 * SPDX-License-Identifier: BSD-3-Clause
 */

/** \file
 * \brief Predicts the cache hit rates of GPU kernels from memory traces, on a GPU that the
 * hwloc-gpucache command has measured. Neither the GPU nor the library of its vendor is needed.
 *
 * The library is libhwloc-gpucache-predict; pkg-config knows it as hwloc-gpucache-predict. It does
 * not depend on hwloc. doc/predict.md describes the model and doc/traces.md the formats of traces.
 *
 * \code
 * struct hwloc_gpucache_prediction *p;
 * const char *trace = "kernelslist.g";
 * char message[256];
 *
 * if (hwloc_gpucache_predict("h200.xml", &trace, 1, NULL, &p, message, sizeof message))
 *   errx(1, "%s", message);
 * for (size_t i = 0; i < hwloc_gpucache_prediction_kernels(p); i++)
 *   printf("%s: %.1f %% hits in L1\n", hwloc_gpucache_prediction_name(p, i),
 *          100 * hwloc_gpucache_prediction_value(p, i, HWLOC_GPUCACHE_L1_HIT_RATE));
 * hwloc_gpucache_prediction_free(p);
 * \endcode
 *
 * A program that predicts several times loads the record once, and may sweep over a property:
 *
 * \code
 * struct hwloc_gpucache_predict_options options = {.size = sizeof options};
 * struct hwloc_gpucache_record *record;
 *
 * if (hwloc_gpucache_record_load("h200.xml", &record, message, sizeof message))
 *   errx(1, "%s", message);
 * for (options.capacity = 0.5; options.capacity <= 2; options.capacity *= 2) {
 *   if (hwloc_gpucache_predict_on(record, &trace, 1, &options, &p, message, sizeof message))
 *     errx(1, "%s", message);
 *   printf("x %g: %llu misses\n", options.capacity,
 *          hwloc_gpucache_prediction_count(p, 0, HWLOC_GPUCACHE_L1_MISSES));
 *   hwloc_gpucache_prediction_free(p);
 * }
 * hwloc_gpucache_record_free(record);
 * \endcode
 *
 * All functions may be called from several threads at the same time. A record or a prediction may
 * be used by several threads at the same time, as long as none of them frees it.
 */

#ifndef HWLOC_GPUCACHE_PREDICT_H
#define HWLOC_GPUCACHE_PREDICT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** \brief A GPU that was measured; see hwloc_gpucache_record_load(). */
struct hwloc_gpucache_record;

/** \brief What a prediction says; see hwloc_gpucache_predict(). */
struct hwloc_gpucache_prediction;

/** \brief How to predict. Set size to sizeof this structure and all other members to 0 for the
 * defaults. */
struct hwloc_gpucache_predict_options {
  /** \brief sizeof(struct hwloc_gpucache_predict_options), so that later versions of the library
   * know which members the program has. An earlier version accepts members that it does not know
   * if they are 0 */
  size_t size;
  /** \brief 1 if all kernels prefer the carve-out below; 0: each kernel gets the one that it prefers
   * in the trace, or else the smallest at which an SM holds as many of its blocks as at the largest
   */
  int has_carveout;
  /** \brief The share of the storage of an SM that kernels prefer as shared memory; 0 to 100 % */
  unsigned carveout;
  /** \brief Runs with values drawn from what the record leaves open; 0: 10. At most 1000 */
  unsigned seeds;
  /** \brief Runs at the same time. 0: one for each processor, but at most 4. Each run takes 70 to
   * 110 MB for an H200, and 32 to 64 bytes for each line that a warp instruction of a resident block
   * accesses (doc/predict.md) */
  unsigned threads;
  /** \brief 1: count reuse distances, too, which takes one run more; 0: not */
  int reuse_distances;
  /** \brief Model only so many SMs, and the blocks that they get; 0: all SMs. Counts are of these
   * blocks. This is for L1: L2 lacks what the other SMs load */
  unsigned sms;
  /** \brief Factor for the bytes of L1. This one and the next three are for sweeps: each is 0, the
   * default, or from 1/64 to 64. 0 changes nothing */
  double capacity;
  /** \brief Factor for the ways of L1; its bytes stay, so that the number of sets changes */
  double ways;
  /** \brief Factor for the bytes of a line of L1; the bytes of L1 stay */
  double line;
  /** \brief Factor for the number of lines that an SM can have requested from L2 at the same time,
   * from the record (OutstandingPerSM); 1: that of the record. 0: no limit */
  double outstanding;
};

/** \brief Numbers of a prediction.
 *
 * Rates are from 0 to 1. A rate counts sectors that were already on their way to the cache as hits.
 * Rates are those with the values of the record; _LOW and _HIGH are the minimum and maximum of all
 * runs. They are no confidence interval. Counts are sectors of warp instructions, as GPU profilers
 * count them. */
enum hwloc_gpucache_predicted {
  HWLOC_GPUCACHE_L1_HIT_RATE,          /**< \brief Loads that look into L1; NaN: there are none */
  HWLOC_GPUCACHE_L1_HIT_RATE_LOW,      /**< \brief Least of all runs */
  HWLOC_GPUCACHE_L1_HIT_RATE_HIGH,     /**< \brief Most of all runs */
  HWLOC_GPUCACHE_L1_SECTORS,           /**< \brief Sectors that loads ask L1 for */
  HWLOC_GPUCACHE_L1_HITS,              /**< \brief Found in L1 */
  HWLOC_GPUCACHE_L1_HITS_ON_MISS,      /**< \brief Already on their way to L1 */
  HWLOC_GPUCACHE_L1_MISSES,            /**< \brief Requested from L2 */
  HWLOC_GPUCACHE_L1_MISSES_COMPULSORY, /**< \brief First access of the kernel to the sector on that
                                        SM; estimated beyond 8192 lines of an SM */
  HWLOC_GPUCACHE_L1_MISSES_CAPACITY,   /**< \brief Because L1 is too small */
  HWLOC_GPUCACHE_L1_MISSES_ASSOCIATIVITY, /**< \brief Because sets are too small, or by replacement
                                           */
  HWLOC_GPUCACHE_L1_MISSES_LATENCY,       /**< \brief Because loads take time */
  HWLOC_GPUCACHE_L1_MISSES_OUTSTANDING,   /**< \brief Because an SM cannot request more lines at the
                                           same time; 0 without the option outstanding */
  HWLOC_GPUCACHE_L2_HIT_RATE,             /**< \brief Loads that reach L2; NaN: there are none */
  HWLOC_GPUCACHE_L2_HIT_RATE_LOW,         /**< \brief Least of all runs */
  HWLOC_GPUCACHE_L2_HIT_RATE_HIGH,        /**< \brief Most of all runs */
  HWLOC_GPUCACHE_L2_SECTORS,              /**< \brief Sectors that loads ask L2 for */
  HWLOC_GPUCACHE_L2_HITS,                 /**< \brief Found in L2 */
  HWLOC_GPUCACHE_L2_MISSES,               /**< \brief Requested from memory */
  HWLOC_GPUCACHE_STORE_SECTORS,           /**< \brief Sectors that stores write to L2 */
  HWLOC_GPUCACHE_ATOMIC_SECTORS,          /**< \brief Sectors of atomic operations */
  HWLOC_GPUCACHE_L2_HITS_ON_MISS,         /**< \brief Already on their way to L2 */
  HWLOC_GPUCACHE_L2_HITS_FAR,             /**< \brief Of both hits of L2, those that only a
                                             partition far from the SM has */
  HWLOC_GPUCACHE_L2_NEAR_HIT_RATE,        /**< \brief Hit rate of L2 without L2_HITS_FAR: lookup_hit
                                             of the counter lts__t_sectors_srcunit_tex_op_read */
  HWLOC_GPUCACHE_L2_NEAR_HIT_RATE_LOW,    /**< \brief Least of all runs */
  HWLOC_GPUCACHE_L2_NEAR_HIT_RATE_HIGH,   /**< \brief Most of all runs */
  HWLOC_GPUCACHE_L1_TLB_LOOKUPS,          /**< \brief Requests of lines that the first TLB
                                             translates; NaN: the record does not have it */
  HWLOC_GPUCACHE_L1_TLB_MISSES,           /**< \brief Of these, those that it does not have */
  HWLOC_GPUCACHE_L2_TLB_LOOKUPS,          /**< \brief The same of the second TLB, which translates
                                             what the first one does not have */
  HWLOC_GPUCACHE_L2_TLB_MISSES,           /**< \brief Of these, those that it does not have */
  HWLOC_GPUCACHE_L1_LOAD_INSTRUCTIONS,    /**< \brief Loads of warps that look into L1; also of each
                                             load instruction */
  HWLOC_GPUCACHE_L2_READ_BYTES,           /**< \brief Bytes that loads read from L2 */
  HWLOC_GPUCACHE_MEMORY_READ_BYTES,       /**< \brief Bytes that L2 reads from memory */
  HWLOC_GPUCACHE_LAUNCHES                 /**< \brief Launches of the program that this recorded one
                                             stands for, itself included; 1 or more. All other
                                             counts are of the recorded launch only */
};

/** \brief Loads a record of hwloc-gpucache ("hwloc-gpucache export" writes one).
 *
 * \param path The file; it is not needed afterwards.
 * \param record Receives the record; NULL on failure. The caller frees it with
 * hwloc_gpucache_record_free().
 * \param message, size Receives a sentence on failure, with the file and the reason; size 0: no
 * sentence.
 *
 * \return 0, or a negative errno: -EBADMSG for a broken record; -ENOMEM; or that of the file. */
int hwloc_gpucache_record_load(const char *path, struct hwloc_gpucache_record **record,
                               char *message, size_t size);

/** \brief Frees a record. Predictions from it stay valid. NULL is ignored. */
void hwloc_gpucache_record_free(struct hwloc_gpucache_record *record);

/** \brief Predicts the hit rates of all kernels in traces.
 *
 * \param record The GPU.
 * \param traces, count Files in the order in which the kernels ran. They are read several times.
 * \param options NULL: the defaults.
 * \param prediction Receives the prediction; NULL on failure. The caller frees it with
 * hwloc_gpucache_prediction_free().
 * \param message, size Receives a sentence on failure, with the file, the line and the reason where
 * there are such; size 0: no sentence.
 *
 * \return 0, or a negative errno: -EINVAL for wrong options, or a file that is not regular; -ERANGE
 * for a carve-out or a factor with which there is no such GPU, or if no kernel can run on this GPU;
 * -ENODATA if the record lacks what no assumption can replace, or if there is no kernel; -EAGAIN
 * for a trace that changed during the prediction; -ENOMEM; or that of a file. If no kernel can be
 * read: -EBADMSG for a broken trace, -EOPNOTSUPP for an instruction or a compression that this
 * build cannot read, -EFBIG for a block with too many accesses. If some can be read, they are
 * predicted, and hwloc_gpucache_prediction_left_out() counts the others. */
int hwloc_gpucache_predict_on(const struct hwloc_gpucache_record *record,
                              const char *const *traces, size_t count,
                              const struct hwloc_gpucache_predict_options *options,
                              struct hwloc_gpucache_prediction **prediction, char *message,
                              size_t size);

/** \brief The same with the record in a file: hwloc_gpucache_record_load(),
 * hwloc_gpucache_predict_on() and hwloc_gpucache_record_free(). Fails as these do. */
int hwloc_gpucache_predict(const char *record, const char *const *traces, size_t count,
                           const struct hwloc_gpucache_predict_options *options,
                           struct hwloc_gpucache_prediction **prediction, char *message,
                           size_t size);

/** \brief How a kernel was launched. Unless a member says what 0 means, it must be set. */
struct hwloc_gpucache_launch {
  const char *name;           /**< \brief NULL or "": "kernel". Copied before the next call */
  unsigned long long blocks;  /**< \brief Blocks of the grid */
  unsigned threads_per_block; /**< \brief 1 to 1024 */
  unsigned warp_threads;      /**< \brief Threads of a warp: 32 or 64; 0: 32 */
  unsigned long long shared_bytes; /**< \brief Shared memory of a block; 0: none */
  unsigned registers_per_thread; /**< \brief 0: not known; they do not limit the blocks of an SM */
  unsigned loads_at_once; /**< \brief Loads that a warp issues in a row before it waits for one of
                             them, up to 1024; 0: 1 */
  int has_carveout;       /**< \brief 1 if the kernel prefers the carve-out below; 0: it does not */
  unsigned carveout;      /**< \brief As in the options, which take precedence; 0 to 100 % */
};

/** \brief What a warp does. */
enum hwloc_gpucache_operation {
  HWLOC_GPUCACHE_OP_LOAD,
  HWLOC_GPUCACHE_OP_STORE,
  HWLOC_GPUCACHE_OP_ATOMIC,  /**< \brief Executed in L2 */
  HWLOC_GPUCACHE_OP_BARRIER, /**< \brief The warps of the block wait for each other */
  HWLOC_GPUCACHE_OP_OTHER    /**< \brief Takes time, but does not access global memory */
};

/** \brief How a load or store uses L1. */
enum hwloc_gpucache_hint {
  HWLOC_GPUCACHE_HINT_NONE,     /**< \brief By default */
  HWLOC_GPUCACHE_HINT_NO_L1,    /**< \brief L2 only: .cg, volatile */
  HWLOC_GPUCACHE_HINT_READ_ONLY /**< \brief .nc */
};

/** \brief An instruction of a warp. Barriers and others have no hint, bytes, mask and addresses;
 * these members are ignored. */
struct hwloc_gpucache_access {
  unsigned long long block; /**< \brief Number in the grid, from 0: x + (y + z * height) * width */
  unsigned warp;            /**< \brief Number in the block, from 0 */
  unsigned pc; /**< \brief Identifies the instruction in the kernel; loads are reported by pc.
                    UINT_MAX: all loads in functions that the kernel calls */
  enum hwloc_gpucache_operation operation;
  enum hwloc_gpucache_hint hint;
  unsigned bytes; /**< \brief Of each thread: 1, 2, 4, 8 or 16 */
  unsigned count; /**< \brief Of HWLOC_GPUCACHE_OP_OTHER in a row; 0: 1 */
  unsigned long long mask; /**< \brief Bit i is set if thread i of the warp takes part */
  /** \brief Of each thread in the mask: virtual addresses of 57 bits */
  unsigned long long addresses[64];
};

/** \brief Hands over launches and their accesses, instead of a file. */
struct hwloc_gpucache_source {
  /** \brief sizeof(struct hwloc_gpucache_source). It must be that of the library, because the
   * library makes the launches and accesses that the callbacks fill; it grows when these grow */
  size_t size;
  /** \brief For the callbacks */
  void *data;
  /** \brief Fills *launch, which is all 0, with the next kernel. 1: there is one; 0: there are no
   * more; or a negative errno */
  int (*next_kernel)(void *data, struct hwloc_gpucache_launch *launch);
  /** \brief Fills *access, which is all 0, with the next one of this kernel. Blocks come in
   * ascending order, and so do the warps of a block; those without accesses may be missing. 1:
   * there is one; 0: the kernel has no more; or a negative errno */
  int (*next_access)(void *data, struct hwloc_gpucache_access *access);
};

/** \brief Predicts the hit rates of kernels whose accesses come from the program, such as a
 * simulator.
 *
 * The callbacks are called in this thread, and hand over each access once. The library writes the
 * accesses as text (doc/traces.md, "Our TSV") to a file without a name in $TMPDIR, or /tmp; the
 * runs of the model read it like any trace. So memory does not limit the number of accesses, and a
 * prediction takes as long as with such a trace. The file has about 50 bytes for an access of a
 * warp if its addresses have the same distance from thread to thread, or else about 13 bytes for
 * each thread. /proc must be mounted.
 *
 * \param source Is needed during the call only.
 *
 * The other parameters are those of hwloc_gpucache_predict_on(). A kernel with a wrong launch or a
 * wrong access is like one that is broken in a trace; the sentence calls the file /proc/self/fd/N.
 *
 * \return As hwloc_gpucache_predict_on(); or what a callback returned, if that was negative; or
 * -EINVAL for the source of another version, or an operation or a hint that does not exist; or that
 * of the file, such as -ENOSPC. */
int hwloc_gpucache_predict_accesses(const struct hwloc_gpucache_record *record,
                                    const struct hwloc_gpucache_source *source,
                                    const struct hwloc_gpucache_predict_options *options,
                                    struct hwloc_gpucache_prediction **prediction, char *message,
                                    size_t size);

/** \brief Frees a prediction, and all strings that came from it. NULL is ignored. */
void hwloc_gpucache_prediction_free(struct hwloc_gpucache_prediction *prediction);

/** \brief Number of kernels in the traces. */
size_t hwloc_gpucache_prediction_kernels(const struct hwloc_gpucache_prediction *prediction);

/** \brief Name of a kernel, or "". kernel must be less than their number. */
const char *hwloc_gpucache_prediction_name(const struct hwloc_gpucache_prediction *prediction,
                                           size_t kernel);

/** \brief Writes the name of a kernel as in its source: "f(int)" for "_Z1fi".
 *
 * Names that are not those of C++ functions stay as they are, and so do all names if libstdc++.so.6
 * cannot be loaded. It may stay loaded until the program ends. Control characters become "?".
 *
 * \param name Any string, such as one of hwloc_gpucache_prediction_name().
 * \param text, size Receives the text, which is cut between two characters if it needs more than
 * size - 1 bytes. size 0: no text.
 *
 * \return The bytes of the whole name, without the NUL; at least size if the text was cut. */
size_t hwloc_gpucache_prediction_demangle(const char *name, char *text, size_t size);

/** \brief Why a kernel cannot run on this GPU: a sentence that says what a block needs and an SM
 * does not have (shared memory, threads, registers). NULL: it can. */
const char *hwloc_gpucache_prediction_cannot_run(const struct hwloc_gpucache_prediction *prediction,
                                                 size_t kernel);

/** \brief A number of a kernel, rate or count; NaN if this version does not know it, or if the
 * kernel cannot run on this GPU. */
double hwloc_gpucache_prediction_value(const struct hwloc_gpucache_prediction *prediction,
                                       size_t kernel, enum hwloc_gpucache_predicted what);

/** \brief Instead of a count that does not exist; no count is as large. */
#define HWLOC_GPUCACHE_NO_COUNT ((unsigned long long)-1)

/** \brief A count of a kernel, exactly. HWLOC_GPUCACHE_NO_COUNT for rates, and where
 * hwloc_gpucache_prediction_value() returns NaN. */
unsigned long long
hwloc_gpucache_prediction_count(const struct hwloc_gpucache_prediction *prediction, size_t kernel,
                                enum hwloc_gpucache_predicted what);

/** \brief Number of sums: one for each name of a kernel, in the order of their first launches.
 *
 * A sum adds up the launches with one name that can run on this GPU. Each recorded launch counts as
 * often as HWLOC_GPUCACHE_LAUNCHES says, and its modelled blocks for all that were launched. If not
 * all blocks are modelled, the counts are estimates. Reading sums costs nothing: they are made with
 * the prediction. Their strings are valid until the prediction is freed. */
size_t hwloc_gpucache_prediction_sums(const struct hwloc_gpucache_prediction *prediction);

/** \brief The name of the kernels of a sum, or "". sum must be less than their number. */
const char *
hwloc_gpucache_prediction_sum_name(const struct hwloc_gpucache_prediction *prediction, size_t sum);

/** \brief A number of a sum, rate or count. The _LOW of a rate adds up, for each launch, the run
 * with the fewest hits, the _HIGH the run with the most; no single run need be as low or as high.
 * HWLOC_GPUCACHE_LAUNCHES is the number of launches, also of those that cannot run. All other
 * numbers are NaN if no launch can run. A number that this version does not know is NaN, too. */
double hwloc_gpucache_prediction_sum_value(const struct hwloc_gpucache_prediction *prediction,
                                           size_t sum, enum hwloc_gpucache_predicted what);

/** \brief A count of a sum, exactly, modulo 2^64. HWLOC_GPUCACHE_NO_COUNT for rates, and where
 * hwloc_gpucache_prediction_sum_value() returns NaN. */
unsigned long long
hwloc_gpucache_prediction_sum_count(const struct hwloc_gpucache_prediction *prediction, size_t sum,
                                    enum hwloc_gpucache_predicted what);

/** \brief Number of load instructions of a kernel that look into L1. */
size_t hwloc_gpucache_prediction_loads(const struct hwloc_gpucache_prediction *prediction,
                                       size_t kernel);

/** \brief The pc of a load instruction, as the trace has it; for .trc files, the number of the
 * access in its thread. UINT_MAX: all loads of the kernel in other functions, whose place the trace
 * does not have. load must be less than their number. */
unsigned hwloc_gpucache_prediction_load_pc(const struct hwloc_gpucache_prediction *prediction,
                                           size_t kernel, size_t load);

/** \brief The source file of a load instruction, and in *line (may be NULL) its line, from 1. NULL
 * and 0: the trace does not have it. */
const char *
hwloc_gpucache_prediction_load_source(const struct hwloc_gpucache_prediction *prediction,
                                      size_t kernel, size_t load, unsigned *line);

/** \brief A number of a load instruction; NaN for those that loads do not have (L2, stores). */
double hwloc_gpucache_prediction_load_value(const struct hwloc_gpucache_prediction *prediction,
                                            size_t kernel, size_t load,
                                            enum hwloc_gpucache_predicted what);

/** \brief A count of a load instruction, exactly. HWLOC_GPUCACHE_NO_COUNT for rates, and for what
 * loads do not have. */
unsigned long long
hwloc_gpucache_prediction_load_count(const struct hwloc_gpucache_prediction *prediction,
                                     size_t kernel, size_t load,
                                     enum hwloc_gpucache_predicted what);

/** \brief Number of bins of the reuse distances of a kernel; 0 without the option reuse_distances,
 * or if no line was loaded twice.
 *
 * The reuse distance of a load of a line is the number of other lines that the SM has loaded since
 * it loaded this line last, in this kernel. Counted are the lines of L1 that each load instruction
 * of a warp looks up, in the order in which the model executes them if loads take no time; the
 * counts of all SMs are added. Bin 0 has distance 0, bin i those from 2^(i-1) to 2^i - 1. So a
 * fully associative LRU cache of 2^i lines would hit the loads in bins 0 to i, if loads took no
 * time. */
unsigned hwloc_gpucache_prediction_reuse_bins(const struct hwloc_gpucache_prediction *prediction,
                                              size_t kernel);

/** \brief Loads of lines with the distances of a bin; 0 for bins that do not exist. */
unsigned long long
hwloc_gpucache_prediction_reuse_loads(const struct hwloc_gpucache_prediction *prediction,
                                      size_t kernel, unsigned bin);

/** \brief Loads of lines that the SM has not loaded before in this kernel. */
unsigned long long
hwloc_gpucache_prediction_reuse_first(const struct hwloc_gpucache_prediction *prediction,
                                      size_t kernel);

/** \brief Number of kernels that are missing in the prediction because they cannot be read: their
 * part of a trace is broken, or has something that the model does not know. Text after the end of a
 * trace counts as one. */
size_t hwloc_gpucache_prediction_left_out(const struct hwloc_gpucache_prediction *prediction);

/** \brief Why kernel i of these is missing: a sentence with the file and the line. For i from 0 to
 * 99; NULL for others. */
const char *hwloc_gpucache_prediction_why(const struct hwloc_gpucache_prediction *prediction,
                                          size_t i);

/** \brief Number of values that the record lacks and the model assumed. */
size_t hwloc_gpucache_prediction_assumptions(const struct hwloc_gpucache_prediction *prediction);

/** \brief One of these values: its subtype and key ("L1Cache Sets"), and in *assumed (may be NULL)
 * a sentence about what was assumed. */
const char *hwloc_gpucache_prediction_assumption(const struct hwloc_gpucache_prediction *prediction,
                                                 size_t i, const char **assumed);

#ifdef __cplusplus
}
#endif

#endif
