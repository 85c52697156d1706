/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The slices of L2, and the sides (partitions) where lines are at home. doc/methods.md, "L2 slices
 * and sides".
 */
#include "measure/structure/slice_rate.h"
#include "measure/core/step_memory.h"
#include "measure/structure/structure.h"
#include "stats/sequential.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define ROUNDS 2    /* of the search for sides, by other SMs each time */
#define APPEAR 0.05 /* far operations take longer by at least this share */
#define CLEAR 0.5   /* of the usual difference between near and far: the least one of a line */
#define SLOWED 0.2  /* delays of less than this share of the latency are none */
#define GAP 2       /* delays in the slice are at least so many times those outside it */
#define ALIKE 0.99  /* share of the lines that must be in the same slice the second time */
#define SEEN_EACH 4 /* lines in a slice, on average, at least */
#define NO_SLICE UINT16_MAX

struct slices {
  struct gc_measurement *m;
  struct gc_slice_probe probe;
  uint64_t offset[GC_SIDE_LINES], address[GC_SIDE_LINES];
  double latency[GC_SLICE_SIDES_MAX][GC_SIDE_LINES]; /* by side of the SMs, raw cycles */
  uint8_t side[GC_SIDE_LINES];
  /* The lines whose side is clear, by side, as the device has them. */
  uint32_t order[GC_SIDE_LINES], first[GC_SLICE_SIDES_MAX], count[GC_SLICE_SIDES_MAX];
  uint16_t slice[GC_SIDE_LINES];
  uint32_t slices, one_of[GC_SIDE_LINES]; /* one_of: a line of each slice, the last one found */
  double limit[GC_SIDE_LINES];            /* by slice: delays of its lines, at least */
  double sorted[GC_SIDE_LINES], delay[GC_SIDE_LINES];
  bool in[GC_SIDE_LINES]; /* by position in `order`: in the busy slice of that side */
};

/* The pages that are in the arena as a whole. */
static uint64_t first_page(const struct gc_bench *bench)
{
  return (bench->arena + GC_SIDE_PAGE - 1) / GC_SIDE_PAGE * GC_SIDE_PAGE;
}

static uint64_t pages_of(const struct gc_bench *bench)
{
  const uint64_t end = bench->arena + bench->arena_bytes, first = first_page(bench);

  return end > first ? (end - first) / GC_SIDE_PAGE : 0;
}

/* The pages are spread over the arena. If it has fewer, they are used several times, with other
 * lines. */
static void choose_lines(struct slices *s)
{
  const uint64_t base = first_page(&s->m->bench), pages = pages_of(&s->m->bench);

  gc_side_lines(s->offset);
  for (uint32_t i = 0; i < GC_SIDE_LINES; i++) {
    const uint32_t page = i / GC_SIDE_PAGE_LINES;

    s->address[i] = base + page * pages / GC_SIDE_PAGES * GC_SIDE_PAGE + s->offset[i];
  }
}

/* Times all lines from a side. */
static int time_all(struct slices *s, uint32_t side, uint32_t round)
{
  const struct gc_slice_job job = {.side = side, .count = GC_SIDE_LINES};

  return gc_slice_probe_run(&s->probe, &job, 1, round);
}

/* Times all lines from each side. A launch before brings them into L2. */
static int time_sides(struct slices *s)
{
  int status = gc_slice_probe_lines(&s->probe, s->address, GC_SIDE_LINES);

  for (uint32_t side = 0; side < s->probe.sides && !status; side++)
    status = time_all(s, side, 0);
  for (uint32_t round = 0; round < ROUNDS; round++)
    for (uint32_t side = 0; side < s->probe.sides && !status; side++) {
      status = time_all(s, side, round);
      for (uint32_t i = 0; i < GC_SIDE_LINES && !status; i++)
        s->latency[side][i] += (double)s->probe.seen[i] / ROUNDS;
    }
  return status;
}

