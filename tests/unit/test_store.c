/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The store, in an empty directory of each test's own: "home" is $HOME, "site" the site's directory
 * (GC_SITE_DIR of this program), "records" what HWLOC_GPUCACHE_DIR names where a test sets it.
 */
#define _GNU_SOURCE
#include "fixture.h"

#include "store/dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define ID "GPU-01234567-89ab-cdef-0123-456789abcdef"
#define RECORD "records/" ID ".xml"
#define SITE_RECORD "site/" ID ".xml"

static const struct gc_identity h200 = { ID, "NVIDIA H200", "580.95.05", "96.00.BC.00.01", "disabled" };
static char *good;
static struct gc_error err;

static void put(const char *path, const char *text)
{
  FILE *file = fopen(path, "w");

  if (!file)
    fail_msg("%s: %s", path, strerror(errno));
  fputs(text, file);
  fclose(file);
}

static char *get(const char *path)
{
  char *text = calloc(1, 1 << 17);
  FILE *file = fopen(path, "r");

  if (!file)
    fail_msg("%s: %s", path, strerror(errno));
  assert_true(fread(text, 1, (1 << 17) - 1, file) < (1 << 17) - 1);
  fclose(file);
  return text;
}

/* Files in a directory whose name contains `what`; the last one's name in name, if not NULL. */
static unsigned files(const char *dir, const char *what, char *name)
{
  DIR *stream = opendir(dir);
  struct dirent *entry;
  unsigned count = 0;

  assert_non_null(stream);
  while ((entry = readdir(stream)))
    if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") && strstr(entry->d_name, what)) {
      count++;
      if (name)
        sprintf(name, "%s/%.200s", dir, entry->d_name);
    }
  closedir(stream);
  return count;
}

static int find_status(void)
{
  struct gc_record *record = NULL;
  int status;

  err.text[0] = '\0';
  status = gc_store_find(&h200, &record, &err);
  if (!status) {
    gc_record_free(record);
  } else {
    assert_null(record);
    assert_true(err.text[0] != '\0');
  }
  return status;
}

static void expect_find(int expected, const char *sentence)
{
  int status = find_status();

  if (status != expected || (expected && !strstr(err.text, sentence)))
    fail_msg("find: %d \"%s\", expected %d \"%s\"", status, err.text, expected, sentence);
}

static int write_good(void)
{
  err.text[0] = '\0';
  return gc_store_write(&h200, good, strlen(good), &err);
}

static int remove_entry(const char *path)
{
  char command[4200];

  snprintf(command, sizeof(command), "chmod -R u+rwx '%s'; rm -rf '%s'", path, path);
  return system(command);
}

static int set_up(void **state)
{
  const char *tmp = getenv("TMPDIR");
  char dir[4096];

  snprintf(dir, sizeof(dir), "%s/gpucache-store-XXXXXX", tmp ? tmp : "/tmp");
  if (!mkdtemp(dir) || chdir(dir) || mkdir("home", 0700) || mkdir("site", 0755))
    return -1;
  *state = strdup(dir);
  umask(022);
  unsetenv("XDG_CACHE_HOME");
  setenv("HOME", "/nonexistent", 1);
  setenv("HWLOC_GPUCACHE_DIR", "records", 1);
  return 0;
}

static int tear_down(void **state)
{
  int status = chdir("/") || remove_entry(*state);

  free(*state);
  return status;
}

static void expect_dir(int expected_status, const char *expected)
{
  char dir[256] = "";

  assert_int_equal(gc_store_dir(dir, sizeof(dir), &err), expected_status);
  if (!expected_status)
    assert_string_equal(dir, expected);
}

