/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The threads that run passes, with passes of the test. Linked with
 * --wrap=sched_getaffinity,sysconf.
 */
#include "predict/threads.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static bool affinity_fails;

int __real_sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set);
int __wrap_sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set);
long __real_sysconf(int name);
long __wrap_sysconf(int name);

int __wrap_sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
  if (!affinity_fails)
    return __real_sched_getaffinity(pid, size, set);
  errno = EINVAL; /* there are more CPUs than the set has */
  return -1;
}

long __wrap_sysconf(int name)
{
  return name == _SC_NPROCESSORS_ONLN ? 3 : __real_sysconf(name);
}

static pthread_t host;
static pthread_barrier_t all;
static sigset_t masks[8]; /* of the thread of each pass */
static bool helps[8];

/* Waits until as many threads run passes as the test expects. */
int gc_pass_run(struct gc_pass *pass, struct gc_error *err)
{
  const uint64_t number = pass->options.seed;

  (void)err;
  helps[number] = !pthread_equal(pthread_self(), host);
  pthread_sigmask(SIG_SETMASK, NULL, &masks[number]);
  pthread_barrier_wait(&all);
  return 0;
}

/* A pass for each thread. */
static void run(unsigned count, unsigned threads)
{
  static struct gc_pass passes[8];
  struct gc_error err;

  host = pthread_self();
  for (unsigned i = 0; i < count; i++)
    passes[i].options.seed = i;
  assert_int_equal(pthread_barrier_init(&all, NULL, count), 0);
  alarm(60); /* if there are fewer threads, they wait forever */
  assert_int_equal(gc_passes_run(passes, count, threads, &err), 0);
  alarm(0);
  pthread_barrier_destroy(&all);
}

/* Signals are for the threads of the program, whose own mask stays as it was. */
static void helpers_get_no_signals(void **state)
{
  static const int some[] = {SIGINT, SIGTERM, SIGUSR1, SIGCHLD, SIGPROF};
  unsigned helpers = 0;
  sigset_t mask;

  (void)state;
  run(4, 4);
  for (unsigned i = 0; i < 4; i++) {
    helpers += helps[i];
    for (size_t k = 0; k < sizeof some / sizeof *some; k++)
      assert_int_equal(sigismember(&masks[i], some[k]), helps[i]);
  }
  assert_int_equal(helpers, 3);
  pthread_sigmask(SIG_SETMASK, NULL, &mask);
  for (size_t k = 0; k < sizeof some / sizeof *some; k++)
    assert_false(sigismember(&mask, some[k]));
}

static void more_processors_than_a_set_has(void **state)
{
  (void)state;
  affinity_fails = true;
  run(3, 0);
  affinity_fails = false;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(helpers_get_no_signals),
      cmocka_unit_test(more_processors_than_a_set_has),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
