/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The texts that are remembered of a node: their age, directories and files. Each test
 * runs in a directory of its own on a tmpfs, with "node" (the root of /proc and /sys), "runtime"
 * ($XDG_RUNTIME_DIR), "shm" (in place of /dev/shm) and "site" (in place of /run/hwloc-gpucache).
 */
#define _GNU_SOURCE
#include "tree.h"

#include "gpus/gpus.h"
#include "gpus/remember.h"
#include "gpus/remember_dir.h"
#include "util/hash.h"

#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <sys/statfs.h>
#include <sys/wait.h>
#include <time.h>

#define BUS_A "0000:17:00.0"
#define BUS_B "0000:97:00.0"
#define OWN "runtime/hwloc-gpucache"
#define FILE_OWN OWN "/remembered"

static char node[sizeof(root) + 8];
static struct gc_gpus gpus;

static bool is_tmpfs(const char *path)
{
  struct statfs fs;

  return !statfs(path, &fs) && fs.f_type == TMPFS_MAGIC;
}

static void put_gpu(const char *bus_id, unsigned minor, const char *uuid)
{
  char file[128], text[256];

  snprintf(file, sizeof(file), "node/sys/bus/pci/devices/%s/vendor", bus_id);
  put(file, "0x10de\n");
  snprintf(file, sizeof(file), "node/sys/bus/pci/devices/%s/class", bus_id);
  put(file, "0x030200\n");
  snprintf(file, sizeof(file), "node/sys/bus/pci/devices/%s/device", bus_id);
  put(file, "0x2330\n");
  snprintf(file, sizeof(file), "node/sys/bus/pci/drivers/nvidia/%s/bound", bus_id);
  put(file, "");
  snprintf(file, sizeof(file), "node/proc/driver/nvidia/gpus/%s/information", bus_id);
  snprintf(text, sizeof(text),
           "Model: \t\t NVIDIA H100\nGPU UUID: \t %s\nVideo BIOS: \t 96.00\nDevice Minor: \t %u\n",
           uuid, minor);
  put(file, text);
}

static int setup(void **state)
{
  if (!is_tmpfs("/dev/shm") || access("/dev/shm", W_OK)) {
    root[0] = '\0';
    return 0;
  }
  setenv("TMPDIR", "/dev/shm", 1);
  make_root(state);
  assert_int_equal(chdir(root), 0);
  snprintf(node, sizeof(node), "%s/node", root);
  mkdir("runtime", 0700);
  mkdir("shm", 0700);
  chmod("shm", 01777);
  setenv("XDG_RUNTIME_DIR", path_of("runtime"), 1);
  put("node/sys/module/nvidia/initstate", "live\n");
  put("node/proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX 580.159.04  Release\n");
  put_gpu(BUS_A, 0, "GPU-a");
  put_gpu(BUS_B, 1, "GPU-b");
  return 0;
}

static int teardown(void **state)
{
  gc_gpus_free(&gpus);
  umask(022);
  if (!*root)
    return 0;
  assert_int_equal(chdir("/"), 0);
  return remove_root(state);
}

/* The only way out of a test before anything is done. */
#define NEEDS_TMPFS()                                                                              \
  do {                                                                                             \
    (void)state;                                                                                   \
    if (!*root) {                                                                                  \
      print_message("skipped: /dev/shm is not a writable tmpfs\n");                                \
      skip();                                                                                      \
    }                                                                                              \
  } while (0)

/* The ids of all GPUs as one word. */
static const char *ids(bool known)
{
  static char text[256];

  gc_gpus_free(&gpus);
  assert_int_equal((known ? gc_gpus_list_known : gc_gpus_list)(node, NULL, &gpus), 0);
  text[0] = '\0';
  for (size_t i = 0; i < gpus.count; i++)
    snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i ? "," : "",
             gpus.array[i].identity.id);
  return text;
}
#define KNOWN() ids(true)
#define READ() ids(false)