static void the_directory_is_where_the_variables_say(void **state)
{
  char dir[256], path[256];

  (void)state;
  setenv("HWLOC_GPUCACHE_DIR", "/a/b//", 1);
  setenv("XDG_CACHE_HOME", "/x", 1);
  setenv("HOME", "/h", 1);
  expect_dir(0, "/a/b");
  setenv("HWLOC_GPUCACHE_DIR", "", 1);
  expect_dir(0, "/x/hwloc-gpucache");
  setenv("XDG_CACHE_HOME", "relative", 1);
  expect_dir(0, "/h/.cache/hwloc-gpucache");
  assert_int_equal(gc_store_path("sim-x", path, sizeof(path), &err), 0);
  assert_string_equal(path, "/h/.cache/hwloc-gpucache/sim-x.xml");
  assert_int_equal(gc_store_dir(dir, 10, &err), -ENAMETOOLONG);
  assert_int_equal(gc_store_path("sim-x", path, 30, &err), -ENAMETOOLONG);
  unsetenv("HOME");
  expect_dir(-ENOENT, NULL);
  assert_non_null(strstr(err.text, "HOME"));
}

static void a_record_is_found_as_it_was_written(void **state)
{
  struct gc_record *record;
  struct stat st;
  char *text;

  (void)state;
  expect_find(-ENOENT, "no record of " ID);
  assert_int_equal(write_good(), 0);
  text = get(RECORD);
  assert_string_equal(text, good);
  free(text);
  assert_int_equal(gc_store_find(&h200, &record, &err), 0);
  assert_int_equal(record->count, 5);
  gc_record_free(record);

  assert_int_equal(stat("records", &st), 0);
  assert_int_equal(st.st_mode & 07777, 0700);
  assert_int_equal(stat(RECORD, &st), 0);
  assert_int_equal(st.st_mode & 07777, 0600);
  assert_int_equal(files("records", "", NULL), 1);
}

static void the_cache_directory_is_made_in_a_home_but_no_home(void **state)
{
  char path[4200];

  unsetenv("HWLOC_GPUCACHE_DIR");
  snprintf(path, sizeof(path), "%s/home", (char *)*state);
  setenv("HOME", path, 1);
  assert_int_equal(write_good(), 0);
  assert_int_equal(files("home/.cache/hwloc-gpucache", ID ".xml", NULL), 1);

  snprintf(path, sizeof(path), "%s/nobody", (char *)*state);
  setenv("HOME", path, 1);
  assert_int_equal(write_good(), -ENOENT);
  assert_non_null(strstr(err.text, "nobody/.cache/hwloc-gpucache"));
  assert_int_equal(access("nobody", F_OK), -1);
  expect_find(-ENOENT, "no record");

  unsetenv("HOME");
  assert_int_equal(write_good(), -ENOENT);
  expect_find(-ENOENT, "no record");
  assert_int_equal(gc_store_lock(ID, 0, &err), -ENOENT);
}

#define METHOD "name=\"GPUCacheMethod\" value=\"" GC_RECORD_METHOD "\""

static void a_record_is_stale_when_anything_it_depends_on_changed(void **state)
{
  static const struct {
    const char *from, *to, *sentence;
  } changes[] = {
    { "580.95.05", "570.1", "driver \"570.1\"" },
    { "96.00.BC.00.01", "96.00.BC.00.02", "VBIOS" },
    { "value=\"disabled\"", "value=\"1g.18gb\"", "MIG" },
    { "name=\"GPUCacheFormat\" value=\"1\"", "name=\"GPUCacheFormat\" value=\"0\"", "record format" },
    { METHOD, "name=\"GPUCacheMethod\" value=\"0\"", "measuring method" },
    { "<info " METHOD "/>", "", "measuring method" },
  };
  char *other;

  (void)state;
  assert_int_equal(write_good(), 0);
  for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
    other = replaced(good, changes[i].from, changes[i].to);
    put(RECORD, other);
    expect_find(-ESTALE, changes[i].sentence);
    free(other);
    assert_int_equal(write_good(), 0);
    expect_find(0, NULL);
  }
  /* A stale record is replaced; only what is no record is kept beside it. */
  assert_int_equal(files("records", ".bad-", NULL), 0);

  /* What the GPU is called is no condition. */
  other = replaced(good, "NVIDIA H200", "NVIDIA H200 SXM");
  put(RECORD, other);
  expect_find(0, NULL);
  free(other);
}

