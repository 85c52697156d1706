/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How many bytes must be read to displace everything in front of device memory? One SM reads lines
 * several times, then all SMs read other memory once, in order, and the lines are timed again. The
 * least size is searched after which hardly any of them is found. doc/methods.md, "Flush".
 *
 * A line may be left in the far partition of L2, or in L3, and a load of it then takes most of the
 * time of a load of memory. So each load is compared with a load of the same line from the farthest
 * of these places. Two controls say how often a displaced line looks like one that is left, and a
 * line that is left like a displaced one.
 */
#include "measure/structure/structure.h"

#include "measure/core/footprint.h"
#include "measure/core/placement.h"
#include "measure/core/step_memory.h"
#include "measure/walk/batches.h"
#include "measure/walk/evict.h"
#include "measure/walk/l2_survives.h"
#include "stats/sequential.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>

#define WARM_UP 8 /* first lines of a batch, which bring the code into caches */
#define TIMED 100 /* lines of a batch that count */
#define ALL (WARM_UP + TIMED)
#define BATCHES 16
#define LINES (BATCHES * ALL)
#define COUNT (BATCHES * TIMED)
#define APART 13 /* lines from one to the next; coprime to numbers of sets and channels */
#define LINE_MAX 256
#define STRIDE_LEAST 32 /* bytes: at most the sector of any L2 */
#define SHARE_OF_L2 8   /* lines that are read together take at most the L2 divided by this */
#define PASSES 3        /* how often the lines are read before: caches may protect such lines */
/* The threshold is above a hit by the gap to memory divided by 4; or by 8, 16 or 32 if too many
 * loads of memory are faster than that. */
#define PART_LEAST 4
#define PART_MOST 32
#define LEAST 0.5               /* the smallest size, by the capacity that the driver states */
#define RATIO 1.189207115002721 /* from one size to the next: four of them double it */
#define LEFT 0.05               /* of the lines may be left */
#define CLEAR 0.5               /* a threshold is clear if `low` is at most this part of `high` */
#define GRAIN 4096              /* bytes: sizes are multiples of it, at least */

/* Of each line: a load of memory; one from the farthest place in front of it, the faster of two;
 * and how much longer the other one took. Raw cycles. */
struct control {
  uint32_t cold[LINES], latest[LINES], again[LINES], spread[LINES];
  double gaps[COUNT];
  uint32_t counts[LINES]; /* 1 of each */
};

struct search {
  struct gc_measurement *m;
  uint32_t sm, reader; /* numbers: it times; it reads lines to the farthest place */
  uint32_t stride;     /* bytes: no more than a line */
  uint32_t together;   /* batches whose lines are read together: every so many lines are a batch */
  uint64_t samples;    /* bytes of the arena from the first timed line to the last one */
  uint64_t room;       /* bytes of other memory that can be read */
  uint64_t grain;      /* bytes: sizes are multiples of it */
  double base;         /* bytes */
  struct control *c;
  double later;     /* a line is left if it takes less than `latest` + this */
  double low, high; /* shares of lines that look left if none is, and if LEFT are */
  /* the lines that were read, and what was read after them */
  uint32_t next, end; /* batches that are not timed yet */
  uint64_t read;      /* bytes of other memory */
};

static const char missing[] = "the blocks of a launch did not spread over all SMs";

/* The larger one of all L2 caches and the L3, as the driver states them. */
static double base_of(const struct gc_properties *p)
{
  const uint64_t l2 = gc_all_l2_bytes(p);

  return (double)(p->l3_bytes > l2 ? p->l3_bytes : l2);
}

/* Ascending; the last one is all that can be read. */
static uint64_t size_of(const struct search *s, uint32_t i)
{
  const double grain = (double)s->grain;
  const uint64_t bytes = (uint64_t)(LEAST * s->base * pow(RATIO, i) / grain + 1) * s->grain;

  return bytes < s->room ? bytes : s->room;
}

