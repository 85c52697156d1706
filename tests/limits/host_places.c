/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "hosts.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

/* Directories and files. */

static int use_home(const char *home)
{
  return unsetenv("HWLOC_GPUCACHE_DIR") || (home ? setenv("HOME", home, 1) : unsetenv("HOME"));
}

static int no_home(struct host *host)
{
  (void)host;
  return use_home(NULL);
}

static int relative_home(struct host *host)
{
  (void)host;
  return use_home("home");
}

static int home_is_file(struct host *host)
{
  (void)host;
  return host_write("home", "", 0) || use_home(realpath("home", NULL));
}

static int home_is_missing(struct host *host)
{
  (void)host;
  return use_home("/no/such/home");
}

static int home_is_proc(struct host *host)
{
  (void)host;
  return use_home("/proc");
}

static int records_are_public(struct host *host)
{
  return chmod(host->records, 0777);
}

static int records_are_of_another(struct host *host)
{
  return geteuid() || chown(host->records, HOST_NOBODY, HOST_NOBODY) ? HOST_SKIPPED : 0;
}

/* Renames the directory of records. */
static int move_records(const struct host *host)
{
  return rename(host->records, "moved");
}

static int records_are_link(struct host *host)
{
  return move_records(host) || symlink("moved", host->records);
}

static int records_are_file(struct host *host)
{
  return move_records(host) || host_write(host->records, "", 0);
}

static int records_are_missing(struct host *host)
{
  return move_records(host);
}

static int records_are_relative(struct host *host)
{
  (void)host;
  return setenv("HWLOC_GPUCACHE_DIR", "records", 1);
}

static int record_is_fifo(struct host *host)
{
  unlink(host->record);
  return mkfifo(host->record, 0600);
}

static int record_is_directory(struct host *host)
{
  unlink(host->record);
  return mkdir(host->record, 0700);
}

static int record_is_link(struct host *host)
{
  unlink(host->record);
  return symlink(host->record, host->record);
}

static int record_is_cut(struct host *host)
{
  return host_put_record(host->record, 1000);
}

static int record_is_public(struct host *host)
{
  return host_put_record(host->record, (size_t)-1) || chmod(host->record, 0666);
}

static int note_is_damaged(struct host *host)
{
  char note[4096];

  snprintf(note, sizeof(note), "%.*s.failed", (int)(strrchr(host->record, '.') - host->record),
           host->record);
  return host_write(note, "\0\xff<why", 6);
}

static int no_directory(struct host *host)
{
  (void)host;
  return mkdir("removed", 0700) || chdir("removed") || rmdir("../removed");
}

static int deny_umask(struct host *host)
{
  (void)host;
  umask(0777);
  return 0;
}

static int allow_umask(struct host *host)
{
  (void)host;
  umask(0);
  return 0;
}

/* Mounts that only this process sees. */
static int mount_here(const char *type, const char *place, unsigned long flags, const char *options)
{
  if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
      mount("none", place, type, flags, options))
    return HOST_SKIPPED;
  return 0;
}

static int no_null(struct host *host)
{
  (void)host;
  return mount_here("tmpfs", "/dev", 0, NULL);
}

static int no_proc(struct host *host)
{
  (void)host;
  return host_is_sanitized() ? HOST_SKIPPED : mount_here("tmpfs", "/proc", 0, NULL);
}

static int no_tmpfs(struct host *host)
{
  (void)host;
  return mount_here("tmpfs", "/dev/shm", MS_RDONLY, NULL);
}

/* A file system for the records, with the record if there is one. */
static int mount_records(const struct host *host)
{
  const bool has_record = !access(host->record, F_OK);

  if (mount_here("tmpfs", host->records, 0, "size=64k,mode=700"))
    return HOST_SKIPPED;
  return has_record ? host_put_record(host->record, (size_t)-1) : 0;
}

static int read_only_store(struct host *host)
{
  const int status = mount_records(host);

  return status ? status : mount("none", host->records, NULL, MS_REMOUNT | MS_RDONLY, NULL);
}