static void expect_set_aside(const char *content)
{
  char bad[512], *text;

  assert_int_equal(write_good(), 0);
  expect_find(0, NULL);
  assert_int_equal(files("records", ID ".xml.bad-", bad), 1);
  text = get(bad);
  assert_string_equal(text, content);
  free(text);
  unlink(bad);
}

static void what_is_no_record_is_set_aside_not_lost(void **state)
{
  char *other = replaced(good, "GPU-0123", "GPU-9999");

  (void)state;
  mkdir("records", 0700);
  put(RECORD, "garbage");
  expect_find(-EBADMSG, "cannot be used");
  expect_set_aside("garbage");
  put(RECORD, "");
  expect_find(-EBADMSG, "cannot be used");
  expect_set_aside("");
  put(RECORD, other);
  expect_find(-EBADMSG, "is the record of GPU-9999");
  expect_set_aside(other);
  free(other);

  /* Twice within a second. */
  put(RECORD, "one");
  assert_int_equal(write_good(), 0);
  put(RECORD, "two");
  assert_int_equal(write_good(), 0);
  assert_int_equal(files("records", ".bad-", NULL), 2);
}

static void a_huge_file_is_not_read(void **state)
{
  (void)state;
  assert_int_equal(write_good(), 0);
  assert_int_equal(truncate(RECORD, (off_t)1 << 40), 0);
  expect_find(-EBADMSG, "longer than");
}

static void what_others_could_have_planted_is_not_believed(void **state)
{
  char *text;

  (void)state;
  mkdir("records", 0700);
  put("elsewhere.xml", good);
  assert_int_equal(symlink("../elsewhere.xml", RECORD), 0);
  expect_find(-EACCES, "symbolic link");
  assert_int_equal(write_good(), 0);
  text = get("elsewhere.xml");
  assert_string_equal(text, good);
  free(text);
  expect_find(0, NULL);

  assert_int_equal(chmod(RECORD, 0620), 0);
  expect_find(-EACCES, "written by others");
  assert_int_equal(chmod(RECORD, 0602), 0);
  expect_find(-EACCES, "written by others");
  assert_int_equal(chmod(RECORD, 0444), 0);
  expect_find(0, NULL);

  unlink(RECORD);
  assert_int_equal(mkfifo(RECORD, 0600), 0);
  expect_find(-EACCES, "not a regular file");
  unlink(RECORD);
  assert_int_equal(mkdir(RECORD, 0700), 0);
  expect_find(-EACCES, "not a regular file");
  assert_int_equal(write_good(), 0);
  expect_find(0, NULL);
}

static void a_directory_that_is_not_ours_is_not_used(void **state)
{
  (void)state;
  mkdir("real", 0700);
  assert_int_equal(symlink("real", "records"), 0);
  put("real/" ID ".xml", good);
  expect_find(-EACCES, "symbolic link");
  assert_int_equal(write_good(), -EACCES);
  assert_int_equal(gc_store_remove(ID, &err), -EACCES);
  assert_int_equal(gc_store_lock(ID, 0, &err), -EACCES);
  setenv("HWLOC_GPUCACHE_DIR", "records/", 1);
  expect_find(-EACCES, "symbolic link");
  unlink("records");

  assert_int_equal(rename("real", "records"), 0);
  assert_int_equal(chmod("records", 0777), 0);
  expect_find(0, NULL);
  assert_int_equal(write_good(), -EACCES);
  assert_non_null(strstr(err.text, "by everybody"));
  assert_int_equal(files("records", "", NULL), 1);
}

static void what_belongs_to_someone_else_is_not_believed(void **state)
{
  (void)state;
  if (geteuid() != 0) {
    print_message("only root can give files away\n");
    skip();
  }
  assert_int_equal(write_good(), 0);
  assert_int_equal(chown(RECORD, 12345, (gid_t)-1), 0);
  expect_find(-EACCES, "belongs to user 12345");
  assert_int_equal(chown(RECORD, 0, (gid_t)-1), 0);
  assert_int_equal(chown("records", 12345, (gid_t)-1), 0);
  expect_find(-EACCES, "belongs to user 12345");
  assert_int_equal(write_good(), -EACCES);
}

