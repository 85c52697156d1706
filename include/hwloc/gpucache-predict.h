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
 * All functions may be called from several threads at the same time. A prediction that no thread
 * changes or frees may be read by several threads.
 */

#ifndef HWLOC_GPUCACHE_PREDICT_H
#define HWLOC_GPUCACHE_PREDICT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

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
   * 110 MB for an H200 */
  unsigned threads;
  /** \brief 1: count reuse distances, too, which takes one run more; 0: not */
  int reuse_distances;
  /** \brief Model only so many SMs, and the blocks that they get; 0: all SMs. Counts are of these
   * blocks. This is for L1: L2 lacks what the other SMs load */
  unsigned sms;
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
  HWLOC_GPUCACHE_L1_MISSES_OUTSTANDING,   /**< \brief Always 0: the model has no limit on
                                           outstanding misses */
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

/** \brief Predicts the hit rates of all kernels in traces.
 *
 * \param record File of the GPU: a record of hwloc-gpucache ("hwloc-gpucache export" writes one).
 * \param traces, count Files in the order in which the kernels ran. They are read several times.
 * \param options NULL: the defaults.
 * \param prediction Receives the prediction; NULL on failure. The caller frees it with
 * hwloc_gpucache_prediction_free().
 * \param message, size Receives a sentence on failure, with the file, the line and the reason where
 * there are such; size 0: no sentence.
 *
 * \return 0, or a negative errno: -EINVAL for wrong options, or a file that is not regular; -ERANGE
 * for a carve-out that the record lacks, or if no kernel can run on this GPU; -ENODATA if the
 * record lacks what no assumption can replace; -EBADMSG for a broken record; -EAGAIN for a trace
 * that changed during the prediction; -ENOMEM; or that of a file. If no kernel can be read:
 * -EBADMSG for a broken trace, -EOPNOTSUPP for an instruction or a compression that this build
 * cannot read, -EFBIG for a block with too many accesses. If some can be read, they are predicted,
 * and hwloc_gpucache_prediction_left_out() counts the others. */
int hwloc_gpucache_predict(const char *record, const char *const *traces, size_t count,
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

/** \brief Why a kernel cannot run on this GPU: a sentence that says what a block needs and an SM
 * does not have (shared memory, threads, registers). NULL: it can. */
const char *hwloc_gpucache_prediction_cannot_run(const struct hwloc_gpucache_prediction *prediction,
                                                 size_t kernel);

/** \brief A number of a kernel; NaN if this version does not know it, or if the kernel cannot run
 * on this GPU. */
double hwloc_gpucache_prediction_value(const struct hwloc_gpucache_prediction *prediction,
                                       size_t kernel, enum hwloc_gpucache_predicted what);

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