/* The side from which a line is nearest, and by how much. */
static uint8_t nearest(const struct slices *s, uint32_t line, double *by)
{
  double least = HUGE_VAL, second = HUGE_VAL;
  uint8_t nearest = 0;

  for (uint32_t side = 0; side < s->probe.sides; side++) {
    const double latency = s->latency[side][line];

    if (latency < least) {
      second = least;
      least = latency;
      nearest = (uint8_t)side;
    } else if (latency < second) {
      second = latency;
    }
  }
  *by = second - least;
  return nearest;
}

/* Finds the sides of the lines. */
static int find_sides(struct slices *s)
{
  double usual;

  if (s->probe.sides == 1) {
    memset(s->side, 0, sizeof(s->side));
    return 0;
  }
  for (uint32_t i = 0; i < GC_SIDE_LINES; i++) {
    s->side[i] = nearest(s, i, &s->delay[i]);
    s->sorted[i] = s->delay[i];
  }
  usual = gc_median(s->sorted, GC_SIDE_LINES);
  if (usual < APPEAR * s->latency[s->side[0]][0])
    return gc_no_value(&s->m->bench, "atomic operations take as long from all sides");
  for (uint32_t i = 0; i < GC_SIDE_LINES; i++)
    if (s->delay[i] < CLEAR * usual)
      s->side[i] = GC_SIDE_UNCLEAR;
  return 0;
}

/* Orders the lines by side. */
static int order_lines(struct slices *s)
{
  uint64_t address[GC_SIDE_LINES];
  uint32_t n = 0;

  for (uint32_t side = 0; side < s->probe.sides; side++) {
    s->first[side] = n;
    for (uint32_t i = 0; i < GC_SIDE_LINES; i++)
      if (s->side[i] == side) {
        address[n] = s->address[i];
        s->order[n++] = i;
      }
    s->count[side] = n - s->first[side];
  }
  return gc_slice_probe_lines(&s->probe, address, n);
}

/* The delay that divides the lines of the busy slice from the others, among those from `first` on:
 * in the widest gap below that of the busy line itself. Waiting lines differ much, so a gap is wide
 * if its upper end is many times the lower one. Delays below `slowed` count as that. 0: there is no
 * such gap. */
static double divide(struct slices *s, uint32_t first, uint32_t count, double own, double slowed)
{
  double widest = GAP, limit = 0, before = HUGE_VAL;
  uint32_t n = 0;

  for (uint32_t i = first; i < first + count; i++)
    if (s->delay[i] > slowed)
      s->sorted[n++] = s->delay[i];
    else
      before = slowed;
  gc_sort(s->sorted, n);
  for (uint32_t i = 0; i < n && s->sorted[i] <= own; i++) {
    if (s->sorted[i] > widest * before) {
      widest = s->sorted[i] / before;
      limit = sqrt(s->sorted[i] * before);
    }
    before = s->sorted[i];
  }
  return limit;
}

/* Lines of different sides, kept busy at the same time. */
struct busy {
  uint32_t line[GPU_SLICES_JOBS];
  double limit[GPU_SLICES_JOBS]; /* the delay that divides their slices from the others; 0: none */
  size_t n;
};

/* Keeps the lines busy and finds the lines of their sides that are in their slices: s->in. */
static int find_slices(struct slices *s, struct busy *busy, uint32_t half)
{
  struct gc_slice_job jobs[GPU_SLICES_JOBS];
  int status;

  for (size_t k = 0; k < busy->n; k++) {
    const uint32_t line = busy->line[k], side = s->side[line];

    jobs[k] = (struct gc_slice_job){
        .side = side, .busy = s->address[line], .first = s->first[side], .count = s->count[side]};
  }
  if ((status = gc_slice_probe_run(&s->probe, jobs, busy->n, half)))
    return status;
  for (size_t k = 0; k < busy->n; k++) {
    const struct gc_slice_job *job = &jobs[k];
    double own = 0;

    for (uint32_t i = job->first; i < job->first + job->count; i++) {
      const uint32_t at = s->order[i];

      s->delay[i] = s->probe.seen[i] - s->latency[job->side][at];
      own = at == busy->line[k] ? s->delay[i] : own;
    }
    busy->limit[k] =
        divide(s, job->first, job->count, own, SLOWED * s->latency[job->side][busy->line[k]]);
    for (uint32_t i = job->first; i < job->first + job->count; i++)
      s->in[i] = busy->limit[k] > 0 && s->delay[i] > busy->limit[k];
  }
  return 0;
}