/* Some drivers tell no VBIOS of a GPU that sleeps: a record must not come and go with that. */
static void a_vbios_that_is_not_told_has_not_changed(void **state)
{
  struct gc_identity asleep = h200;
  struct gc_record *record;

  (void)state;
  asleep.vbios[0] = 0;
  assert_int_equal(write_good(), 0);
  assert_int_equal(gc_store_find(&asleep, &record, &err), 0);
  gc_record_free(record);
  strcpy(asleep.vbios, "other");
  assert_int_equal(gc_store_find(&asleep, &record, &err), -ESTALE);
}

static void only_what_will_be_found_is_stored(void **state)
{
  static const char *const ids[] = { "", ".x", "../x", "a/b" };
  char *other = replaced(good, "580.95.05", "570.1");
  struct gc_identity nobody = h200;
  struct gc_record *record;

  (void)state;
  assert_int_equal(gc_store_write(&h200, "garbage", 7, &err), -EBADMSG);
  assert_int_equal(gc_store_write(&h200, good, strlen(good) / 2, &err), -EBADMSG);
  assert_int_equal(gc_store_write(&h200, other, strlen(other), &err), -ESTALE);
  assert_non_null(strstr(err.text, "not stored"));
  assert_int_equal(access("records", F_OK), -1);
  free(other);

  for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++) {
    strcpy(nobody.id, ids[i]);
    assert_int_equal(gc_store_write(&nobody, good, strlen(good), &err), -EINVAL);
    assert_int_equal(gc_store_find(&nobody, &record, &err), -EINVAL);
    assert_int_equal(gc_store_remove(ids[i], &err), -EINVAL);
    assert_int_equal(gc_store_lock(ids[i], 0, &err), -EINVAL);
  }
}

/* A file size limit stands for a full disk: write() fails in the same place. */
static void a_write_that_fails_changes_nothing(void **state)
{
  struct rlimit limit, small;
  char *old = replaced(good, "580.95.05", "570.1"), *text;
  int status;

  (void)state;
  assert_int_equal(write_good(), 0);
  put(RECORD, old);
  signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
  small = limit;
  small.rlim_cur = 1000;
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
  status = write_good();
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
  assert_int_equal(status, -EFBIG);
  assert_non_null(strstr(err.text, "cannot write"));
  text = get(RECORD);
  assert_string_equal(text, old);
  assert_int_equal(files("records", "", NULL), 1);
  free(text);
  free(old);
}

static void a_directory_that_cannot_be_is_one_sentence(void **state)
{
  (void)state;
  put("file", "x");
  setenv("HWLOC_GPUCACHE_DIR", "file/records", 1);
  assert_int_equal(write_good(), -ENOTDIR);
  assert_non_null(strstr(err.text, "file/records"));
  setenv("HWLOC_GPUCACHE_DIR", "file", 1);
  assert_int_equal(write_good(), -ENOTDIR);
  expect_find(-ENOTDIR, "file");
  assert_non_null(strstr(err.text, "file"));
}

static void the_directory_is_made_with_what_it_is_in(void **state)
{
  struct stat st;

  (void)state;
  setenv("HWLOC_GPUCACHE_DIR", "missing/more//records/", 1);
  assert_int_equal(write_good(), 0);
  expect_find(0, NULL);
  assert_int_equal(stat("missing", &st), 0);
  assert_int_equal(st.st_mode & 0777, 0700);
  assert_int_equal(stat("missing/more", &st), 0);
  assert_int_equal(st.st_mode & 0777, 0700);

  /* a home is not made */
  unsetenv("HWLOC_GPUCACHE_DIR");
  setenv("XDG_CACHE_HOME", "", 1);
  setenv("HOME", "/nonexistent/home", 1);
  assert_int_equal(write_good(), -ENOENT);
  assert_non_null(strstr(err.text, "there is no /nonexistent/home"));
  assert_non_null(strstr(err.text, "set HWLOC_GPUCACHE_DIR"));
  assert_int_equal(access("/nonexistent", F_OK), -1);
}

