/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Locks of the store, and the removal of locks that nobody holds.
 */
#include "store.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <time.h>

/* What the file system answers to each kind of lock; 0: it has that kind. */
static int no_flock, no_fcntl;

int __real_flock(int fd, int operation);
int __wrap_flock(int fd, int operation);
int __wrap_flock(int fd, int operation)
{
  errno = no_flock;
  return no_flock ? -1 : __real_flock(fd, operation);
}

int __real_fcntl(int fd, int command, long argument);
int __wrap_fcntl(int fd, int command, long argument);
int __wrap_fcntl(int fd, int command, long argument)
{
  errno = no_fcntl;
  return no_fcntl && command == F_OFD_SETLK ? -1 : __real_fcntl(fd, command, argument);
}

int __real_fcntl64(int fd, int command, long argument);
int __wrap_fcntl64(int fd, int command, long argument);
int __wrap_fcntl64(int fd, int command, long argument)
{
  return __wrap_fcntl(fd, command, argument);
}

static int tear_down_locks(void **state)
{
  no_flock = no_fcntl = 0;
  return tear_down(state);
}

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
  /* some file systems have other device numbers in /proc/locks */
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

  /* The holder is killed during the wait: its lock is released. */
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

static const struct gc_store_tidy_report report = {note_aside, note_forgotten, &err};

/* A held lock and other users' files stay; so do renamed files, which are reported. */
static void tidying_removes_locks_that_nobody_holds(void **state)
{
  int hold, status, lock;
  pid_t pid;

  (void)state;
  *asides = *forgotten = '\0';
  assert_int_equal(gc_store_tidy(&report, &err), 0); /* no directory */
  pid = start_holder(&hold);
  put("records/sim-x.lock", "");
  put("records/sim-x.failed", "");
  put("records/no id.failed", "");
  put("records/sim-y.lock", "text");
  put("records/no id.lock", "");
  put("records/sim-x.xml.bad-20250101T000000", "");
  put("records/sim-x.xml.bad", "");
  assert_int_equal(symlink("../victim", "records/sim-z.lock"), 0);
  assert_int_equal(gc_store_tidy(&report, &err), 0);
  assert_string_equal(asides, "/sim-x.xml.bad-20250101T000000");
  assert_string_equal(forgotten, "sim-x");
  assert_int_equal(access("records/sim-x.lock", F_OK), -1);
  assert_int_equal(files("records", "", NULL), 7);
  assert_int_equal(gc_store_lock(ID, 0, &err), -ETIMEDOUT);
  close(hold);
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_int_equal(gc_store_tidy(&report, &err), 0);
  assert_int_equal(access("records/" ID ".lock", F_OK), -1);
  lock = gc_store_lock(ID, 0, &err);
  assert_true(lock >= 0);
  gc_store_unlock(lock);
}

/* Files of a killed writer are removed with the next record of that GPU, or when all records are
 * purged; a file that is being written stays. */
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

  assert_int_equal(gc_store_tidy(&report, &err), 0);
  assert_int_equal(access("records/." ID ".xml.tmp-2-0", F_OK), 0);
  assert_int_equal(files("records", ".tmp-", NULL), 2);
  close(held);
  assert_int_equal(gc_store_tidy(&report, &err), 0);
  assert_int_equal(files("records", ".tmp-", NULL), 1);
  assert_int_equal(unlink("records/." ID ".xml.tmp-3-0"), 0);
  assert_int_equal(access("records/." ID ".xml", F_OK), 0);
}

/* A lock on a file that was removed is no lock: another process may hold the new file of that
 * name. */
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
  usleep(100000); /* by now it waits for the file that is removed; if not, the test passes, too */
  /* it must not be the first to lock the new file */
  assert_int_equal(kill(waiter, SIGSTOP), 0);
  assert_int_equal(waitpid(waiter, &status, WUNTRACED), waiter);
  assert_true(WIFSTOPPED(status));
  assert_int_equal(unlink("records/" ID ".lock"), 0);
  other = gc_store_lock(ID, 0, &err);
  assert_true(other >= 0);
  assert_int_equal(kill(waiter, SIGCONT), 0);
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

/* One process at a time measures, whatever the file system answers; its end releases the lock. */
static void a_file_system_may_have_no_locks(void **state)
{
  static const struct {
    int flock, fcntl;
  } answers[] = {
    { ENOLCK, 0 },          { ENOSYS, 0 },           { EOPNOTSUPP, 0 },  { EINVAL, 0 },
    { ENOLCK, ENOLCK },     { ENOSYS, ENOSYS },      { EOPNOTSUPP, EOPNOTSUPP },
    { ENOSYS, EINVAL },
  };
  int hold, lock, status;
  char who[80];
  pid_t pid;

  (void)state;
  for (size_t i = 0; i < sizeof(answers) / sizeof(*answers); i++) {
    no_flock = answers[i].flock;
    no_fcntl = answers[i].fcntl;
    pid = start_holder(&hold);
    assert_int_equal(gc_store_lock(ID, 0, &err), -ETIMEDOUT);
    snprintf(who, sizeof(who), "another process (%ld) is measuring this GPU", (long)pid);
    if (no_fcntl || strcmp(err.text, "another process is measuring this GPU"))
      assert_string_equal(err.text, who);
    assert_int_equal(gc_store_lock(ID, 0.1, &err), -ETIMEDOUT);
    lock = gc_store_lock("sim-x", 0, &err);
    assert_true(lock >= 0);
    gc_store_unlock(lock);
    close(hold);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    lock = gc_store_lock(ID, 0, &err);
    if (lock < 0)
      fail_msg("%s", err.text);
    assert_int_equal(gc_store_lock(ID, 0, &err), -ETIMEDOUT);
    gc_store_unlock(lock);
    lock = gc_store_lock(ID, 0, &err);
    assert_true(lock >= 0);
    gc_store_unlock(lock);

    pid = start_holder(&hold);
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    lock = gc_store_lock(ID, 30, &err);
    assert_true(lock >= 0);
    gc_store_unlock(lock);
    close(hold);
    assert_int_equal(write_good(), 0); /* a record can be written there */
    assert_int_equal(files("records", ".tmp-", NULL), 0);
  }
}

