/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Records from files and directories: a record, a topology with several GPUs, and files that are
 * neither. A topology is checked like a record.
 */
#include "fixture.h"

#include "tool/process/environment.h"
#include "tool/sources/sources.h"
#include "tool/sources/topology.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

static struct gc_sources sources;
static struct gc_error err;

static int release(void **state)
{
  (void)state;
  gc_sources_free(&sources);
  err.text[0] = '\0';
  return 0;
}

static int add(const char *name)
{
  char path[4096];

  return gc_sources_add_file(&sources, fixture_path(name, path, sizeof path), &err);
}

static void a_record(void **state)
{
  (void)state;
  assert_int_equal(add("record-good.xml"), 0);
  assert_int_equal(sources.count, 1);
  assert_string_equal(sources.array[0].gpu, "gpu0");
  assert_non_null(strstr(sources.array[0].name, "record-good.xml"));
  assert_null(strstr(sources.array[0].name, ":gpu0"));
}

static void same_infos(const struct gc_infos *a, const struct gc_infos *b)
{
  assert_int_equal(a->count, b->count);
  for (size_t i = 0; i < a->count; i++) {
    assert_non_null(gc_infos_get(b, a->array[i].name));
    assert_string_equal(a->array[i].value, gc_infos_get(b, a->array[i].name));
  }
}

static int take(const char *gpu, struct gc_record *record, void *data)
{
  assert_string_equal(gpu, "gpu0");
  *(struct gc_record **)data = record;
  return 0;
}

/* Both ways to a record lead to the same one. */
static void topology_and_reader_agree(void **state)
{
  struct gc_record *record = NULL;
  char *text = fixture_text("record-good.xml");

  (void)state;
  assert_int_equal(add("record-good.xml"), 0);
  assert_int_equal(gc_topology_visit(text, strlen(text), take, &record, &err), 0);
  free(text); /* the record does not need it */
  assert_memory_equal(&record->identity, &sources.array[0].record->identity,
                      sizeof record->identity);
  assert_string_equal(record->format, sources.array[0].record->format);
  assert_string_equal(record->method, sources.array[0].record->method);
  same_infos(&record->infos, &sources.array[0].record->infos);
  assert_int_equal(record->count, sources.array[0].record->count);
  for (size_t i = 0; i < record->count; i++) {
    assert_int_equal(record->elements[i].kind, sources.array[0].record->elements[i].kind);
    same_infos(&record->elements[i].infos, &sources.array[0].record->elements[i].infos);
  }
  gc_record_free(record);
}

static void write_text(const char *path, const char *text)
{
  FILE *file = fopen(path, "w");

  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
}

/* Some values of this topology are wrong on purpose. */
static char *two_gpus(void)
{
  static const char *const wrong[][2] = {
      {"\"1.5\"", "\"0.5\""}, {"127,5", "127.5"}, {"18446744073709551616", "233472"}};
  char *text = fixture_text("two-gpus.xml");

  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    char *better = replaced(text, wrong[i][0], wrong[i][1]);

    free(text);
    text = better;
  }
  return text;
}

static void several_gpus(void **state)
{
  char dir[] = "/tmp/test_sources-XXXXXX", path[64], *text = two_gpus();

  (void)state;
  assert_int_equal(add("two-gpus.xml"), -EBADMSG);
  assert_int_equal(sources.count, 0); /* not half of the GPUs */
  assert_non_null(mkdtemp(dir));
  snprintf(path, sizeof path, "%s/two.xml", dir);
  write_text(path, text);
  free(text);
  if (gc_sources_add_file(&sources, path, &err))
    fail_msg("%s", err.text);
  unlink(path);
  rmdir(dir);
  assert_int_equal(sources.count, 2);
  for (size_t i = 0; i < sources.count; i++) {
    const char *colon = strrchr(sources.array[i].name, ':');

    assert_non_null(colon);
    assert_string_equal(colon + 1, sources.array[i].gpu);
    for (size_t j = 0; j < i; j++)
      assert_string_not_equal(sources.array[i].name, sources.array[j].name);
  }
}