static void nothing_is_made_in_what_is_someone_elses(void **state)
{
  (void)state;
  if (geteuid() != 0) {
    print_message("only root can give files away\n");
    skip();
  }
  assert_int_equal(mkdir("theirs", 0777), 0);
  assert_int_equal(chown("theirs", 12345, (gid_t)-1), 0);
  assert_int_equal(symlink("theirs", "link"), 0);
  setenv("HWLOC_GPUCACHE_DIR", "link/more/records", 1);
  assert_int_equal(write_good(), -EACCES);
  assert_non_null(strstr(err.text, "link belongs to user 12345"));
  assert_int_equal(access("theirs/more", F_OK), -1);
}

static void a_directory_without_permission_keeps_its_record(void **state)
{
  (void)state;
  if (geteuid() == 0) {
    print_message("root may write everywhere\n");
    skip();
  }
  assert_int_equal(write_good(), 0);
  assert_int_equal(chmod("records", 0500), 0);
  assert_int_equal(write_good(), -EACCES);
  assert_non_null(strstr(err.text, "the directory for records records cannot be written"));
  expect_find(0, NULL);
  assert_int_equal(chmod(RECORD, 0), 0);
  expect_find(-EACCES, "cannot open");
}

static void the_site_has_records_too(void **state)
{
  char *site = replaced(good, "GPUCacheSMs\" value=\"132\"", "GPUCacheSMs\" value=\"7\"");
  char *stale = replaced(good, "580.95.05", "570.1");
  struct gc_record *record;

  (void)state;
  put(SITE_RECORD, site);
  expect_find(0, NULL);
  setenv("HWLOC_GPUCACHE_DIR", "", 1);
  unsetenv("HOME");
  expect_find(0, NULL);

  /* Ours comes first; what is wrong with ours does not hide the site's. */
  setenv("HWLOC_GPUCACHE_DIR", "records", 1);
  assert_int_equal(write_good(), 0);
  assert_int_equal(gc_store_find(&h200, &record, &err), 0);
  assert_string_equal(gc_infos_get(&record->infos, "SMs"), "132");
  gc_record_free(record);
  put(RECORD, "garbage");
  assert_int_equal(gc_store_find(&h200, &record, &err), 0);
  assert_string_equal(gc_infos_get(&record->infos, "SMs"), "7");
  gc_record_free(record);

  /* Both wrong: ours is reported. Only the site's wrong: that. */
  put(SITE_RECORD, stale);
  expect_find(-EBADMSG, "records/" ID ".xml");
  unlink(RECORD);
  expect_find(-ESTALE, SITE_RECORD);

  /* Writing and removing leave the site alone. */
  assert_int_equal(gc_store_remove(ID, &err), -ENOENT);
  assert_int_equal(write_good(), 0);
  assert_int_equal(files("site", "", NULL), 1);
  free(stale);
  free(site);
}

static int count_visit(const char *id, const char *path, void *data)
{
  assert_true(!strcmp(id, ID) || !strcmp(id, "sim-x"));
  assert_true(!strncmp(path, "records/", 8) && !access(path, R_OK));
  return ++*(int *)data == 10 ? 42 : 0;
}