/* Replaces a directory or file by a copy with another inode, as the kernel makes a node again. */
static void remake(const char *path)
{
  shell("cp -a '%s' copy && rm -rf '%s' && mv copy '%s'", path, path, path);
}

static void the_same_driver_means_the_same_gpu(void **state)
{
  NEEDS_TMPFS();
  assert_string_equal(KNOWN(), "GPU-a,GPU-b");
  put_gpu(BUS_A, 0, "GPU-x");
  assert_string_equal(KNOWN(), "GPU-a,GPU-b"); /* the file is not read */
  assert_string_equal(gpus.array[0].identity.model, "NVIDIA H100");
  assert_string_equal(gpus.array[0].identity.vbios, "96.00");
  assert_string_equal(gpus.array[0].identity.driver, "580.159.04");
  assert_string_equal(gpus.array[0].problem, "");
  /* The command reads everything, and corrects what is remembered. */
  assert_string_equal(READ(), "GPU-x,GPU-b");
  assert_string_equal(KNOWN(), "GPU-x,GPU-b");
}

static void another_driver_is_asked(void **state)
{
  static const char *const nodes[] = {"node/sys/module/nvidia",
                                      "node/sys/bus/pci/drivers/nvidia/" BUS_A};
  char uuid[16], expected[32];

  NEEDS_TMPFS();
  KNOWN();
  for (unsigned i = 0; i < 2; i++) {
    snprintf(uuid, sizeof(uuid), "GPU-%u", i);
    put_gpu(BUS_A, 0, uuid);
    assert_string_not_equal(KNOWN(), uuid);
    remake(nodes[i]);
    snprintf(expected, sizeof(expected), "%s,GPU-b", uuid);
    assert_string_equal(KNOWN(), expected);
  }
  put_gpu(BUS_A, 0, "GPU-v");
  put("node/proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX 581.1  Release\n");
  assert_string_equal(KNOWN(), "GPU-v,GPU-b");
  /* without such nodes, nothing is remembered */
  shell("rm -r node/sys/bus/pci/drivers");
  assert_string_equal(KNOWN(), "GPU-v,GPU-b");
  put("node/proc/driver/nvidia/gpus/" BUS_A "/information", "GPU UUID: \t GPU-w\n");
  assert_string_equal(KNOWN(), "GPU-w,GPU-b");
}

/* Only the GPU that was bound again is asked. */
static void each_gpu_is_remembered_alone(void **state)
{
  NEEDS_TMPFS();
  KNOWN();
  put_gpu(BUS_A, 0, "GPU-x");
  put_gpu(BUS_B, 1, "GPU-y");
  remake("node/sys/bus/pci/drivers/nvidia/" BUS_B);
  assert_string_equal(KNOWN(), "GPU-a,GPU-y");
  assert_string_equal(KNOWN(), "GPU-a,GPU-y");
}

static void a_removed_gpu_is_gone(void **state)
{
  NEEDS_TMPFS();
  KNOWN();
  shell("rm -r node/proc/driver/nvidia/gpus/" BUS_A " node/sys/bus/pci/d*/" BUS_A
        " node/sys/bus/pci/drivers/nvidia/" BUS_A);
  assert_string_equal(KNOWN(), "GPU-b");
  /* and when it is back, or another one, it is asked */
  put_gpu(BUS_A, 0, "GPU-x");
  assert_string_equal(KNOWN(), "GPU-x,GPU-b");
}

static void another_root_is_another_node(void **state)
{
  struct gc_remember here, there;

  NEEDS_TMPFS();
  gc_remember_begin(&here, node, true);
  gc_remember_begin(&there, root, true);
  assert_true(gc_remember_key(&here, "x") != gc_remember_key(&there, "x"));
  assert_true(gc_remember_key(&here, "x") != gc_remember_key(&here, "y"));
  gc_remember_end(&here);
  gc_remember_end(&there);
  KNOWN();
  shell("cp -a node other");
  snprintf(node, sizeof(node), "%s/other", root);
  shell("sed -i s/GPU-a/GPU-o/ other/proc/driver/nvidia/gpus/" BUS_A "/information");
  assert_string_equal(KNOWN(), "GPU-o,GPU-b");
  snprintf(node, sizeof(node), "%s/node", root);
  put_gpu(BUS_A, 0, "GPU-x");
  assert_string_equal(KNOWN(), "GPU-a,GPU-b"); /* both are remembered */
}

