/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Files for the user: complete or not there, whoever else writes to the directory.
 */
#define _GNU_SOURCE
#include "tree.h"

#include "util/file.h"
#include "util/regular.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#define BYTES 20000
#define ROUNDS 200

/* As in two containers, whose processes have the same ids. */
pid_t __wrap_getpid(void);
pid_t __wrap_getpid(void)
{
  return 7;
}

/* As on a file system or in a root directory where a file without a name cannot get one. */
static bool no_links, no_nameless;

int __real_linkat(int from, const char *old, int to, const char *new, int flags);
int __wrap_linkat(int from, const char *old, int to, const char *new, int flags);
int __wrap_linkat(int from, const char *old, int to, const char *new, int flags)
{
  errno = ENOENT;
  return no_links ? -1 : __real_linkat(from, old, to, new, flags);
}

int __real_openat(int dir, const char *path, int flags, ...);
int __wrap_openat(int dir, const char *path, int flags, ...);
int __wrap_openat(int dir, const char *path, int flags, ...)
{
  mode_t mode = 0;
  va_list rest;

  va_start(rest, flags);
  if (flags & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY)))
    mode = va_arg(rest, mode_t);
  va_end(rest);
  errno = EOPNOTSUPP;
  return no_nameless && (flags & O_TMPFILE) == O_TMPFILE ? -1
                                                         : __real_openat(dir, path, flags, mode);
}

static unsigned leftovers(void)
{
  DIR *stream = opendir(root);
  struct dirent *entry;
  unsigned count = 0;

  assert_non_null(stream);
  while ((entry = readdir(stream)))
    count += entry->d_name[0] == '.' && entry->d_name[1] && strcmp(entry->d_name, "..");
  closedir(stream);
  return count;
}

/* Writes a file of one letter again and again. Returns whether it was always complete. */
static bool write_again(int dir, char letter)
{
  static char text[BYTES], read_back[BYTES + 1];
  const char name[] = {letter, '\0'};
  bool is_right = true;

  memset(text, letter, sizeof(text));
  for (int i = 0; i < ROUNDS && is_right; i++) {
    const size_t size = 1 + (size_t)i * (BYTES - 1) / ROUNDS;
    int file;

    is_right = !gc_file_put(dir, name, text, size, NULL);
    file = openat(dir, name, O_RDONLY | O_CLOEXEC);
    is_right &= file >= 0 && read(file, read_back, sizeof(read_back)) == (ssize_t)size &&
                !memcmp(read_back, text, size);
    close(file);
  }
  return is_right;
}

static void processes_with_the_same_id_do_not_mix_their_files(void **state)
{
  const int dir = gc_file_dir(root, NULL, NULL);
  bool is_right;
  pid_t other;
  int status;

  (void)state;
  assert_true(dir >= 0);
  for (int way = 0; way < 3; way++) {
    no_links = way == 1;
    no_nameless = way == 2;
    other = fork();
    assert_true(other >= 0);
    if (!other)
      _exit(!write_again(dir, 'a'));
    is_right = write_again(dir, 'b');
    assert_int_equal(waitpid(other, &status, 0), other);
    assert_int_equal(status, 0);
    assert_true(is_right);
    assert_int_equal(leftovers(), 0);
  }
  no_nameless = false;
  close(dir);
}

static int fill_half_and_die(int file, void *data)
{
  (void)data;
  return write(file, "half", 4) == 4 ? raise(SIGKILL) : 1;
}

/* The file has no name before it is filled. */
static void a_killed_writer_leaves_nothing(void **state)
{
  const struct gc_file_new new = {".x-", 0600, fill_half_and_die, NULL};
  const int dir = gc_file_dir(root, NULL, NULL),
            nameless = openat(dir, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600);
  char name[GC_FILE_NAME];
  int status;
  pid_t writer;

  (void)state;
  if (nameless < 0)
    skip(); /* this file system has no such files */
  close(nameless);
  writer = fork();
  if (!writer)
    _exit(gc_file_create(dir, &new, name) < 0);
  assert_int_equal(waitpid(writer, &status, 0), writer);
  assert_true(WIFSIGNALED(status));
  assert_int_equal(leftovers(), 0);
  close(dir);
}

static int fill_and_fail(int file, void *data)
{
  ++*(int *)data;
  return write(file, "half", 4) == 4 ? -ENOSPC : 1;
}

