/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * faults [OPTION...] COMMAND...: runs a command once and counts its calls of allocators and system
 * calls (see inject.h). Then runs it again for each of these calls, which fails, in each way in
 * which it can fail. The command must never be ended by a signal, or hang, or leave a process or an
 * unknown file.
 *
 *   -w WHERE  "window" (default) or "process": which calls count
 *   -d DIR    an empty directory for this program
 *   -t DIR    the files of the directory of records ($HWLOC_GPUCACHE_DIR) at the start of each run
 *   -k FILE   this file of it must be unchanged at the end
 *   -a FILE   if the command succeeds, the GPU in this file of it has as many attributes as without
 *             a failure, or is a provisional record
 *   -s TIMES  of calls with the same call stack, only so many fail
 *   -e EVERY  only every n-th call fails
 *   -c LIBRARY  this library may crash if a call of its own has failed: such runs are only counted
 *   -m        a command that fails must print a message (a line that begins "hwloc-gpucache: ")
 *   -j JOBS   so many processes at a time
 *   -n NUMBER -v VARIANT  only this call fails, in this way; prints the call stack
 *   -p LIBRARY the value of LD_PRELOAD
 */
#include "inject.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOST_JOBS 16
#define MOST_SECONDS 60

static struct {
  const char *where, *dir, *template, *keep, *attributes, *crashing, *preload;
  unsigned long seen, every, jobs, number, variant;
  bool message;
  char **command;
} options = {.where = "window", .seen = ULONG_MAX, .every = 1, .jobs = 1};

struct job {
  pid_t pid; /* 0: none */
  time_t start;
  struct inject *shared;
  char dir[PATH_MAX], file[PATH_MAX + 16], records[PATH_MAX + 16], errors[PATH_MAX + 16];
};
static struct job jobs[MOST_JOBS];
static unsigned long runs, failures, excused;

static void die(const char *what)
{
  perror(what);
  exit(2);
}

/* The whole file; the caller frees it. NULL: it cannot be read. */
static char *get(const char *dir, const char *name, size_t *length)
{
  char path[PATH_MAX + 280], *text = malloc(1 << 20);
  FILE *file;

  snprintf(path, sizeof(path), "%s%s%s", dir, *name ? "/" : "", name);
  file = fopen(path, "r");
  if (!file || !text) {
    free(text);
    return NULL;
  }
  *length = fread(text, 1, (1 << 20) - 1, file);
  text[*length] = '\0';
  fclose(file);
  return text;
}

static void copy(const char *from, const char *to, const char *name)
{
  char path[PATH_MAX + 280], *text;
  size_t length;
  FILE *file;

  text = get(from, name, &length);
  snprintf(path, sizeof(path), "%s/%s", to, name);
  file = text ? fopen(path, "w") : NULL;
  if (!file || fwrite(text, 1, length, file) != length || fclose(file) || chmod(path, 0600))
    die(path);
  free(text);
}

/* Calls visit for each file of a directory. */
static void each(const char *dir, void (*visit)(struct job *job, const char *name), struct job *job)
{
  DIR *stream = opendir(dir);
  struct dirent *entry;

  if (!stream)
    die(dir);
  while ((entry = readdir(stream)))
    if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
      visit(job, entry->d_name);
  closedir(stream);
}

static void remove_one(struct job *job, const char *name)
{
  char path[PATH_MAX + 280];

  snprintf(path, sizeof(path), "%s/%s", job->records, name);
  unlink(path);
}

static void copy_one(struct job *job, const char *name)
{
  copy(options.template, job->records, name);
}

/* The records as they are before each run. */
static void reset(struct job *job)
{
  mkdir(job->records, 0700);
  chmod(job->records, 0700);
  each(job->records, remove_one, job);
  if (options.template)
    each(options.template, copy_one, job);
}

