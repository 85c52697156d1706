/* SPDX-License-Identifier: BSD-3-Clause */
#include "hosts.h"

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* What the path names. */

static int nothing(const char *path)
{
  (void)path;
  return 0;
}

static int plain_file(const char *path)
{
  return host_write(path, "#!/bin/sh\n", 10);
}

static int directory(const char *path)
{
  return mkdir(path, 0700) != 0;
}

static int fifo(const char *path)
{
  return mkfifo(path, 0700) != 0;
}

static int bound_socket(const char *path)
{
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int status;

  snprintf(address.sun_path, sizeof(address.sun_path), "%s", strrchr(path, '/') + 1);
  status = fd < 0 || bind(fd, (const struct sockaddr *)&address, sizeof(address));
  close(fd);
  return status;
}

static int program(const char *path, const char *bytes, size_t size)
{
  return host_write(path, bytes, size) || chmod(path, 0700);
}

static int empty_program(const char *path)
{
  return program(path, "", 0);
}

static int text_program(const char *path)
{
  return program(path, "hello\n", 6);
}

static int no_interpreter(const char *path)
{
  return program(path, "#!/no/such/shell\n", 17);
}

static int cut_elf(const char *path)
{
  return program(path, "\177ELF\2\1\1", 7);
}

static int loop_of_links(const char *path)
{
  return symlink(path, path) != 0;
}

/* What it does. */

static int exits(const char *record, int number)
{
  (void)record;
  return number;
}

static int dies(const char *record, int number)
{
  (void)record;
  signal(number, SIG_DFL); /* the handler of a sanitizer */
  raise(number);
  return 0;
}

static int hangs(const char *record, int number)
{
  (void)record;
  for (;;)
    pause();
  return number;
}

static void ignore_all(void)
{
  sigset_t all;

  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, NULL);
}

static int hangs_with_family(const char *record, int number)
{
  ignore_all();
  for (int i = 0; i < number; i++)
    if (fork() == 0)
      break;
  return hangs(record, number);
}

static int hangs_in_group_of_parent(const char *record, int number)
{
  setpgid(0, getpgid(getppid()));
  return hangs(record, number);
}

static int hangs_in_session(const char *record, int number)
{
  if (fork()) /* the leader of a group cannot begin a session */
    return hangs(record, number);
  setsid();
  host_write("escaped", &(pid_t){getpid()}, sizeof(pid_t));
  return hangs(record, number);
}

static int floods(const char *record, int number)
{
  char block[4096];

  (void)record;
  memset(block, 'x', sizeof(block));
  if (number)
    block[sizeof(block) - 1] = (char)number;
  for (;;)
    if (write(STDERR_FILENO, block, sizeof(block)) < 0)
      return 1;
}

static int says_binary(const char *record, int number)
{
  static const char text[] = "hwloc-gpucache: a\033[31m\r\nhwloc-gpucache: b\xff\xfe\x9b\x01 c\n";

  (void)record;
  return write(STDERR_FILENO, text, sizeof(text)) < 0 ? 3 : number;
}

/* Writes that many bytes of the record in place. */
static int writes(const char *record, int number)
{
  return host_put_record(record, (size_t)number);
}

static int writes_and_dies(const char *record, int number)
{
  return host_put_record(record, SIZE_MAX) || dies(record, number);
}

static int writes_other_gpu(const char *record, int number)
{
  char other[4096];

  (void)number;
  snprintf(other, sizeof(other), "%.*sX.xml", (int)(strlen(record) - strlen("X.xml")), record);
  return host_put_record(other, SIZE_MAX);
}

static int writes_too_much(const char *record, int number)
{
  static char block[1 << 20];

  (void)number;
  memset(block, ' ', sizeof(block));
  return host_write(record, block, sizeof(block));
}

static int puts_fifo(const char *record, int number)
{
  (void)number;
  return mkfifo(record, 0600) != 0;
}

static int removes_directory(const char *record, int number)
{
  char dir[4096];

  (void)number;
  snprintf(dir, sizeof(dir), "%.*s", (int)(strrchr(record, '/') - record), record);
  return rmdir(dir) != 0;
}

static int closes_all(const char *record, int number)
{
  (void)number;
  for (int fd = 0; fd < 256; fd++)
    close(fd);
  usleep(50000);
  return host_put_record(record, SIZE_MAX);
}

static int leaves_child(const char *record, int number)
{
  for (int i = 0; i < number; i++)
    if (fork() == 0)
      return hangs(record, number);
  return host_put_record(record, SIZE_MAX);
}

static int leaves_daemon(const char *record, int number)
{
  if (fork() == 0)
    return hangs_in_session(record, number);
  while (access("escaped", F_OK))
    usleep(1000);
  return host_put_record(record, SIZE_MAX);
}