static void mig_is_read_each_time(void **state)
{
  NEEDS_TMPFS();
  KNOWN();
  assert_string_equal(gpus.array[1].identity.mig, "disabled");
  put("node/proc/driver/nvidia/capabilities/gpu1/mig/gi3/ci0/access", "");
  KNOWN();
  assert_string_equal(gpus.array[1].identity.mig, "gi3/ci0");
}

static void what_is_not_ready_is_not_remembered(void **state)
{
  static const char *const texts[] = {
      "Model: \t NVIDIA H100\nGPU UUID: \t GPU-????\?\?-????\nVideo BIOS: \t 1\n",
      "Model: \t NVIDIA H100\nGPU UUID: \t GPU-a\nVideo BIOS: \t ??.??\n",
      "Model: \t NVIDIA H100\nGPU UUID: \t GPU-a\nGPU Excluded:\t Yes\n",
      "Model: \t NVIDIA H100\n",
  };

  NEEDS_TMPFS();
  for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
    put("node/proc/driver/nvidia/gpus/" BUS_A "/information", texts[i]);
    KNOWN();
    put_gpu(BUS_A, 0, "GPU-x");
    assert_string_equal(KNOWN(), "GPU-x,GPU-b");
    remake("node/sys/bus/pci/drivers/nvidia/" BUS_A);
  }
}

/* The directory of all PCI devices is compared, not a file in each. */
static void the_pci_scan_is_remembered(void **state)
{
  NEEDS_TMPFS();
  KNOWN();
  put("node/sys/bus/pci/devices/" BUS_A "/vendor", "0x8086\n");
  shell("rm -r node/proc/driver");
  assert_string_equal(KNOWN(), "pci-0000_17_00.0,pci-0000_97_00.0");
  assert_string_equal(gpus.array[0].identity.model, "NVIDIA GPU [10de:2330]");
  put("node/sys/bus/pci/devices/0000:18:00.0/vendor", "0x8086\n");
  assert_string_equal(KNOWN(), "pci-0000_97_00.0");
  /* a device that is taken out and put in again */
  KNOWN();
  put("node/sys/bus/pci/devices/" BUS_B "/vendor", "0x8086\n");
  assert_string_equal(KNOWN(), "pci-0000_97_00.0");
  remake("node/sys/bus/pci/devices/" BUS_B);
  assert_string_equal(KNOWN(), "");
  /* a file that could not be read must not be remembered as "no GPU" */
  put_gpu(BUS_A, 0, "GPU-a");
  put_gpu(BUS_B, 0, "GPU-b");
  shell("rm -r node/proc/driver; mv node/sys/bus/pci/devices/" BUS_A "/class .");
  remake("node/sys/bus/pci/devices/" BUS_A);
  assert_string_equal(KNOWN(), "pci-0000_97_00.0");
  shell("mv class node/sys/bus/pci/devices/" BUS_A);
  assert_string_equal(KNOWN(), "pci-0000_17_00.0,pci-0000_97_00.0");
}

/* A machine without a GPU gets a file only if it saves much. */
static void a_small_machine_gets_no_file(void **state)
{
  NEEDS_TMPFS();
  shell("rm -r node; mkdir -p node/sys/bus/pci/devices");
  for (unsigned i = 0; i < 40; i++) {
    char file[96];

    snprintf(file, sizeof(file), "node/sys/bus/pci/devices/0000:%02x:00.0/vendor", i);
    put(file, "0x8086\n");
    if (i == 20) {
      assert_string_equal(KNOWN(), "");
      assert_int_equal(access(OWN, F_OK), -1);
    }
  }
  assert_string_equal(KNOWN(), "");
  assert_int_equal(access(FILE_OWN, F_OK), 0);
}

