/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Are values with confidence 0.95 right in 95 % of cases? Measures many drawn GPUs and prints the
 * reliability table: the stated confidence next to the share of values that are right.
 *
 *   calibrate [--kind KIND] [-n GPUS] [-s SEED] [-w PROCESSES] [-r FILE]
 *   calibrate [--kind KIND] -p INDEX [-s SEED]
 *
 * -r: write every verdict as TSV. -p: print the profile of one drawn GPU. KIND is general, or pages
 * for GPUs with physical pages, TLBs and more (draw.h). By default it is general.
 */
#include "judge.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define GPUS_IN_CHECK 40
#define SEED 2026
#define WORKERS_MAX 256
#define FEW 20 /* among fewer values than this, one may be wrong */

static const char *const class_names[DRAWN_CLASSES] = {"quiet", "disturbed", "noise"};

/* Lower ends of the bins of confidence. */
static const double bins[] = {0, 0.5, 0.8, 0.9, 0.95, 0.99, 0.999};
#define BINS (sizeof(bins) / sizeof(*bins))

/* The GPUs to draw. */
struct order {
  uint64_t seed;
  enum drawn_kind kind;
  unsigned long gpus;
};

struct count {
  unsigned long values, right;
  double confidence; /* sum */
};

struct tally {
  struct count bin[BINS][JUDGED];              /* [][property] */
  struct count sure[JUDGED];                   /* at 0.95 or more */
  struct count kinds[GC_KIND_COUNT][JUDGED];   /* the same by element */
  struct count classes[DRAWN_CLASSES];         /* the same by class */
  unsigned long asked[DRAWN_CLASSES][GC_KIND_COUNT][JUDGED];
  unsigned long absent[DRAWN_CLASSES][GC_KIND_COUNT][JUDGED];
  struct count bound;                          /* "at least so many bytes" */
  unsigned long nothing_there[JUDGED];         /* cases where no value exists */
  unsigned long invented[JUDGED];              /* of these, the ones where a value was reported */
};

static void add(struct count *count, const struct verdict *v)
{
  count->values++;
  count->right += v->right;
  count->confidence += v->confidence;
}

static void tally_add(struct tally *t, const struct verdict *v)
{
  size_t bin = BINS - 1;

  if (v->nothing_there) {
    t->nothing_there[v->property]++;
    t->invented[v->property] += v->claim == CLAIM_VALUE;
  } else {
    t->asked[v->class][v->kind][v->property]++;
    t->absent[v->class][v->kind][v->property] += v->claim != CLAIM_VALUE;
  }
  if (v->claim == CLAIM_AT_LEAST)
    add(&t->bound, v);
  if (v->claim != CLAIM_VALUE)
    return;
  while (bin && v->confidence < bins[bin])
    bin--;
  add(&t->bin[bin][v->property], v);
  if (v->confidence < 0.95)
    return;
  add(&t->sure[v->property], v);
  add(&t->kinds[v->kind][v->property], v);
  add(&t->classes[v->class], v);
}

/* --- workers --------------------------------------------------------------------------------- */

/* Runs in a worker process: takes the next GPU that no other worker has taken, until none is
 * left. */
static int work(const struct order *order, unsigned long *next, int out)
{
  static struct verdict verdicts[VERDICTS_MAX];
  unsigned long i;

  while ((i = __atomic_fetch_add(next, 1, __ATOMIC_RELAXED)) < order->gpus) {
    struct drawn_gpu gpu;
    int n;

    draw_gpu(order->seed, i, order->kind, &gpu);
    if ((n = judge_gpu(&gpu, i, verdicts)) < 0)
      return 1;
    for (int k = 0; k < n; k++)
      if (write(out, &verdicts[k], sizeof(*verdicts)) != sizeof(*verdicts))
        return 1;
  }
  return 0;
}

static void print_row(FILE *rows, const struct verdict *v)
{
  static const char *const claims[] = {"absent", "at_least", "value"};

  fprintf(rows, "%llu\t%s\t%s\t%s\t%s\t%d\t%d\t%.4f\t%s\t%s\t%s\n", (unsigned long long)v->gpu,
          class_names[v->class], gc_kinds[v->kind].subtype, judged_names[v->property],
          claims[v->claim], v->right, v->nothing_there, v->confidence, v->value, v->truth, v->why);
}