/* Each process starts the next one and ends. */
static int runs_away(const char *record, int number)
{
  if (fork())
    return host_put_record(record, SIZE_MAX);
  while (number-- > 0 && fork() == 0)
    ;
  return 0;
}

static int eats_memory(const char *record, int number)
{
  const struct rlimit limit = {.rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY};
  char *bytes;

  (void)record;
  for (int i = 0; i < number; i++) {
    bytes = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (bytes == MAP_FAILED)
      break;
    memset(bytes, 1, 1 << 20);
  }
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, limit.rlim_max});
  return dies(record, SIGKILL); /* as the kernel does */
}

#define NOT_STARTED(why) "cannot be started: " why
#define LATE "within 0.4 s" /* of all messages about the deadline */

const struct host_command host_commands[] = {
    {"is missing", .path = nothing, .status = NOT_STARTED("No such file")},
    {"is not executable", .path = plain_file, .status = NOT_STARTED("Permission denied")},
    {"is a directory", .path = directory, .status = NOT_STARTED("Permission denied")},
    {"is a FIFO", .path = fifo, .status = NOT_STARTED("Permission denied")},
    {"is a socket", .path = bound_socket, .status = NOT_STARTED("Permission denied")},
    {"is empty", .path = empty_program, .status = NOT_STARTED("Exec format error")},
    {"is a text", .path = text_program, .status = NOT_STARTED("Exec format error")},
    {"lacks its interpreter", .path = no_interpreter, .status = NOT_STARTED("No such file")},
    {"is cut", .path = cut_elf, .status = NOT_STARTED("Exec format error")},
    {"is a link to itself", .path = loop_of_links, .status = NOT_STARTED("Too many levels")},
    {"exits with 0 and no record", .run = exits, .status = "measured, but "},
    {"exits with 1", .run = exits, .number = 1, .status = "exit status 1 and no message"},
    {"exits with 2", .run = exits, .number = 2, .status = "exit status 2 and no message"},
    {"exits with 127", .run = exits, .number = 127, .status = "exit status 127 and no message"},
    {"exits with 255", .run = exits, .number = 255, .status = "exit status 255 and no message"},
    {"dies of SIGSEGV", .run = dies, .number = SIGSEGV, .status = "killed by signal 11"},
    {"dies of SIGABRT", .run = dies, .number = SIGABRT, .status = "killed by signal 6"},
    {"dies of SIGPIPE", .run = dies, .number = SIGPIPE, .status = "killed by signal 13"},
    {"dies of SIGKILL", .run = dies, .number = SIGKILL, .status = "killed by signal 9"},
    {"dies of SIGTERM", .run = dies, .number = SIGTERM, .status = "killed by signal 15"},
    {"dies of a real-time signal", .run = dies, .number = 40, .status = "killed by signal 40"},
    {"never ends", .run = hangs, .late = true, .status = LATE},
    {"ignores all signals, and so do its children", .run = hangs_with_family, .number = 5,
     .late = true, .status = LATE},
    {"hangs in the process group of the host", .run = hangs_in_group_of_parent, .late = true,
     .status = LATE},
    {"hangs, and its child is in another session", .run = hangs_in_session, .late = true,
     .escapes = true, .status = LATE},
    {"stops itself", .run = dies, .number = SIGSTOP, .late = true, .status = LATE},
    {"prints without end, in one line", .run = floods, .late = true, .status = LATE},
    {"prints lines without end", .run = floods, .number = '\n', .late = true, .status = LATE},
    {"prints bytes that are no text", .run = says_binary, .number = 1, .status = "b??"},
    {"writes half a record", .run = writes, .number = 1000, .status = "measured, but "},
    {"writes an empty record", .run = writes, .status = "measured, but "},
    {"writes a record and dies", .run = writes_and_dies, .number = SIGSEGV},
    {"writes the record of another GPU", .run = writes_other_gpu, .status = "measured, but "},
    {"writes a megabyte", .run = writes_too_much, .status = "is longer than"},
    {"makes a FIFO in place of the record", .run = puts_fifo, .status = "not a regular file"},
    {"removes the directory of records", .run = removes_directory, .status = "measured, but "},
    {"closes all files, and then writes a record", .run = closes_all},
    {"leaves a hundred children", .run = leaves_child, .number = 100},
    {"leaves a daemon that keeps stderr open", .run = leaves_daemon, .escapes = true},
    {"leaves a process that runs away", .run = runs_away, .number = 300},
    {"takes memory and is killed", .run = eats_memory, .number = 200,
     .status = "killed by signal 9"},
};
const size_t host_commands_count = sizeof(host_commands) / sizeof(host_commands[0]);