static void a_file_that_cannot_be_filled_is_not_left(void **state)
{
  const int dir = gc_file_dir(root, NULL, NULL);
  int calls = 0;
  const struct gc_file_new new = {".x-", 0600, fill_and_fail, &calls};
  char name[GC_FILE_NAME];

  (void)state;
  for (int way = 0; way < 2; way++) {
    no_nameless = way == 1;
    assert_int_equal(gc_file_create(dir, &new, name), -ENOSPC);
    assert_int_equal(calls, way + 1);
    assert_int_equal(leftovers(), 0);
  }
  no_nameless = false;
  close(dir);
}

/* A link in the place of the file is replaced, and the file that it names stays. */
static void a_link_is_replaced(void **state)
{
  const int dir = gc_file_dir(root, NULL, NULL);
  struct stat st;

  (void)state;
  assert_true(dir >= 0);
  assert_int_equal(symlinkat("victim", dir, "page"), 0);
  assert_int_equal(gc_file_put(dir, "victim", "old", 3, NULL), 0);
  assert_int_equal(gc_file_put(dir, "page", "new text", 8, NULL), 0);
  assert_int_equal(fstatat(dir, "victim", &st, AT_SYMLINK_NOFOLLOW), 0);
  assert_int_equal(st.st_size, 3);
  assert_int_equal(fstatat(dir, "page", &st, AT_SYMLINK_NOFOLLOW), 0);
  assert_true(S_ISREG(st.st_mode) && st.st_size == 8);
  close(dir);
}

/* Outputs go where the user said, and not where a link of another user leads. */
static void links_of_other_users_are_not_followed(void **state)
{
  static const char *const ways[] = {"link", "link/inside", "to-link", "to-link/inside"};
  struct gc_error err;
  bool made;
  int dir;

  (void)state;
  if (geteuid())
    skip(); /* only root can give a link to another user */
  shell("mkdir -p '%s/real/inside' && ln -s real '%s/link' && ln -s link '%s/to-link'", root, root,
        root);
  for (unsigned owner = 0; owner < 2; owner++) {
    assert_int_equal(lchown(path_of("link"), owner, owner), 0);
    for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
      dir = gc_file_dir(path_of(ways[i]), NULL, &err);
      assert_true(owner ? dir == -EACCES : dir >= 0);
      if (owner)
        assert_non_null(strstr(err.text, " is a symbolic link of user 1"));
      else
        close(dir);
    }
    dir = gc_file_dir(path_of("link/new"), &made, &err);
    assert_int_equal(made, !owner);
    assert_true(owner ? dir == -EACCES : dir >= 0);
    if (!owner)
      close(dir);
    assert_int_equal(access(path_of("real/new"), F_OK), owner ? -1 : 0);
    gc_file_remove_dir(path_of("link/new"));
    assert_int_equal(access(path_of("real/new"), F_OK), -1);
    assert_int_equal(mkdir(path_of("real/new"), 0700), 0);
    gc_file_remove_dir(path_of("link/new"));
    assert_int_equal(access(path_of("real/new"), F_OK), owner ? 0 : -1);
    assert_int_equal(owner ? rmdir(path_of("real/new")) : 0, 0);
  }
}

/* A directory that was just made does not stay if it cannot be used. */
static void nothing_stays_after_a_failure(void **state)
{
  const uid_t user = geteuid();
  struct gc_error err;
  bool made = true;
  mode_t before;

  (void)state;
  if (!user) /* root can use any directory */
    assert_true(!chown(root, 65534, 65534) && !seteuid(65534));
  before = umask(0777);
  assert_int_equal(gc_file_dir(path_of("new"), &made, &err), -EACCES);
  umask(before);
  assert_int_equal(seteuid(user), 0);
  assert_false(made);
  assert_int_equal(access(path_of("new"), F_OK), -1);
}

/* 0, or the negative errno of opening the file, with a reason. The file has the text "text". */
static int try_regular(const char *name, struct gc_error *why)
{
  uint64_t size = 0;
  const int fd = gc_regular_open(path_of(name), &size, why);
  char text[8] = "";

  if (fd < 0)
    return fd;
  assert_int_equal(size, 4);
  assert_int_equal(gc_file_read(fd, text, sizeof(text)), 4);
  assert_string_equal(text, "text");
  close(fd);
  return 0;
}