#define ATTEMPTS 2 /* a search that another program disturbs finds no groups */
#define NOT_BUSY "half of the SMs cannot keep one slice so busy that only its lines wait"
#define NO_GROUPS "lines that wait for each other do not form groups"

/* The slice that most lines of a group are in already: a line may be missed when the lines of its
 * slice are searched, and then finds them itself. A new one: most lines are in no slice. */
static uint32_t slice_of_group(const struct slices *s, uint8_t side)
{
  const uint32_t end = s->first[side] + s->count[side];
  uint32_t lines[GC_SIDE_LINES] = {0}, n = 0;

  for (uint32_t i = s->first[side]; i < end; i++)
    n += s->in[i];
  for (uint32_t i = s->first[side]; i < end; i++) {
    const uint16_t slice = s->slice[s->order[i]];

    if (s->in[i] && slice != NO_SLICE && 2 * ++lines[slice] > n)
      return slice;
  }
  return s->slices;
}

/* Puts the lines of s->in of a side into a slice. Returns how many; *overlaps: those that were in
 * another one. */
static uint32_t put_group(struct slices *s, uint8_t side, double limit, uint32_t *overlaps)
{
  const uint32_t slice = slice_of_group(s, side), end = s->first[side] + s->count[side];
  uint32_t lines = 0;

  for (uint32_t i = s->first[side]; i < end; i++) {
    const uint32_t at = s->order[i];

    if (!s->in[i])
      continue;
    *overlaps += s->slice[at] != NO_SLICE && s->slice[at] != slice;
    s->slice[at] = (uint16_t)slice;
    s->one_of[slice] = at;
    s->limit[slice] = limit;
    lines++;
  }
  s->slices += slice == s->slices;
  return lines;
}

/* The first line of each side that is in no slice, of as many sides as fit in a launch. */
static void choose_busy(const struct slices *s, struct busy *busy)
{
  busy->n = 0;
  for (uint32_t side = 0; side < s->probe.sides && busy->n < GPU_SLICES_JOBS; side++)
    for (uint32_t i = s->first[side]; i < s->first[side] + s->count[side]; i++)
      if (s->slice[s->order[i]] == NO_SLICE) {
        busy->line[busy->n++] = s->order[i];
        break;
      }
}

/* Puts all lines into slices. *why: there are none. */
static int find_all(struct slices *s, const char **why)
{
  uint32_t overlaps = 0, lines = 0;
  struct busy busy;

  s->slices = 0;
  for (uint32_t i = 0; i < GC_SIDE_LINES; i++)
    s->slice[i] = NO_SLICE;
  for (choose_busy(s, &busy); busy.n; choose_busy(s, &busy)) {
    const int status = find_slices(s, &busy, 0);

    if (status)
      return status;
    for (size_t k = 0; k < busy.n && !*why; k++) {
      if (!(busy.limit[k] > 0))
        *why = NOT_BUSY;
      else
        lines += put_group(s, s->side[busy.line[k]], busy.limit[k], &overlaps);
      if (overlaps > (1 - ALIKE) * lines + 2 || s->slices > GC_SIDE_LINES / SEEN_EACH)
        *why = NO_GROUPS;
    }
    if (*why)
      return -ENOTSUP;
  }
  return 0;
}

/* The next slice of each side, from next[side] on. slice[]: which ones. */
static void choose_again(const struct slices *s, uint32_t *next, struct busy *busy, uint32_t *slice)
{
  busy->n = 0;
  for (uint32_t side = 0; side < s->probe.sides && busy->n < GPU_SLICES_JOBS; side++) {
    while (next[side] < s->slices && s->side[s->one_of[next[side]]] != side)
      next[side]++;
    if (next[side] == s->slices)
      continue;
    slice[busy->n] = next[side];
    busy->line[busy->n++] = s->one_of[next[side]++];
  }
}

