/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The store: where records are, which are trusted, and how they are written.
 */
#include "store.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#define SITE_RECORD "site/" ID ".xml"

/* Faults of the file system that a test sets. */
static int refused_allocation; /* errno; 0: no fault */
static size_t written;

int __real_fallocate(int fd, int mode, off_t offset, off_t length);
int __wrap_fallocate(int fd, int mode, off_t offset, off_t length);
int __wrap_fallocate(int fd, int mode, off_t offset, off_t length)
{
  if (!refused_allocation)
    return __real_fallocate(fd, mode, offset, length);
  errno = refused_allocation;
  return -1;
}

static int refused_read; /* errno; 0: no fault */

ssize_t __real_read(int fd, void *data, size_t size);
ssize_t __wrap_read(int fd, void *data, size_t size);
ssize_t __wrap_read(int fd, void *data, size_t size)
{
  if (!refused_read)
    return __real_read(fd, data, size);
  errno = refused_read;
  return -1;
}

static int refused_removal; /* errno, returned before the file is searched; 0: no fault */

int __real_unlinkat(int dir, const char *name, int flags);
int __wrap_unlinkat(int dir, const char *name, int flags);
int __wrap_unlinkat(int dir, const char *name, int flags)
{
  if (!refused_removal)
    return __real_unlinkat(dir, name, flags);
  errno = refused_removal;
  return -1;
}

ssize_t __real_write(int fd, const void *data, size_t size);
ssize_t __wrap_write(int fd, const void *data, size_t size);
ssize_t __wrap_write(int fd, const void *data, size_t size)
{
  written += size;
  return __real_write(fd, data, size);
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
  char dir[256];

  (void)state;
  setenv("HWLOC_GPUCACHE_DIR", "/a/b//", 1);
  setenv("XDG_CACHE_HOME", "/x", 1);
  setenv("HOME", "/h", 1);
  expect_dir(0, "/a/b");
  setenv("HWLOC_GPUCACHE_DIR", "", 1);
  expect_dir(0, "/x/hwloc-gpucache");
  setenv("XDG_CACHE_HOME", "relative", 1);
  expect_dir(0, "/h/.cache/hwloc-gpucache");
  assert_int_equal(gc_store_dir(dir, 10, &err), -ENAMETOOLONG);
  setenv("HOME", "rel", 1);
  expect_dir(-ENOENT, NULL);
  assert_non_null(
      strstr(err.text, "set HWLOC_GPUCACHE_DIR, XDG_CACHE_HOME or HOME to an absolute path"));
  unsetenv("HOME");
  unsetenv("XDG_CACHE_HOME");
  expect_dir(-ENOENT, NULL);
  assert_non_null(
      strstr(err.text, "set HWLOC_GPUCACHE_DIR, XDG_CACHE_HOME or HOME to an absolute path"));
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

  (void)state;
  unsetenv("HWLOC_GPUCACHE_DIR");
  snprintf(path, sizeof(path), "%s/home", root);
  setenv("HOME", path, 1);
  assert_int_equal(write_good(), 0);
  assert_int_equal(files("home/.cache/hwloc-gpucache", ID ".xml", NULL), 1);

  snprintf(path, sizeof(path), "%s/nobody", root);
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
  /* A stale record is replaced; only a file that is no record is renamed and kept. */
  assert_int_equal(files("records", ".bad-", NULL), 0);

  /* The model of the GPU is no condition. */
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

  /* Two in the same second. */
  put(RECORD, "one");
  assert_int_equal(write_good(), 0);
  put(RECORD, "two");
  assert_int_equal(write_good(), 0);
  assert_int_equal(files("records", ".bad-", NULL), 2);
}

