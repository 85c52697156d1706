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

static const char *const class_names[DRAWN_CLASSES] = {"quiet", "disturbed", "noise"};

/* Lower ends of the bins of confidence. */
static const double bins[] = {0, 0.5, 0.8, 0.9, 0.95, 0.99, 0.999};
#define BINS (sizeof(bins) / sizeof(*bins))

struct count {
  unsigned long told, right;
  double confidence; /* sum */
};

struct tally {
  struct count bin[BINS][2];                 /* [][latency] */
  struct count sure[2];                      /* at 0.95 or more */
  struct count kinds[GC_KIND_COUNT][2];      /* the same by element */
  struct count classes[DRAWN_CLASSES][2];    /* the same by class */
  unsigned long asked[DRAWN_CLASSES][GC_KIND_COUNT][2], absent[DRAWN_CLASSES][GC_KIND_COUNT][2];
  struct count bound;                        /* "at least" */
  unsigned long nothing_there, invented;     /* capacities told where there are none */
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

  if (v->nothing_there && !v->latency) {
    t->nothing_there++;
    t->invented += v->claim == CLAIM_VALUE;
  } else if (!v->nothing_there) {
    t->asked[v->class][v->kind][v->latency]++;
    t->absent[v->class][v->kind][v->latency] += v->claim != CLAIM_VALUE;
  }
  if (v->claim == CLAIM_AT_LEAST)
    add(&t->bound, v);
  if (v->claim != CLAIM_VALUE)
    return;
  while (bin && v->confidence < bins[bin])
    bin--;
  add(&t->bin[bin][v->latency], v);
  if (v->confidence < 0.95)
    return;
  add(&t->sure[v->latency], v);
  add(&t->kinds[v->kind][v->latency], v);
  add(&t->classes[v->class][v->latency], v);
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
          class_names[v->class], gc_kinds[v->kind].subtype, v->latency ? "latency" : "capacity",
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

static void print_counts(const char *what, const struct count *capacity,
                         const struct count *latency)
{
  printf("| %-16s", what);
  for (int i = 0; i < 2; i++) {
    const struct count *c = i ? latency : capacity;

    if (c->told)
      printf(" | %6lu | %6.4f | %6.2f %%", c->told, c->confidence / (double)c->told,
             percent(c->right, c->told));
    else
      printf(" | %6d | %6s | %8s", 0, "", "");
  }
  printf(" |\n");
}

static void print_head(const char *what)
{
  printf("\n| %-16s | capacities | said (mean) | right | latencies | said (mean) | right |\n"
         "|---|---:|---:|---:|---:|---:|---:|\n", what);
}

static void print_absent(const struct tally *t, enum gc_kind kind)
{
  printf("| %-16s", gc_kinds[kind].subtype);
  for (int class = DRAWN_QUIET; class <= DRAWN_DISTURBED; class++)
    for (int latency = 0; latency < 2; latency++)
      printf(" | %4lu of %4lu", t->absent[class][kind][latency], t->asked[class][kind][latency]);
  printf(" |\n");
}

static void report(const struct tally *t)
{
  print_head("confidence");
  for (size_t b = 0; b < BINS; b++) {
    char what[32];

    snprintf(what, sizeof(what), "%.3f to %.3f", bins[b], b + 1 < BINS ? bins[b + 1] : 1);
    print_counts(what, &t->bin[b][0], &t->bin[b][1]);
  }
  print_counts("0.95 or more", &t->sure[0], &t->sure[1]);
  print_head("0.95 or more");
  for (int kind = 0; kind < GC_KIND_COUNT; kind++)
    if (t->kinds[kind][0].told || t->kinds[kind][1].told)
      print_counts(gc_kinds[kind].subtype, &t->kinds[kind][0], &t->kinds[kind][1]);
  for (int class = 0; class < DRAWN_CLASSES; class++)
    print_counts(class_names[class], &t->classes[class][0], &t->classes[class][1]);
  printf("\n| absent           | quiet: capacities | latencies | disturbed: capacities "
         "| latencies |\n|---|---:|---:|---:|---:|\n");
  for (int kind = 0; kind < GC_KIND_COUNT; kind++)
    if (t->asked[DRAWN_QUIET][kind][0] || t->asked[DRAWN_QUIET][kind][1])
      print_absent(t, (enum gc_kind)kind);
  printf("\nno capacity to find: %lu, told all the same: %lu\n", t->nothing_there, t->invented);
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
static double absent_inside(const struct tally *t, bool latency)
{
  unsigned long asked = 0, absent = 0;

  for (int kind = 0; kind < GC_KIND_COUNT; kind++)
    if (kind != GC_L2 && kind != GC_DEVICE_MEMORY) {
      asked += t->asked[DRAWN_QUIET][kind][latency];
      absent += t->absent[DRAWN_QUIET][kind][latency];
    }
  return percent(absent, asked);
}

static int judge_all(const struct tally *t)
{
  return expect(mostly(&t->sure[0]), "capacities told with confidence 0.95: 95 % are right") +
         expect(mostly(&t->sure[1]), "latencies told with confidence 0.95: 95 % are right") +
         expect(t->nothing_there && !t->invented, "noise and flat curves yield no capacity") +
         expect(absent_inside(t, false) < 5, "capacities inside quiet SMs: 95 % are found") +
         expect(absent_inside(t, true) < 5, "latencies inside quiet SMs: 95 % are found") +
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