/* --- the file ------------------------------------------------------------------------------- */

/* One text, below the root directory of this system. */
static bool put_text(uint64_t key, const char *text)
{
  struct gc_remember remember;
  char found[GC_REMEMBER_TEXT];
  bool has;

  gc_remember_begin(&remember, "", true);
  gc_remember_put(&remember, key, text);
  gc_remember_end(&remember);
  gc_remember_begin(&remember, "", true);
  has = gc_remember_find(&remember, key, found) && !strcmp(found, text);
  gc_remember_end(&remember);
  return has;
}

static bool find_text(uint64_t key)
{
  struct gc_remember remember;
  char found[GC_REMEMBER_TEXT];
  bool has;

  gc_remember_begin(&remember, "", true);
  has = gc_remember_find(&remember, key, found);
  gc_remember_end(&remember);
  return has;
}

static size_t get_file(char text[GC_REMEMBER_BYTES + 1])
{
  FILE *file = fopen(FILE_OWN, "r");
  size_t length;

  assert_non_null(file);
  length = fread(text, 1, GC_REMEMBER_BYTES + 1, file);
  fclose(file);
  assert_true(length <= GC_REMEMBER_BYTES);
  return length;
}

static void put_file(const char *text, size_t length)
{
  FILE *file = fopen(FILE_OWN, "w");

  assert_non_null(file);
  assert_int_equal(fwrite(text, 1, length, file), length);
  fclose(file);
}

/* Writes the file with a correct last line, so that only its form can be wrong. */
static void put_signed(const char *text, size_t length)
{
  static char copy[2 * GC_REMEMBER_BYTES];

  memcpy(copy, text, length);
  length += (size_t)sprintf(copy + length, "end %016" PRIx64 "\n",
                            gc_hash(GC_HASH_START, text, length));
  put_file(copy, length);
}

#define FIRST "hwloc-gpucache remembered 1\n"
#define KEY "0123456789abcdef"
#define KEY_NUMBER UINT64_C(0x0123456789abcdef)

static void only_texts_are_remembered(void **state)
{
  static char longest[GC_REMEMBER_TEXT], longer[GC_REMEMBER_TEXT + 1];

  NEEDS_TMPFS();
  memset(longest, 'x', sizeof(longest) - 1);
  longest[sizeof(longest) - 2] = '\n';
  memset(longer, 'x', sizeof(longer) - 1);
  longer[sizeof(longer) - 2] = '\n';
  assert_true(put_text(1, "a\tb\nend 0\n"));
  assert_true(put_text(2, longest));
  assert_true(find_text(1));
  assert_false(put_text(3, longer));
  assert_false(put_text(3, ""));
  assert_false(put_text(3, "no line end"));
  assert_false(put_text(3, "\033[2J\n"));
  assert_false(put_text(3, "caf\303\251\n"));
  assert_false(put_text(0, "a\n"));
}

static void a_damaged_file_is_no_file(void **state)
{
  static char text[GC_REMEMBER_BYTES + 1];
  size_t length;

  NEEDS_TMPFS();
  assert_true(put_text(KEY_NUMBER, "abc\ndef\n"));
  length = get_file(text);
  for (size_t cut = 0; cut < length; cut++) {
    put_file(text, cut);
    if (find_text(KEY_NUMBER))
      fail_msg("a file of %zu of %zu bytes is used", cut, length);
  }
  for (size_t i = 0; i < length; i++) {
    text[i] ^= 1;
    put_file(text, length);
    if (find_text(KEY_NUMBER))
      fail_msg("a file with another byte %zu is used", i);
    text[i] ^= 1;
  }
  put_file(text, length);
  assert_true(find_text(KEY_NUMBER));
  text[length] = '\n';
  put_file(text, length + 1);
  assert_false(find_text(KEY_NUMBER));
  /* and the next one replaces it */
  assert_true(put_text(5, "a\n"));
}

