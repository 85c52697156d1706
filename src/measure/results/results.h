/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The results of the plan for one GPU, as numbers with units. A step writes the struct gc_measured
 * of its element, and later steps read it. At the end publish.c turns all results into the text of
 * a record.
 *
 * These structs contain no pointers. So an assignment copies them, and a second process of the same
 * program can continue with them (handover.h).
 *
 * Values have the resolution of the record (a tenth of a cycle, four decimals of a confidence). So
 * a value that is computed from others equals the one that a reader of the record would compute.
 *
 * Nothing here allocates, fails or depends on global state.
 */
#ifndef GC_MEASURE_RESULTS_RESULTS_H
#define GC_MEASURE_RESULTS_RESULTS_H

#include "record/lists.h"
#include "record/record.h"

#include <stdbool.h>
#include <stdint.h>

#define GC_SMS_MAX 1024         /* SMs or CUs that are measured; the largest GPUs have about 300 */
#define GC_PARTITIONS_MAX 16    /* L2 partitions, or groups of SMs with the same L2 */
#define GC_CONFIDENCE_LEAST 0.5 /* no value with less confidence is published */

/* Every property has a source in a record, and a record has them in this order. */
enum gc_property {
#define PROPERTY(id, name, judge, section, sentence) GC_##id,
#include "record/property_table.h"
  GC_PROPERTY_COUNT
};
/* A set of properties; its initializer: GC_SET_OF(GC_IN(CAPACITY), GC_IN(LATENCY)). */
union gc_property_set {
  struct {
#define PROPERTY(id, name, judge, section, sentence) bool in_##id;
#include "record/property_table.h"
  };
  bool has[GC_PROPERTY_COUNT];
};
#define GC_IN(id) .in_##id = true
#define GC_SET_OF(...) {{__VA_ARGS__}}

/* The name of a property: "Capacity". */
extern const char *const gc_properties_names[GC_PROPERTY_COUNT];

/* Where the value of a property comes from. */
enum gc_origin {
  GC_UNKNOWN,   /* no step has reported a value */
  GC_MEASURED,  /* source "measured", with a confidence */
  GC_STATED,    /* source "api": the vendor's interface states it */
  GC_TABULATED, /* source "table": this program knows it of the architecture */
  GC_ABSENT,    /* source "absent:" and the reason */
};

/* Whether the reason for an absent property can pass, so that a later measurement may find it. If
 * any can, the record is provisional (provisional.h). */
enum gc_passing {
  GC_LASTING,       /* the reason lies in the GPU, in its driver or in the methods */
  GC_LITTLE_MEMORY, /* other programs use the device memory that the step needs */
  GC_GPU_BUSY,      /* another program disturbed the step */
  GC_STEP_FAILED,   /* the step ended with an error of the driver */
  GC_CLOCK_WANDERS, /* the SM clock did not settle */
  GC_PASSING_COUNT
};

struct gc_finding {
  enum gc_origin origin;
  enum gc_passing passing; /* of an absent property */
  double confidence;       /* 0 to 0.9999; of a measured value: the probability that it is right */
  char why[240];           /* why it is absent; else empty */
};

/* A latency, before its confidence decides whether it is published. */
struct gc_latency {
  double cycles;     /* SM cycles */
  double confidence; /* 0 to 1 */
};

/* What loads take beside others, if that is clearly less than alone (walk/beside.h). */
struct gc_traffic {
  double idle_cycles;       /* alone */
  struct gc_latency beside; /* confidence 0: it is not less, or not known */
};

/* The latency of loads of an element during its capacity search, in raw cycles: with timing
 * overhead. */
struct gc_level {
  double hit, miss; /* medians; 0: not known */
  double usual;     /* 97 % of hits take no longer */
  uint32_t stride;  /* bytes: loads at this distance touch every line; 0: not known */
};

/* What a store to an absent line brings into the cache. */
enum gc_write_allocate {
  GC_ALLOCATE_UNKNOWN,
  GC_ALLOCATE_NONE,
  GC_ALLOCATE_SECTOR,
  GC_ALLOCATE_LINE,
  GC_ALLOCATES
};

/* An L1 capacity for each carve-out preference, bytes. */
struct gc_carveouts {
  uint64_t bytes[GC_CARVEOUTS]; /* by percent */
  uint64_t by_default;          /* without a preference */
};

/* SMs or CUs that use the same cache. */
struct gc_groups {
  uint32_t count;
  uint16_t of[GC_SMS_MAX]; /* by index of the SM (core/placement.h): a number below count */
};

