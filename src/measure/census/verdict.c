/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Do the first miss and the census agree? Compared with the capacity, a census may count up to 1 %
 * and nine lines of 128 bytes (4 % at most) less, or 0.5 % more. Three of its standard errors are
 * added (3.3 for 30 rounds, more for fewer). More is allowed below the capacity, because an H200's
 * L1 of any size has 3 to 9 empty lines while lines come in, and the probes themselves evict up to
 * 0.4 %. For an H200's L1 (217 KiB) the limits are 1.5 % less and 0.5 % more, and 0.5 to 0.8 % for
 * the errors, also for a path that is one storage with it (sm_census.c). So a first miss that is 6
 * KiB
 * (2.8 %) too early or too late is detected. An L2 or L3 that overflows may keep a sixteenth more
 * or less (l2_census.c, l3_census.c). doc/methods.md, "Census".
 */
#include "measure/census/verdict.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define LESS 0.01             /* share of the capacity that a census may lack, */
#define LESS_BYTES 1152.0     /* bytes that it may lack in addition, */
#define LESS_BYTES_SHARE 0.04 /* but not more than this share of the capacity */
#define MORE 0.005            /* share of the capacity that it may have too much */
#define FULL 0.98             /* from this share on almost all that was read was found */
#define ERRORS 3.0            /* standard errors, in both directions */

void gc_census_fail(struct gc_census *census, const char *why)
{
  snprintf(census->absent, sizeof(census->absent), "%s", why);
}

static void put_census(struct gc_measured *element, const struct gc_census *census, double allowed)
{
  /* the probability that a census of everything would be within the limits */
  const double confidence = census->error > 0 ? erf(allowed / census->error / sqrt(2)) : 1;

  if (*census->absent) {
    gc_set_absent(element, GC_CENSUS, census->absent);
  } else if (census->all || census->bytes > FULL * census->read) {
    gc_set_absent(element, GC_CENSUS,
                  "almost all that was read was found: the cache may hold more");
  } else {
    element->census_bytes = (uint64_t)llround(census->bytes);
    element->census_error_bytes = (uint64_t)ceil(census->error);
    gc_set_measured(element, GC_CENSUS, confidence);
  }
}

/* The deviation that chance may cause. A standard error from few rounds is too small too often. The
 * first term of the expansion of Student's quantiles after the normal one corrects that. */
double gc_census_chance(const struct gc_census *census)
{
  const double wide = ERRORS;
  const double more =
      census->rounds > 1 ? (wide * wide * wide + wide) / 4 / (census->rounds - 1) : 0;

  return (wide + more) * census->error;
}

int gc_settle_census(struct gc_measurement *m, struct gc_measured *element,
                     const struct gc_census *census)
{
  const uint64_t capacity = gc_capacity(element);
  const double bytes = (double)capacity;
  const double any = census->slack * bytes + gc_census_chance(census);
  const double more = MORE * bytes + any;
  const double less = LESS * bytes + fmin(LESS_BYTES, LESS_BYTES_SHARE * bytes) + any;
  char why[160];

  put_census(element, census, more);
  if (*census->absent || (census->bytes <= bytes + more && census->bytes >= bytes - less))
    return 0;
  snprintf(why, sizeof(why),
           "misses begin after %" PRIu64 " bytes, but a census found %.0f%s in it", capacity,
           census->bytes, census->all ? " or more" : "");
  m->bench.signs |= GC_SIGN_DOUBT;
  return gc_withhold(m->results, element->kind, GC_CAPACITY, why);
}
