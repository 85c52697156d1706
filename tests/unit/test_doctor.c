/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Parts of doctor that read what others wrote: ELF files, and the messages of hwloc.
 */
#include "fixture.h"

#include "tool/doctor/program.h"
#include "tool/doctor/topology.h"

#include <elf.h>
#include <link.h>

static void log_lines(struct gc_hwloc_log *log, const char *const *lines)
{
  memset(log, 0, sizeof *log);
  for (; *lines; lines++)
    gc_hwloc_log_line(*lines, log);
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
  log_lines(&log, lines);
  assert_string_equal(log.directories, "/a:/b");
  assert_string_equal(log.file, "/b/hwloc_gpucache");
  assert_string_equal(log.problem, ""); /* that of OpenCL is not ours */
  assert_true(log.is_loaded);
  assert_true(log.is_enabled);
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

/* An ELF file with one segment, PT_INTERP, after the headers. */
struct tiny_elf {
  ElfW(Ehdr) head;
  ElfW(Phdr) part;
  char text[8];
};

static struct tiny_elf make_elf(void)
{
  struct tiny_elf elf = {.text = "/ld.so"};

  memcpy(elf.head.e_ident, ELFMAG, SELFMAG);
  elf.head.e_ident[EI_CLASS] = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
  elf.head.e_phoff = offsetof(struct tiny_elf, part);
  elf.head.e_phentsize = sizeof elf.part;
  elf.head.e_phnum = 1;
  elf.part.p_type = PT_INTERP;
  elf.part.p_offset = offsetof(struct tiny_elf, text);
  elf.part.p_filesz = sizeof "/ld.so";
  return elf;
}

/* In memory of exactly this size, so that the sanitizer sees a read behind its end. */
static const char *read_part(const struct tiny_elf *elf, size_t size, char found[16])
{
  void *copy = malloc(size ? size : 1);
  const char *name;

  assert_non_null(copy);
  memcpy(copy, elf, size);
  name = gc_program_interpreter(copy, size);
  if (name)
    snprintf(found, 16, "%s", name);
  free(copy);
  return name ? found : NULL;
}

static void the_interpreter_of_a_program(void **state)
{
  struct tiny_elf elf = make_elf();
  char found[16];

  (void)state;
  assert_string_equal(read_part(&elf, sizeof elf, found), "/ld.so");
  for (size_t size = 0; size < sizeof elf - 1; size++)
    assert_null(read_part(&elf, size, found));
}

static void a_damaged_program(void **state)
{
  struct tiny_elf elf;
  char found[16];

  (void)state;
  elf = make_elf(), elf.head.e_ident[0] = 0;
  assert_null(read_part(&elf, sizeof elf, found));
  elf = make_elf(), elf.head.e_phoff = (ElfW(Off)) - 1;
  assert_null(read_part(&elf, sizeof elf, found));
  elf = make_elf(), elf.head.e_phnum = 0xffff, elf.part.p_type = PT_LOAD;
  assert_null(read_part(&elf, sizeof elf, found));
  elf = make_elf(), elf.part.p_offset = (ElfW(Off)) - 8;
  assert_null(read_part(&elf, sizeof elf, found));
  elf = make_elf(), elf.part.p_filesz = 3; /* no zero byte in it */
  assert_null(read_part(&elf, sizeof elf, found));
  elf = make_elf(), elf.part.p_type = PT_NOTE; /* a static program */
  assert_null(read_part(&elf, sizeof elf, found));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_log_of_a_good_load), cmocka_unit_test(the_log_of_failures),
      cmocka_unit_test(strange_lines),          cmocka_unit_test(the_interpreter_of_a_program),
      cmocka_unit_test(a_damaged_program),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