/* Forks the workers. They share *next, and write to one pipe. */
static bool start(unsigned workers, const struct order *order, const int ends[2])
{
  unsigned long *next = mmap(NULL, sizeof(*next), PROT_READ | PROT_WRITE,
                             MAP_SHARED | MAP_ANONYMOUS, -1, 0);

  if (next == MAP_FAILED)
    return false;
  fflush(NULL);
  for (unsigned i = 0; i < workers; i++) {
    const pid_t pid = fork();

    if (pid < 0)
      return false;
    if (!pid) {
      close(ends[0]);
      _exit(work(order, next, ends[1]));
    }
  }
  return true;
}

static bool collect(const struct order *order, unsigned workers, struct tally *tally, FILE *rows)
{
  struct verdict verdict;
  bool good;
  int ends[2], status;

  _Static_assert(sizeof(verdict) <= 512, "written in one piece");
  if (pipe(ends))
    return false;
  good = start(workers, order, ends);
  close(ends[1]);
  while (read(ends[0], &verdict, sizeof(verdict)) == sizeof(verdict)) {
    tally_add(tally, &verdict);
    if (rows)
      print_row(rows, &verdict);
  }
  close(ends[0]);
  while (wait(&status) > 0)
    good &= WIFEXITED(status) && !WEXITSTATUS(status);
  return good;
}

/* --- report ---------------------------------------------------------------------------------- */