static int full_store(struct host *host)
{
  static const char block[128 << 10];
  const int status = mount_records(host);
  char path[4096];

  if (status)
    return status;
  snprintf(path, sizeof(path), "%s/full", host->records);
  host_write(path, block, sizeof(block));
  return 0;
}

/* The environment. */

static int no_environment(struct host *host)
{
  (void)host;
  return clearenv();
}

static int many_variables(struct host *host)
{
  char name[32];

  (void)host;
  for (int i = 0; i < 2000; i++) {
    snprintf(name, sizeof(name), "HOSTS_%d", i);
    setenv(name, "value", 1);
  }
  return 0;
}

static int long_variable(struct host *host)
{
  static char value[200000]; /* more than execve accepts */

  (void)host;
  memset(value, 'x', sizeof(value) - 1);
  return setenv("HOSTS_LONG", value, 1);
}

static int odd_settings(struct host *host)
{
  (void)host;
  return setenv("HWLOC_GPUCACHE", "perhaps", 1) || setenv("HWLOC_GPUCACHE_TIMEOUT", "nan", 1) ||
         setenv("XDG_RUNTIME_DIR", "relative", 1) || setenv("XDG_CACHE_HOME", "relative", 1);
}

static int no_node(struct host *host)
{
  (void)host;
  return setenv("HWLOC_FSROOT", "/no/such/node", 1);
}

#define NO_DIRECTORY "no directory for records"
#define NOT_USED "is not used: "

const struct host_state host_places[] = {
    {"without HOME", no_home, NO_DIRECTORY, NO_DIRECTORY},
    {"with a relative HOME", relative_home, NO_DIRECTORY, NO_DIRECTORY},
    {"whose HOME is a file", home_is_file, NO_DIRECTORY, NO_DIRECTORY},
    {"whose HOME is missing", home_is_missing, NO_DIRECTORY, NO_DIRECTORY},
    {"whose HOME accepts no files", home_is_proc, "measured, but ", "measured, but "},
    {"whose records everybody can write", records_are_public, NOT_USED, NOT_USED},
    {"whose records belong to another user", records_are_of_another, NOT_USED, NOT_USED},
    {"whose directory of records is a link", records_are_link, NOT_USED, NOT_USED},
    {"whose directory of records is a file", records_are_file, "Not a directory",
     "Not a directory"},
    {"whose directory of records is missing", records_are_missing, NULL, NULL},
    {"whose directory of records has a relative path", records_are_relative, NULL, NULL},
    {"whose record is a FIFO", record_is_fifo, NULL, NULL},
    {"whose record is a directory", record_is_directory, "is not a regular file",
     "is not a regular file"},
    {"whose record is a link to itself", record_is_link, NULL, NULL},
    {"whose record is cut", record_is_cut, NULL, NULL},
    {"whose record everybody can write", record_is_public, NULL, NULL},
    {"whose note of a failure is damaged", note_is_damaged, NULL, NULL},
    {"in a removed directory", no_directory, NULL, NULL},
    {"with the umask 0777", deny_umask, NULL, NULL},
    {"with the umask 0", allow_umask, NULL, NULL},
    {"without /dev/null", no_null, "/dev/null cannot be opened: No such file", NULL},
    {"without /proc", no_proc, NULL, NULL},
    {"without a file system in memory", no_tmpfs, NULL, NULL},
    {"with records on a read-only file system", read_only_store, "Read-only file system", NULL},
    {"with records on a full file system", full_store, "exit status 1 ", NULL},
    {"without an environment", no_environment, "", ""},
    {"with 2,000 variables", many_variables, NULL, NULL},
    {"with a variable of 200 KB", long_variable, "Argument list too long", NULL},
    {"with settings that make no sense", odd_settings, NULL, NULL},
    {"with another root directory", no_node, "", ""},
};
const size_t host_places_count = sizeof(host_places) / sizeof(host_places[0]);