static void refused(const char *path, const char *text, int status, const char *why)
{
  write_text(path, text);
  assert_int_equal(gc_sources_add_file(&sources, path, &err), status);
  if (!strstr(err.text, why))
    fail_msg("'%s' is not in '%s'", why, err.text);
  assert_int_equal(strncmp(err.text, path, strlen(path)), 0);
  assert_int_equal(sources.count, 0);
}

static void bad_files(void **state)
{
  char dir[] = "/tmp/test_sources-XXXXXX", path[64];
  char *record = fixture_text("record-good.xml"), *broken;

  (void)state;
  assert_non_null(mkdtemp(dir));
  snprintf(path, sizeof path, "%s/a.xml", dir);
  refused(path, "", -EBADMSG, "the file is empty");
  refused(path, "hello", -EBADMSG, "a.xml: not XML");
  refused(path, "<html></html>", -EBADMSG, "not a topology");
  strstr(record, "CapacityBytes")[0] = '\0'; /* in a GPU */
  refused(path, record, -EBADMSG, "not well-formed XML: the text is cut");
  free(record);
  record = fixture_text("record-good.xml");
  broken = replaced(record, "subtype=\"DeviceMemory\"", "subtype=\"Other\"");
  refused(path, broken, -ENODATA, "a.xml: no values of hwloc-gpucache");
  free(broken);
  broken = replaced(record, "name=\"CapacityBytes\" value=\"", "name=\"CapacityBytes\" value=\"x");
  refused(path, broken, -EBADMSG, "CapacityBytes");
  free(broken);
  free(record);
  unlink(path);
  assert_int_equal(gc_sources_add_file(&sources, path, &err), -ENOENT);
  assert_int_equal(gc_sources_add_file(&sources, dir, &err), -EISDIR);
  rmdir(dir);
}

/* Text n times, and then other text n times. */
static char *repeated(const char *text, const char *end, size_t n)
{
  char *all = malloc(n * (strlen(text) + strlen(end)) + 1), *at = all;

  assert_non_null(all);
  for (size_t i = 0; i < n; i++)
    at = stpcpy(at, text);
  for (size_t i = 0; i < n; i++)
    at = stpcpy(at, end);
  return all;
}

/* A topology is refused for everything for which a record is refused. The text has an object of an
 * unknown kind in its GPU, so it is not read as a record. */
static void hostile_topologies(void **state)
{
  static const struct {
    const char *from, *to, *why;
  } cases[] = {
      {"\"GPU-", "\"../../GPU-", "without the id of its GPU"},
      {"\"GPU-", "\".GPU-", "without the id of its GPU"},
      {"\"GPUCacheModel\" value=\"", "\"GPUCacheModel\" value=\"A&#10;B", "not plain ASCII"},
      {"\"GPUCacheModel\" value=\"", "\"GPUCacheModel\" value=\"A\xc2\x9b", "not plain ASCII"},
      {"\"GPUCacheModel\"", "\"GPUCacheM&#9;odel\"", "not plain ASCII"},
      {"<info name=\"GPUCacheModel\"", "<info name=\"GPUCacheUUID\" value=\"GPU-2\"/>\n"
                                       "<info name=\"GPUCacheModel\"", "duplicate info"},
      {"<info name=\"GPUCacheModel\"",
       "<object type=\"OSDev\" subtype=\"DeviceMemory\"/><info name=\"GPUCacheModel\"",
       "a second DeviceMemory"},
  };
  char path[] = "/tmp/test_sources-XXXXXX";
  char *good = fixture_text("record-good.xml"), *topology, *text, *many;

  (void)state;
  assert_true(close(mkstemp(path)) == 0);
  topology = replaced(good, "<info name=\"GPUCacheModel\"",
                      "<object type=\"OSDev\" subtype=\"Quantum\"></object><info name=\"GPUCacheModel\"");
  write_text(path, topology);
  if (gc_sources_add_file(&sources, path, &err))
    fail_msg("%s", err.text);
  assert_non_null(strstr(sources.array[0].name, ":gpu0"));
  gc_sources_free(&sources);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    text = replaced(topology, cases[i].from, cases[i].to);
    refused(path, text, -EBADMSG, cases[i].why);
    free(text);
  }
  many = repeated("<info name=\"N\" value=\"1\"/>", "", 100000);
  text = replaced(topology, "<info name=\"GPUCacheModel\"", "MANY<info name=\"GPUCacheModel\"");
  free(topology);
  topology = replaced(text, "MANY", many);
  refused(path, topology, -EBADMSG, "duplicate info");
  free(many);
  free(text);
  free(topology);
  free(good);
  many = repeated("<object type=\"Group\">", "</object>", 200000);
  text = malloc(strlen(many) + 100);
  assert_non_null(text);
  sprintf(text, "<topology version=\"2.0\">%s</topology>", many);
  refused(path, text, -EBADMSG, "nested too deep");
  free(text);
  free(many);
  unlink(path);
}

