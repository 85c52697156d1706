/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * This program in another process, to measure one GPU there: its command line, its environment and
 * its output. It ends when this process ends.
 */
#include "tool/process/child.h"

#include "tool/process/environment.h"
#include "util/number.h"

#include <hwloc/gpucache.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* A failure is reported in place of the record: this word, errno and the sentence. */
#define FAILURE "failed "
#define MOST_ERRNO 4095 /* of Linux */

void gc_child_prepare(struct gc_child *child, const struct gc_tool *tool, const char *sims,
                      const struct gc_gpu *gpu)
{
  size_t n = 0;

  child->argv[n++] = "/proc/self/exe";
  /* the subcommand decides whether a record that cannot be stored is a failure */
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
  if (tool->replace)
    child->argv[n++] = "--replace";
  else if (tool->force)
    child->argv[n++] = "--force";
  if (tool->no_store)
    child->argv[n++] = "--no-store";
  if (tool->times) /* $HWLOC_GPUCACHE_VERBOSE is inherited */
    child->argv[n++] = "--verbose";
  child->argv[n++] = gpu->identity.id;
  child->argv[n] = NULL;
}

/* A variable and not an option, because raw data contain the command line. */
#define PARENT "HWLOC_GPUCACHE_CHILD_OF"

int gc_child_environment(struct gc_child_variables *environment, const char *sims)
{
  const char *root = gc_environment_root();
  size_t n = 0;

  memset(environment, 0, sizeof *environment);
  if (asprintf(&environment->sims, "%s=%s", HWLOC_GPUCACHE_SIM_ENV, sims) < 0) {
    environment->sims = NULL;
    return -ENOMEM;
  }
  if (*root && asprintf(&environment->root, "HWLOC_FSROOT=%s", root) < 0) {
    free(environment->sims);
    environment->sims = environment->root = NULL;
    return -ENOMEM;
  }
  snprintf(environment->parent, sizeof environment->parent, PARENT "=%ld", (long)getpid());
  environment->entries[n++] = environment->parent;
  environment->entries[n++] = environment->sims;
  if (environment->root) { /* gc_environment_take has removed these */
    environment->entries[n++] = environment->root;
    environment->entries[n++] = "HWLOC_THISSYSTEM=1";
  }
  if (!gc_environment_for_load())
    environment->entries[n++] = HWLOC_GPUCACHE_ENV; /* no "=": it is unset. We set it to off */
  environment->entries[n] = NULL;
  return 0;
}

void gc_child_environment_free(struct gc_child_variables *environment)
{
  free(environment->sims);
  free(environment->root);
}

void gc_child_follow_parent(void)
{
  const char *parent = secure_getenv(PARENT);
  uint64_t pid = 0;

  if (!parent)
    return;
  gc_number_whole(parent, &pid);
  unsetenv(PARENT); /* children of this process have another parent */
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if ((uint64_t)getppid() != pid)
    raise(SIGTERM); /* the parent has ended already */
}

#define BYTES_MOST ((rlim_t)64 << 20)

size_t gc_child_bytes(void)
{
  struct rlimit limit;

  return !getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur < BYTES_MOST
             ? (size_t)limit.rlim_cur
             : BYTES_MOST;
}

int gc_child_file(void)
{
  const int low = memfd_create("child", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  int fd = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, 3);

  if (low >= 0)
    close(low);
  /* the file has this size, and no process can change that */
  if (fd >= 0 &&
      (ftruncate(fd, (off_t)gc_child_bytes()) || fcntl(fd, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK))) {
    close(fd);
    fd = -1;
  }
  return fd;
}

size_t gc_child_printed(int fd)
{
  const off_t size = lseek(fd, 0, SEEK_CUR);

  return size < 0 || (size_t)size > gc_child_bytes() ? 0 : (size_t)size;
}

void gc_child_report(int status, const char *sentence)
{
  printf(FAILURE "%d %s\n", -status, sentence);
}

int gc_child_failure(int fd, struct gc_error *err)
{
  char text[64 + sizeof err->text] = "";
  const ssize_t length = pread(fd, text, sizeof text - 1, 0);
  const size_t head = strlen(FAILURE);
  const char *end;
  uint64_t code;

  if (length <= 0 || strncmp(text, FAILURE, head))
    return 0;
  text[strcspn(text, "\n")] = '\0';
  end = gc_number_digits(text + head, &code);
  if (!end || !code || code > MOST_ERRNO || *end != ' ')
    return 0;
  return gc_fail(err, -(int)code, "%s", end + 1);
}

int gc_child_read(int fd, struct gc_record **record, struct gc_error *err)
{
  const size_t size = gc_child_printed(fd);
  char *text;
  int status;

  if (!size || size > GC_RECORD_MAX_BYTES)
    return gc_fail(err, -EBADMSG, "the measuring process printed no record");
  text = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (text == MAP_FAILED)
    return gc_fail(err, -errno, "cannot read what the measuring process printed: %s",
                   strerror(errno));
  status = gc_record_read_xml(text, size, record, err);
  munmap(text, size);
  return status;
}

void gc_child_problem(const struct gc_command *command, struct gc_error *err)
{
  char why[100];

  switch (command->end) {
  case GC_END_EXITED:
    gc_fail(err, 0, "the measuring process ended with exit status %d and no message",
            command->status);
    break;
  case GC_END_KILLED:
    gc_fail(err, 0, "the measuring process died of signal %d (%s)", command->status,
            strsignal(command->status));
    break;
  case GC_END_LATE:
    gc_fail(err, 0, "the measuring process did not end in time and was killed");
    break;
  case GC_END_ABANDONED:
    gc_fail(err, 0, "the measuring process (%d) did not end in time and cannot be killed",
            command->status);
    break;
  case GC_END_NOT_STARTED:
    gc_spawn_why(command, why, sizeof why);
    gc_fail(err, 0, "cannot start a measuring process: %s", why);
    break;
  default:
    gc_fail(err, 0, "the measuring process was lost");
  }
}

void gc_child_end(const struct gc_command *commands, size_t count)
{
  const struct timespec moment = {0, 10000000};

  for (int i = 0; i < 100; i++) {
    bool running = false;

    for (size_t k = 0; k < count; k++) {
      int pid = commands[k].pid;

      if (pid && i % 90 == 0)
        kill(pid, i ? SIGKILL : SIGTERM);
      running |= pid != 0;
    }
    if (!running)
      return;
    nanosleep(&moment, NULL);
  }
}
