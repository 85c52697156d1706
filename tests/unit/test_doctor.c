/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Parts of doctor that read what others wrote: ELF files, the messages of hwloc, and the output of
 * children.
 */
#include "fixture.h"

#include "tool/process/child.h"
#include "tool/doctor/elf.h"
#include "tool/doctor/libraries.h"
#include "tool/doctor/linker_cache.h"
#include "tool/doctor/topology.h"

#include <elf.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[] = "/tmp/test_doctor-XXXXXX";

#define PREFIX "hwloc: "

static void log_lines(struct gc_hwloc_log *log, const char *const *lines)
{
  memset(log, 0, sizeof *log);
  for (; *lines; lines++)
    gc_hwloc_log_line(*lines, log);
}

/* As hwloc 2.4 writes them. */
static void log_without_prefix(struct gc_hwloc_log *log, const char *const *lines)
{
  memset(log, 0, sizeof *log);
  for (; *lines; lines++)
    gc_hwloc_log_line(*lines + (strncmp(*lines, PREFIX, strlen(PREFIX)) ? 0 : strlen(PREFIX)), log);
}

static void the_log_of_a_good_load(void **state)
{
  static const char *const lines[] = {
      "hwloc: Starting plugin dlforeach in /a:/b",
      "hwloc:  Looking under /a",
      "hwloc: Plugin dlforeach found `/a/hwloc_opencl'",
      "hwloc: Failed to load plugin: /a/hwloc_opencl.so: no libOpenCL",
      "hwloc:  Looking under /b",
      "hwloc: Plugin dlforeach found `/b/hwloc_gpucache'",
      "hwloc: Plugin contains expected symbol `hwloc_gpucache_component'",
      "hwloc: Plugin descriptor `hwloc_gpucache' ready",
      "hwloc: Plugin descriptor `hwloc_gpucache' queued",
      "hwloc: Registered discovery component `xml' phases 0x1 with priority 30 (statically build)",
      "hwloc: Registered discovery component `gpucache' phases 0x20 with priority 5 (from plugin)",
      "a line of another library",
      "hwloc: Enabling discovery component `gpucache' with phases 0x20 (among 0x20)",
      NULL};
  struct gc_hwloc_log log;

  (void)state;
  for (int without = 0; without < 2; without++) {
    (without ? log_without_prefix : log_lines)(&log, lines);
    assert_string_equal(log.directories, "/a:/b");
    assert_string_equal(log.file, "/b/hwloc_gpucache");
    assert_string_equal(log.problem, ""); /* that of OpenCL is not ours */
    assert_true(log.is_loaded);
    assert_true(log.is_enabled);
  }
}

static void the_log_of_failures(void **state)
{
  static const struct {
    const char *line, *problem;
  } cases[] = {
      {"hwloc: Failed to load plugin: /a/hwloc_gpucache.so: file too short",
       "Failed to load plugin: /a/hwloc_gpucache.so: file too short"},
      {"hwloc: Plugin symbol ABI 8 instead of 7", "Plugin symbol ABI 8 instead of 7"},
      {"hwloc: Plugin `hwloc_gpucache' is blacklisted in the environment",
       "Plugin `hwloc_gpucache' is blacklisted in the environment"},
  };
  struct gc_hwloc_log log;

  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *const lines[] = {"hwloc: Plugin dlforeach found `/a/hwloc_gpucache'", cases[i].line,
                                 "hwloc: Plugin dlforeach found `/a/hwloc_gpucache2'",
                                 "hwloc: Failed to load plugin: another one", NULL};

    log_lines(&log, lines);
    assert_string_equal(log.file, "/a/hwloc_gpucache");
    assert_string_equal(log.problem, cases[i].problem);
    assert_false(log.is_loaded);
  }
}

static void strange_lines(void **state)
{
  static const char *const lines[] = {"",
                                      "hwloc: ",
                                      "hwloc: Plugin dlforeach found `",
                                      "hwloc",
                                      "hwloc: Plugin found `hwloc_gpucache",
                                      NULL};
  struct gc_hwloc_log log;

  (void)state;
  log_lines(&log, lines);
  assert_string_equal(log.file, "hwloc_gpucache");
  assert_false(log.is_loaded);
}

/* An ELF file with an interpreter and a dynamic section that needs one library. */
struct tiny_elf {
  ElfW(Ehdr) head;
  ElfW(Phdr) parts[3];
  ElfW(Dyn) dynamic[6];
  char text[8];
  char strings[48];
};

enum { NEEDED = 1, RUNPATH = 16, SONAME = 32 };

static struct tiny_elf make_elf(void)
{
  const uint16_t one = 1;
  struct tiny_elf elf = {.text = "/ld.so"};