/* Times n lines, each step-th one from this one on. -EAGAIN: the block did not run on that SM. */
static int time_lines(const struct search *s, uint32_t first, uint32_t step, uint32_t n,
                      uint32_t *cycles)
{
  const uint32_t apart = APART * s->stride;
  const struct gc_batches batches = {
      &s->m->bench, s->sm, 1, step * apart, (uint64_t)first * apart, n, 0, true};
  const int status = gc_batches_time(&batches, s->c->counts, cycles);

  return status ? status : cycles[0] ? 0 : -EAGAIN;
}

/* The first of the lines that are read together with those of this batch. */
static uint32_t first_of(const struct search *s, uint32_t batch)
{
  return batch / s->together * s->together * ALL;
}

/* One SM reads lines together. */
static int read_lines(const struct search *s, uint32_t first, uint32_t sm)
{
  const uint32_t apart = APART * s->stride;
  const struct gc_read lines = {(uint64_t)first * apart, (uint64_t)s->together * ALL * apart, apart,
                                PASSES, sm};

  return gc_read_arena(&s->m->bench, &lines);
}

/* --- controls -------------------------------------------------------------------------------- */

/* Brings lines to the farthest place in front of memory, L3 or the far partition of L2, and times
 * them. */
static int time_latest(const struct search *s, uint32_t first, uint32_t *cycles)
{
  struct gc_bench *bench = &s->m->bench;
  int status;

  if ((status = gc_empty_caches(bench)) || (status = read_lines(s, first, s->reader)) ||
      (bench->properties.l3_bytes && (status = gc_empty_l2(bench))))
    return status;
  return time_lines(s, first, 1, s->together * ALL, cycles);
}

/* Reads all others, too, because this control must hardly find a line: where any line may be
 * replaced, emptying the caches leaves some. */
static int time_cold(const struct search *s, uint32_t first, uint32_t *cycles)
{
  struct gc_bench *bench = &s->m->bench;
  int status;

  if ((status = gc_empty_caches(bench)) ||
      (status = gc_read_by_all(bench, s->samples, s->room, s->stride)))
    return status;
  return time_lines(s, first, 1, s->together * ALL, cycles);
}

static int time_controls(const struct search *s)
{
  struct control *c = s->c;
  int status = 0;

  for (uint32_t first = 0; first < LINES && !status; first += s->together * ALL) {
    if ((status = time_cold(s, first, &c->cold[first])) ||
        (status = time_latest(s, first, &c->latest[first])))
      break;
    status = time_latest(s, first, &c->again[first]);
  }
  for (uint32_t i = 0; i < LINES; i++) {
    const uint32_t one = c->latest[i], other = c->again[i];

    c->latest[i] = one < other ? one : other;
    c->spread[i] = one < other ? other - one : one - other;
  }
  return status;
}

/* Whether a line is one of the first ones of its batch. */
static bool warms_up(const struct search *s, uint32_t line)
{
  return line % (s->together * ALL) < s->together * WARM_UP;
}

/* A threshold, and what it does in the controls. */
struct threshold {
  double later, low, high; /* as in struct search */
  double displaced;        /* lines that look as if they were left */
};

static struct threshold try_threshold(const struct search *s, double later)
{
  const struct control *c = s->c;
  struct threshold t = {.later = later};
  struct gc_share like_left, like_displaced;
  double left = 0; /* lines that look displaced */

  for (uint32_t i = 0; i < LINES; i++) {
    t.displaced += !warms_up(s, i) && c->cold[i] < c->latest[i] + later;
    left += !warms_up(s, i) && c->spread[i] >= later;
  }
  like_left = gc_share_bounds(t.displaced, COUNT, GC_SEQUENTIAL_ERROR);
  like_displaced = gc_share_bounds(left, COUNT, GC_SEQUENTIAL_ERROR);
  t.low = like_left.high;
  t.high = like_left.low + LEFT * (1 - like_displaced.high - like_left.low);
  return t;
}

/* Sets what separates lines that are left from displaced ones: the largest threshold that is clear,
 * or else the one that separates best. Whether the search can accept a size with it: also if twice
 * as many displaced lines look left as in the control. A second control shows more than the search
 * can accept in fewer than 1 of 100 cases then. */
