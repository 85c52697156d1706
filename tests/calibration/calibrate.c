/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Are values with confidence 0.95 right in 95 % of cases? Measures many drawn GPUs, prints the
 * reliability table (the stated confidence next to the share of values that are right), and tests
 * every bin of it.
 *
 * `calibrate --help` prints the options.
 */
#include "config.h"

#include "earn.h"
#include "gate.h"
#include "report.h"
#include "workers.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* With the sanitizers four small GPUs; .ci/run measures the 24 in a build without. */
#ifdef GC_SANITIZED
#define GPUS_IN_CHECK 4
#define SEED 2
#else
#define GPUS_IN_CHECK 24
#define SEED 2026
#endif
#define NOISE 2026
#define WORKERS_MAX 256
/* Of n GPUs, n / AGAIN are the first ones once more, with other noise. Those of the first n / AGAIN
 * that have pages are measured a third time, with other pages. */
#define AGAIN 4

static const char help[] =
    "calibrate [--kind KIND] [-n GPUS] [-s SEED] [-t SEED] [-w PROCESSES] [-r FILE]\n"
    "calibrate --earn FILE [--continue FILE] ...\n"
    "calibrate -p INDEX [--kind KIND] [-s SEED] [-t SEED]\n"
    "\n"
    "  -n GPUS      how many GPUs are measured; default: 24\n"
    "  -s SEED      which GPUs are drawn; default: 2026. In a build with the sanitizers,\n"
    "               the default is 4 GPUs of seed 2\n"
    "  -t SEED      the noise of their loads, and which lines random replacement evicts;\n"
    "               default: 2026\n"
    "  -w PROCESSES how many processes measure; default: one per processor\n"
    "  -r FILE      write every verdict to FILE, as tab-separated text\n"
    "  -p INDEX     print the profile of one drawn GPU, from 0, and measure nothing\n"
    "  --kind KIND  general; pages: GPUs with physical pages, TLBs and more; habits: GPUs with\n"
    "               clocks that change and more; hierarchy: GPUs with GPCs and L2 partitions;\n"
    "               unusual: GPUs with noise of two modes, long lines and more; all: one of each\n"
    "               kind in turn. Default: general\n"
    "  --earn FILE  write the table of earned confidences, and test nothing\n"
    "  --continue FILE\n"
    "               with --earn: measure GPUS more, behind those of this table, which has the "
    "same\n"
    "               kind and seeds. The new table is that of all of them\n"
    "  --table FILE test this table, which --earn has written, instead of the one compiled in\n"
    "  --with KEY   with --earn: measure only those of the -n GPUs whose profile has this key\n"
    "  --only ELEMENTS\n"
    "               with --earn: measure only these elements, as `hwloc-gpucache measure --only`\n"
    "\n"
    "There are three groups of GPUs, which are reported and tested separately:\n"
    "\n"
    "  other GPUs   different GPUs: what the other two groups leave of -n\n"
    "  other noise  a quarter of -n: the first GPUs once more, with other noise\n"
    "  other pages  those of the first quarter that have pages once more, with the same noise and\n"
    "               another page_seed\n"
    "\n"
    "With --earn, all GPUs are different ones.\n";

struct options {
  struct assignment assignment;
  unsigned long gpus;
  bool help;
  const char *rows, *profile, *earn, *before, *table;
};

struct sinks {
  struct tally tally;
  FILE *rows;
};

static void take(void *data, const struct verdict *verdict)
{
  struct sinks *sinks = data;

  tally_add(&sinks->tally, verdict);
  if (sinks->rows)
    report_row(sinks->rows, verdict);
}

/* -1: there is no such kind. */
static int kind_of(const char *name)
{
  for (int kind = 0; kind < DRAWN_KINDS; kind++)
    if (!strcmp(name, drawn_kind_names[kind]))
      return kind;
  return -1;
}

/* The table of earned confidences counts every GPU once. */
static void divide(struct options *o)
{
  struct assignment *a = &o->assignment;
  const unsigned long again = o->earn ? 0 : o->gpus / AGAIN;

  a->gpus[DRAWN_OTHER_NOISE] = again;
  a->gpus[DRAWN_OTHER_PAGES] = draw_count_with_pages(&a->seeds, again);
  a->gpus[DRAWN_ONCE] = o->gpus - again - a->gpus[DRAWN_OTHER_PAGES];
}