static void make_job(struct job *job, unsigned number)
{
  int fd;

  snprintf(job->dir, sizeof(job->dir), "%s/job%u", options.dir, number);
  snprintf(job->file, sizeof(job->file), "%s/inject", job->dir);
  snprintf(job->records, sizeof(job->records), "%s/records", job->dir);
  snprintf(job->errors, sizeof(job->errors), "%s/errors", job->dir);
  if (mkdir(job->dir, 0700))
    die(job->dir);
  fd = open(job->file, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0 || ftruncate(fd, sizeof(*job->shared)))
    die(job->file);
  job->shared = mmap(NULL, sizeof(*job->shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (job->shared == MAP_FAILED)
    die("mmap");
  close(fd);
}

static void run_command(struct job *job)
{
  int in = open("/dev/null", O_RDONLY), out = open("/dev/null", O_WRONLY),
      err = open(job->errors, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);

  dup2(in, 0);
  dup2(out, 1);
  dup2(err, 2);
  for (int fd = 3; fd < 32; fd++)
    close(fd);
  setenv("INJECT_FILE", job->file, 1);
  setenv("INJECT_WHERE", options.where, 1);
  setenv("HWLOC_GPUCACHE_DIR", job->records, 1);
  setenv("LD_PRELOAD", options.preload, 1);
  execv(options.command[0], options.command);
  perror(options.command[0]);
  _exit(127);
}

static void start(struct job *job, uint64_t at, uint32_t variant)
{
  reset(job);
  job->shared->at = at;
  job->shared->variant = variant;
  job->shared->trace = options.number != 0;
  job->shared->calls = 0;
  job->shared->name[0] = job->shared->caller[0] = job->shared->crashed[0] = '\0';
  job->start = time(NULL);
  job->pid = fork();
  if (job->pid < 0)
    die("fork");
  if (job->pid == 0)
    run_command(job);
}

static void __attribute__((format(printf, 2, 3))) report(struct job *job, const char *format, ...)
{
  char text[512], *errors;
  size_t length;
  va_list args;

  va_start(args, format);
  vsnprintf(text, sizeof(text), format, args);
  va_end(args);
  printf("FAILED: -n %llu -v %u (%s): %s\n", (unsigned long long)job->shared->at,
         job->shared->variant, job->shared->name[0] ? job->shared->name : "no failure", text);
  errors = get(job->errors, "", &length);
  if (errors && length)
    printf("%.3000s\n", errors);
  free(errors);
  fflush(stdout);
  failures++;
}

static void check_name(struct job *job, const char *name)
{
  static const char *const known[] = {".xml", ".failed", ".lock"};
  /* If these fail, an unfinished record may stay. The next one that is written removes it. */
  static const char *const excused[] = {"unlinkat", "fstat", "fstatat"};
  const char *end = strrchr(name, '.');

  for (size_t i = 0; end && i < sizeof(known) / sizeof(known[0]); i++)
    if (!strcmp(end, known[i]))
      return;
  for (size_t i = 0; i < sizeof(excused) / sizeof(excused[0]); i++)
    if (!strcmp(job->shared->name, excused[i]) && strstr(name, ".tmp-"))
      return;
  report(job, "left the file %s", name);
}

static void check_kept(struct job *job)
{
  size_t a_length, b_length;
  char *a = get(options.template, options.keep, &a_length),
       *b = get(job->records, options.keep, &b_length);

  if (!a || !b || a_length != b_length || memcmp(a, b, a_length))
    report(job, "%s has changed", options.keep);
  free(a);
  free(b);
}

static void check_attributes(struct job *job)
{
  static unsigned long expected;
  unsigned long count = 0;
  size_t length;
  char *text = get(job->records, options.attributes, &length);
  const bool is_provisional = text && strstr(text, "GPUCacheProvisional");
  /* how many steps failed: another step may have found what a failed one did not */
  const bool has_failures = text && strstr(text, "GPUCacheMeasuringFailures");

  /* the infos of the machine that hwloc adds do not count */
  for (const char *at = text ? strstr(text, "\"OSDev\"") : NULL; at && (at = strstr(at, "<info "));
       at++)
    count++;
  count -= count && has_failures;
  free(text);
  if (!job->shared->at)
    expected = count;
  if (!count || (count != expected && !is_provisional))
    report(job, "%s has %lu attributes, not %lu", options.attributes, count, expected);
}

/* Processes that a command has left become children of this program. They may be about to end. */
static void check_orphans(void)
{
  char path[64], *children = NULL;
  size_t length = 0;

  snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
  for (int i = 0; i < 300; i++) {
    while (waitpid(-1, NULL, WNOHANG) > 0)
      ;
    free(children);
    children = get(path, "", &length);
    if (!children || !length)
      break;
    usleep(10000);
  }
  if (children && length) {
    printf("FAILED: a run left the processes %s\n", children);
    failures++;
  }
  free(children);
}

/* Whether a report of AddressSanitizer is of the library of -c: its first stack begins there, but
 * for the sanitizer's and libc's functions. */
static bool is_reported_in(const char *errors, const char *library)
{
  const char *report = errors ? strstr(errors, "ERROR: AddressSanitizer") : NULL;
  const char *line = report ? strstr(report, "\n    #0 ") : NULL;

  while (line && !strncmp(line, "\n    #", 6)) {
    const char *end = strchr(line + 1, '\n');
    const size_t length = end ? (size_t)(end - line) : strlen(line);

    if (memmem(line, length, library, strlen(library)))
      return true;
    if (!memmem(line, length, "libclang_rt", 11) && !memmem(line, length, "libc.so", 7))
      return false;
    line = end;
  }
  return false;
}

/* Whether the library of -c called the function that failed, and has then crashed or used memory
 * that it had freed. */
static bool is_excused(const struct job *job)
{
  const size_t length = options.crashing ? strlen(options.crashing) : 0;
  size_t size;
  char *errors;
  bool reported;

  if (!length || strncmp(job->shared->caller, options.crashing, length))
    return false;
  if (!strncmp(job->shared->crashed, options.crashing, length))
    return true;
  errors = get(job->errors, "", &size);
  reported = is_reported_in(errors, options.crashing);
  free(errors);
  return reported;
}

/* The exit status or signal, and the messages. */
static void check_end(struct job *job, int status)
{
  char *errors;
  size_t length = 0;

  if (WIFSIGNALED(status))
    report(job, "ended by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
  else if (!strcmp(options.where, "window") && WEXITSTATUS(status))
    report(job, "exit status %d", WEXITSTATUS(status));
  else if (WEXITSTATUS(status) > 4)
    report(job, "exit status %d", WEXITSTATUS(status));
  errors = get(job->errors, "", &length);
  if (errors && (strstr(errors, "ERROR: AddressSanitizer") || strstr(errors, "runtime error:")))
    report(job, "a report of the sanitizers");
  else if (options.message && WIFEXITED(status) && WEXITSTATUS(status) &&
           !strstr(errors ? errors : "", "hwloc-gpucache: "))
    report(job, "exit status %d without a message", WEXITSTATUS(status));
  free(errors);
}

static void finish(struct job *job, int status)
{
  job->pid = 0;
  runs++;
  if (is_excused(job))
    excused++;
  else
    check_end(job, status);
  each(job->records, check_name, job);
  if (options.keep)
    check_kept(job);
  if (options.attributes && WIFEXITED(status) && !WEXITSTATUS(status))
    check_attributes(job);
}

/* Waits until one of the jobs has ended, or until there is a free one. */
static struct job *wait_for_one(void)
{
  for (;;) {
    int status;
    pid_t pid;

    for (unsigned i = 0; i < options.jobs; i++)
      if (!jobs[i].pid)
        return &jobs[i];
    pid = waitpid(-1, &status, WNOHANG);
    for (unsigned i = 0; pid > 0 && i < options.jobs; i++)
      if (jobs[i].pid == pid)
        finish(&jobs[i], status);
    if (pid > 0)
      continue;
    for (unsigned i = 0; i < options.jobs; i++)
      if (jobs[i].pid && time(NULL) - jobs[i].start > MOST_SECONDS) {
        report(&jobs[i], "does not end");
        kill(jobs[i].pid, SIGKILL);
        jobs[i].start = time(NULL);
      }
    usleep(1000);
  }
}

static void wait_for_all(void)
{
  const unsigned long all = options.jobs;

  for (unsigned i = 0; i < all; i++) {
    int status;

    if (!jobs[i].pid)
      continue;
    while (jobs[i].pid) {
      pid_t pid = waitpid(jobs[i].pid, &status, WNOHANG);

      if (pid == jobs[i].pid)
        finish(&jobs[i], status);
      else if (time(NULL) - jobs[i].start > MOST_SECONDS) {
        report(&jobs[i], "does not end");
        kill(jobs[i].pid, SIGKILL);
        jobs[i].start = time(NULL);
      } else
        usleep(1000);
    }
  }
}

static void parse(int argc, char **argv)
{
  int option;

  while ((option = getopt(argc, argv, "+w:d:t:k:a:s:e:c:mj:n:v:p:")) >= 0) {
    switch (option) {
    case 'w': options.where = optarg; break;
    case 'd': options.dir = optarg; break;
    case 't': options.template = optarg; break;
    case 'k': options.keep = optarg; break;
    case 'a': options.attributes = optarg; break;
    case 's': options.seen = strtoul(optarg, NULL, 10); break;
    case 'e': options.every = strtoul(optarg, NULL, 10); break;
    case 'c': options.crashing = optarg; break;
    case 'm': options.message = true; break;
    case 'j': options.jobs = strtoul(optarg, NULL, 10); break;
    case 'n': options.number = strtoul(optarg, NULL, 10); break;
    case 'v': options.variant = strtoul(optarg, NULL, 10); break;
    case 'p': options.preload = optarg; break;
    default: exit(2);
    }
  }
  options.command = argv + optind;
  if (!*options.command || !options.dir || !options.preload || !options.every ||
      !options.jobs || options.jobs > MOST_JOBS) {
    fprintf(stderr, "faults: wrong usage, see tests/fault/faults.c\n");
    exit(2);
  }
}

int main(int argc, char **argv)
{
  struct inject *plan;
  uint64_t calls, turn = 0;

  parse(argc, argv);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  for (unsigned i = 0; i < options.jobs; i++)
    make_job(&jobs[i], i);
  if (options.number) {
    start(&jobs[0], options.number, (uint32_t)options.variant);
    wait_for_all();
    return failures > 0;
  }
  start(&jobs[0], 0, 0);
  wait_for_all();
  calls = jobs[0].shared->calls;
  if (failures || !calls || calls > INJECT_MOST_CALLS) {
    printf("FAILED: %llu calls without any failure\n", (unsigned long long)calls);
    return 1;
  }
  plan = malloc(sizeof(*plan));
  if (!plan)
    die("malloc");
  memcpy(plan, jobs[0].shared, sizeof(*plan));
  runs = 0;
  for (uint64_t i = 0; i < calls && failures < 20; i++)
    for (unsigned variant = 0; variant < plan->plan[i].variants; variant++)
      if (plan->plan[i].seen < options.seen && turn++ % options.every == 0)
        start(wait_for_one(), i + 1, variant);
  wait_for_all();
  check_orphans();
  printf("%llu calls, %lu failures injected, %lu not survived", (unsigned long long)calls, runs,
         failures);
  if (options.crashing)
    printf(", %lu crashed %s", excused, options.crashing);
  printf("\n");
  free(plan);
  return failures > 0;
}