static void records_are_listed_and_removed(void **state)
{
  int visits = 0;

  (void)state;
  assert_int_equal(gc_store_each(count_visit, &visits, &err), 0);
  assert_int_equal(gc_store_remove(ID, &err), -ENOENT);
  assert_int_equal(write_good(), 0);
  put("records/sim-x.xml", "");
  put("records/" ID ".xml.bad-20250101T000000", "");
  put("records/" ID ".lock", "");
  put("records/.hidden.xml", "");
  put("records/no id.xml", "");
  assert_int_equal(gc_store_each(count_visit, &visits, &err), 0);
  assert_int_equal(visits, 2);
  visits = 9;
  assert_int_equal(gc_store_each(count_visit, &visits, &err), 42);
  assert_int_equal(visits, 10);
  assert_int_equal(gc_store_remove(ID, &err), 0);
  expect_find(-ENOENT, "no record");
  assert_int_equal(gc_store_remove("sim-x", &err), 0);
  assert_int_equal(files("records", "", NULL), 4);
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
  pid_t pid;

  (void)state;
  pid = start_holder(&hold);
  assert_int_equal(gc_store_lock(ID, 0, &err), -ETIMEDOUT);
  assert_non_null(strstr(err.text, "another process"));
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

/* --- failures -------------------------------------------------------------------------------------- */

#define NOTE "records/" ID ".failed"
#define SENTENCE "libamdhip64.so cannot be found"

static int remember(const char *why, bool passing)
{
  err.text[0] = '\0';
  return gc_store_remember_failure(&h200, gc_store_environment(), why, passing, &err);
}

static int find_failure(struct gc_failure *failure)
{
  return gc_store_find_failure(&h200, gc_store_environment(), failure);
}

/* The note with its first `from` replaced. */
static void edit_note(const char *from, const char *to)
{
  char *text = get(NOTE), *edited = replaced(text, from, to);

  put(NOTE, edited);
  free(edited);
  free(text);
}

/* Moves the note so many seconds into the past. */
static void age_note(long seconds)
{
  struct gc_failure failure;
  char then[64];
  time_t when;
  struct tm tm;

  assert_int_equal(find_failure(&failure), 0);
  when = failure.when - seconds;
  strftime(then, sizeof(then), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&when, &tm));
  edit_note(failure.since, then);
}

static void a_failure_is_remembered_until_it_is_over(void **state)
{
  struct gc_failure failure;
  struct stat st;

  (void)state;
  setenv("HWLOC_GPUCACHE_DIR", "records", 1);
  assert_int_equal(find_failure(&failure), -ENOENT);
  assert_int_equal(remember(SENTENCE, false), 0);
  assert_int_equal(find_failure(&failure), 0);
  assert_string_equal(failure.why, SENTENCE);
  assert_false(failure.passing);
  assert_true(labs((long)(time(NULL) - failure.when)) < 100);
  assert_int_equal(strlen(failure.since), strlen("2026-11-21T04:07:16Z"));
  assert_int_equal(stat(NOTE, &st), 0);
  assert_int_equal(st.st_mode & 07777, 0600);
  assert_int_equal(files("records", "", NULL), 1); /* nothing else was left */
  /* the last one counts */
  assert_int_equal(remember("the GPU is busy", true), 0);
  assert_int_equal(find_failure(&failure), 0);
  assert_string_equal(failure.why, "the GPU is busy");
  assert_true(failure.passing);
  /* it is no record */
  expect_find(-ENOENT, "no record");
  /* and a record is its end */
  assert_int_equal(write_good(), 0);
  assert_int_equal(find_failure(&failure), -ENOENT);
  assert_int_equal(files("records", ".failed", NULL), 0);
  assert_int_equal(remember(SENTENCE, false), 0);
  assert_int_equal(gc_store_forget_failure(ID, &err), 0);
  assert_int_equal(gc_store_forget_failure(ID, &err), -ENOENT);
  assert_int_equal(find_failure(&failure), -ENOENT);
}

static void a_failure_counts_for_what_it_was_seen_with(void **state)
{
  static const char *const variables[] = { "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES",
                                           "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES",
                                           "GPU_DEVICE_ORDINAL", "HSA_OVERRIDE_GFX_VERSION",
                                           "HWLOC_GPUCACHE_TIMEOUT" };
  struct gc_failure failure;
  struct gc_identity other;
  uint64_t environment;

  (void)state;
  for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++)
    unsetenv(variables[i]);
  environment = gc_store_environment();
  setenv("HWLOC_GPUCACHE_DIR", "records", 1);
  assert_int_equal(remember(SENTENCE, false), 0);
#define DIFFERS(member)                                                                            \
  other = h200;                                                                                    \
  strcpy(other.member, "x");                                                                       \
  assert_int_equal(gc_store_find_failure(&other, environment, &failure), -ENOENT)
  DIFFERS(id);
  DIFFERS(driver);
  DIFFERS(vbios);
  DIFFERS(mig);