#define OWNER "records/" ID ".owner"

/* Replaces a word of the owner's file: 0 its process id, 1 its start, 2 the boot, 3 the namespace. */
static void edit_owner(unsigned which, const char *word)
{
  char words[4][80], text[400];
  FILE *file = fopen(OWNER, "r");

  assert_non_null(file);
  assert_int_equal(fscanf(file, "%79s %79s %79s %79s", words[0], words[1], words[2], words[3]), 4);
  fclose(file);
  strcpy(words[which], word);
  snprintf(text, sizeof(text), "%s %s %s %s\n", words[0], words[1], words[2], words[3]);
  put(OWNER, text);
}

static void age_owner(time_t seconds)
{
  const struct timespec then[2] = { { .tv_sec = time(NULL) - seconds },
                                    { .tv_sec = time(NULL) - seconds } };

  assert_int_equal(utimensat(AT_FDCWD, OWNER, then, 0), 0);
}

static void expect_owner(int expected)
{
  const int lock = gc_store_lock(ID, 0, &err);

  if ((lock < 0 ? lock : 0) != expected)
    fail_msg("%d \"%s\"", lock, err.text);
  if (lock >= 0)
    gc_store_unlock(lock);
}

static void the_owner_of_a_gpu_is_believed_while_it_runs(void **state)
{
  char pid[32];
  int held;

  (void)state;
  no_flock = no_fcntl = ENOSYS;
#define TAKE()                                                                                     \
  held = gc_store_lock(ID, 0, &err);                                                               \
  assert_true(held >= 0);                                                                          \
  expect_owner(-ETIMEDOUT)
  TAKE();
  age_owner(3600); /* it runs, and takes long */
  expect_owner(-ETIMEDOUT);
  edit_owner(1, "1"); /* another process with that id */
  expect_owner(0);
  TAKE();
  edit_owner(2, "another-boot");
  expect_owner(0);
  TAKE();
  snprintf(pid, sizeof(pid), "%d", INT_MAX);
  edit_owner(0, pid);
  expect_owner(0);
  /* in another container: unknown whether it runs */
  TAKE();
  edit_owner(3, "pid:[1]");
  expect_owner(-ETIMEDOUT);
  assert_string_equal(err.text, "another process is measuring this GPU");
  age_owner(3600);
  expect_owner(0);
  /* killed before it had written its id, or a full disk */
  put(OWNER, "");
  expect_owner(-ETIMEDOUT);
  age_owner(3600);
  expect_owner(0);
  assert_int_equal(unlink(OWNER), 0);
  assert_int_equal(symlink("../victim", OWNER), 0);
  expect_owner(-ELOOP);
  assert_int_equal(unlink(OWNER), 0);
  assert_int_equal(files("records", "", NULL), 1); /* the lock file */
  /* tidying removes it, but not while it is held */
  TAKE();
  assert_int_equal(gc_store_tidy(&report, &err), 0);
  expect_owner(-ETIMEDOUT);
  gc_store_unlock(held);
  assert_int_equal(gc_store_tidy(&report, &err), 0);
  assert_int_equal(access(OWNER, F_OK), -1);
#undef TAKE
}

/* Many processes, and the holders are killed: never two at a time. */
static void owners_take_turns(void **state)
{
  pid_t pids[8];
  int status, lock, file, killed = 0;

  (void)state;
  no_flock = no_fcntl = ENOSYS;
  for (int i = 0; i < 8; i++) {
    pids[i] = fork();
    assert_true(pids[i] >= 0);
    if (pids[i])
      continue;
    for (int turn = 0; turn < 5; turn++) {
      lock = gc_store_lock(ID, 600, &err);
      if (lock < 0) {
        print_error("turn %d of process %d: %s\n", turn, i, err.text);
        _exit(3);
      }
      file = open("inside", O_CREAT | O_EXCL | O_CLOEXEC, 0600);
      if (file < 0) {
        print_error("turn %d of process %d: another is inside: %s\n", turn, i, strerror(errno));
        _exit(4);
      }
      close(file);
      usleep(1000);
      unlink("inside");
      if (turn == 4 && i % 2)
        raise(SIGKILL); /* while it holds the lock */
      gc_store_unlock(lock);
    }
    _exit(0);
  }
  for (int i = 0; i < 8; i++) {
    assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
    assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    killed += WIFSIGNALED(status);
  }
  assert_int_equal(killed, 4);
}

int main(void)
{
#undef TEST
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down_locks)
  const struct CMUnitTest tests[] = {
    TEST(one_process_holds_the_lock),
    TEST(tidying_removes_locks_that_nobody_holds),
    TEST(unfinished_records_are_tidied_away),
    TEST(a_lock_that_was_removed_does_not_count),
    TEST(a_lock_file_that_is_a_link_is_not_followed),
    TEST(a_file_system_may_have_no_locks),
    TEST(the_owner_of_a_gpu_is_believed_while_it_runs),
    TEST(owners_take_turns),
  };

  return cmocka_run_group_tests(tests, load_good, free_good);
}