  memcpy(elf.head.e_ident, ELFMAG, SELFMAG);
  elf.head.e_ident[EI_CLASS] = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
  elf.head.e_ident[EI_DATA] = *(const unsigned char *)&one ? ELFDATA2LSB : ELFDATA2MSB;
  elf.head.e_phoff = offsetof(struct tiny_elf, parts);
  elf.head.e_phentsize = sizeof *elf.parts;
  elf.head.e_phnum = 3;
  elf.parts[0].p_type = PT_INTERP;
  elf.parts[0].p_offset = offsetof(struct tiny_elf, text);
  elf.parts[0].p_filesz = sizeof "/ld.so";
  elf.parts[1].p_type = PT_LOAD;
  elf.parts[1].p_vaddr = 0x10000;
  elf.parts[1].p_filesz = sizeof elf;
  elf.parts[2].p_type = PT_DYNAMIC;
  elf.parts[2].p_offset = offsetof(struct tiny_elf, dynamic);
  elf.parts[2].p_filesz = sizeof elf.dynamic;
  strcpy(elf.strings + NEEDED, "libone.so");
  strcpy(elf.strings + RUNPATH, "$ORIGIN/../x");
  strcpy(elf.strings + SONAME, "libtiny.so");
  elf.dynamic[0] = (ElfW(Dyn)){.d_tag = DT_NEEDED, .d_un.d_val = NEEDED};
  elf.dynamic[1] = (ElfW(Dyn)){.d_tag = DT_RUNPATH, .d_un.d_val = RUNPATH};
  elf.dynamic[2] = (ElfW(Dyn)){.d_tag = DT_SONAME, .d_un.d_val = SONAME};
  elf.dynamic[3] = (ElfW(Dyn)){.d_tag = DT_STRTAB};
  elf.dynamic[3].d_un.d_ptr = 0x10000 + offsetof(struct tiny_elf, strings);
  elf.dynamic[4] = (ElfW(Dyn)){.d_tag = DT_STRSZ, .d_un.d_val = sizeof elf.strings};
  return elf;
}

/* Writes a file of this test; the path is static. */
static const char *put(const char *name, const void *bytes, size_t size)
{
  static char path[200];
  FILE *file;

  snprintf(path, sizeof path, "%s/%s", directory, name);
  file = fopen(path, "w");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  fclose(file);
  return path;
}

/* The interpreter and the libraries that are read from the first `size` bytes of the file:
 * "/ld.so libone.so". */
static const char *read_part(const struct tiny_elf *elf, size_t size)
{
  static char found[3 * PATH_MAX];
  char interpreter[PATH_MAX] = "", needed[PATH_MAX] = "", run_path[PATH_MAX] = "";
  uint64_t entry = 0;
  struct gc_elf file;

  if (gc_elf_open(put("elf", elf, size), &file))
    return "no ELF";
  if (!gc_elf_interpreter(&file, interpreter))
    *interpreter = '\0';
  if (!gc_elf_string(&file, DT_NEEDED, &entry, needed))
    *needed = '\0';
  entry = 0;
  if (!gc_elf_string(&file, DT_RUNPATH, &entry, run_path))
    *run_path = '\0';
  gc_elf_close(&file);
  snprintf(found, sizeof found, "%s %s %s", interpreter, needed, run_path);
  return found;
}

static void what_a_program_names(void **state)
{
  struct tiny_elf elf = make_elf();

  (void)state;
  assert_string_equal(read_part(&elf, sizeof elf), "/ld.so libone.so $ORIGIN/../x");
  for (size_t size = 0; size < offsetof(struct tiny_elf, strings) + RUNPATH + 12; size++)
    assert_string_not_equal(read_part(&elf, size), "/ld.so libone.so $ORIGIN/../x");
}

static void a_damaged_program(void **state)
{
  struct tiny_elf elf;

  (void)state;
  elf = make_elf(), elf.head.e_ident[0] = 0;
  assert_string_equal(read_part(&elf, sizeof elf), "no ELF");
  elf = make_elf(), elf.head.e_phoff = (ElfW(Off)) - 1;
  assert_string_equal(read_part(&elf, sizeof elf), "  ");
  elf = make_elf(), elf.head.e_phnum = 0xffff, elf.parts[0].p_type = PT_NOTE;
  assert_string_equal(read_part(&elf, sizeof elf), " libone.so $ORIGIN/../x");
  elf = make_elf(), elf.parts[0].p_offset = (ElfW(Off)) - 8;
  assert_string_equal(read_part(&elf, sizeof elf), " libone.so $ORIGIN/../x");
  elf = make_elf(), elf.parts[0].p_filesz = 3; /* no zero byte in it */
  assert_string_equal(read_part(&elf, sizeof elf), " libone.so $ORIGIN/../x");
  elf = make_elf(), elf.dynamic[3].d_un.d_ptr = 7; /* in no segment */
  assert_string_equal(read_part(&elf, sizeof elf), "/ld.so  ");
  elf = make_elf(), elf.dynamic[4].d_un.d_val = RUNPATH; /* the run path is beyond the strings */
  assert_string_equal(read_part(&elf, sizeof elf), "/ld.so libone.so ");
  elf = make_elf(), elf.dynamic[0].d_un.d_val = (ElfW(Addr)) - 1;
  assert_string_equal(read_part(&elf, sizeof elf), "/ld.so  $ORIGIN/../x");
  elf = make_elf(), elf.parts[2].p_filesz = (ElfW(Xword)) - 1;
  assert_string_equal(read_part(&elf, sizeof elf), "/ld.so libone.so $ORIGIN/../x");
  memset(elf.parts, 0xff, sizeof elf.parts);
  assert_string_equal(read_part(&elf, sizeof elf), "  ");
}

