/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs the steps of the plan.
 */
#include "measure/plan/runner.h"

#include "measure/core/clock.h"
#include "measure/core/memo.h"
#include "measure/plan/cost.h"
#include "measure/plan/faults.h"
#include "measure/plan/select.h"
#include "measure/walk/overhead.h"
#include "measure/walk/path.h"
#include "util/clock.h"

#include <errno.h>
#include <math.h>
#include <time.h>

#define SUSPICIONS_MAX 2 /* repetitions of a step that looks disturbed on a GPU that looks free */
#define PAUSE_NS 20000000l
/* A group of steps is checked after so many launches, or earlier if a step fails or has seen signs
 * of another program. So checks cost little, and what one check finds costs few steps. */
#define GROUP_LAUNCHES 20

/* Whether nothing that was measured so far counts. */
static bool all_wrong(enum gc_interference_result disturbance)
{
  return disturbance == GC_CLOCK_CHANGED || disturbance == GC_ALL_DOUBTED;
}

/* Drops all that a step, or the steps of a group, have found. */
static void forget(struct gc_runner *r)
{
  const struct gc_cost cost = r->m.results->cost;

  gc_results_copy(r->m.results, r->before);
  r->m.results->cost = cost;
  gc_memo_drop_all(&r->m.memos);
}

/* A property that a suspected step could not determine may be found when no other program uses the
 * GPU. */
static void mark_suspected(struct gc_runner *r, const struct gc_plan_step *step)
{
  struct gc_measured *element = &r->m.results->element[step->kind];

  for (int property = 0; property < GC_PROPERTY_COUNT; property++)
    if (step->reports.has[property] && element->found[property].origin == GC_ABSENT)
      gc_mark_passing(element, (enum gc_property)property, GC_GPU_BUSY);
}

/* Whether a suspected step is to be repeated. The pause gives the other program time to end. */
static bool suspect_again(enum gc_interference_result disturbance, unsigned *suspicions)
{
  if ((disturbance != GC_SUSPECTED && disturbance != GC_DOUBTED) || ++*suspicions > SUSPICIONS_MAX)
    return false;
  nanosleep(&(struct timespec){.tv_nsec = *suspicions * PAUSE_NS}, NULL);
  return true;
}

static uint64_t launches(const struct gc_bench *bench)
{
  return bench->ops->counts(bench->device)->launches;
}

/* Whether the step is checked by itself: something has been disturbed before, or has failed; or no
 * other process could begin with this step, because it is the first one. */
static bool is_alone(const struct gc_runner *r, const struct gc_plan_step *step)
{
  return r->wary || r->m.results->cost.repeats || r->m.results->cost.failures || step == gc_plan;
}

static bool is_wanted(const struct gc_runner *r, const struct gc_plan_step *step)
{
  return (step->use == GC_STEP_PEERS) == (r->options->peer_count > 0) &&
         (!r->options->host_only || step->use == GC_STEP_HOST) &&
         gc_select_wanted(r->options, step->kind) && gc_present(&r->m.bench.properties, step->kind);
}

/* The next wanted step, from r->next on. gc_plan_steps: there is none. */
static unsigned next_wanted(const struct gc_runner *r)
{
  unsigned next = r->next;

  while (next < gc_plan_steps && !is_wanted(r, &gc_plan[next]))
    next++;
  return next;
}

/* Runs a step of a group. One check covers the group. If it finds anything, or a step fails, all
 * steps of the group are to be run again, and from then on each has a check of its own, also in the
 * process that goes on if the device does not work any more (*broken). */
static int run_in_group(struct gc_runner *r, const struct gc_plan_step *step,
                        enum gc_interference_result *disturbance, bool *broken)
{
  struct gc_checked *group = &r->group;
  struct gc_error *err = r->m.bench.err, failure, sentence;
  uint64_t taken;
  char what[96];
  int failed, status;

  if (!group->open) {
    *group = (struct gc_checked){true, r->next - 1, launches(&r->m.bench)};
    gc_results_copy(r->before, r->m.results);
  }
  failed = gc_plan_run(&r->m, step);
  failure = *err;
  taken = launches(&r->m.bench) - group->launches;
  if (!failed && !r->m.bench.signs && taken < GROUP_LAUNCHES && next_wanted(r) < gc_plan_steps)
    return 0;
  group->open = false;
  if (!failed && !r->m.bench.signs && !taken)
    return 0;
  status = gc_interference_check(&r->interference, disturbance);
  *broken = status && status != -EBUSY;
  if (status == -EBUSY || (!status && !failed && *disturbance == GC_UNDISTURBED))
    return status;
  if (failed)
    *err = failure;
  if (failed || *broken) {
    gc_plan_name(step, what, sizeof(what));
    gc_fail_in(err, 0, what);
  }
  if (*broken && r->options->handover && r->options->warn) {
    gc_fail(&sentence, 0, "%.460s; this is measured again", err->text);
    r->options->warn(r->options->data, sentence.text);
  }
  forget(r);
  r->wary = true;
  /* a step that fails although nothing disturbs it is no repetition that the record states */
  r->m.results->cost.repeats += status || *disturbance != GC_UNDISTURBED;
  r->next = group->first;
  return 0;
}

/* Runs a step until it is not disturbed. The results of a disturbed run are dropped, and its
 * failure is ignored, because the disturbance may be the reason. The failure of an undisturbed run
 * counts. The interference check after the step also shows whether the device still works; if not,
 * *broken. A step without launches needs no check. */