static bool read_options(int argc, char **argv, struct options *o)
{
  static const struct option names[] = {
      {"earn", required_argument, NULL, 'e'},  {"continue", required_argument, NULL, 'c'},
      {"table", required_argument, NULL, 'T'}, {"with", required_argument, NULL, 'W'},
      {"only", required_argument, NULL, 'o'},  {"kind", required_argument, NULL, 'k'},
      {"help", no_argument, NULL, 'h'},        {0}};
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  struct assignment *a = &o->assignment;
  int option, kind;

  *o = (struct options){.assignment = {.seeds = {SEED, NOISE, DRAWN_GENERAL},
                                       .workers = processors < 1 ? 1 : (unsigned)processors},
                        .gpus = GPUS_IN_CHECK};
  while ((option = getopt_long(argc, argv, "n:s:t:w:r:p:", names, NULL)) != -1)
    switch (option) {
    case 'n':
      o->gpus = strtoul(optarg, NULL, 10);
      break;
    case 's':
      a->seeds.gpus = strtoull(optarg, NULL, 10);
      break;
    case 't':
      a->seeds.noise = strtoull(optarg, NULL, 10);
      break;
    case 'w':
      a->workers = (unsigned)strtoul(optarg, NULL, 10);
      break;
    case 'r':
      o->rows = optarg;
      break;
    case 'p':
      o->profile = optarg;
      break;
    case 'k':
      kind = kind_of(optarg);
      if (kind < 0)
        return false;
      a->seeds.kind = (enum drawn_kind)kind;
      break;
    case 'e':
      o->earn = optarg;
      break;
    case 'c':
      o->before = optarg;
      break;
    case 'T':
      o->table = optarg;
      break;
    case 'W':
      a->with = optarg;
      break;
    case 'o':
      a->only = optarg;
      break;
    case 'h':
      o->help = true;
      break;
    default:
      return false;
    }
  if (!a->workers || a->workers > WORKERS_MAX)
    a->workers = WORKERS_MAX;
  a->unlimited = o->earn;
  divide(o);
  return optind == argc && o->gpus && (o->earn ? !o->table : !o->before && !a->with && !a->only);
}

static int print_profile(const struct options *o)
{
  struct drawn_gpu gpu;

  draw_gpu(&o->assignment.seeds, strtoull(o->profile, NULL, 10), DRAWN_ONCE, &gpu);
  fputs(gpu.text, stdout);
  return 0;
}

/* Writes the table only if every GPU could be measured. */
static int earn(const struct options *o, const struct tally *tally, bool complete)
{
  FILE *out = complete ? fopen(o->earn, "w") : NULL;

  report(tally);
  if (!out) {
    fprintf(stderr, "%s is not written\n", o->earn);
    return 1;
  }
  earn_write(out, tally, &o->assignment.seeds, o->assignment.first + o->gpus);
  return fclose(out) ? 1 : 0;
}

/* Adds the table of the GPUs before. */
static bool read_before(struct options *o, struct tally *tally)
{
  FILE *in = fopen(o->before, "r");

  if (in)
    o->assignment.first = earn_read(in, tally, &o->assignment.seeds);
  if (in)
    fclose(in);
  if (!o->assignment.first)
    fprintf(stderr, "%s is no table of this kind and these seeds\n", o->before);
  return o->assignment.first;
}

/* Measures with the confidences of a table instead of those compiled in. *seed: its seed. */
static bool read_table(struct options *o, uint64_t *seed)
{
  static struct gc_earned table[GC_PROPERTY_COUNT][BINS];
  FILE *in = fopen(o->table, "r");
  struct draw_seeds seeds;
  unsigned long gpus = 0;

  if (in) {
    gpus = earn_load(in, &seeds, table);
    fclose(in);
  }
  if (!gpus) {
    fprintf(stderr, "%s is no table of confidences\n", o->table);
    return false;
  }
  o->assignment.earned = *table;
  *seed = seeds.gpus;
  return true;
}

static int run(struct options *o)
{
  static struct sinks sinks;
  struct assignment *a = &o->assignment;
  uint64_t seed = gc_earned_seed;
  bool complete;

  a->verdict = take;
  a->data = &sinks;
  if (o->table && !read_table(o, &seed))
    return 2;
  if (!o->earn && a->seeds.gpus == seed) {
    fprintf(stderr, "the confidences were earned with seed %llu: it tests nothing\n",
            (unsigned long long)seed);
    return 2;
  }
  if (o->before && !read_before(o, &sinks.tally))
    return 2;
  if (o->rows && !(sinks.rows = fopen(o->rows, "w"))) {
    perror(o->rows);
    return 2;
  }
  complete = workers_run(a);
  if (sinks.rows && fclose(sinks.rows))
    complete = false;
  printf("%lu drawn GPUs of kind %s, seed %llu; %lu of them again with other noise, and %lu with "
         "other pages; noise seed %llu\n",
         a->gpus[DRAWN_ONCE], drawn_kind_names[a->seeds.kind],
         (unsigned long long)a->seeds.gpus, a->gpus[DRAWN_OTHER_NOISE],
         a->gpus[DRAWN_OTHER_PAGES], (unsigned long long)a->seeds.noise);
  if (o->earn)
    return earn(o, &sinks.tally, complete);
  report(&sinks.tally);
  return gate(&sinks.tally, assignment_gpus(a), complete) ? 1 : 0;
}

int main(int argc, char **argv)
{
  struct options o;

  if (!read_options(argc, argv, &o)) {
    fputs(help, stderr);
    return 2;
  }
  if (o.help)
    return fputs(help, stdout) < 0;
  return o.profile ? print_profile(&o) : run(&o);
}
