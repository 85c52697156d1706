/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The capacity of a constant L1.5, also beyond the 64 KiB of constants of one module: the
 * change-point search (search.h) over banks of several modules (walk/banks.h). Different sizes are
 * walked at the same time only on SMs that do not share the cache. If a GPU cannot run several
 * launches at the same time, the cache is searched like other caches inside the SM, up to 64 KiB.
 * doc/methods.md, "Constant L1.5 over several modules".
 */
#include "measure/capacity/capacity.h"
#include "measure/capacity/search.h"
#include "measure/walk/banks.h"
#include "measure/walk/chase.h"

/* The search doubles this size until an array misses: 12, 24 … 192 KiB. No constant L1 is as large. */
#define SMALLEST (12u << 10)
#define STEP 64       /* bytes */
#define RANGE 15      /* sizes that may be left when single slots are walked */
#define FEW_CONFIRM 8 /* least number of runs that confirm, if there are few SMs */

/* Arrays that fit the nearer cache must be walked in one launch of their own, because walks of
 * several banks would evict them. */
static int walk(void *data, const struct gc_path *path, const struct gc_binning *binning,
                struct gc_run *runs, size_t n)
{
  struct gc_banks *banks = data;
  const struct gc_banks_mode how = {
      .threshold =
          binning->threshold == UINT32_MAX ? banks->participants.threshold : binning->threshold,
      .how = path->stride > GC_BANKS_STRIDE ? GC_BANKS_SPARSE : 0,
  };
  const size_t count = banks->participants.count;
  struct gc_path near = *path;
  int status = 0;

  near.stride = GC_BANKS_STRIDE;
  if (n == 1 && runs->bytes <= path->before)
    return gc_chase_sizes(&banks->m->bench, &near, binning, runs, n);
  for (size_t i = 0; i < n && !status && !banks->failed; i += count) {
    const size_t rest = n - i;

    status = gc_banks_walk(banks, &how, binning, runs + i, rest < count ? rest : count);
  }
  return status;
}

static unsigned within(size_t value, unsigned least, unsigned most)
{
  return value < least ? least : value < most ? (unsigned)value : most;
}

/* The search with as many sizes at a time as there are SMs that do not share the cache. */
static struct gc_search plan_search(struct gc_banks *banks)
{
  const size_t count = banks->participants.count;

  return (struct gc_search){
      .path = *gc_path_of(GC_CONSTANT_L15),
      .min = SMALLEST,
      .max = GC_BANKS_BYTES_MAX,
      .step = STEP,
      .wide_stride = banks->participants.flush > GC_BANKS_STRIDE ? banks->participants.flush : 0,
      .sizes = RANGE,
      .at_a_time = (unsigned)count,
      .confirm = within(count, FEW_CONFIRM, GC_CONFIRM_MAX),
      .walk = walk,
      .data = banks,
  };
}

int gc_step_constant15_capacity(struct gc_measurement *m, struct gc_measured *element)
{
  struct gc_banks *banks;
  struct gc_search search;
  int status;

  gc_forget_participants(m); /* an earlier attempt of this step may have found wrong participants
                                because of interference */
  if ((status = gc_banks_open(m, &banks)))
    return status;
  if (!banks)
    return gc_step_capacity(m, element);
  search = plan_search(banks);
  status = gc_put_capacity(m, &search, element);
  if (!status && banks->failed)
    status = gc_set_absent(element, GC_CAPACITY, "launches that should run together did not");
  gc_banks_close(banks);
  return status;
}
