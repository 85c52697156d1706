/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The functions of measure.h: opens the bench, runs the plan and publishes the results.
 */
#include "measure/measure.h"

#include "measure/check/against_driver.h"
#include "measure/check/agree.h"
#include "measure/check/next_level.h"
#include "measure/check/plausible.h"
#include "measure/check/traffic.h"
#include "measure/check/wander.h"
#include "measure/plan/cost.h"
#include "measure/plan/facts.h"
#include "measure/plan/runner.h"
#include "measure/plan/select.h"
#include "measure/results/earned.h"
#include "measure/results/handover.h"
#include "measure/results/provisional.h"
#include "measure/results/publish.h"
#include "util/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PATIENCE_MS 3000

unsigned gc_measure_steps(void)
{
  return gc_plan_steps;
}

int gc_handover_write(const struct gc_handover *handover, const struct gc_identity *identity,
                      int fd, struct gc_error *err)
{
  return gc_results_write(fd, identity, handover->results, err);
}

int gc_handover_read(struct gc_handover *handover, struct gc_identity *identity, int fd,
                     struct gc_error *err)
{
  handover->results = malloc(sizeof(*handover->results));
  return handover->results ? gc_results_read(fd, identity, handover->results, err)
                           : gc_fail(err, -ENOMEM, "out of memory");
}

void gc_handover_free(struct gc_handover *handover)
{
  free(handover->results);
  handover->results = NULL;
}

/* Reports each warning once, because another process may continue with these results. */
static void warn(struct gc_results *results, const struct gc_measure_options *options)
{
  char *rest = NULL;

  for (char *line = strtok_r(results->warnings, "\n", &rest); line && options->warn;
       line = strtok_r(NULL, "\n", &rest))
    options->warn(options->data, line);
  results->warnings[0] = '\0';
}

static int put_provisional(const struct gc_results *results, struct gc_infos *infos)
{
  char why[GC_PROVISIONAL_BYTES];

  return gc_results_provisional(results, why) ? gc_infos_set(infos, GC_PROVISIONAL, why) : 0;
}

/* Compares the results with each other and with the driver's tables when the plan is done, and
 * publishes them. */
static int conclude(struct gc_runner *r, struct gc_record *record)
{
  struct gc_measurement *m = &r->m;
  const bool done = r->next == gc_plan_steps;
  int status;

  if (done) {
    gc_facts_explain_nominal(m->results);
    gc_facts_explain_l3(m->results);
    gc_check_wandering(m->results);
    gc_check_agreement(m);
    gc_check_next_level(m->results);
    gc_check_plausible(m->results, m->bench.properties.sms);
    gc_check_traffic(m->results);
    gc_facts_explain_p95(m->results);
    if (!r->options->unlimited)
      gc_earn(m->results, r->options->earned);
  }
  status = gc_facts_publish(&m->bench.properties, m->results->mhz, &record->infos);
  if (!status)
    status = gc_publish(m->results, record);
  if (!status && done)
    status = gc_check_driver_tables(m->results, m->tables, record);
  if (!status && done)
    status = gc_record_explain_per_sm(record);
  if (!status && done)
    status = put_provisional(m->results, &record->infos);
  return status ? gc_fail(m->bench.err, -ENOMEM, "out of memory") : 0;
}

static int run(struct gc_runner *r, struct gc_record *record, double start)
{
  const struct gc_measure_options *options = r->options;
  struct gc_results *results = r->m.results;
  /* the process that began with step 0 has already warned about missing elements */
  int status = r->next ? 0 : gc_select_check(&r->m.bench, options);

  if (!status)
    status = gc_run_plan(r);
  if (!status && r->next < gc_plan_steps && !options->handover)
    return -EIO; /* the step that broke the device has set err */
  if (!status)
    status = conclude(r, record);
  if (status)
    return status;
  warn(results, options);
  gc_cost_add(&results->cost, &r->m.bench, start);
  return gc_cost_publish(&results->cost, &record->infos)
             ? gc_fail(r->m.bench.err, -ENOMEM, "out of memory")
             : 0;
}

/* The results of the steps before `next`, or empty ones. */
static struct gc_results *begin_results(const struct gc_measure_options *options)
{
  struct gc_results *results;

  if (options->handover && options->handover->results && options->handover->next)
    return options->handover->results;
  if ((results = malloc(sizeof(*results))))
    gc_results_clear(results);
  if (options->handover) {
    gc_handover_free(options->handover);
    options->handover->results = results;
  }
  return results;
}

int gc_measure(struct gc_device *device, const struct gc_measure_options *options,
               struct gc_record *record, struct gc_error *err)
{
  const double start = gc_now_ms();
  struct gc_handover *handover = options->handover;
  struct gc_runner runner = {.options = options, .next = handover ? handover->next : 0};
  struct gc_results *results;
  int status;

  if (runner.next >= gc_plan_steps)
    return gc_fail(err, -EINVAL, "the plan has no step %u", runner.next);
  if ((status = gc_measure_check_only(options->only, err)))
    return status;
  results = begin_results(options);
  runner.before = malloc(sizeof(*runner.before));
  if (!results || !runner.before)
    status = gc_fail(err, -ENOMEM, "out of memory");
  if (!status &&
      !(status = gc_measurement_open(&runner.m, device, options->tables, results, err))) {
    runner.m.bench.raw = options->raw;
    runner.m.peers = options->peers;
    runner.m.peer_count = options->peer_count;
    gc_interference_start(&runner.interference, &runner.m.bench,
                          options->patience > 0 ? options->patience * 1e3 : PATIENCE_MS);
    status = run(&runner, record, start);
    if (options->progress)
      options->progress(options->data, gc_plan_steps, gc_plan_steps, "done");
    if (!options->left_open || runner.next < gc_plan_steps) /* another process may need it */
      gc_measurement_close(&runner.m);
  }
  if (handover) {
    handover->next = runner.next;
    handover->left = !status && runner.next < gc_plan_steps;
  } else {
    free(results);
  }
  free(runner.before);
  return status;
}
