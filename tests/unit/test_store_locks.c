/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Locks of the store, and tidying away what nobody holds.
 */
#include "store.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>

/* A process that holds the lock until its pipe is closed, or it is killed. */
static pid_t start_holder(int *hold)
{
  int up[2], down[2];
  char byte;
  pid_t pid;

  assert_int_equal(pipe(up), 0);
  assert_int_equal(pipe(down), 0);
  pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {
    close(up[1]);
    close(down[0]);
    byte = gc_store_lock(ID, 10, NULL) >= 0 ? 'y' : 'n';
    if (write(down[1], &byte, 1) != 1 || read(up[0], &byte, 1) != 0)
      _exit(1);
    _exit(0);
  }
  close(up[0]);
  close(down[1]);
  assert_int_equal(read(down[0], &byte, 1), 1);
  assert_int_equal(byte, 'y');
  close(down[0]);
  *hold = up[1];
  return pid;
}

static void one_process_holds_the_lock(void **state)
{
  int hold, lock, status;
  char who[80];
  pid_t pid;

  (void)state;
  pid = start_holder(&hold);
  assert_int_equal(gc_store_lock(ID, 0, &err), -ETIMEDOUT);
  /* some file systems number their devices otherwise in /proc/locks */
  snprintf(who, sizeof(who), "another process (%ld) is measuring this GPU", (long)pid);
  if (strcmp(err.text, "another process is measuring this GPU"))
    assert_string_equal(err.text, who);
  assert_int_equal(gc_store_lock(ID, 0.1, &err), -ETIMEDOUT);
  lock = gc_store_lock("sim-x", 0, &err);
  assert_true(lock >= 0);
  assert_true(fcntl(lock, F_GETFD) & FD_CLOEXEC);
  gc_store_unlock(lock);

  close(hold);
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_int_equal(status, 0);
  lock = gc_store_lock(ID, 0, &err);
  assert_true(lock >= 0);
  assert_int_equal(gc_store_lock(ID, 0, &err), -ETIMEDOUT);
  gc_store_unlock(lock);

  /* Killed: the lock goes with it, while we wait. */
  pid = start_holder(&hold);
  assert_int_equal(kill(pid, SIGKILL), 0);
  lock = gc_store_lock(ID, 30, &err);
  assert_true(lock >= 0);
  gc_store_unlock(lock);
  assert_int_equal(waitpid(pid, &status, 0), pid);
  close(hold);
}

static char asides[256];

static void note_aside(const char *path, void *data)
{
  assert_ptr_equal(data, &err);
  assert_non_null(strrchr(path, '/'));
  strcat(asides, strrchr(path, '/'));
}

static char forgotten[300];

static void note_forgotten(const char *id, void *data)
{
  assert_ptr_equal(data, &err);
  strcat(forgotten, id);
}

static const struct gc_store_broom broom = {note_aside, note_forgotten, &err};

/* What is held, or is no lock of ours, stays; so does what was set aside, and it is told. */
static void tidying_removes_locks_that_nobody_holds(void **state)
{
  int hold, status, lock;
  pid_t pid;

  (void)state;
  *asides = *forgotten = '\0';
  assert_int_equal(gc_store_tidy(&broom, &err), 0); /* no directory */
  pid = start_holder(&hold);
  put("records/sim-x.lock", "");
  put("records/sim-x.failed", "");
  put("records/no id.failed", "");
  put("records/sim-y.lock", "text");
  put("records/no id.lock", "");
  put("records/sim-x.xml.bad-20250101T000000", "");
  put("records/sim-x.xml.bad", "");
  assert_int_equal(symlink("../victim", "records/sim-z.lock"), 0);
  assert_int_equal(gc_store_tidy(&broom, &err), 0);
  assert_string_equal(asides, "/sim-x.xml.bad-20250101T000000");
  assert_string_equal(forgotten, "sim-x");
  assert_int_equal(access("records/sim-x.lock", F_OK), -1);
  assert_int_equal(files("records", "", NULL), 7);
  assert_int_equal(gc_store_lock(ID, 0, &err), -ETIMEDOUT);
  close(hold);
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_int_equal(gc_store_tidy(&broom, &err), 0);
  assert_int_equal(access("records/" ID ".lock", F_OK), -1);
  lock = gc_store_lock(ID, 0, &err);
  assert_true(lock >= 0);
  gc_store_unlock(lock);
}

