/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Are values that are told with confidence 0.95 right in 95 % of cases? Measures many drawn GPUs
 * and prints the reliability table: what was said against what came true.
 *
 *   calibrate [-n GPUS] [-s SEED] [-r FILE]   -r: every verdict, as TSV
 *   calibrate -p INDEX [-s SEED]              the profile of one drawn GPU, for a closer look
 */
#include "judge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define GPUS_IN_CHECK 64
#define SEED 2026
#define WORKERS_MAX 64

static const char *const property_names[JUDGED] = {"capacity", "latency", "fetch", "line"};
static const char *const class_names[DRAWN_CLASSES] = {"quiet", "disturbed", "noise"};

/* Lower ends of the bins of confidence. */
static const double bins[] = {0, 0.5, 0.8, 0.9, 0.95, 0.99, 0.999};
#define BINS (sizeof(bins) / sizeof(*bins))

struct count {
  unsigned long told, right;
  double confidence; /* sum */
};

struct tally {
  struct count bin[BINS][JUDGED];              /* [][property] */
  struct count sure[JUDGED];                   /* at 0.95 or more */
  struct count kinds[GC_KIND_COUNT][JUDGED];   /* the same by element */
  struct count classes[DRAWN_CLASSES][JUDGED]; /* the same by class */
  unsigned long asked[DRAWN_CLASSES][GC_KIND_COUNT][JUDGED];
  unsigned long absent[DRAWN_CLASSES][GC_KIND_COUNT][JUDGED];
  struct count bound;                          /* "at least" */
  unsigned long nothing_there[JUDGED], invented[JUDGED]; /* values where there are none */
};

static void add(struct count *count, const struct verdict *v)
{
  count->told++;
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
  add(&t->classes[v->class][v->property], v);
}

/* --- workers --------------------------------------------------------------------------------- */