/* The earlier record is not taken for a bad one when it cannot be read just now. */
static void what_cannot_be_read_now_stays(void **state)
{
  static const int reasons[] = {EIO, EMFILE, ENFILE, ENOMEM};
  char *old = replaced(good, "580.95.05", "570.1"), *text;

  (void)state;
  assert_int_equal(write_good(), 0);
  put(RECORD, old);
  for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++) {
    refused_read = reasons[i];
    assert_int_equal(write_good(), -reasons[i]);
    refused_read = 0;
    assert_non_null(strstr(err.text, "the earlier record cannot be replaced"));
    assert_int_equal(files("records", "", NULL), 1);
    text = get(RECORD);
    assert_string_equal(text, old);
    free(text);
  }
  free(old);
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
  expect_find(0, NULL);
  assert_int_equal(chmod("records", 0777), 0);
  expect_find(-EACCES, "everybody can write there; chmod o-w fixes that, or set HWLOC_GPUCACHE_DIR to another one");
  assert_int_equal(write_good(), -EACCES);
  assert_non_null(strstr(err.text, "everybody can write there"));
  assert_int_equal(gc_store_remove(ID, &err), -EACCES);
  assert_int_equal(files("records", "", NULL), 1);
  /* like /tmp: there is no advice to change that */
  assert_int_equal(chmod("records", 01777), 0);
  expect_find(-EACCES, "everybody can write there; set HWLOC_GPUCACHE_DIR to another one");
  assert_int_equal(chmod("records", 0775), 0);
  expect_find(0, NULL);
}

/* Reading the site's directory is as strict; there is no advice, because only root can change
 * it. */
static void a_site_that_everybody_can_write_is_not_believed(void **state)
{
  (void)state;
  put(SITE_RECORD, good);
  expect_find(0, NULL);
  assert_int_equal(chmod("site", 0777), 0);
  expect_find(-EACCES, "the directory for records site is not used: everybody can write there");
  assert_null(strstr(err.text, "HWLOC_GPUCACHE_DIR"));
}

