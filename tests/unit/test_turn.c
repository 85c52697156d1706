/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The partitions of an AMD GPU take turns, whoever measures them.
 */
#include "amd.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

static int try_turn(unsigned i, int *turn)
{
  struct gc_error err = {""};
  const int status = gc_gpus_take_turn(root, &gpus.array[i], 0, turn, &err);

  if (status)
    assert_string_equal(err.text, "the GPU, or another partition of it, is being measured by another process");
  return status;
}

/* Takes a turn in a process of its own, says so, and has it until it is told to end. */
static pid_t start_turn(unsigned i, int *said)
{
  int ends[2];
  pid_t child;
  char c;

  assert_int_equal(pipe(ends), 0);
  child = fork();
  assert_true(child >= 0);
  if (!child) {
    int turn;

    prctl(PR_SET_PDEATHSIG, SIGKILL); /* should the test fail before it ends this process */
    if (gc_gpus_take_turn(root, &gpus.array[i], 60, &turn, NULL) || turn < 0 ||
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

static void end_turn(pid_t child)
{
  assert_int_equal(kill(child, SIGKILL), 0);
  assert_int_equal(waitpid(child, NULL, 0), child);
}

/* The partitions of one GPU are measured one after another, those of two side by side. */
static void partitions_take_turns(void **state)
{
  pid_t first, second;
  int turn, said;
  char c;

  (void)state;
  add_amd("mi300x-cpx", 3, "0000:a7:00.0");
  add_amd("mi300x", 20, "0000:c7:00.0");
  list(9);
  assert_int_equal(gpus.array[8].bus, 0xc7);
  first = start_turn(2, NULL);
  assert_int_equal(try_turn(5, &turn), -ETIMEDOUT);
  assert_int_equal(turn, -1);
  assert_int_equal(try_turn(8, &turn), 0); /* the other GPU */
  close(turn);
  second = start_turn(7, &said);
  assert_int_equal(poll(&(struct pollfd){.fd = said, .events = POLLIN}, 1, 100), 0); /* it waits, */
  end_turn(first);
  assert_int_equal(read(said, &c, 1), 1); /* and then gets it */
  close(said);
  assert_int_equal(try_turn(2, &turn), -ETIMEDOUT);
  end_turn(second);
  assert_int_equal(try_turn(2, &turn), 0);
  close(turn);
  /* PCI does not show them: there is one turn for all */
  shell("rm -r %s/sys/bus/pci/devices/*", root);
  first = start_turn(2, NULL);
  assert_int_equal(try_turn(8, &turn), -ETIMEDOUT);
  end_turn(first);
  /* no other vendor's GPU has such partitions */
  gpus.array[0].vendor = GC_VENDOR_NVIDIA;
  assert_int_equal(try_turn(0, &turn), 0);
  assert_int_equal(turn, -1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(partitions_take_turns),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