/* What a writer that was killed left goes with the next record of that GPU, or with a purge of all; what
 * somebody writes just now stays. */
static void unfinished_records_are_tidied_away(void **state)
{
  int held;

  (void)state;
  mkdir("records", 0700);
  put("records/." ID ".xml.tmp-1-0", "<topology");
  put("records/." ID ".xml.tmp-2-0", "<topology");
  put("records/.sim-x.xml.tmp-1-0", "<topology");
  put("records/." ID ".xml", "not ours");
  assert_int_equal(symlink("../victim", "records/." ID ".xml.tmp-3-0"), 0);
  held = open("records/." ID ".xml.tmp-2-0", O_RDONLY | O_CLOEXEC);
  assert_true(held >= 0);
  assert_int_equal(flock(held, LOCK_EX), 0);

  assert_int_equal(write_good(), 0);
  expect_find(0, NULL);
  assert_int_equal(access("records/." ID ".xml.tmp-1-0", F_OK), -1);
  assert_int_equal(access("records/.sim-x.xml.tmp-1-0", F_OK), 0);
  assert_int_equal(files("records", ".tmp-", NULL), 3);

  assert_int_equal(gc_store_tidy(&broom, &err), 0);
  assert_int_equal(access("records/." ID ".xml.tmp-2-0", F_OK), 0);
  assert_int_equal(files("records", ".tmp-", NULL), 2);
  close(held);
  assert_int_equal(gc_store_tidy(&broom, &err), 0);
  assert_int_equal(files("records", ".tmp-", NULL), 1);
  assert_int_equal(unlink("records/." ID ".xml.tmp-3-0"), 0);
  assert_int_equal(access("records/." ID ".xml", F_OK), 0);
}

/* Who waited for a lock whose file is gone has nothing: another may hold the new file of that name. */
static void a_lock_that_was_removed_does_not_count(void **state)
{
  int hold, status, lock, other;
  char byte = 0;
  int up[2];
  pid_t pid, waiter;

  (void)state;
  pid = start_holder(&hold);
  assert_int_equal(pipe(up), 0);
  waiter = fork();
  assert_true(waiter >= 0);
  if (waiter == 0) {
    close(hold);
    close(up[0]);
    lock = gc_store_lock(ID, 1, NULL);
    byte = lock == -ETIMEDOUT ? 'y' : 'n';
    _exit(write(up[1], &byte, 1) != 1);
  }
  usleep(100000); /* it waits for the file that is about to go; if it does not yet, that is as well */
  assert_int_equal(unlink("records/" ID ".lock"), 0);
  other = gc_store_lock(ID, 0, &err);
  assert_true(other >= 0);
  close(hold);
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_int_equal(read(up[0], &byte, 1), 1);
  assert_int_equal(byte, 'y');
  assert_int_equal(waitpid(waiter, &status, 0), waiter);
  gc_store_unlock(other);
  close(up[0]);
  close(up[1]);
}

static void a_lock_file_that_is_a_link_is_not_followed(void **state)
{
  (void)state;
  mkdir("records", 0700);
  assert_int_equal(symlink("../victim", "records/" ID ".lock"), 0);
  assert_int_equal(gc_store_lock(ID, 0, &err), -ELOOP);
  assert_int_equal(access("victim", F_OK), -1);
  unlink("records/" ID ".lock");
  assert_int_equal(mkfifo("records/" ID ".lock", 0600), 0);
  assert_int_equal(gc_store_lock(ID, 0, &err), -EACCES);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    TEST(one_process_holds_the_lock),
    TEST(tidying_removes_locks_that_nobody_holds),
    TEST(unfinished_records_are_tidied_away),
    TEST(a_lock_that_was_removed_does_not_count),
    TEST(a_lock_file_that_is_a_link_is_not_followed),
  };

  return cmocka_run_group_tests(tests, load_good, free_good);
}