/* Repeats the search with another line of each slice, kept busy by other SMs. *right, *all: lines
 * that are in the same slice both times; either time. A wrong slice makes all of its lines wrong,
 * so right lines of some slices say little about the others: the search ends early only if it has
 * failed. */
static int find_again(struct slices *s, uint32_t *right, uint32_t *all)
{
  uint32_t next[GC_SLICE_SIDES_MAX] = {0}, slice[GPU_SLICES_JOBS];
  struct busy busy;

  *right = *all = 0;
  for (choose_again(s, next, &busy, slice);
       busy.n && gc_share_side(*right, *all, ALIKE, ALIKE, GC_SEQUENTIAL_ERROR) != GC_SIDE_BELOW;
       choose_again(s, next, &busy, slice)) {
    const int status = find_slices(s, &busy, 1);

    if (status)
      return status;
    for (size_t k = 0; k < busy.n; k++) {
      const uint32_t side = s->side[busy.line[k]];

      for (uint32_t i = s->first[side]; i < s->first[side] + s->count[side]; i++) {
        const bool was = s->slice[s->order[i]] == slice[k];

        *right += was && s->in[i];
        *all += was || s->in[i];
      }
    }
  }
  return 0;
}

static int put_slices(struct slices *s, struct gc_measured *element)
{
  const char *why = NULL;
  uint32_t right, all, lines = 0;
  double complete;
  int status = find_all(s, &why);

  if (status == -ENOTSUP)
    return gc_set_absent(element, GC_SLICES, why);
  if (status || (status = find_again(s, &right, &all)))
    return status;
  gc_raw_note(s->m->bench.raw, "lines in a slice both times", right);
  gc_raw_note(s->m->bench.raw, "lines in a slice either time", all);
  if (s->slices <= s->probe.sides)
    return gc_set_absent(element, GC_SLICES, NOT_BUSY);
  if (right < ALIKE * all)
    return gc_set_absent(element, GC_SLICES, NO_GROUPS);
  for (uint32_t side = 0; side < s->probe.sides; side++)
    lines += s->count[side];
  /* the probability that no slice is without a line, if all are equally likely */
  complete = exp(-(double)s->slices * exp(-(double)lines / s->slices));
  element->slices = s->slices;
  return gc_set_measured(element, GC_SLICES, complete * (right + 1) / (all + 1));
}

static int put_mask(struct slices *s, struct gc_measured *element)
{
  const char *why = NULL;
  struct gc_side_fit fit;

  if (s->probe.sides != 2)
    why = s->probe.sides == 1 ? "the L2 has one partition" : "the L2 has more than two partitions";
  if (!why)
    why = gc_side_fit(s->offset, s->side, &fit);
  if (why) {
    gc_set_absent(element, GC_SIDE_MASK, why);
    return gc_set_absent(element, GC_SIDE_GRANULE, why);
  }
  element->side_mask = fit.mask;
  element->side_granule_bytes = fit.mask & -fit.mask;
  gc_set_measured(element, GC_SIDE_MASK, (fit.right + 1.0) / (fit.tried + 1.0));
  return gc_set_measured(element, GC_SIDE_GRANULE, (fit.right + 1.0) / (fit.tried + 1.0));
}

/* --- what a slice delivers ------------------------------------------------------------------- */

/* The median time of the lines of a side, for SMs of one of the sides. */
static double usual(struct slices *s, uint32_t lines_of, uint32_t sms_of)
{
  uint32_t n = 0;

  for (uint32_t i = 0; i < GC_SIDE_LINES; i++)
    if (s->side[i] == lines_of)
      s->sorted[n++] = s->latency[sms_of][i];
  return n ? gc_median(s->sorted, n) : 0;
}