#undef DIFFERS
  other = h200;
  strcpy(other.model, "what it is called does not matter");
  assert_int_equal(gc_store_find_failure(&other, environment, &failure), 0);
  for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++) {
    setenv(variables[i], "", 1);
    assert_int_equal(find_failure(&failure), -ENOENT);
    setenv(variables[i], "1", 1);
    assert_int_equal(find_failure(&failure), -ENOENT);
    unsetenv(variables[i]);
    assert_int_equal(find_failure(&failure), 0);
  }
  edit_note("\nmethod: ", "\nmethod: 0");
  assert_int_equal(find_failure(&failure), -ENOENT);
  assert_int_equal(remember(SENTENCE, false), 0);
  edit_note("\nprogram: ", "\nprogram: 0");
  assert_int_equal(find_failure(&failure), -ENOENT);
}

/* Another root is another container; a device may be granted or refused. */
static void a_failure_counts_for_where_it_was_seen(void **state)
{
  const uint64_t refused = gc_store_hash_place(1, ".", "device");
  uint64_t granted;

  (void)state;
  put("device", "");
  granted = gc_store_hash_place(1, ".", "device");
  assert_true(granted != refused);
  assert_true(granted == gc_store_hash_place(1, ".", "device"));
  assert_int_equal(mkdir("other", 0700), 0);
  assert_true(granted != gc_store_hash_place(1, "other", "device"));
  assert_true(granted != gc_store_hash_place(2, ".", "device"));
  assert_int_equal(unlink("device"), 0);
  assert_true(refused == gc_store_hash_place(1, ".", "device"));
}

static void a_failure_is_forgotten_in_time(void **state)
{
  static const struct {
    bool passing;
    long age;
    int status;
  } cases[] = {
    { true, GC_PASSING_FAILURE_SECONDS - 60, 0 },
    { true, GC_PASSING_FAILURE_SECONDS + 1, -ENOENT },
    { false, GC_PASSING_FAILURE_SECONDS + 1, 0 },
    { false, GC_FAILURE_SECONDS - 60, 0 },
    { false, GC_FAILURE_SECONDS + 1, -ENOENT },
    { false, -10, 0 },         /* of a machine whose clock is a little ahead */
    { false, -3600, -ENOENT }, /* the clock was set back */
  };
  struct gc_failure failure;

  (void)state;
  setenv("HWLOC_GPUCACHE_DIR", "records", 1);
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    assert_int_equal(remember(SENTENCE, cases[i].passing), 0);
    age_note(cases[i].age);
    if (find_failure(&failure) != cases[i].status)
      fail_msg("case %zu: %d", i, find_failure(&failure));
  }
}

static void what_is_no_note_is_none(void **state)
{
  static const struct {
    const char *from, *to;
  } edits[] = {
    { "hwloc-gpucache", "hwloc" }, { "failure 1", "failure 2" },   { "since: 2", "since: x" },
    { "Z\npassing", "\npassing" }, { "passing: ", "passing " },    { "why: ", "who: " },
    { "why: ", "\nwhy: " },        { "why: ", "why" },             { "driver: ", "drover: " },
    { SENTENCE "\n", SENTENCE },   { SENTENCE, SENTENCE "\nmore" },
  };
  struct gc_failure failure;
  char big[5000];

  (void)state;
  setenv("HWLOC_GPUCACHE_DIR", "records", 1);
  for (size_t i = 0; i < sizeof(edits) / sizeof(*edits); i++) {
    assert_int_equal(remember(SENTENCE, false), 0);
    assert_int_equal(find_failure(&failure), 0);
    edit_note(edits[i].from, edits[i].to);
    if (!find_failure(&failure))
      fail_msg("with %s for %s it still counts", edits[i].to, edits[i].from);
  }
  put(NOTE, "");
  assert_int_equal(find_failure(&failure), -ENOENT);
  memset(big, 'x', sizeof(big));
  big[sizeof(big) - 1] = '\0';
  put(NOTE, big);
  assert_int_equal(find_failure(&failure), -ENOENT);
  /* a sentence is one line, and has an end */
  assert_int_equal(remember("two\nlines\ttwo", false), 0);
  assert_int_equal(find_failure(&failure), 0);
  assert_string_equal(failure.why, "two lines two");
  assert_int_equal(remember(big, false), -E2BIG);
  assert_int_equal(find_failure(&failure), 0); /* what was there stays */
  big[2000] = '\0';
  assert_int_equal(remember(big, false), 0);
  assert_int_equal(find_failure(&failure), 0);
  assert_int_equal(strlen(failure.why), sizeof(failure.why) - 1);
}