static int run_undisturbed(struct gc_runner *r, const struct gc_plan_step *step,
                           enum gc_interference_result *disturbance, bool *broken)
{
  struct gc_error *err = r->m.bench.err;
  unsigned suspicions = 0;
  bool again = false;
  int status;

  *broken = false;
  do {
    const uint64_t before = launches(&r->m.bench);
    struct gc_error failure;
    int failed;

    gc_results_copy(r->before, r->m.results);
    failed = again && *disturbance == GC_DOUBTED ? gc_plan_run(&r->m, step - 1) : 0;
    if (!failed)
      failed = gc_plan_run(&r->m, step);
    failure = *err;
    if (!failed && !r->m.bench.signs && launches(&r->m.bench) == before)
      return 0;
    status = gc_interference_check(&r->interference, disturbance);
    *broken = status && status != -EBUSY;
    if (failed && status != -EBUSY)
      *err = failure;
    again = !status && (*disturbance == GC_DISTURBED || suspect_again(*disturbance, &suspicions));
    if (again || (!status && all_wrong(*disturbance))) {
      forget(r);
      r->m.results->cost.repeats++;
    } else if (*broken || (failed && !status)) {
      if (failed)
        forget(r);
      status = gc_fault_handle(&r->m, r->options, step, !failed);
    }
  } while (again);
  if (!status && (*disturbance == GC_SUSPECTED || *disturbance == GC_DOUBTED))
    mark_suspected(r, step);
  return status;
}

/* Waits until the clock is steady and nothing else uses the GPU, and measures the timing
 * overhead. */
static int prepare(struct gc_runner *r)
{
  enum gc_interference_result disturbance;
  int status = gc_interference_warm_up(&r->interference);

  do
    if (status || (status = gc_measure_overhead(&r->m)) ||
        (status = gc_interference_check(&r->interference, &disturbance)))
      return status;
  while (disturbance == GC_DISTURBED || disturbance == GC_CLOCK_CHANGED);
  gc_raw_note(r->m.bench.raw, "timing", r->m.results->overhead.cycles);
  r->m.results->mhz = r->m.bench.mhz;
  return 0;
}

static void show_progress(const struct gc_runner *r, unsigned done, const char *what)
{
  if (r->options->progress)
    r->options->progress(r->options->data, done, gc_plan_steps, what);
}

/* Runs from step `next` on, at one clock, and until all_wrong(*disturbance). */
static int run_at_one_clock(struct gc_runner *r, enum gc_interference_result *disturbance)
{
  const double mhz = r->next ? r->m.results->mhz : 0; /* clock of the process before this one */
  struct gc_cost_mark before = gc_cost_now(&r->m.bench);
  bool broken = false;
  int status;

  r->group.open = false;
  r->interference.wanders |= r->next && r->m.results->most_mhz > 0;
  *disturbance = GC_UNDISTURBED;
  show_progress(r, r->next, "warming up");
  status = prepare(r);
  gc_cost_report(&r->m.bench, r->options, "warming up", &before);
  if (!status && mhz > 0 && !r->interference.wanders &&
      fabs(r->m.bench.mhz - mhz) > GC_OTHER_CLOCK_SHARE * mhz)
    *disturbance = GC_CLOCK_CHANGED;
  while ((r->next = next_wanted(r)) < gc_plan_steps && !status && !broken &&
         !all_wrong(*disturbance)) {
    const struct gc_plan_step *step = &gc_plan[r->next++];
    char what[96];

    gc_plan_name(step, what, sizeof(what));
    show_progress(r, r->next - 1, what);
    before = gc_cost_now(&r->m.bench);
    status = is_alone(r, step) ? run_undisturbed(r, step, disturbance, &broken)
                               : run_in_group(r, step, disturbance, &broken);
    gc_cost_report(&r->m.bench, r->options, what, &before);
  }
  if (broken) /* another process goes on */
    *disturbance = GC_UNDISTURBED;
  return status;
}

/* For the check at the end, and for another process that runs the rest. */
static void note_wandering(struct gc_runner *r)
{
  const struct gc_interference *in = &r->interference;
  struct gc_results *results = r->m.results;

  if (!in->wanders)
    return;
  results->mhz = 0;
  if (in->most_mhz > 0) {
    results->least_mhz =
        results->most_mhz > 0 ? fmin(results->least_mhz, in->least_mhz) : in->least_mhz;
    results->most_mhz = fmax(results->most_mhz, in->most_mhz);
  }
}

int gc_run_plan(struct gc_runner *r)
{
  static const char changed[] = "it changed during the measurement";
  struct gc_measured *memory = &r->m.results->element[GC_DEVICE_MEMORY];
  enum gc_interference_result disturbance;
  int status;

  do {
    const double since = gc_now_ms();
    double lost_ms;

    status = run_at_one_clock(r, &disturbance);
    lost_ms = r->interference.lost_ms + gc_now_ms() - since;
    if (!status && disturbance == GC_ALL_DOUBTED && lost_ms > r->interference.patience_ms) {
      /* goes on; without this value, nothing is compared again */
      gc_set_absent_for_now(memory, GC_LATENCY, GC_GPU_BUSY, changed);
      gc_set_absent_for_now(memory, GC_LATENCY_P95, GC_GPU_BUSY, changed);
    } else if (!status && all_wrong(disturbance)) {
      const struct gc_cost cost = r->m.results->cost;

      gc_results_clear(r->m.results);
      r->m.results->cost = cost;
      gc_memo_drop_all(&r->m.memos);
      r->next = 0;
      r->interference.lost_ms = lost_ms;
    }
  } while (!status && all_wrong(disturbance));
  note_wandering(r);
  return status;
}