/* As many slices of each side, those that were found first. */
static void choose_seeds(struct slices *s, struct gc_slice_seeds *seeds)
{
  const uint32_t sides = s->probe.sides > 1 ? 2 : 1;
  uint32_t of[GC_SLICE_SIDES_MAX] = {0};

  seeds->count = 0;
  seeds->far = s->probe.sides > 1 ? (usual(s, 0, 0) + usual(s, 1, 0)) / 2 : HUGE_VAL;
  for (uint32_t slice = 0; slice < s->slices && seeds->count < GC_SLICE_RATES; slice++) {
    const uint32_t line = s->one_of[slice], side = s->side[line];

    if (side >= sides || of[side] == GC_SLICE_RATES / sides)
      continue;
    of[side]++;
    seeds->seed[seeds->count++] =
        (struct gc_slice_seed){s->address[line], side, usual(s, side, side) + s->limit[slice]};
  }
}

static int put_rate(struct slices *s, struct gc_measured *element)
{
  struct gc_slice_seeds seeds;

  if (!gc_found(element, GC_SLICES))
    return gc_set_absent(element, GC_SLICE_READ, "this needs the slices");
  if (s->probe.sides > 2)
    return gc_set_absent(element, GC_SLICE_READ, "the L2 has more than two partitions");
  choose_seeds(s, &seeds);
  return gc_slice_rate(&s->probe, s->m, element, &seeds);
}

static void log_lines(const struct slices *s)
{
  for (uint32_t i = 0; i < GC_SIDE_LINES && s->m->bench.raw; i++) {
    const uint8_t side = s->side[i];

    gc_raw_row(s->m->bench.raw, "line\tpage\toffset\tside\tslice\tnear latency, raw cycles",
               (double[]){i, i / GC_SIDE_PAGE_LINES, (double)s->offset[i],
                          side == GC_SIDE_UNCLEAR ? -1 : side,
                          s->slice[i] == NO_SLICE ? -1 : s->slice[i],
                          side == GC_SIDE_UNCLEAR ? 0 : s->latency[side][i]});
  }
}

static int measure(struct slices *s, struct gc_measured *element)
{
  int status;

  choose_lines(s);
  if ((status = time_sides(s)) || (status = find_sides(s)))
    return status;
  put_mask(s, element);
  status = order_lines(s);
  for (int attempt = 0; attempt < ATTEMPTS && !status && !gc_found(element, GC_SLICES); attempt++)
    status = put_slices(s, element);
  log_lines(s);
  if (!status && (status = put_rate(s, element)) == -EAGAIN)
    status =
        gc_set_absent(element, GC_SLICE_READ, "the blocks of a launch did not spread over all SMs");
  return status;
}

/* Why the search is not possible; NULL: it is. */
static const char *problem(const struct gc_measurement *m)
{
  if (m->bench.properties.l2_per_xcd)
    return "not measured on GPUs that can have several L2 caches";
  if (!m->results->l2_sides_known)
    return "it is not known which SMs are near to which partition";
  if (!pages_of(&m->bench))
    return "less than 2 MiB of device memory in one piece are used";
  return NULL;
}

uint64_t gc_needs_slices(const struct gc_measurement *m, enum gc_kind kind)
{
  (void)m;
  (void)kind;
  return 2 * GC_SIDE_PAGE;
}

int gc_step_slices(struct gc_measurement *m, struct gc_measured *element)
{
  const char *why = problem(m);
  struct slices *s;
  int status;

  if (why)
    return gc_no_value(&m->bench, why);
  if (!(s = gc_step_alloc(&m->bench, 1, sizeof(*s))))
    return -ENOMEM;
  s->m = m;
  status = gc_slice_probe_open(&s->probe, m);
  if (!status)
    status = measure(s, element);
  else if (status == -ENOTSUP)
    status = gc_no_value(&m->bench, "a partition has too few SMs, or there are too many");
  if (status == -EAGAIN)
    status = gc_set_all_absent(element, (union gc_property_set)GC_SLICE_PROPERTIES,
                               "the blocks of a launch did not spread over all SMs");
  return status;
}