/* The name of a file may come from another user. */
static void names_for_people(void **state)
{
  char dir[] = "/tmp/test_sources-XXXXXX", path[100];
  char *record = fixture_text("record-good.xml");

  (void)state;
  assert_non_null(mkdtemp(dir));
  snprintf(path, sizeof path, "%s/\xc3\xa9\xc2\x9b\x9b\x84\n\x7f\x1b.xml", dir);
  write_text(path, record);
  free(record);
  assert_int_equal(gc_sources_add_file(&sources, path, &err), 0);
  unlink(path);
  rmdir(dir);
  assert_string_equal(sources.array[0].name + strlen(dir), "/\xc3\xa9???????.xml");
}

/* A directory for each node, and a file that is no record. */
static void directories(void **state)
{
  char dir[] = "/tmp/test_sources-XXXXXX", path[5][64];
  char *record = fixture_text("record-good.xml");
  size_t bad = 0;

  (void)state;
  assert_non_null(mkdtemp(dir));
  snprintf(path[0], sizeof *path, "%s/node10", dir);
  snprintf(path[1], sizeof *path, "%s/node9", dir);
  snprintf(path[2], sizeof *path, "%s/node10/a.xml", dir);
  snprintf(path[3], sizeof *path, "%s/node9/a.xml", dir);
  snprintf(path[4], sizeof *path, "%s/b.xml", dir);
  assert_int_equal(mkdir(path[0], 0700), 0);
  assert_int_equal(mkdir(path[1], 0700), 0);
  assert_int_equal(gc_sources_add_directory(&sources, dir, &bad, &err), -ENODATA);
  write_text(path[2], record);
  write_text(path[3], record);
  write_text(path[4], "no record");
  assert_int_equal(gc_sources_add_directory(&sources, dir, &bad, &err), 0);
  assert_int_equal(bad, 1);
  assert_int_equal(sources.count, 2);
  assert_string_equal(sources.array[0].name, path[3]); /* node9 before node10 */
  assert_string_equal(sources.array[1].name, path[2]);
  for (int i = 4; i >= 2; i--)
    unlink(path[i]);
  assert_int_equal(rmdir(path[0]) + rmdir(path[1]) + rmdir(dir), 0);
  assert_int_equal(gc_sources_add_directory(&sources, dir, &bad, &err), -ENOENT);
  free(record);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(a_record, release),
      cmocka_unit_test_teardown(topology_and_reader_agree, release),
      cmocka_unit_test_teardown(several_gpus, release),
      cmocka_unit_test_teardown(bad_files, release),
      cmocka_unit_test_teardown(hostile_topologies, release),
      cmocka_unit_test_teardown(names_for_people, release),
      cmocka_unit_test_teardown(directories, release),
  };

  gc_environment_take();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