static void a_directory_is_checked_without_a_record(void **state)
{
  (void)state;
  assert_int_equal(gc_store_usable(&err), 0); /* none yet: not created */
  assert_int_equal(access("records", F_OK), -1);
  assert_int_equal(gc_store_check(ID, &err), 0); /* none yet: created */
  assert_int_equal(gc_store_check(ID, &err), 0);
  assert_int_equal(files("records", "", NULL), 0);
  assert_int_equal(chmod("records", 0707), 0);
  assert_int_equal(gc_store_check(ID, &err), -EACCES);
  assert_int_equal(rmdir("records"), 0);
  put("records", "x");
  assert_int_equal(gc_store_check(ID, &err), -ENOTDIR);
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

/* Some drivers report no VBIOS version of a sleeping GPU: the record must stay valid. */
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
  assert_non_null(strstr(err.text, "not a valid record"));
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

/* A file size limit is like a full disk: write() fails at the same place. */
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

/* Checked before anything is measured, in an application that the signal of such a limit would
 * end. */
static void a_check_needs_no_record(void **state)
{
  struct rlimit limit, small;
  int status;

  (void)state;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
  small = limit;
  small.rlim_cur = GC_STORE_RESERVE_BYTES - 1;
  signal(SIGXFSZ, SIG_DFL);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
  status = gc_store_check(ID, &err);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
  assert_int_equal(status, -EFBIG);
  assert_non_null(strstr(err.text, "cannot write " RECORD ": "));
  assert_int_equal(access("records", F_OK), -1); /* the directory that was made */
  /* where the file system cannot allocate blocks, they are written; a full one is reported */
  written = 0;
  refused_allocation = EOPNOTSUPP;
  status = gc_store_check(ID, &err);
  assert_int_equal(status, 0);
  assert_int_equal(written, GC_STORE_RESERVE_BYTES);
  refused_allocation = ENOSPC;
  status = gc_store_check(ID, &err);
  refused_allocation = 0;
  assert_int_equal(status, -ENOSPC);
  assert_non_null(strstr(err.text, "the directory for records records cannot be written: No space left on device; "
                                   "set HWLOC_GPUCACHE_DIR to another one"));
  assert_int_equal(files("records", "", NULL), 0); /* an earlier directory stays */
  assert_int_equal(gc_store_check("../x", &err), -EINVAL);
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

  /* a home directory is not created */
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

static const char *absolute(const char *name)
{
  static char path[4200];

  snprintf(path, sizeof(path), "%s/%s", root, name);
  return path;
}

static void give(const char *path, uid_t user)
{
  assert_int_equal(lchown(path, user, (gid_t)-1), 0);
}

static void need_root(void)
{
  if (geteuid() != 0) {
    print_message("only root can give files away\n");
    skip();
  }
}

/* As with "sudo -E": the files would belong to root, and the user could not remove them. */
static void root_makes_nothing_in_the_home_of_a_user(void **state)
{
  (void)state;
  need_root();
  unsetenv("HWLOC_GPUCACHE_DIR");
  setenv("HOME", absolute("home"), 1);
  give("home", 12345);
  assert_int_equal(write_good(), -EACCES);
  assert_non_null(strstr(err.text, "home belongs to user 12345; set HWLOC_GPUCACHE_DIR"));
  assert_int_equal(gc_store_usable(&err), -EACCES);
  assert_non_null(strstr(err.text, "home belongs to user 12345; set HWLOC_GPUCACHE_DIR"));
  assert_int_equal(files("home", "", NULL), 0);
  assert_int_equal(mkdir("home/.cache", 0700), 0);
  give("home/.cache", 12345);
  assert_int_equal(gc_store_check(ID, &err), -EACCES);
  assert_int_equal(gc_store_lock(ID, 0, &err), -EACCES);
  assert_int_equal(files("home/.cache", "", NULL), 0);
  /* nor in what root has left there */
  give("home/.cache", 0);
  assert_int_equal(write_good(), -EACCES);
  assert_int_equal(files("home/.cache", "", NULL), 0);
  assert_int_equal(mkdir("home/.cache/hwloc-gpucache", 0700), 0);
  assert_int_equal(write_good(), -EACCES);
  assert_int_equal(files("home/.cache/hwloc-gpucache", "", NULL), 0);
  setenv("HWLOC_GPUCACHE_DIR", absolute("home/records"), 1);
  assert_int_equal(write_good(), -EACCES);
  assert_int_equal(access("home/records", F_OK), -1);
}

static void links_of_other_users_are_not_followed(void **state)
{
  (void)state;
  need_root();
  unsetenv("HWLOC_GPUCACHE_DIR");
  setenv("HOME", absolute("home"), 1);
  assert_int_equal(mkdir("real", 0700), 0);
  assert_int_equal(symlink("../real", "home/.cache"), 0);
  give("home/.cache", 12345);
  assert_int_equal(write_good(), -EACCES);
  assert_non_null(strstr(err.text, "home/.cache is a symbolic link of user 12345"));
  assert_int_equal(files("real", "", NULL), 0);
  /* the same one, in the middle of a link of root */
  assert_int_equal(symlink("home/.cache/sub", "way"), 0);
  setenv("HWLOC_GPUCACHE_DIR", "way/records", 1);
  assert_int_equal(write_good(), -EACCES);
  assert_non_null(strstr(err.text, "way is a symbolic link of user 12345"));
  assert_int_equal(files("real", "", NULL), 0);
}

static int no_visit(int dir_fd, const char *id, const char *path, void *data)
{
  (void)dir_fd;
  (void)id;
  (void)data;
  fail_msg("%s is in a directory that another user's link names", path);
  return 1;
}

/* Root's own directory, with what root could read and remove there, if it followed the link. */
static void links_of_other_users_are_not_followed_for_reading_and_removing(void **state)
{
  static const struct gc_store_tidy_report report;
  struct gc_failure failure;
  unsigned before;

  (void)state;
  need_root();
  assert_int_equal(mkdir("real", 0700), 0);
  setenv("HWLOC_GPUCACHE_DIR", "real/hwloc-gpucache", 1);
  assert_int_equal(gc_store_remember_failure(&h200, gc_store_environment(), "it hangs",
                                             GC_FAILURE_PASSES, &err), 0);
  put("real/hwloc-gpucache/" ID ".xml", good);
  put("real/hwloc-gpucache/" ID ".lock", "");
  before = files("real/hwloc-gpucache", "", NULL);
  assert_int_equal(find_status(), 0);
  unsetenv("HWLOC_GPUCACHE_DIR");
  setenv("HOME", absolute("home"), 1);
  assert_int_equal(symlink("../real", "home/.cache"), 0);
  give("home/.cache", 12345);
  expect_find(-EACCES, "home/.cache is a symbolic link of user 12345");
  assert_int_equal(gc_store_find_failure(&h200, gc_store_environment(), &failure), -ENOENT);
  assert_false(gc_store_has_failure(ID));
  assert_false(gc_store_held(ID, &err));
  assert_int_equal(gc_store_usable(&err), -EACCES);
  assert_int_equal(gc_store_each(no_visit, NULL, &err), -EACCES);
  assert_int_equal(gc_store_remove(ID, &err), -EACCES);
  assert_int_equal(gc_store_forget_failure(ID, &err), -EACCES);
  assert_int_equal(gc_store_tidy(&report, &err), -EACCES);
  assert_int_equal(files("real/hwloc-gpucache", "", NULL), before);
  /* root's own link is followed */
  give("home/.cache", 0);
  expect_find(0, NULL);
}

static void own_links_on_the_way_are_followed(void **state)
{
  char name[300];

  (void)state;
  assert_int_equal(mkdir("export", 0700), 0);
  assert_int_equal(mkdir("export/home", 0700), 0);
  assert_int_equal(symlink(absolute("export"), "first"), 0);
  assert_int_equal(symlink("./first//home/../home/", "second"), 0);
  unsetenv("HWLOC_GPUCACHE_DIR");
  setenv("HOME", absolute("second"), 1);
  assert_int_equal(write_good(), 0);
  assert_int_equal(files("export/home/.cache/hwloc-gpucache", ID ".xml", NULL), 1);
  expect_find(0, NULL);

  setenv("HWLOC_GPUCACHE_DIR", "dangling/records", 1);
  assert_int_equal(symlink("nowhere/at/all", "dangling"), 0);
  assert_int_equal(write_good(), -ENOENT);
  assert_non_null(strstr(err.text, "dangling is a symbolic link to nothing"));
  setenv("HWLOC_GPUCACHE_DIR", "loop/records", 1);
  assert_int_equal(symlink("loop/x", "loop"), 0);
  assert_int_equal(write_good(), -ELOOP);
  memset(name, 'x', sizeof(name) - 1);
  memcpy(name, "missing/", strlen("missing/"));
  name[sizeof(name) - 1] = '\0';
  setenv("HWLOC_GPUCACHE_DIR", name, 1);
  assert_int_equal(write_good(), -ENAMETOOLONG);
}

/* Another user's directories on the way do not matter to a user whose own directory they lead to. */
static void the_owner_of_the_way_matters_for_root_only(void **state)
{
  pid_t user;
  int status;

  (void)state;
  need_root();
  assert_int_equal(mkdir("group", 0755), 0);
  assert_int_equal(mkdir("group/mine", 0700), 0);
  assert_int_equal(symlink("group", "by-root"), 0);
  assert_int_equal(symlink("group", "by-me"), 0);
  assert_int_equal(symlink("group", "by-them"), 0);
  give("group", 54321);
  give("by-them", 54321);
  give("by-me", 12345);
  give("group/mine", 12345);
  assert_int_equal(chmod(".", 0755), 0);
  user = fork();
  if (user == 0) {
    unsetenv("HWLOC_GPUCACHE_DIR");
    if (setresgid(12345, 12345, 12345) || setresuid(12345, 12345, 12345))
      _exit(1);
    setenv("HOME", absolute("by-root/mine"), 1);
    if (write_good())
      _exit(2);
    setenv("HOME", absolute("by-me/mine"), 1);
    if (write_good())
      _exit(3);
    setenv("HOME", absolute("by-them/mine"), 1);
    if (write_good() != -EACCES)
      _exit(4);
    setenv("HOME", absolute("group"), 1);
    _exit(write_good() == -EACCES ? 0 : 5);
  }
  assert_int_equal(waitpid(user, &status, 0), user);
  assert_int_equal(status, 0);
  assert_int_equal(access("group/mine/.cache/hwloc-gpucache/" ID ".xml", F_OK), 0);
}

static unsigned mode_of(const char *path)
{
  struct stat st;

  if (lstat(path, &st))
    fail_msg("%s: %s", path, strerror(errno));
  return st.st_mode & 07777;
}

/* The directory for caches is one for all programs of the user. */
static void modes_do_not_depend_on_the_umask(void **state)
{
  static const mode_t masks[] = {0, 077, 0177, 0277, 0377, 0477, 0777};
  int lock;

  (void)state;
  for (size_t i = 0; i < sizeof(masks) / sizeof(*masks); i++) {
    unsetenv("HWLOC_GPUCACHE_DIR");
    setenv("HOME", absolute("home"), 1);
    umask(masks[i]);
    assert_int_equal(write_good(), 0);
    expect_find(0, NULL);
    lock = gc_store_lock(ID, 0, &err);
    assert_true(lock >= 0);
    gc_store_unlock(lock);
    umask(022);
    assert_int_equal(mode_of("home/.cache"), 0700);
    assert_int_equal(mode_of("home/.cache/hwloc-gpucache"), 0700);
    assert_int_equal(mode_of("home/.cache/hwloc-gpucache/" ID ".xml"), 0600);
    assert_int_equal(mode_of("home/.cache/hwloc-gpucache/" ID ".lock"), 0600);
    assert_int_equal(gc_store_remove(ID, &err), 0); /* there is no note beside a record */
    umask(masks[i]);
    assert_int_equal(gc_store_remember_failure(&h200, 0, "it is busy", GC_FAILURE_PASSES, &err), 0);
    umask(022);
    assert_int_equal(mode_of("home/.cache/hwloc-gpucache/" ID ".failed"), 0600);
    shell("rm -r home/.cache");
  }
  /* what was there keeps its mode */
  assert_int_equal(mkdir("home/.cache", 0755), 0);
  assert_int_equal(write_good(), 0);
  assert_int_equal(mode_of("home/.cache"), 0755);
}

/* The variables name a directory of the real user, and the files would belong to the effective one. */
static void a_process_with_more_rights_than_its_user_stores_nothing(void **state)
{
  pid_t service;
  int status;

  (void)state;
  need_root();
  service = fork();
  if (service == 0) {
    if (seteuid(12345) || write_good() != -ENOENT)
      _exit(1);
    _exit(strstr(err.text, "this process has rights that its user lacks") ? 0 : 2);
  }
  assert_int_equal(waitpid(service, &status, 0), service);
  assert_int_equal(status, 0);
  assert_int_equal(access("records", F_OK), -1);
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

  /* The user's record comes first; a bad one does not hide the site's. */
  setenv("HWLOC_GPUCACHE_DIR", "records", 1);
  assert_int_equal(write_good(), 0);
  assert_int_equal(gc_store_find(&h200, &record, &err), 0);
  assert_string_equal(gc_infos_get(&record->infos, "SMs"), "132");
  gc_record_free(record);
  put(RECORD, "garbage");
  assert_int_equal(gc_store_find(&h200, &record, &err), 0);
  assert_string_equal(gc_infos_get(&record->infos, "SMs"), "7");
  gc_record_free(record);

  /* Both bad: the user's is reported. Only the site's bad: that one is. */
  put(SITE_RECORD, stale);
  expect_find(-EBADMSG, "records/" ID ".xml");
  unlink(RECORD);
  expect_find(-ESTALE, SITE_RECORD);

  /* Writing and removing do not change the site's directory. */
  assert_int_equal(gc_store_remove(ID, &err), -ENOENT);
  assert_int_equal(write_good(), 0);
  assert_int_equal(files("site", "", NULL), 1);
  assert_true(gc_store_has_site(ID));
  assert_false(gc_store_has_site("sim-x"));
  assert_false(gc_store_has_site("../site/" ID));
  free(stale);
  free(site);
}

/* The number of SMs in the record that is found. */
static unsigned found_sms(void)
{
  struct gc_record *record;
  uint64_t sms;

  assert_int_equal(gc_store_find(&h200, &record, &err), 0);
  assert_int_equal(gc_infos_get_u64(&record->infos, "SMs", &sms), 0);
  gc_record_free(record);
  return (unsigned)sms;
}

#define PROVISIONAL "\"/>\n<info name=\"GPUCacheProvisional\" value=\"too hot"

static void a_complete_record_of_the_site_comes_before_a_provisional_one(void **state)
{
  char *mine = replaced(good, "GPUCacheSMs\" value=\"132", "GPUCacheSMs\" value=\"5" PROVISIONAL);
  char *site = replaced(good, "GPUCacheSMs\" value=\"132", "GPUCacheSMs\" value=\"7");
  char *poor = replaced(good, "GPUCacheSMs\" value=\"132", "GPUCacheSMs\" value=\"9" PROVISIONAL);
  char *stale = replaced(good, "580.95.05", "570.1");

  (void)state;
  put(RECORD, mine);
  assert_int_equal(found_sms(), 5);
  put(SITE_RECORD, site);
  assert_int_equal(found_sms(), 7);
  put(SITE_RECORD, poor);
  assert_int_equal(found_sms(), 5);
  put(SITE_RECORD, stale);
  assert_int_equal(found_sms(), 5);
  put(SITE_RECORD, "garbage");
  assert_int_equal(found_sms(), 5);
  free(stale);
  free(poor);
  free(site);
  free(mine);
}

static void a_note_of_a_failure_delays_a_due_record(void **state)
{
  struct gc_record *record;
  char *mine = replaced(good, "GPUCacheSMs\" value=\"132", "GPUCacheSMs\" value=\"5" PROVISIONAL);

  (void)state;
  assert_int_equal(write_good(), 0);
  assert_int_equal(gc_store_find(&h200, &record, &err), 0);
  assert_false(gc_store_is_due(&h200, record, false)); /* complete */
  assert_true(gc_store_is_due(&h200, record, true));
  gc_record_free(record);
  put(RECORD, mine);
  assert_int_equal(gc_store_find(&h200, &record, &err), 0);
  assert_true(gc_store_is_due(&h200, record, false));
  assert_int_equal(
      gc_store_remember_failure(&h200, gc_store_environment(), "it hangs", true, &err), 0);
  assert_false(gc_store_is_due(&h200, record, false));
  assert_false(gc_store_is_due(&h200, record, true));
  gc_record_free(record);
  free(mine);
}

/* Linux checks whether a file system is read-only before it searches the file. */
static void what_is_not_there_needs_no_right_to_be_removed(void **state)
{
  int status;

  (void)state;
  assert_int_equal(write_good(), 0);
  refused_removal = EROFS;
  status = gc_store_remove(ID, &err);
  if (status == -EROFS)
    status = gc_store_remove("sim-x", &err);
  refused_removal = 0;
  assert_int_equal(status, -ENOENT);
}

static int count_visit(int dir_fd, const char *id, const char *path, void *data)
{
  assert_int_equal(faccessat(dir_fd, strrchr(path, '/') + 1, R_OK, 0), 0);
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

int main(void)
{
  const struct CMUnitTest tests[] = {
    TEST(the_directory_is_where_the_variables_say),
    TEST(a_record_is_found_as_it_was_written),
    TEST(the_cache_directory_is_made_in_a_home_but_no_home),
    TEST(a_record_is_stale_when_anything_it_depends_on_changed),
    TEST(what_is_no_record_is_set_aside_not_lost),
    TEST(what_cannot_be_read_now_stays),
    TEST(a_huge_file_is_not_read),
    TEST(what_others_could_have_planted_is_not_believed),
    TEST(a_directory_that_is_not_ours_is_not_used),
    TEST(a_site_that_everybody_can_write_is_not_believed),
    TEST(a_directory_is_checked_without_a_record),
    TEST(what_belongs_to_someone_else_is_not_believed),
    TEST(a_vbios_that_is_not_told_has_not_changed),
    TEST(only_what_will_be_found_is_stored),
    TEST(a_write_that_fails_changes_nothing),
    TEST(a_check_needs_no_record),
    TEST(a_directory_that_cannot_be_is_one_sentence),
    TEST(the_directory_is_made_with_what_it_is_in),
    TEST(nothing_is_made_in_what_is_someone_elses),
    TEST(root_makes_nothing_in_the_home_of_a_user),
    TEST(links_of_other_users_are_not_followed),
    TEST(links_of_other_users_are_not_followed_for_reading_and_removing),
    TEST(own_links_on_the_way_are_followed),
    TEST(the_owner_of_the_way_matters_for_root_only),
    TEST(modes_do_not_depend_on_the_umask),
    TEST(a_process_with_more_rights_than_its_user_stores_nothing),
    TEST(a_directory_without_permission_keeps_its_record),
    TEST(the_site_has_records_too),
    TEST(a_complete_record_of_the_site_comes_before_a_provisional_one),
    TEST(a_note_of_a_failure_delays_a_due_record),
    TEST(what_is_not_there_needs_no_right_to_be_removed),
    TEST(records_are_listed_and_removed),
  };

  return cmocka_run_group_tests(tests, load_good, free_good);
}