/* Whether the list of the linker ("libc.so.6 => /lib/libc.so.6 (0x…)") has this file. */
static bool lists(const char *list, const char *path)
{
  char other[PATH_MAX];
  struct stat a, b;

  if (stat(path, &a))
    return false;
  for (const char *at = list; (at = strstr(at, "=> /"));) {
    at += 3;
    snprintf(other, sizeof other, "%.*s", (int)strcspn(at, " \n"), at);
    if (!stat(other, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino)
      return true;
  }
  return false;
}

static unsigned count_arrows(const char *list)
{
  unsigned count = 0;

  while ((list = strstr(list, "=> /"))) {
    list++;
    count++;
  }
  return count;
}

/* As many segments and as many entries for the strings as a file can have: each entry must not read
 * all segments. */
static void a_file_that_takes_long(void **state)
{
  static struct {
    struct tiny_elf elf;
    ElfW(Phdr) segments[0xffff];
    ElfW(Dyn) dynamic[16384];
  } large;
  struct gc_elf file;

  (void)state;
  large.elf = make_elf();
  large.elf.head.e_phoff = offsetof(__typeof__(large), segments);
  large.elf.head.e_phnum = 0xffff;
  large.segments[0] = (ElfW(Phdr)){.p_type = PT_DYNAMIC,
                                   .p_offset = offsetof(__typeof__(large), dynamic),
                                   .p_filesz = sizeof large.dynamic};
  for (size_t i = 1; i < 0xffff; i++)
    large.segments[i].p_type = PT_LOAD;
  for (size_t i = 0; i < 16384; i++)
    large.dynamic[i] = (ElfW(Dyn)){.d_tag = DT_STRTAB, .d_un.d_ptr = 7};
  alarm(30);
  assert_int_equal(gc_elf_open(put("elf", &large, sizeof large), &file), 0);
  alarm(0);
  gc_elf_close(&file);
}

/* Whether this code finds the same libraries as the linker, which the program is trusted to run.
 * False: there is no such program, or it is a script. */
static bool compare_with_linker(const char *name)
{
  static char list[1 << 16];
  struct gc_libraries libraries;
  char command[200], program[PATH_MAX];
  FILE *pipe;
  unsigned count = 0;

  if (!realpath(name, program))
    return false;
  snprintf(command, sizeof command, "ldd '%.150s' 2>/dev/null", program);
  pipe = popen(command, "r");
  assert_non_null(pipe);
  list[fread(list, 1, sizeof list - 1, pipe)] = '\0';
  if (pclose(pipe) || gc_libraries_find(program, &libraries))
    return false;
  for (size_t k = 0; k < libraries.count; k++) {
    if (strstr(libraries.paths[k], "/ld-")) /* some libraries need the linker itself */
      continue;
    if (!lists(list, libraries.paths[k]))
      fail_msg("%s: %s is not in %s", program, libraries.paths[k], list);
    count++;
  }
  if (count != count_arrows(list))
    fail_msg("%s: %u libraries, but %s", program, count, list);
  gc_libraries_free(&libraries);
  return true;
}

static void the_same_libraries_as_the_linker(void **state)
{
  static const char *const programs[] = {
      "/bin/bash",       "/usr/bin/python3", "/usr/bin/gcc", "/usr/bin/lstopo-no-graphics",
      "/usr/bin/lstopo", "/usr/bin/clang",   "/usr/bin/git", "/usr/bin/perl",
      "/proc/self/exe"};
  unsigned compared = 0;

  (void)state;
  for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
    compared += compare_with_linker(programs[i]);
  if (!compared)
    skip();
}

static bool no_cache;
void __real_gc_linker_cache_read(struct gc_linker_cache *cache);
void __wrap_gc_linker_cache_read(struct gc_linker_cache *cache);

void __wrap_gc_linker_cache_read(struct gc_linker_cache *cache)
{
  if (no_cache)
    memset(cache, 0, sizeof *cache);
  else
    __real_gc_linker_cache_read(cache);
}

/* The directories that the linker searches without a cache; Debian's have the name of the machine.
 */
static void the_same_directories_as_the_linker(void **state)
{
  bool compared;

  (void)state;
  no_cache = true;
  compared = compare_with_linker("/bin/bash");
  no_cache = false;
  if (!compared)
    skip();
}

/* An entry of /etc/ld.so.cache, and the whole file with two of them. */
struct cache_text {
  char old[24]; /* what follows is aligned */
  char magic[20];
  uint32_t count, strings_size, unused[5];
  struct {
    int32_t flags;
    uint32_t name, path, os_version;
    uint64_t hwcap;
  } entries[3];
  char strings[40];
};

static const char *look_up(const struct cache_text *text, size_t size, const char *name)
{
  static char found[40];
  struct gc_linker_cache cache;
  char *copy = malloc(size + 1);
  const char *path;
  size_t entry = 0;

  assert_non_null(copy);
  memcpy(copy, text, size);
  copy[size] = '\0';
  gc_linker_cache_parse(copy, size, &cache);
  path = gc_linker_cache_next(&cache, name, &entry);
  snprintf(found, sizeof found, "%s", path ? path : "none");
  gc_linker_cache_free(&cache);
  return found;
}

static void the_cache_of_the_linker(void **state)
{
  struct cache_text text = {.old = "ld.so-1.7.0", .count = 3};
  const uint32_t strings =
      offsetof(struct cache_text, strings) - offsetof(struct cache_text, magic);

  (void)state;
  memcpy(text.magic, "glibc-ld.so.cache1.1", sizeof text.magic);
  memcpy(text.strings, "liba\0/x/liba\0libb\0/x/libb", 26);
  text.entries[0].name = text.entries[1].name = strings, text.entries[0].path = strings + 18;
  text.entries[0].hwcap = 1; /* for another processor */
  text.entries[1].path = strings + 5;
  text.entries[2].name = strings + 13, text.entries[2].path = strings + 18;
  assert_string_equal(look_up(&text, sizeof text, "liba"), "/x/liba");
  assert_string_equal(look_up(&text, sizeof text, "libb"), "/x/libb");
  assert_string_equal(look_up(&text, sizeof text, "libc"), "none");
  for (size_t size = 0; size < offsetof(struct cache_text, strings); size++)
    assert_string_equal(look_up(&text, size, "libb"), "none");
  text.count = UINT32_MAX;
  text.entries[1].name = text.entries[2].path = UINT32_MAX;
  assert_string_equal(look_up(&text, sizeof text, "liba"), "none");
  assert_string_equal(look_up(&text, sizeof text, "libb"), "");
}

static int make_directory(void **state)
{
  (void)state;
  return !mkdtemp(directory);
}

static void the_output_of_a_child_is_bounded(void **state)
{
  const int fd = gc_child_file();
  struct gc_record *record = NULL;
  struct gc_error err;

  (void)state;
  assert_true(fd >= 3);
  assert_int_equal(gc_child_printed(fd), 0);
  assert_int_equal(gc_child_read(fd, &record, &err), -EBADMSG);
  assert_int_equal(write(fd, "failed 16 busy\n", 15), 15);
  assert_int_equal(gc_child_printed(fd), 15);
  assert_int_equal(gc_child_failure(fd, &err), -16);
  assert_string_equal(err.text, "busy");
  assert_int_equal(lseek(fd, (off_t)gc_child_bytes() - 1, SEEK_SET), (off_t)gc_child_bytes() - 1);
  assert_int_equal(write(fd, "ab", 2), 1);
  assert_int_equal(write(fd, "b", 1), -1);
  assert_int_equal(gc_child_printed(fd), gc_child_bytes());
  assert_int_equal(gc_child_read(fd, &record, &err), -EBADMSG);
  assert_int_equal(ftruncate(fd, 0), -1);
  close(fd);
}

static int remove_directory(void **state)
{
  char path[200];

  (void)state;
  snprintf(path, sizeof path, "%s/elf", directory);
  unlink(path);
  return rmdir(directory);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_log_of_a_good_load),
      cmocka_unit_test(the_log_of_failures),
      cmocka_unit_test(strange_lines),
      cmocka_unit_test(what_a_program_names),
      cmocka_unit_test(a_damaged_program),
      cmocka_unit_test(a_file_that_takes_long),
      cmocka_unit_test(the_same_libraries_as_the_linker),
      cmocka_unit_test(the_same_directories_as_the_linker),
      cmocka_unit_test(the_cache_of_the_linker),
      cmocka_unit_test(the_output_of_a_child_is_bounded),
  };

  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
