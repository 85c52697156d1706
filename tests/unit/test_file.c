/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Files for the user: complete or not there, whoever else writes to the directory.
 */
#include "tree.h"

#include "util/file.h"

#include <fcntl.h>
#include <sys/wait.h>

#define BYTES 20000
#define ROUNDS 200

/* As in two containers, whose processes have the same ids. */
pid_t __wrap_getpid(void);
pid_t __wrap_getpid(void)
{
  return 7;
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
  other = fork();
  assert_true(other >= 0);
  if (!other)
    _exit(!write_again(dir, 'a'));
  is_right = write_again(dir, 'b');
  assert_int_equal(waitpid(other, &status, 0), other);
  assert_int_equal(status, 0);
  assert_true(is_right);
  assert_int_equal(leftovers(), 0);
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

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(processes_with_the_same_id_do_not_mix_their_files, make_root,
                                    remove_root),
    cmocka_unit_test_setup_teardown(a_link_is_replaced, make_root, remove_root),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