/* Every `of`-th GPU from `first` on, in a process of its own. */
static int work(uint64_t seed, unsigned long gpus, unsigned first, unsigned of, int out)
{
  for (unsigned long i = first; i < gpus; i += of) {
    struct verdict verdicts[VERDICTS_MAX];
    struct drawn_gpu gpu;
    int n;

    draw_gpu(seed, i, &gpu);
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

  fprintf(rows, "%llu\t%s\t%s\t%s\t%s\t%d\t%d\t%.4f\t%.1f\t%.1f\t%s\n", (unsigned long long)v->gpu,
          class_names[v->class], gc_kinds[v->kind].subtype, property_names[v->property],
          claims[v->claim], v->right, v->nothing_there, v->confidence, v->value, v->truth, v->why);
}

static bool collect(uint64_t seed, unsigned long gpus, struct tally *tally, FILE *rows)
{
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  const unsigned workers =
    processors < 1 ? 1 : processors > WORKERS_MAX ? WORKERS_MAX : (unsigned)processors;
  struct verdict verdict;
  bool good = true;
  int ends[2], status;

  _Static_assert(sizeof(verdict) <= 512, "written in one piece");
  if (pipe(ends))
    return false;
  fflush(NULL);
  for (unsigned i = 0; i < workers; i++) {
    const pid_t pid = fork();

    if (pid < 0)
      return false;
    if (!pid) {
      close(ends[0]);
      _exit(work(seed, gpus, i, workers, ends[1]));
    }
  }
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

static void print_counts(const char *what, const struct count counts[JUDGED])
{
  printf("| %-16s", what);
  for (int i = 0; i < JUDGED; i++)
    if (counts[i].told)
      printf(" | %6lu | %6.4f | %6.2f %%", counts[i].told,
             counts[i].confidence / (double)counts[i].told, percent(counts[i].right, counts[i].told));
    else
      printf(" | %6d | %6s | %8s", 0, "", "");
  printf(" |\n");
}

static void print_head(const char *what)
{
  printf("\n| %-16s", what);
  for (int i = 0; i < JUDGED; i++)
    printf(" | %s | said | right", property_names[i]);
  printf(" |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
}

static void print_absent(const struct tally *t, int kind, enum drawn_class class)
{
  printf("| %-16s | %s", gc_kinds[kind].subtype, class_names[class]);
  for (int i = 0; i < JUDGED; i++)
    if (t->asked[class][kind][i])
      printf(" | %4lu of %4lu", t->absent[class][kind][i], t->asked[class][kind][i]);
    else
      printf(" | %12s", "");
  printf(" |\n");
}

static void report(const struct tally *t)
{
  print_head("confidence");
  for (size_t b = 0; b < BINS; b++) {
    char what[32];

    snprintf(what, sizeof(what), "%.3f to %.3f", bins[b], b + 1 < BINS ? bins[b + 1] : 1);
    print_counts(what, t->bin[b]);
  }
  print_counts("0.95 or more", t->sure);
  print_head("0.95 or more");
  for (int kind = 0; kind < GC_KIND_COUNT; kind++)
    if (t->kinds[kind][JUDGED_CAPACITY].told || t->kinds[kind][JUDGED_LATENCY].told)
      print_counts(gc_kinds[kind].subtype, t->kinds[kind]);
  for (int class = 0; class < DRAWN_CLASSES; class++)
    print_counts(class_names[class], t->classes[class]);
  printf("\n| absent | on | capacity | latency | fetch | line |\n|---|---|---:|---:|---:|---:|\n");
  for (int kind = 0; kind < GC_KIND_COUNT; kind++)
    for (int class = DRAWN_QUIET; class <= DRAWN_DISTURBED; class++)
      if (t->asked[class][kind][JUDGED_LATENCY])
        print_absent(t, kind, (enum drawn_class)class);
  printf("\nnothing to find, and told all the same:");
  for (int i = 0; i < JUDGED; i++)
    printf(" %s %lu of %lu%s", property_names[i], t->invented[i], t->nothing_there[i],
           i + 1 < JUDGED ? "," : "\n");
  printf("\"at least\" told: %lu, right: %lu\n\n", t->bound.told, t->bound.right);
}

static int expect(bool good, const char *what)
{
  static int n;

  printf("%sok %d - %s\n", good ? "" : "not ", ++n, what);
  return !good;
}

static bool mostly(const struct count *c) { return c->told && percent(c->right, c->told) >= 95; }

/* Of what is inside the SM, on quiet GPUs. What an L2 keeps that replaces at random is not told. */
static double absent_inside(const struct tally *t, enum judged property)
{
  unsigned long asked = 0, absent = 0;

  for (int kind = 0; kind < GC_KIND_COUNT; kind++)
    if (kind != GC_L2 && kind != GC_DEVICE_MEMORY) {
      asked += t->asked[DRAWN_QUIET][kind][property];
      absent += t->absent[DRAWN_QUIET][kind][property];
    }
  return percent(absent, asked);
}

static int judge_all(const struct tally *t)
{
  const enum judged c = JUDGED_CAPACITY, l = JUDGED_LATENCY;

  return expect(mostly(&t->sure[c]), "capacities told with confidence 0.95: 95 % are right") +
         expect(mostly(&t->sure[l]), "latencies told with confidence 0.95: 95 % are right") +
         expect(mostly(&t->sure[JUDGED_FETCH]), "fetch granularities told with 0.95: 95 % are right") +
         expect(mostly(&t->sure[JUDGED_LINE]), "lines told with confidence 0.95: 95 % are right") +
         expect(t->nothing_there[c] && !t->invented[c], "noise and flat curves yield no capacity") +
         expect(absent_inside(t, c) < 5, "capacities inside quiet SMs: 95 % are found") +
         expect(absent_inside(t, l) < 5, "latencies inside quiet SMs: 95 % are found") +
         expect(mostly(&t->bound), "\"at least\": 95 % are right");
}

int main(int argc, char **argv)
{
  unsigned long gpus = GPUS_IN_CHECK;
  uint64_t seed = SEED;
  const char *rows = NULL, *profile = NULL;
  static struct tally tally;
  FILE *out = NULL;
  bool good;
  int option;

  while ((option = getopt(argc, argv, "n:s:r:p:")) != -1) {
    if (option == 'n')
      gpus = strtoul(optarg, NULL, 10);
    else if (option == 's')
      seed = strtoull(optarg, NULL, 10);
    else if (option == 'r')
      rows = optarg;
    else if (option == 'p')
      profile = optarg;
    else
      return 2;
  }
  if (profile) {
    struct drawn_gpu gpu;

    draw_gpu(seed, strtoull(profile, NULL, 10), &gpu);
    fputs(gpu.text, stdout);
    return 0;
  }
  if (rows && !(out = fopen(rows, "w"))) {
    perror(rows);
    return 2;
  }
  good = collect(seed, gpus, &tally, out);
  if (out && fclose(out))
    good = false;
  printf("%lu drawn GPUs, seed %llu\n", gpus, (unsigned long long)seed);
  report(&tally);
  return expect(good, "every drawn GPU could be measured") + judge_all(&tally) ? 1 : 0;
}