static void a_note_is_trusted_as_a_record_is(void **state)
{
  struct gc_failure failure;
  char *text;

  (void)state;
  setenv("HWLOC_GPUCACHE_DIR", "records", 1);
  assert_int_equal(remember(SENTENCE, false), 0);
  assert_int_equal(chmod(NOTE, 0620), 0);
  assert_int_equal(find_failure(&failure), -ENOENT);
  assert_int_equal(chmod(NOTE, 0600), 0);
  assert_int_equal(find_failure(&failure), 0);
  assert_int_equal(rename(NOTE, "elsewhere"), 0);
  assert_int_equal(symlink("../elsewhere", NOTE), 0);
  assert_int_equal(find_failure(&failure), -ENOENT);
  assert_int_equal(remember("another one", false), 0); /* replaces the link, not what it leads to */
  text = get("elsewhere");
  assert_non_null(strstr(text, SENTENCE));
  free(text);
  assert_int_equal(find_failure(&failure), 0);
  assert_string_equal(failure.why, "another one");
  assert_int_equal(unlink(NOTE), 0);
  assert_int_equal(mkfifo(NOTE, 0600), 0);
  assert_int_equal(find_failure(&failure), -ENOENT); /* at once */
  assert_int_equal(unlink(NOTE), 0);
  assert_int_equal(mkdir(NOTE, 0700), 0);
  assert_int_equal(remember(SENTENCE, false), -EISDIR);
  assert_non_null(strstr(err.text, ".failed"));
  assert_int_equal(files("records", "", NULL), 1); /* no temporary file stays */
  assert_int_equal(rmdir(NOTE), 0);
  assert_int_equal(chmod("records", 0777), 0);
  assert_int_equal(remember(SENTENCE, false), -EACCES);
  assert_int_equal(chmod("records", 0700), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
    TEST(the_directory_is_where_the_variables_say),
    TEST(a_record_is_found_as_it_was_written),
    TEST(the_cache_directory_is_made_in_a_home_but_no_home),
    TEST(a_record_is_stale_when_anything_it_depends_on_changed),
    TEST(what_is_no_record_is_set_aside_not_lost),
    TEST(a_huge_file_is_not_read),
    TEST(what_others_could_have_planted_is_not_believed),
    TEST(a_directory_that_is_not_ours_is_not_used),
    TEST(what_belongs_to_someone_else_is_not_believed),
    TEST(a_vbios_that_is_not_told_has_not_changed),
    TEST(only_what_will_be_found_is_stored),
    TEST(a_write_that_fails_changes_nothing),
    TEST(a_directory_that_cannot_be_is_one_sentence),
    TEST(the_directory_is_made_with_what_it_is_in),
    TEST(nothing_is_made_in_what_is_someone_elses),
    TEST(a_directory_without_permission_keeps_its_record),
    TEST(the_site_has_records_too),
    TEST(records_are_listed_and_removed),
    TEST(one_process_holds_the_lock),
    TEST(tidying_removes_locks_that_nobody_holds),
    TEST(unfinished_records_are_tidied_away),
    TEST(a_lock_that_was_removed_does_not_count),
    TEST(a_lock_file_that_is_a_link_is_not_followed),
    TEST(a_failure_is_remembered_until_it_is_over),
    TEST(a_failure_counts_for_what_it_was_seen_with),
    TEST(a_failure_counts_for_where_it_was_seen),
    TEST(a_failure_is_forgotten_in_time),
    TEST(what_is_no_note_is_none),
    TEST(a_note_is_trusted_as_a_record_is),
  };
  int status;

  good = fixture_text("record-good.xml");
  status = cmocka_run_group_tests(tests, NULL, NULL);
  free(good);
  return status;
}
