/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Locks of the store, and the removal of locks that nobody holds.
 */
#include "store.h"

#include "util/clock.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

/* What the file system answers to each kind of lock; 0: it has that kind. */
static int no_flock, no_fcntl;
static unsigned turn_pause;

int __real_flock(int fd, int operation);
int __wrap_flock(int fd, int operation);
int __wrap_flock(int fd, int operation)
{
  if (turn_pause)
    usleep(turn_pause); /* the file may be removed between open() and flock() */
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

static void set_age(const char *path, time_t seconds)
{
  const struct timespec then[2] = {{.tv_sec = time(NULL) - seconds}, {.tv_sec = time(NULL) - seconds}};

  assert_int_equal(utimensat(AT_FDCWD, path, then, 0), 0);
}

/* Names from ids of processes are used up, or guessed by others. */
static void the_name_of_an_unfinished_record_is_random(void **state)
{
  char path[200];

  (void)state;
  mkdir("records", 0700);
  for (unsigned i = 0; i < 1000; i++) {
    snprintf(path, sizeof(path), "records/.%s.xml.tmp-%ld-%u", ID, (long)getpid(), i);
    put(path, "");
  }
  assert_int_equal(write_good(), 0);
  expect_find(0, NULL);
}

/* Files with which earlier versions locked; on a file system without locks, also files of writers
 * that have had time enough. */
static void old_files_are_tidied_away(void **state)
{
  static const char *const old[] = {"records/" ID ".owner", "records/." ID ".owner.xml.tmp-guard",
                                    "records/." ID ".xml.tmp-0123456789abcdef"};
  const size_t count = sizeof(old) / sizeof(*old);

  (void)state;
  mkdir("records", 0700);
  put("records/no id.owner", "");
  for (size_t i = 0; i < count; i++)
    put(old[i], "7 1 ? ?\n");
  assert_int_equal(gc_store_tidy(&report, &err), 0);
  assert_int_equal(files("records", "", NULL), 1);
  no_flock = no_fcntl = ENOLCK;
  for (size_t i = 0; i < count; i++)
    put(old[i], "7 1 ? ?\n");
  set_age(old[0], 590);
  set_age(old[1], -3600); /* another machine's clock */
  assert_int_equal(gc_store_tidy(&report, &err), 0);
  assert_int_equal(files("records", "", NULL), 1 + count);
  for (size_t i = 0; i < count; i++)
    set_age(old[i], 610);
  assert_int_equal(gc_store_tidy(&report, &err), 0);
  assert_int_equal(files("records", "", NULL), 1);
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

/* One process at a time measures with either kind of lock; its end releases the lock. Without both
 * kinds, the caller is told, and a record can be written nevertheless. */
static void a_file_system_may_have_no_locks(void **state)
{
  static const int answers[] = {ENOLCK, ENOSYS, EOPNOTSUPP, EINVAL};
  int hold, lock, status;
  pid_t pid;

  (void)state;
  for (size_t i = 0; i < sizeof(answers) / sizeof(*answers); i++) {
    no_flock = answers[i];
    no_fcntl = 0;
    pid = start_holder(&hold);
    assert_int_equal(gc_store_lock(ID, 0, &err), -ETIMEDOUT);
    assert_string_equal(err.text, "another process is measuring this GPU");
    lock = gc_store_lock("sim-x", 0, &err);
    assert_true(lock >= 0);
    gc_store_unlock(lock);
    close(hold);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    lock = gc_store_lock(ID, 0, &err);
    assert_true(lock >= 0);
    assert_int_equal(gc_store_lock(ID, 0, &err), -ETIMEDOUT);
    gc_store_unlock(lock);

    pid = start_holder(&hold);
    assert_int_equal(kill(pid, SIGKILL), 0);
    lock = gc_store_lock(ID, 30, &err);
    assert_true(lock >= 0);
    gc_store_unlock(lock);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    close(hold);

    no_fcntl = answers[i];
    assert_int_equal(gc_store_lock(ID, 0, &err), -EOPNOTSUPP);
    assert_int_equal(gc_store_lock(ID, 30, &err), -EOPNOTSUPP); /* at once */
    assert_int_equal(write_good(), 0);
    assert_int_equal(files("records", ".tmp-", NULL), 0);
    assert_int_equal(files("records", "", NULL), 3); /* the record and two lock files */
  }
}

/* Writes records of one GPU and reads them back, in a container of its own: its id is 1. */
static int write_in_container(unsigned count, const char *record)
{
  struct gc_record *found;
  char map[64];
  int status = 0, fd;
  pid_t writer;

  if (unshare(CLONE_NEWPID)) {
    snprintf(map, sizeof(map), "%lu %lu 1", (unsigned long)getuid(), (unsigned long)getuid());
    if (unshare(CLONE_NEWUSER | CLONE_NEWPID) || (fd = open("/proc/self/uid_map", O_WRONLY)) < 0 ||
        write(fd, map, strlen(map)) < 0)
      return 77;
  }
  writer = fork();
  for (unsigned i = 0; !writer && i < count && !status; i++) {
    status = getpid() != 1 || gc_store_write(&h200, record, strlen(record), &err) ||
             gc_store_find(&h200, &found, &err);
    if (!status)
      gc_record_free(found);
  }
  if (!writer)
    _exit(status);
  return writer < 0 || waitpid(writer, &status, 0) != writer ? 1 : status != 0;
}

/* With locks and without. */
static void containers_do_not_mix_their_records(void **state)
{
  const char *setting = getenv("RECORD_RUNS");
  const unsigned count = setting ? (unsigned)atoi(setting) : 250;
  char *other = replaced(good, "GPUCacheSMs\" value=\"132", "GPUCacheSMs\" value=\"131");
  int status;

  (void)state;
  for (int way = 0; way < 2; way++) {
    no_flock = no_fcntl = way ? ENOLCK : 0;
    for (int i = 0; i < 2; i++)
      if (!fork())
        _exit(write_in_container(count, i ? other : good));
    for (int i = 0; i < 2; i++) {
      assert_true(wait(&status) > 0);
      if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
        print_message("skipped: no process ids of a container can be made here\n");
        while (wait(NULL) > 0)
          ;
        free(other);
        skip();
      }
      assert_int_equal(status, 0);
    }
    assert_int_equal(find_status(), 0);
    assert_int_equal(files("records", "", NULL), 1); /* the record */
  }
  free(other);
}

#define PROCESSES 8
#define TURNS 400 /* LOCK_TURNS sets another number */

/* What the processes share. A process is its number and how often that number was started, from 1. */
static struct shared {
  _Atomic unsigned long turns, wanted, kills, stops;
  _Atomic unsigned inside;              /* the process that has the lock; 0: none */
  _Atomic unsigned killed[PROCESSES];   /* the last process of this number that was killed */
  _Atomic bool has_failed;
} *shared;

/* The pauses of the lock are short here. */
int __real_nanosleep(const struct timespec *pause, struct timespec *left);
int __wrap_nanosleep(const struct timespec *pause, struct timespec *left);
int __wrap_nanosleep(const struct timespec *pause, struct timespec *left)
{
  const struct timespec shorter = {0, pause->tv_nsec / 100};

  return __real_nanosleep(shared ? &shorter : pause, left);
}

/* Nobody else is inside, except a process that was killed there. */
static bool enter(unsigned me)
{
  const unsigned before = atomic_exchange(&shared->inside, me);

  return !before || shared->killed[before % PROCESSES] == before;
}

static bool leave(unsigned me)
{
  unsigned expected = me;

  return atomic_compare_exchange_strong(&shared->inside, &expected, 0);
}

static void take_turns(unsigned me)
{
  unsigned random = me;
  bool alone;
  int lock;

  prctl(PR_SET_PDEATHSIG, SIGKILL);
  while (shared->turns < shared->wanted && !shared->has_failed) {
    random = random * 1664525 + 1013904223;
    turn_pause = random >> 16 & 127;
    lock = gc_store_lock(ID, 600, &err);
    alone = lock >= 0 && enter(me);
    if (alone)
      usleep(random >> 25);
    if (!alone || !leave(me)) {
      print_error("process %u: %s\n", me, lock < 0 ? err.text : "another has the lock, too");
      shared->has_failed = true;
    }
    shared->turns++;
    gc_store_unlock(lock);
    if (random >> 30 == 0)
      gc_store_tidy(&report, NULL); /* removes the lock file if nobody holds it */
  }
  _exit(shared->has_failed);
}

static pid_t start_turns(unsigned me)
{
  pid_t pid = fork();

  assert_true(pid >= 0);
  if (!pid)
    take_turns(me);
  return pid;
}

/* Stops and kills the processes at random moments until all turns were taken. */
static void disturb(pid_t pids[PROCESSES], unsigned names[PROCESSES])
{
  const double end = gc_now_ms() + 1e3 * (120 + (double)shared->wanted / 50);

  while (shared->turns < shared->wanted && !shared->has_failed) {
    const unsigned i = (unsigned)random() % PROCESSES;

    assert_true(gc_now_ms() < end);
    usleep((unsigned)random() % 4000);
    assert_int_equal(kill(pids[i], SIGSTOP), 0);
    shared->stops++;
    usleep((unsigned)random() % 4000);
    if (random() % 4 == 0) {
      shared->killed[i] = names[i];
      assert_int_equal(kill(pids[i], SIGKILL), 0);
      assert_int_equal(waitpid(pids[i], NULL, 0), pids[i]);
      shared->kills++;
      names[i] += PROCESSES;
      pids[i] = start_turns(names[i]);
    } else {
      assert_int_equal(kill(pids[i], SIGCONT), 0);
    }
  }
}

static void processes_take_turns(const char *kind)
{
  const char *turns = getenv("LOCK_TURNS");
  unsigned names[PROCESSES];
  pid_t pids[PROCESSES];
  int status;

  shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_true(shared != MAP_FAILED);
  shared->wanted = turns ? strtoul(turns, NULL, 10) : TURNS;
  for (unsigned i = 0; i < PROCESSES; i++)
    pids[i] = start_turns(names[i] = i + PROCESSES);
  disturb(pids, names);
  for (unsigned i = 0; i < PROCESSES; i++) {
    assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  print_message("%s: %lu turns, %lu stops, %lu kills\n", kind, (unsigned long)shared->turns,
                (unsigned long)shared->stops, (unsigned long)shared->kills);
  assert_false(shared->has_failed);
  assert_true(shared->turns >= shared->wanted);
  munmap(shared, sizeof(*shared));
  shared = NULL;
}

/* Never two at a time, though holders are stopped and killed, and the lock file is removed. */
static void processes_take_turns_with_flock(void **state)
{
  (void)state;
  processes_take_turns("flock");
}

static void processes_take_turns_with_fcntl(void **state)
{
  (void)state;
  no_flock = ENOSYS;
  processes_take_turns("fcntl");
}

int main(void)
{
#undef TEST
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down_locks)
  const struct CMUnitTest tests[] = {
    TEST(one_process_holds_the_lock),
    TEST(tidying_removes_locks_that_nobody_holds),
    TEST(unfinished_records_are_tidied_away),
    TEST(the_name_of_an_unfinished_record_is_random),
    TEST(containers_do_not_mix_their_records),
    TEST(old_files_are_tidied_away),
    TEST(a_lock_that_was_removed_does_not_count),
    TEST(a_lock_file_that_is_a_link_is_not_followed),
    TEST(a_file_system_may_have_no_locks),
    TEST(processes_take_turns_with_flock),
    TEST(processes_take_turns_with_fcntl),
  };

  return cmocka_run_group_tests(tests, load_good, free_good);
}