static bool find_threshold(struct search *s)
{
  struct control *c = s->c;
  struct threshold best = {0};
  double least = 1, gap; /* least: `low` as a part of `high`; no less than CLEAR counts */
  size_t n = 0;

  for (uint32_t i = 0; i < LINES; i++)
    if (!warms_up(s, i))
      c->gaps[n++] = (double)c->cold[i] - c->latest[i];
  gap = gc_median(c->gaps, n);
  for (uint32_t part = PART_LEAST; part <= PART_MOST && gap > 0; part *= 2) {
    const struct threshold t = try_threshold(s, gap / part);
    const double share = fmax(t.low / t.high, CLEAR);

    if (share < least) {
      least = share;
      best = t;
    }
  }
  s->later = best.later;
  s->low = best.low;
  s->high = best.high;
  return least < 1 &&
         gc_share_bounds(2 * best.displaced, COUNT, GC_SEQUENTIAL_ERROR).high < best.high;
}

/* --- the search ------------------------------------------------------------------------------ */

/* Reads further lines. The caches are emptied before, so that the answer does not depend on what
 * was read earlier. */
static int prepare(struct search *s)
{
  int status = gc_empty_caches(&s->m->bench);

  s->next = s->end % BATCHES;
  s->end = s->next + s->together;
  s->read = 0;
  return status ? status : read_lines(s, first_of(s, s->next), s->sm);
}

/* Times a batch after so many bytes, no fewer than before. Adds to *left how many of its lines look
 * as if they were left. */
static int probe(struct search *s, uint64_t bytes, double *left)
{
  struct gc_bench *bench = &s->m->bench;
  uint32_t now[ALL], first;
  double found = 0;
  int status = 0;

  if (s->next == s->end && (status = prepare(s)))
    return status;
  if (bytes > s->read)
    status = gc_read_by_all(bench, s->samples + s->read, bytes - s->read, s->stride);
  s->read = bytes;
  first = first_of(s, s->next) + s->next % s->together;
  if (status || (status = time_lines(s, first, s->together, ALL, now)))
    return status;
  s->next++;
  for (uint32_t i = WARM_UP; i < ALL; i++)
    found += now[i] < s->c->latest[first + i * s->together] + s->later;
  gc_raw_row(bench->raw, "bytes read\tlines left, percent",
             (double[]){(double)bytes, 100 * found / TIMED});
  *left += found;
  return 0;
}

/* The first size after which a batch does not show that lines are left. */
static int skip_sizes(struct search *s, uint32_t sizes, uint32_t *size)
{
  int status = 0;

  for (*size = 0; *size < sizes; ++*size) {
    double left = 0;

    if ((status = probe(s, size_of(s, *size), &left)) ||
        gc_share_side(left, TIMED, s->low, s->high, GC_SEQUENTIAL_ERROR) != GC_SIDE_ABOVE)
      break;
  }
  return status;
}

/* The first size, from *size on, after which fewer than LEFT are left; `sizes`: there is none.
 * *chance: the probability to see so few if LEFT are left. */
static int confirm(struct search *s, uint32_t sizes, uint32_t *size, double *chance)
{
  int status = 0;

  for (; *size < sizes; ++*size) {
    enum gc_side side = GC_SIDE_OPEN;
    double left = 0;
    uint32_t n = 0;

    s->next = s->end; /* all anew */
    for (; n < COUNT && side == GC_SIDE_OPEN; n += TIMED) {
      if ((status = probe(s, size_of(s, *size), &left)))
        return status;
      side = gc_share_side(left, n + TIMED, s->low, s->high, GC_SEQUENTIAL_ERROR);
    }
    *chance = gc_binomial_cdf((uint64_t)left, n, s->high);
    if (side == GC_SIDE_BELOW)
      break;
  }
  return status;
}