static void a_file_of_another_form_is_no_file(void **state)
{
  char now[24], old[24], future[24], text[256];
  struct {
    const char *first, *key, *seconds, *rest;
    bool valid;
  } cases[] = {
      {FIRST, KEY, now, "2\na\n", true},
      {FIRST, KEY, old, "2\na\n", false},
      {FIRST, KEY, future, "2\na\n", false},
      {FIRST, KEY, "99999999999999999999", "2\na\n", false},
      {FIRST, KEY, "-1", "2\na\n", false},
      {FIRST, KEY, "", "2\na\n", false},
      {FIRST, "0123456789abcdeF", now, "2\na\n", false},
      {FIRST, "123456789abcdef", now, "2\na\n", false},
      {FIRST, KEY, now, "3\na\n", false},
      {FIRST, KEY, now, "1\na\n", false},
      {FIRST, KEY, now, "0\n", false},
      {FIRST, KEY, now, "-2\na\n", false},
      {FIRST, KEY, now, "+2\na\n", false},
      {FIRST, KEY, now, "18446744073709551615\na\n", false},
      {FIRST, KEY, now, "18446744073709551617\na\n", false},
      {FIRST, KEY, now, "22\na\n", false}, /* as far as the last line */
      {FIRST, KEY, now, "2\r\na\n", false},
      {FIRST, KEY, now, "2\n\001\n", false},
      {FIRST, KEY, now, "2\na\n\n", false},
      {FIRST, KEY, now, "2\na\n" KEY, false},
      {FIRST, KEY, now, "2\na\n" KEY " 1 ", false},
      {"hwloc-gpucache remembered 2\n", KEY, now, "2\na\n", false},
      {"", KEY, now, "2\na\n", false},
      {"\n" FIRST, KEY, now, "2\na\n", false},
  };

  NEEDS_TMPFS();
  assert_true(put_text(1, "a\n"));
  snprintf(now, sizeof(now), "%ld", (long)time(NULL) - 10);
  snprintf(old, sizeof(old), "%ld", (long)time(NULL) - GC_REMEMBER_SECONDS - 1);
  snprintf(future, sizeof(future), "%ld", (long)time(NULL) + 1000);
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    snprintf(text, sizeof(text), "%s%s %s %s", cases[i].first, cases[i].key, cases[i].seconds,
             cases[i].rest);
    put_signed(text, strlen(text));
    if (find_text(KEY_NUMBER) != cases[i].valid)
      fail_msg("case %zu: %s", i, text);
  }
  put_signed(FIRST, strlen(FIRST)); /* no entries */
  assert_false(find_text(KEY_NUMBER));
  assert_true(put_text(1, "a\n"));
}

/* Random damage with a correct last line: nothing is read beyond the text (sanitizers see it). */
static void random_bytes_are_no_file(void **state)
{
  static const char letters[] = "0123456789abcdef \n\nend\t\377\001";
  char text[256];
  uint32_t seed = 1;

  NEEDS_TMPFS();
  assert_true(put_text(1, "a\n"));
  for (unsigned round = 0; round < 20000; round++) {
    size_t length =
        (size_t)sprintf(text, FIRST KEY " %ld 12\nabc\ndef\nghi\n" KEY " %ld 2\nx\n", (long)round,
                        (long)time(NULL));

    for (unsigned i = 0; i < 1 + round % 4; i++) {
      const size_t at = (seed = seed * 1664525 + 1013904223) >> 8;

      text[at % length] = letters[(seed >> 16) % (sizeof(letters) - 1)];
      if (at % 7 == 0)
        length = at % length;
      if (!length)
        length = 1;
    }
    put_signed(text, length);
    find_text(KEY_NUMBER);
    find_text(KEY_NUMBER + 1);
  }
}