static double percent(unsigned long part, unsigned long whole)
{
  return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void print_count(const char *first, const char *second, const struct count *count)
{
  printf("| %-16s | %-14s | %6lu", first, second, count->values);
  if (count->values)
    printf(" | %6.4f | %6.2f %%", count->confidence / (double)count->values,
           percent(count->right, count->values));
  else
    printf(" | %6s | %8s", "", "");
}

static void report_bins(const struct tally *t)
{
  char what[32];

  printf("\n| property | confidence | values | stated | right |\n|---|---|---:|---:|---:|\n");
  for (int property = 0; property < JUDGED; property++)
    for (size_t b = 0; b < BINS; b++)
      if (t->bin[b][property].values) {
        snprintf(what, sizeof(what), "%.3f to %.3f", bins[b], b + 1 < BINS ? bins[b + 1] : 1);
        print_count(judged_names[property], what, &t->bin[b][property]);
        printf(" |\n");
      }
}

/* "3 of 120" */
static void print_absent(const struct tally *t, int class, int kind, int property)
{
  printf(" | %4lu of %4lu", t->absent[class][kind][property], t->asked[class][kind][property]);
}

static void report_elements(const struct tally *t)
{
  printf("\n| element | property | values with 0.95 or more | stated | right | absent on quiet GPUs | on "
         "disturbed ones |\n|---|---|---:|---:|---:|---:|---:|\n");
  for (int kind = 0; kind < GC_KIND_COUNT; kind++)
    for (int property = 0; property < JUDGED; property++)
      if (t->asked[DRAWN_QUIET][kind][property] + t->asked[DRAWN_DISTURBED][kind][property]) {
        print_count(gc_kinds[kind].subtype, judged_names[property], &t->kinds[kind][property]);
        print_absent(t, DRAWN_QUIET, kind, property);
        print_absent(t, DRAWN_DISTURBED, kind, property);
        printf(" |\n");
      }
}

static void report(const struct tally *t)
{
  report_bins(t);
  printf("\n| 0.95 or more | | values | stated | right |\n|---|---|---:|---:|---:|\n");
  for (int property = 0; property < JUDGED; property++) {
    print_count(judged_names[property], "", &t->sure[property]);
    printf(" |\n");
  }
  for (int class = 0; class < DRAWN_CLASSES; class++) {
    print_count("all", class_names[class], &t->classes[class]);
    printf(" |\n");
  }
  report_elements(t);
  printf("\nvalues reported where there is nothing to find:");
  for (int i = 0; i < JUDGED; i++)
    if (t->nothing_there[i])
      printf(" %s %lu of %lu;", judged_names[i], t->invented[i], t->nothing_there[i]);
  printf("\n\"at least\" reported: %lu, right: %lu\n\n", t->bound.values, t->bound.right);
}

static int expect(bool good, const char *what)
{
  static int n;

  printf("%sok %d - %s\n", good ? "" : "not ", ++n, what);
  return !good;
}

static bool mostly(const struct count *c)
{
  return percent(c->right, c->values) >= 95 || (c->values < FEW && c->values - c->right <= 1);
}

/* Percentage that is absent among elements inside the SM, on quiet GPUs. Two kinds do not count:
 * an L2 with random replacement has no capacity to report, and a constant L1.5 often has none if
 * SMs are few or share it. */
static double absent_inside(const struct tally *t, enum judged property)
{
  unsigned long asked = 0, absent = 0;

  for (int kind = GC_L2 + 1; kind < GC_KIND_COUNT; kind++) {
    if (kind == GC_CONSTANT_L15)
      continue;
    asked += t->asked[DRAWN_QUIET][kind][property];
    absent += t->absent[DRAWN_QUIET][kind][property];
  }
  return percent(absent, asked);
}

/* Each property: over all elements, and for each element. */
static int judge_properties(const struct tally *t)
{
  int failed = 0;

  for (int property = 0; property < JUDGED; property++) {
    bool good = t->sure[property].values && mostly(&t->sure[property]);
    char what[96];

    for (int kind = 0; kind < GC_KIND_COUNT; kind++)
      good &= mostly(&t->kinds[kind][property]);
    snprintf(what, sizeof(what), "%s with confidence 0.95: 95 %% are right, for each element",
             judged_names[property]);
    failed += expect(good, what);
  }
  return failed;
}

static int judge_all(const struct tally *t)
{
  const enum judged c = JUDGED_CAPACITY, l = JUDGED_LATENCY;
  bool invented = false;

  for (int property = 0; property < JUDGED; property++)
    invented |= percent(t->invented[property], t->nothing_there[property]) > 5;
  return judge_properties(t) +
         expect(t->nothing_there[c] && !t->invented[c], "noise and flat curves yield no capacity") +
         expect(!invented, "where there is nothing to find, 95 % are absent") +
         expect(absent_inside(t, c) < 5, "capacities inside quiet SMs: 95 % are found") +
         expect(absent_inside(t, l) < 5, "latencies inside quiet SMs: 95 % are found") +
         expect(t->bound.values && mostly(&t->bound), "\"at least\": 95 % are right");
}

/* -1: there is no such kind. */
static int kind_of(const char *name)
{
  for (int kind = 0; kind < DRAWN_KINDS; kind++)
    if (!strcmp(name, drawn_kind_names[kind]))
      return kind;
  return -1;
}

struct options {
  struct order order;
  unsigned long workers;
  const char *rows, *profile; /* arguments of -r and -p */
};

static bool read_options(int argc, char **argv, struct options *o)
{
  static const struct option names[] = {{"kind", required_argument, NULL, 'k'}, {NULL, 0, NULL, 0}};
  int option, kind;

  while ((option = getopt_long(argc, argv, "n:s:w:r:p:", names, NULL)) != -1) {
    if (option == 'n')
      o->order.gpus = strtoul(optarg, NULL, 10);
    else if (option == 's')
      o->order.seed = strtoull(optarg, NULL, 10);
    else if (option == 'w')
      o->workers = strtoul(optarg, NULL, 10);
    else if (option == 'r')
      o->rows = optarg;
    else if (option == 'p')
      o->profile = optarg;
    else if (option == 'k' && (kind = kind_of(optarg)) >= 0)
      o->order.kind = (enum drawn_kind)kind;
    else
      return false;
  }
  return true;
}

int main(int argc, char **argv)
{
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  struct options o = {.order = {SEED, DRAWN_GENERAL, GPUS_IN_CHECK},
                      .workers = processors < 1 ? 1 : (unsigned long)processors};
  static struct tally tally;
  FILE *out = NULL;
  bool good;

  if (!read_options(argc, argv, &o))
    return 2;
  if (o.profile) {
    struct drawn_gpu gpu;

    draw_gpu(o.order.seed, strtoull(o.profile, NULL, 10), o.order.kind, &gpu);
    fputs(gpu.text, stdout);
    return 0;
  }
  if (o.rows && !(out = fopen(o.rows, "w"))) {
    perror(o.rows);
    return 2;
  }
  good = collect(&o.order,
                 o.workers && o.workers < WORKERS_MAX ? (unsigned)o.workers : WORKERS_MAX, &tally,
                 out);
  if (out && fclose(out))
    good = false;
  printf("%lu drawn GPUs of kind %s, seed %llu\n", o.order.gpus, drawn_kind_names[o.order.kind],
         (unsigned long long)o.order.seed);
  report(&tally);
  return expect(good, "every drawn GPU could be measured") + judge_all(&tally) ? 1 : 0;
}
