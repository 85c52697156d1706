/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Are values with confidence 0.95 right in 95 % of cases? Measures many drawn GPUs, prints the
 * reliability table (the stated confidence next to the share of values that are right), and tests
 * every bin of it.
 *
 *   calibrate [--kind KIND] [-n GPUS] [-s SEED] [-t SEED] [-w PROCESSES] [-r FILE]
 *   calibrate --earn FILE ...                   write the table of earned confidences, test nothing
 *   calibrate -p INDEX [--kind KIND] [-s SEED] [-t SEED]   print the profile of one drawn GPU
 *
 * -s: which GPUs are drawn; -t: the noise of their loads, and which lines random replacement
 * evicts. A quarter of the GPUs are those at the start once more, with other noise. -r: write every
 * verdict as TSV. KIND is general, pages for GPUs with physical pages, TLBs and more, or habits for
 * GPUs with clocks that change and more (draw.h), or all: one of each kind in turn.
 */
#include "earn.h"
#include "gate.h"
#include "report.h"
#include "workers.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GPUS_IN_CHECK 24
#define SEED 2026
#define NOISE 2026
#define WORKERS_MAX 256
#define AGAIN 4 /* one GPU in so many is measured once more, with other noise */

struct options {
  struct assignment assignment;
  const char *rows, *profile, *earn;
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

static bool read_options(int argc, char **argv, struct options *o)
{
  static const struct option names[] = {{"earn", required_argument, NULL, 'e'},
                                        {"kind", required_argument, NULL, 'k'},
                                        {0}};
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  struct assignment *a = &o->assignment;
  int option, kind;

  *o = (struct options){.assignment = {.seeds = {SEED, NOISE, DRAWN_GENERAL},
                                       .gpus = GPUS_IN_CHECK,
                                       .workers = processors < 1 ? 1 : (unsigned)processors}};
  while ((option = getopt_long(argc, argv, "n:s:t:w:r:p:", names, NULL)) != -1)
    switch (option) {
    case 'n':
      a->gpus = strtoul(optarg, NULL, 10);
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
    default:
      return false;
    }
  if (!a->workers || a->workers > WORKERS_MAX)
    a->workers = WORKERS_MAX;
  a->unlimited = o->earn;
  a->again = o->earn ? 0 : a->gpus / AGAIN; /* the table counts every GPU once */
  return optind == argc && a->gpus;
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
  earn_write(out, tally, &o->assignment.seeds, o->assignment.gpus);
  return fclose(out) ? 1 : 0;
}

static int run(struct options *o)
{
  static struct sinks sinks;
  struct assignment *a = &o->assignment;
  bool complete;

  a->verdict = take;
  a->data = &sinks;
  if (!o->earn && a->seeds.gpus == gc_earned_seed) {
    fprintf(stderr, "the confidences were earned with seed %llu: it tests nothing\n",
            (unsigned long long)gc_earned_seed);
    return 2;
  }
  if (o->rows && !(sinks.rows = fopen(o->rows, "w"))) {
    perror(o->rows);
    return 2;
  }
  complete = workers_run(a);
  if (sinks.rows && fclose(sinks.rows))
    complete = false;
  printf("%lu drawn GPUs of kind %s, seed %llu; %lu of them again with other noise; "
         "noise seed %llu\n",
         a->gpus - a->again, drawn_kind_names[a->seeds.kind],
         (unsigned long long)a->seeds.gpus, a->again,
         (unsigned long long)a->seeds.noise);
  if (o->earn)
    return earn(o, &sinks.tally, complete);
  report(&sinks.tally);
  return gate(&sinks.tally, a->gpus, complete) ? 1 : 0;
}

int main(int argc, char **argv)
{
  struct options o;

  if (!read_options(argc, argv, &o))
    return 2;
  return o.profile ? print_profile(&o) : run(&o);
}