/* What a new line replaces. */
enum gc_replaces {
  GC_REPLACES_OTHER,
  GC_REPLACES_LRU,    /* the line used least recently */
  GC_REPLACES_FIFO,   /* the line that came in first */
  GC_REPLACES_SLRU,   /* segmented LRU: lines that were hit are protected, up to half of the ways */
  GC_REPLACES_PLRU,   /* as a binary tree over the ways chooses */
  GC_REPLACES_RANDOM, /* any line, with the same probability */
  GC_REPLACES_COUNT
};

/* Which warp of an SM makes its loads next if many wait. */
enum gc_warp_order {
  GC_WARPS_OTHER,
  GC_WARPS_OLDEST,  /* one of the oldest block */
  GC_WARPS_IN_TURN, /* all get the same */
  GC_WARPS_READY,   /* the one that got its data last */
  GC_WARP_ORDERS
};

#define GC_MASKS_MAX 24          /* bits of the number of a set */
#define GC_CURVE_MAX 12          /* points of a survival curve */
#define GC_VICTIM_WAYS_MAX 16 /* ways whose shares are reported */

/* A value for each NUMA node of the host, nearest first; or for each other GPU: then `node` is its
 * index in gc_results.peers. */
#define GC_NODES_MAX 16
struct gc_by_node {
  uint32_t count;
  uint32_t node[GC_NODES_MAX];
  double value[GC_NODES_MAX];
};

/* The latency of a load while others read so much. */
#define GC_LOAD_POINTS 6
struct gc_by_load {
  uint32_t count;
  double gbps[GC_LOAD_POINTS], ns[GC_LOAD_POINTS]; /* gbps ascending */
};

/* The SM with the least latency, the median of SMs, the SM with the largest one; cycles. */
struct gc_by_sm {
  double least, middle, most;
};

/* The results for one element. A value is valid if gc_found() returns true for its property;
 * otherwise it is 0. */
struct gc_measured {
  enum gc_kind kind;
  bool timed_alone; /* latency/tail.c has timed single loads: only then the next two are known */
  bool delayed;     /* the mean of its loads is larger than their median */
  double late;      /* share of loads that hit and took as long as misses */
  bool tried; /* a step has run, so the record gets this element */
  struct gc_finding found[GC_PROPERTY_COUNT];

  /* The numbers of the table. A lower bound (at_least) is 0 if there is none. */
#define WHOLE uint64_t
#define TENTHS double
#define RATE double
#define NUMBER(id, key, format, least, member, words) format member;
#define LOOSE(key, least, member, words) WHOLE member;
#include "record/property_table.h"
#undef WHOLE
#undef TENTHS
#undef RATE

  /* The other values of the table. */
  uint32_t partition_sms[GC_PARTITIONS_MAX];
  struct gc_groups cu_groups; /* for GC_SHARED_BY_CUS, GC_CU_GROUPS and GC_SM_GROUPS */
  bool write_back; /* stores reach the next level when the line is replaced; false: at once */
  enum gc_write_allocate write_allocate;
  bool compression; /* L2: memory can be compressed */
  struct gc_carveouts carveouts, carveouts_4, carveouts_32; /* of blocks of 1, 4 and 32 warps */
  uint32_t shared_with; /* bit k: the same storage as the element of enum gc_kind k; bit
                           GC_KIND_COUNT: memory of the host */
  uint32_t mask_count;
  uint64_t masks[GC_MASKS_MAX]; /* of address bits */
  enum gc_replaces replaces;
  enum gc_warp_order warp_order;
  uint32_t shares; /* number of victim_share; 0: not known */
  double victim_share[GC_VICTIM_WAYS_MAX];
  uint32_t points;
  struct {
    uint64_t fills;
    double survives;
  } curve[GC_CURVE_MAX];
  uint64_t side_mask; /* of L2 */
  struct gc_by_node host_read, host_write, host_copy_to, host_copy_from, host_copy_both; /* GB/s */
  struct gc_by_node host_latency, host_atomic_latency;                                   /* ns */
  struct gc_by_node peer_read, peer_write, peer_copy;                                    /* GB/s */
  struct gc_by_node peer_latency;                                                        /* ns */
  struct gc_by_node peer_path; /* enum gc_peer_path */
  struct gc_by_load under_load;
  struct gc_by_sm latency_by_sm;

  uint64_t fitting_bytes; /* L2: the largest array without misses in any allocation; 0: not known */
  struct gc_level level;
  struct gc_traffic traffic;
};

/* The cost of a measurement so far, in all processes that took part. */
struct gc_cost {
  double milliseconds;
  uint64_t launches;
  uint64_t device_bytes_peak;
  uint64_t repeats;  /* disturbed steps that were measured again */
  uint64_t failures; /* steps that failed */
};