static int find_size(struct search *s, struct gc_measured *element)
{
  uint32_t sizes = 1, size;
  double chance = 1;
  int status = time_controls(s);

  if (status)
    return status;
  if (!find_threshold(s))
    return gc_set_absent(element, GC_FLUSH,
                         "too many loads of memory take no longer than those of lines in caches");
  while (size_of(s, sizes - 1) < s->room)
    sizes++;
  if ((status = skip_sizes(s, sizes, &size)) || (status = confirm(s, sizes, &size, &chance)))
    return status;
  if (size == sizes)
    return gc_set_absent(element, GC_FLUSH,
                         "lines are left after all memory that measuring may use was read");
  element->flush_bytes = size_of(s, size);
  return gc_set_measured(element, GC_FLUSH, 1 - chance);
}

/* --- the step -------------------------------------------------------------------------------- */

uint64_t gc_needs_flush(const struct gc_measurement *m, enum gc_kind kind)
{
  (void)kind;
  return gc_walk_enough(&m->bench.properties);
}

/* One SM times the lines. Another one brings them to the far partition; if the partitions are not
 * known, the last SM, which may be far. */
static void choose_sms(struct search *s)
{
  const struct gc_results *results = s->m->results;
  const uint32_t *numbers = results->sm_number;

  s->reader = s->sm = numbers[0];
  for (uint32_t i = 0; i < results->sm_count && !s->m->bench.properties.l2_per_xcd; i++) {
    s->reader = numbers[i];
    if (results->l2_sides_known && results->l2_side[s->reader] != results->l2_side[s->sm])
      break;
  }
}

/* Chooses the lines. Returns why that cannot be done; NULL. */
static const char *choose_lines(struct search *s)
{
  const struct gc_bench *bench = &s->m->bench;
  const struct gc_measured *l2 = &s->m->results->element[GC_L2];
  const uint64_t parts = gc_found(l2, GC_PARTITIONS) ? l2->partitions : 1;
  const bool known = gc_found(l2, GC_LINE) && l2->line_bytes <= LINE_MAX;
  const uint64_t line = known ? l2->line_bytes : LINE_MAX;

  s->stride = known                    ? (uint32_t)line
              : gc_found(l2, GC_FETCH) ? (uint32_t)l2->fetch_bytes
                                       : STRIDE_LEAST;
  s->samples = (uint64_t)LINES * APART * s->stride;
  for (s->together = BATCHES; s->together > 1; s->together /= 2)
    if (s->together * ALL * line * SHARE_OF_L2 <= bench->properties.l2_bytes / parts)
      break;
  s->room = bench->walk_bytes > s->samples ? bench->walk_bytes - s->samples : 0;
  /* XCDs read parts of a launch in turn. If each launch ends with the last XCD, the next one goes
   * on as if both were one, so that the L2 of an XCD gets every part once. */
  s->grain = bench->properties.l2_count > 1 ? (uint64_t)bench->properties.l2_count *
                                                  bench->properties.threads_per_block * s->stride
                                            : GRAIN;
  s->room -= s->room % s->grain;
  return s->samples > gc_cold_bytes(bench) || (double)s->room < s->base
             ? "there is too little memory to read"
             : NULL;
}

int gc_step_flush(struct gc_measurement *m, struct gc_measured *element)
{
  struct search s = {.m = m, .base = base_of(&m->bench.properties)};
  const char *why = NULL;
  int status;

  if (!(s.base > 0))
    why = "the driver does not report the size of L2";
  else if (m->results->l2_lost)
    why = gc_l2_lost_why;
  if (why)
    return gc_set_absent(element, GC_FLUSH, why);
  if ((status = gc_number_sms(m)))
    return status;
  choose_sms(&s);
  if ((why = choose_lines(&s)))
    return gc_set_absent(element, GC_FLUSH, why);
  s.c = gc_step_alloc(&m->bench, 1, sizeof(*s.c));
  for (uint32_t i = 0; i < LINES && s.c; i++)
    s.c->counts[i] = 1;
  status = s.c ? find_size(&s, element) : -ENOMEM;
  return status == -EAGAIN ? gc_set_absent(element, GC_FLUSH, missing) : status;
}
