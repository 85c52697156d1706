/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Only one process at a time measures an AMD GPU or one of its partitions.
 */
#include "amd.h"

#include "gpus/gpu_lock.h"
#include "util/holder.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

/* How many times as fast as in reality time passes. */
static double speed = 1;

double __real_gc_now_ms(void);
double __wrap_gc_now_ms(void);
double __wrap_gc_now_ms(void)
{
  return speed * __real_gc_now_ms();
}

/* As in another container: the kernel does not name the process. */
static int is_unknown;

long __real_gc_holder_of(const struct stat *file);
long __wrap_gc_holder_of(const struct stat *file);
long __wrap_gc_holder_of(const struct stat *file)
{
  return is_unknown ? 0 : __real_gc_holder_of(file);
}

static int try_lock(unsigned i, int *lock)
{
  struct gc_error err = {""};
  const int status = gc_gpus_lock(root, &gpus.array[i], false, 0, lock, &err);

  if (status) {
    assert_non_null(strstr(err.text, "the GPU, or another partition of it, is being measured by another process"));
    assert_non_null(strstr(err.text, "; hwloc-gpucache measure waits longer"));
  }
  return status;
}

/* Takes a lock in another process, which reports that and holds it until it is killed. */
static pid_t start_holder(unsigned i, int *said)
{
  int ends[2];
  pid_t child;
  char c;

  assert_int_equal(pipe(ends), 0);
  child = fork();
  assert_true(child >= 0);
  if (!child) {
    int lock;

    prctl(PR_SET_PDEATHSIG, SIGKILL); /* in case the test fails before it kills this process */
    if (gc_gpus_lock(root, &gpus.array[i], false, 60, &lock, NULL) || lock < 0 ||
        write(ends[1], "t", 1) != 1)
      _exit(1);
    pause();
    _exit(2);
  }
  close(ends[1]);
  if (said)
    *said = ends[0];
  else {
    assert_int_equal(read(ends[0], &c, 1), 1);
    close(ends[0]);
  }
  return child;
}

static void end_holder(pid_t child)
{
  assert_int_equal(kill(child, SIGKILL), 0);
  assert_int_equal(waitpid(child, NULL, 0), child);
}

/* Partitions of one GPU are measured one after another, partitions of two GPUs in parallel. */
static void partitions_are_measured_one_after_another(void **state)
{
  pid_t first, second;
  int lock, said;
  char c;

  (void)state;
  add_amd("mi300x-cpx", 3, "0000:a7:00.0");
  add_amd("mi300x", 20, "0000:c7:00.0");
  list(9);
  assert_int_equal(gpus.array[8].bus, 0xc7);
  first = start_holder(2, NULL);
  assert_int_equal(try_lock(5, &lock), -ETIMEDOUT);
  assert_int_equal(lock, -1);
  assert_int_equal(try_lock(8, &lock), 0); /* the other GPU */
  close(lock);
  second = start_holder(7, &said);
  assert_int_equal(poll(&(struct pollfd){.fd = said, .events = POLLIN}, 1, 100), 0); /* it waits */
  end_holder(first);
  assert_int_equal(read(said, &c, 1), 1); /* and then gets the lock */
  close(said);
  assert_int_equal(try_lock(2, &lock), -ETIMEDOUT);
  end_holder(second);
  assert_int_equal(try_lock(2, &lock), 0);
  close(lock);
  /* PCI does not list them: all share one lock */
  shell("rm -r %s/sys/bus/pci/devices/*", root);
  first = start_holder(2, NULL);
  assert_int_equal(try_lock(8, &lock), -ETIMEDOUT);
  end_holder(first);
  /* GPUs of other vendors have no such partitions */
  gpus.array[0].vendor = GC_VENDOR_NVIDIA;
  assert_int_equal(try_lock(0, &lock), 0);
  assert_int_equal(lock, -1);
}

/* If nothing else is locked, this lock takes the place of that of the record. */
static void any_gpu_can_be_locked(void **state)
{
  struct gc_error err = {""};
  int lock, other;

  (void)state;
  add_amd("mi300x", 3, "0000:a7:00.0");
  list(1);
  gpus.array[0].vendor = GC_VENDOR_NVIDIA;
  assert_int_equal(gc_gpus_lock(root, &gpus.array[0], true, 0, &lock, &err), 0);
  assert_true(lock >= 0);
  assert_int_equal(gc_gpus_lock(root, &gpus.array[0], true, 0, &other, &err), -ETIMEDOUT);
  assert_non_null(strstr(err.text, "the GPU is being measured by another process"));
  close(lock);
  /* where sysfs does not show it, and for a simulated one, there is no lock */
  shell("rm -r %s/sys/bus/pci/devices/*", root);
  assert_int_equal(gc_gpus_lock(root, &gpus.array[0], true, 0, &lock, &err), 0);
  assert_int_equal(lock, -1);
  gpus.array[0].vendor = GC_VENDOR_SIM;
  assert_int_equal(gc_gpus_lock(root, &gpus.array[0], true, 0, &lock, &err), 0);
  assert_int_equal(lock, -1);
}

/* A node with one GPU, and a process that holds its lock. */
static pid_t hold_one(void)
{
  add_amd("mi300x", 3, "0000:a7:00.0");
  list(1);
  return start_holder(0, NULL);
}

/* Any user can lock a directory of sysfs for ever. A short wait ends with a failure, a long one without
 * the lock. */
static void one_who_never_ends_does_not_block_for_ever(void **state)
{
  struct gc_error err = {""};
  char who[32];
  pid_t holder;
  int lock;

  (void)state;
  holder = hold_one();
  assert_int_equal(kill(holder, SIGSTOP), 0);
  speed = 100;
  assert_int_equal(gc_gpus_lock(root, &gpus.array[0], false, 10, &lock, &err), -ETIMEDOUT);
  assert_int_equal(gc_gpus_lock(root, &gpus.array[0], false, 120, &lock, &err), GC_GPUS_LOCK_IGNORED);
  speed = 1;
  assert_int_equal(lock, -1);
  assert_non_null(strstr(err.text, "for too long; measuring without waiting for its end"));
  /* some file systems have other device numbers in /proc/locks */
  snprintf(who, sizeof(who), "process (%ld)", (long)holder);
  assert_true(strstr(err.text, who) || strstr(err.text, "process for"));
  end_holder(holder);
}

/* Several processes of another container, one after another, look like one that never ends. */
static void an_unknown_holder_gets_more_time(void **state)
{
  struct gc_error err = {""};
  pid_t holder;
  int lock;

  (void)state;
  holder = hold_one();
  speed = 100;
  is_unknown = 1;
  assert_int_equal(gc_gpus_lock(root, &gpus.array[0], false, 60, &lock, &err), -ETIMEDOUT);
  assert_non_null(strstr(err.text, "; hwloc-gpucache measure waits longer"));
  assert_int_equal(gc_gpus_lock(root, &gpus.array[0], false, 120, &lock, &err), GC_GPUS_LOCK_IGNORED);
  assert_non_null(strstr(err.text, "another process for too long"));
  is_unknown = 0;
  speed = 1;
  end_holder(holder);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(partitions_are_measured_one_after_another),
      TEST(any_gpu_can_be_locked),
      TEST(one_who_never_ends_does_not_block_for_ever),
      TEST(an_unknown_holder_gets_more_time),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