static void the_file_is_bounded(void **state)
{
  static char text[GC_REMEMBER_BYTES + 1];
  char big[1000];

  NEEDS_TMPFS();
  memset(big, 'x', sizeof(big));
  big[sizeof(big) - 2] = '\n';
  big[sizeof(big) - 1] = '\0';
  for (uint64_t key = 1; key < 100; key++) {
    assert_true(put_text(key, big));
    assert_true(get_file(text) <= GC_REMEMBER_BYTES);
  }
  assert_true(find_text(99));
  assert_true(find_text(75));
  assert_false(find_text(1)); /* the oldest are dropped */
}

/* --- the directory -------------------------------------------------------------------------- */

static void modes_are_set_not_inherited(void **state)
{
  static const mode_t masks[] = {0, 0177, 0777};
  struct stat st;

  NEEDS_TMPFS();
  for (size_t i = 0; i < sizeof(masks) / sizeof(*masks); i++) {
    shell("rm -rf " OWN);
    umask(masks[i]);
    assert_true(put_text(i + 1, "a\n"));
    umask(022);
    assert_int_equal(stat(OWN, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0700);
    assert_int_equal(stat(FILE_OWN, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
  }
  shell("[ \"$(ls -A " OWN ")\" = remembered ]"); /* nothing else is left */
}

static void what_others_could_write_is_not_used(void **state)
{
  NEEDS_TMPFS();
  assert_true(put_text(1, "a\n"));
  chmod(FILE_OWN, 0620);
  assert_false(find_text(1));
  chmod(FILE_OWN, 0600);
  assert_true(find_text(1));
  chmod(OWN, 0777);
  assert_false(find_text(1));
  assert_false(put_text(2, "b\n"));
  chmod(OWN, 0700);
  assert_true(find_text(1));
  assert_false(find_text(2));
  if (!geteuid()) {
    assert_int_equal(chown(FILE_OWN, 12345, (gid_t)-1), 0);
    assert_false(find_text(1));
    assert_int_equal(chown(FILE_OWN, 0, (gid_t)-1), 0);
    assert_true(find_text(1));
    assert_int_equal(chown(OWN, 12345, (gid_t)-1), 0);
    assert_false(find_text(1));
    assert_false(put_text(2, "b\n"));
    assert_int_equal(chown(OWN, 0, (gid_t)-1), 0);
    assert_true(find_text(1));
  }
}

static void links_and_other_files_are_not_used(void **state)
{
  NEEDS_TMPFS();
  assert_true(put_text(1, "a\n"));
  shell("mv " FILE_OWN " elsewhere && ln -s ../../elsewhere " FILE_OWN);
  assert_false(find_text(1));
  assert_true(put_text(2, "b\n")); /* replaces the link, not its target */
  shell("grep -q '^a$' elsewhere && [ ! -L " FILE_OWN " ]");
  shell("rm " FILE_OWN " && mkfifo " FILE_OWN);
  assert_false(find_text(2)); /* at once */
  assert_true(put_text(3, "c\n"));
  shell("rm " FILE_OWN " && mkdir " FILE_OWN);
  assert_false(put_text(4, "d\n"));
  shell("[ \"$(ls -A " OWN ")\" = remembered ] && rmdir " FILE_OWN);
  shell("mv " OWN " real && ln -s ../real " OWN);
  assert_false(put_text(5, "e\n"));
  assert_int_equal(access("real/remembered", F_OK), -1);
  /* a file in place of the directory switches remembering off */
  shell("rm " OWN " && touch " OWN);
  assert_false(put_text(5, "e\n"));
  shell("[ -z \"$(ls -A shm)\" ]");
}

/* XDG_RUNTIME_DIR may be the variable of another user (sudo -E). Root must not write where that user
 * can make it lead. */
static void the_way_to_the_directory_of_root_is_roots(void **state)
{
  NEEDS_TMPFS();
  if (geteuid())
    skip(); /* only root can give a link to another user */
  shell("mkdir real && mkdir -m 700 real/runtime && ln -s real way");
  setenv("XDG_RUNTIME_DIR", path_of("way/runtime"), 1);
  assert_true(put_text(1, "a\n"));
  shell("[ -e real/runtime/hwloc-gpucache/remembered ] && rm -r real/runtime/hwloc-gpucache");
  assert_int_equal(lchown("way", 12345, (gid_t)-1), 0);
  assert_true(put_text(1, "a\n")); /* in /dev/shm */
  shell("[ -z \"$(ls -A real/runtime)\" ]");
  setenv("XDG_RUNTIME_DIR", path_of("real/runtime"), 1);
  assert_false(find_text(1));
  assert_int_equal(chown("real", 12345, (gid_t)-1), 0);
  assert_true(find_text(1)); /* in /dev/shm */
}

static void a_directory_of_the_user_is_found(void **state)
{
  char name[64];
  struct stat st;

  NEEDS_TMPFS();
  snprintf(name, sizeof(name), "shm/hwloc-gpucache-%lu", (unsigned long)geteuid());
  chmod("runtime", 0755);
  assert_true(put_text(1, "a\n"));
  assert_int_equal(access(OWN, F_OK), -1);
  assert_int_equal(stat(name, &st), 0);
  assert_int_equal(st.st_mode & 07777, 0700);
  chmod("runtime", 0700);
  assert_false(find_text(1)); /* the two do not mix */
  unsetenv("XDG_RUNTIME_DIR");
  assert_true(find_text(1));
  setenv("XDG_RUNTIME_DIR", "", 1);
  assert_true(find_text(1));
  setenv("XDG_RUNTIME_DIR", "runtime", 1); /* not absolute */
  assert_true(find_text(1));
  setenv("XDG_RUNTIME_DIR", "/nonexistent/run/user/1", 1); /* as batch systems pass it on */
  assert_true(find_text(1));
  if (!is_tmpfs("/tmp")) {
    shell("mkdir -m 700 /tmp/gpucache-%ld", (long)getpid());
    snprintf(name, sizeof(name), "/tmp/gpucache-%ld", (long)getpid());
    setenv("XDG_RUNTIME_DIR", name, 1); /* survives a boot */
    assert_true(find_text(1));
    assert_int_equal(rmdir(name), 0);
  }
  unsetenv("XDG_RUNTIME_DIR");
  chmod("shm", 0777); /* not sticky */
  assert_false(find_text(1));
  assert_int_equal(rename("shm", "gone"), 0);
  assert_false(put_text(2, "b\n"));
  /* A copy of another node is never remembered in /dev/shm. */
  assert_int_equal(rename("gone", "shm"), 0);
  chmod("shm", 01777);
  assert_true(find_text(1));
  shell("rm -r shm/*");
  KNOWN();
  shell("[ -z \"$(ls -A shm)\" ]");
}

static void the_site_remembers_for_all(void **state)
{
  struct stat st;
  pid_t child;
  int status;

  NEEDS_TMPFS();
  if (geteuid()) {
    print_message("skipped: only root can make the directory of the site\n");
    skip();
  }
  mkdir("site", 0755);
  chmod(root, 0755);
  assert_true(put_text(1, "a\n"));
  assert_int_equal(stat("site/remembered", &st), 0);
  assert_int_equal(st.st_mode & 07777, 0644);
  assert_int_equal(access(OWN, F_OK), -1);
  child = fork();
  if (!child) {
    char found[GC_REMEMBER_TEXT];
    struct gc_remember remember;

    if (setgid(12345) || setuid(12345))
      _exit(77);
    gc_remember_begin(&remember, "", true);
    if (!gc_remember_find(&remember, 1, found) || strcmp(found, "a\n"))
      _exit(1);
    gc_remember_put(&remember, 1, "a\n"); /* known already: no directory of the user is made */
    gc_remember_end(&remember);
    if (!access("shm/hwloc-gpucache-12345", F_OK))
      _exit(2);
    gc_remember_begin(&remember, "", false);
    gc_remember_put(&remember, 1, "b\n"); /* the user's own has priority */
    gc_remember_end(&remember);
    gc_remember_begin(&remember, "", true);
    if (!gc_remember_find(&remember, 1, found) || strcmp(found, "b\n"))
      _exit(3);
    gc_remember_end(&remember);
    _exit(0);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  assert_true(find_text(1));
  chmod("site", 0777);
  assert_false(find_text(1));
  chmod("site", 0755);
  assert_int_equal(chown("site", 12345, (gid_t)-1), 0);
  assert_false(find_text(1));
}

/* A killed writer stops no other one, and purge removes its file. */
static void a_killed_writer_is_cleared_away(void **state)
{
  static const char *const killed[] = {FILE_OWN ".new", FILE_OWN ".new-0123456789abcdef"};
  const struct timespec old[2] = {{.tv_sec = time(NULL) - 61}, {.tv_sec = time(NULL) - 61}};

  NEEDS_TMPFS();
  assert_true(put_text(1, "a\n"));
  for (int i = 0; i < 2; i++)
    put(killed[i], "half");
  assert_true(put_text(2, "b\n"));
  assert_true(find_text(1));
  gc_remember_tidy(); /* they may still be written */
  for (int i = 0; i < 2; i++)
    assert_int_equal(utimensat(AT_FDCWD, killed[i], old, 0), 0);
  gc_remember_tidy();
  shell("[ \"$(ls -A " OWN ")\" = remembered ]");
  assert_true(find_text(2));
}

/* Each process writes and reads; nobody sees a file that is not whole. */
static void many_processes_may_write(void **state)
{
  int status;

  NEEDS_TMPFS();
  assert_true(put_text(1, "a\n"));
  for (unsigned i = 0; i < 4; i++)
    if (!fork()) {
      for (unsigned n = 0; n < 300; n++) {
        put_text(100 + i * 1000 + n, "something\n");
        if (access(FILE_OWN, F_OK))
          _exit(1);
      }
      _exit(0);
    }
  for (unsigned i = 0; i < 4; i++) {
    assert_true(wait(&status) > 0);
    assert_int_equal(status, 0);
  }
  assert_true(put_text(2, "b\n"));
  shell("[ \"$(ls -A " OWN ")\" = remembered ]");
}

static void no_descriptor_is_left(void **state)
{
  unsigned before;

  NEEDS_TMPFS();
  before = descriptors();
  KNOWN();
  KNOWN();
  READ();
  chmod(OWN, 0777);
  KNOWN();
  unsetenv("XDG_RUNTIME_DIR");
  KNOWN();
  put_text(1, "a\n");
  assert_int_equal(descriptors(), before);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
  const struct CMUnitTest tests[] = {
      TEST(the_same_driver_means_the_same_gpu),
      TEST(another_driver_is_asked),
      TEST(each_gpu_is_remembered_alone),
      TEST(a_removed_gpu_is_gone),
      TEST(another_root_is_another_node),
      TEST(mig_is_read_each_time),
      TEST(what_is_not_ready_is_not_remembered),
      TEST(the_pci_scan_is_remembered),
      TEST(a_small_machine_gets_no_file),
      TEST(only_texts_are_remembered),
      TEST(a_damaged_file_is_no_file),
      TEST(a_file_of_another_form_is_no_file),
      TEST(random_bytes_are_no_file),
      TEST(the_file_is_bounded),
      TEST(modes_are_set_not_inherited),
      TEST(what_others_could_write_is_not_used),
      TEST(links_and_other_files_are_not_used),
      TEST(a_directory_of_the_user_is_found),
      TEST(the_way_to_the_directory_of_root_is_roots),
      TEST(the_site_remembers_for_all),
      TEST(a_killed_writer_is_cleared_away),
      TEST(many_processes_may_write),
      TEST(no_descriptor_is_left),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