static void make_links(void)
{
  shell("cd '%s' && mkdir dir fifos && printf text > dir/file && mkfifo fifos/fifo && ln -s dir "
        "way && "
        "ln -s dir/file last && ln -s last chain && ln -s '%s/way/file' whole && "
        "ln -s fifos/fifo fifo && ln -s ../way/file dir/up && ln -s loop loop && ln -s nothing "
        "dangling",
        root, root);
}

static void only_regular_files_are_read(void **state)
{
  static const char *const good[] = {"dir/file", "way/file", "last", "chain", "whole", "way/up"};
  static const struct {
    const char *name;
    int status;
    const char *why;
  } bad[] = {
      {"dir", -EISDIR, "Is a directory"},
      {"way", -EISDIR, "Is a directory"},
      {"fifo", -EBADMSG, "not a regular file"}, /* at once */
      {"loop", -ELOOP, "loop is a loop of symbolic links"},
      {"dangling", -ENOENT, "No such file or directory"},
      {"dangling/file", -ENOENT, "No such file or directory"},
      {"dir/file/", -ENOTDIR, "Not a directory"},
      {"last/file", -ENOTDIR, "last is not a directory"},
  };
  struct gc_error why;
  size_t length;
  char *text, path[64];
  int fd;

  (void)state;
  make_links();
  for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
    assert_int_equal(try_regular(good[i], &why), 0);
  for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
    assert_int_equal(try_regular(bad[i].name, &why), bad[i].status);
    assert_non_null(strstr(why.text, bad[i].why));
  }
  assert_int_equal(gc_regular_open("", &(uint64_t){0}, &why), -ENOENT);
  /* a descriptor of this process, also of a file without a name */
  fd = open(root, O_TMPFILE | O_RDWR, 0600);
  assert_true(fd >= 0 && write(fd, "text", 4) == 4);
  snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
  assert_int_equal(gc_regular_load(path, 4, &text, &length, &why), 0);
  assert_string_equal(text, "text");
  free(text);
  close(fd);
  assert_int_equal(gc_regular_open("/", &(uint64_t){0}, &why), -EISDIR);
  assert_int_equal(gc_regular_load(path_of("last"), 3, &text, &length, &why), -EFBIG);
  assert_non_null(strstr(why.text, "/last: more than "));
}

/* Files are read where the user said, and not where a link of another user leads. */
static void files_behind_links_of_other_users_are_not_read(void **state)
{
  static const char *const links[] = {"way", "last", "chain", "whole"};
  static const char *const ways[] = {"way/file", "last", "chain", "whole"};
  struct gc_error why;
  uint64_t size;
  int fd;

  (void)state;
  if (geteuid())
    skip(); /* only root can give a link to another user */
  make_links();
  for (size_t i = 0; i < sizeof(links) / sizeof(*links); i++) {
    assert_int_equal(lchown(path_of(links[i]), 1, 1), 0);
    assert_int_equal(try_regular(ways[i], &why), -EACCES);
    assert_non_null(strstr(why.text, " is a symbolic link of user 1"));
    assert_int_equal(try_regular("dir/file", &why), 0);
    fd = gc_regular_open_any(path_of(ways[i]), &size);
    assert_true(fd >= 0 && size == 4);
    close(fd);
    assert_int_equal(lchown(path_of(links[i]), 0, 0), 0);
  }
  assert_int_equal(lchown(path_of("last"), 1, 1), 0);
  assert_int_equal(try_regular("chain", &why), -EACCES); /* a link of root to one of another user */
  assert_int_equal(lchown(path_of("dir/file"), 1, 1), 0);
  assert_int_equal(try_regular("way/file", &why), 0); /* the file may belong to anybody */
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(processes_with_the_same_id_do_not_mix_their_files, make_root,
                                      remove_root),
      cmocka_unit_test_setup_teardown(a_killed_writer_leaves_nothing, make_root, remove_root),
      cmocka_unit_test_setup_teardown(a_file_that_cannot_be_filled_is_not_left, make_root,
                                      remove_root),
      cmocka_unit_test_setup_teardown(a_link_is_replaced, make_root, remove_root),
      cmocka_unit_test_setup_teardown(links_of_other_users_are_not_followed, make_root,
                                      remove_root),
      cmocka_unit_test_setup_teardown(only_regular_files_are_read, make_root, remove_root),
      cmocka_unit_test_setup_teardown(files_behind_links_of_other_users_are_not_read, make_root,
                                      remove_root),
      cmocka_unit_test_setup_teardown(nothing_stays_after_a_failure, make_root, remove_root),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
