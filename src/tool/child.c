/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * This very program in another process, to measure one GPU there: its command line, what it prints,
 * and its end when ours comes first.
 */
#include "tool/tool.h"

#include "util/number.h"
#include "util/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* What stands in place of the record when it could not be made: this, errno and the sentence. */
#define FAILURE "failed "
#define MOST_ERRNO 4095 /* of Linux */

void gc_child_prepare(struct gc_child *child, const struct gc_tool *tool, const char *sims,
                      const struct gc_gpu *gpu)
{
  size_t n = 0;

  child->argv[n++] = "/proc/self/exe";
  /* which of the two decides whether a record that cannot be stored is a failure */
  child->argv[n++] = tool->must_store ? "measure" : "show";
  child->argv[n++] = "--xml";
  if (tool->sims) {
    child->argv[n++] = "--sim";
    child->argv[n++] = sims;
  }
  if (tool->only) {
    child->argv[n++] = "--only";
    child->argv[n++] = tool->only;
  }
  if (tool->raw) {
    child->argv[n++] = "--raw";
    child->argv[n++] = tool->raw;
  }
  if (tool->timeout > 0) {
    gc_number_seconds(tool->timeout, child->timeout);
    child->argv[n++] = "--timeout";
    child->argv[n++] = child->timeout;
  }
  if (tool->resume) {
    snprintf(child->resume, sizeof child->resume, "%u", tool->resume);
    child->argv[n++] = "--resume";
    child->argv[n++] = child->resume;
  }
  if (tool->force)
    child->argv[n++] = "--force";
  if (tool->no_store)
    child->argv[n++] = "--no-store";
  if (tool->times) /* the environment is inherited */
    child->argv[n++] = "--verbose";
  child->argv[n++] = gpu->identity.id;
  child->argv[n] = NULL;
}

/* Not an option: the command line is written down with raw data. */
#define PARENT "HWLOC_GPUCACHE_CHILD_OF"

void gc_child_name_parent(char setting[64])
{
  snprintf(setting, 64, PARENT "=%ld", (long)getpid());
}

void gc_child_follow_parent(void)
{
  const char *parent = secure_getenv(PARENT);
  long pid;

  if (!parent)
    return;
  pid = strtol(parent, NULL, 10);
  unsetenv(PARENT); /* our own children have us */
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if ((long)getppid() != pid)
    raise(SIGTERM); /* it has ended before this was told */
}

int gc_child_file(void)
{
  int low = memfd_create("record", MFD_CLOEXEC), fd;

  if (low < 0 || low >= 3)
    return low;
  fd = fcntl(low, F_DUPFD_CLOEXEC, 3);
  close(low);
  return fd;
}

void gc_child_tell(int status, const char *sentence)
{
  printf(FAILURE "%d %s\n", -status, sentence);
}

int gc_child_failure(int fd, struct gc_error *err)
{
  char text[64 + sizeof err->text] = "";
  const ssize_t length = pread(fd, text, sizeof text - 1, 0);
  const size_t head = strlen(FAILURE);
  char *end = NULL;
  long code;

  if (length <= 0 || strncmp(text, FAILURE, head))
    return 0;
  text[strcspn(text, "\n")] = '\0';
  code = strtol(text + head, &end, 10);
  if (code <= 0 || code > MOST_ERRNO || *end != ' ')
    return 0;
  return gc_fail(err, -(int)code, "%s", end + 1);
}

int gc_child_read(int fd, struct gc_record **record, struct gc_error *err)
{
  struct stat st;
  char *text;
  int status;

  if (fstat(fd, &st) || st.st_size <= 0 || st.st_size > GC_RECORD_MAX_BYTES)
    return gc_fail(err, -EBADMSG, "the measuring process printed no record");
  text = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (text == MAP_FAILED)
    return gc_fail(err, -errno, "cannot read what the measuring process printed: %s",
                   strerror(errno));
  status = gc_record_read_xml(text, (size_t)st.st_size, record, err);
  munmap(text, (size_t)st.st_size);
  return status;
}

void gc_child_problem(const struct gc_command *command, struct gc_error *err)
{
  switch (command->end) {
  case GC_END_EXITED:
    gc_fail(err, 0, "the measuring process ended with status %d and no explanation", command->status);
    break;
  case GC_END_KILLED:
    gc_fail(err, 0, "the measuring process died of signal %d (%s)", command->status,
            strsignal(command->status));
    break;
  case GC_END_LATE:
    gc_fail(err, 0, "the measuring process did not end in time and was killed");
    break;
  case GC_END_NOT_STARTED:
    gc_fail(err, 0, "cannot start a measuring process: %s", strerror(command->status));
    break;
  default:
    gc_fail(err, 0, "the measuring process was lost");
  }
}

void gc_child_end(const struct gc_command *commands, size_t count)
{
  const struct timespec moment = {0, 10000000};

  for (int turn = 0; turn < 100; turn++) {
    bool running = false;

    for (size_t i = 0; i < count; i++) {
      int pid = commands[i].pid;

      if (pid && turn % 90 == 0)
        kill(pid, turn ? SIGKILL : SIGTERM);
      running |= pid != 0;
    }
    if (!running)
      return;
    nanosleep(&moment, NULL);
  }
}