struct gc_results {
  struct gc_measured element[GC_KIND_COUNT + 1]; /* the last one: GC_WHOLE_GPU */
  double mhz; /* SM clock at which all values were measured; 0: it is not known, or wandered */
  double least_mhz, most_mhz; /* the SM clock wandered between these; 0: it did not */
  /* What timing adds to the latency of a single load (walk/overhead.h). */
  struct gc_latency overhead;
  /* L2: the SMs that are near to the same lines (topology/partitions.c). */
  bool l2_sides_known;
  uint8_t l2_side[GC_SMS_MAX];    /* by SM number, if the numbers have no gaps */
  bool l2_lost;                   /* L2 loses its contents between launches (walk/l2_survives.h) */
  uint32_t l2_groups;             /* number of L2 caches, one in each XCD; 0: not known */
  uint32_t sm_number[GC_SMS_MAX]; /* ascending numbers of the SMs, by index (core/placement.h) */
  uint32_t sm_count;              /* SMs in sm_number; 0: not found yet */
  /* bit k: several SMs share a cache of enum gc_kind k (capacity/sm_capacity.c) */
  uint32_t shared_kinds;
  /* The confidence that a kind is the same storage as L1; 0: not known (topology/sharing.c). */
  double with_l1[GC_KIND_COUNT];
  /* The groups of GC_GPC_SMS, GC_TPC_SMS and GC_CPC_SMS, numbered by their first SMs, and the L2
   * partition that each GPC is near to. */
  struct gc_groups gpc, tpc, cpc;
  uint8_t gpc_side[GC_SMS_MAX];
  char peers[GC_NODES_MAX][80]; /* the ids of other GPUs */
  struct gc_cost cost;
  char warnings[2048]; /* sentences for the user, each followed by a newline */
};

/* Removes all results. */
void gc_results_clear(struct gc_results *results);

/* Copies results. A plain copy takes several times as long, because most bytes are the unused ends of
 * sentences. */
void gc_results_copy(struct gc_results *to, const struct gc_results *from);

static inline bool gc_found(const struct gc_measured *element, enum gc_property property)
{
  return element->found[property].origin == GC_MEASURED ||
         element->found[property].origin == GC_STATED ||
         element->found[property].origin == GC_TABULATED;
}

/* The capacity in bytes; 0: not known. */
static inline uint64_t gc_capacity(const struct gc_measured *element)
{
  return gc_found(element, GC_CAPACITY) ? element->capacity_bytes : 0;
}

/* --- what steps report: they set a value, and then its source. These functions return 0. --- */

/* A measured value with its confidence. More than 0.9999 counts as 0.9999. */
int gc_set_measured(struct gc_measured *element, enum gc_property property, double confidence);
/* A value that the vendor's interface reports. */
int gc_set_stated(struct gc_measured *element, enum gc_property property);
/* A value that follows from the architecture. */
int gc_set_tabulated(struct gc_measured *element, enum gc_property property);
/* There is no value. why: the reason, cut to the size of gc_finding.why. */
int gc_set_absent(struct gc_measured *element, enum gc_property property, const char *why);
/* The same for all properties of a set. */
int gc_set_all_absent(struct gc_measured *element, union gc_property_set properties,
                      const char *why);
/* The same for a reason that can pass. */
int gc_set_absent_for_now(struct gc_measured *element, enum gc_property property,
                          enum gc_passing passing, const char *why);
/* Marks the reason for an absent property, before or after gc_set_absent. So a step can mark the
 * reason when it finds it, and another function writes the sentence. A value removes the mark. */
int gc_mark_passing(struct gc_measured *element, enum gc_property property,
                    enum gc_passing passing);
/* A latency (GC_LATENCY, GC_NEAR_LATENCY or GC_FAR_LATENCY) at this SM clock in MHz (0: not known).
 * Absent if the confidence is below GC_CONFIDENCE_LEAST. */
int gc_set_latency(struct gc_measured *element, enum gc_property property,
                   const struct gc_latency *latency, double mhz);
/* The 95th percentile of the latency; absent as above. */
int gc_set_latency_p95(struct gc_measured *element, const struct gc_latency *p95);
/* The latency by SM; absent as above. */
int gc_set_latency_by_sm(struct gc_measured *element, const struct gc_by_sm *cycles,
                         double confidence);
/* The same for the cycles that a miss adds; absent as above. */
int gc_set_miss_penalty(struct gc_measured *element, double cycles, double confidence);

/* Makes a value absent because it contradicts another one, and warns. Returns 0. */
int gc_withhold(struct gc_results *results, enum gc_kind kind, enum gc_property property,
                const char *why);

/* Keeps a sentence for the user (gc_measure_options.warn). It is dropped if there is no space left;
 * the source of the value has the same reason. */
void gc_warn(struct gc_results *results, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
