/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The reader of records: what it accepts, and what it must refuse.
 */
#include "fixture.h"

#include "record/record.h"

#include <errno.h>

static int read_text(const char *text, size_t length, struct gc_record **record,
                     struct gc_error *err)
{
  /* A copy of exactly that length, so that ASan and valgrind notice a read past its end. */
  char *exact = malloc(length + !length);
  int status;

  memcpy(exact, text, length);
  *record = NULL;
  err->text[0] = '\0';
  status = gc_record_read_xml(exact, length, record, err);
  free(exact);
  if (status)
    assert_null(*record);
  return status;
}

static void expect_refusal(const char *text, const char *because)
{
  struct gc_record *record;
  struct gc_error err;

  assert_int_equal(read_text(text, strlen(text), &record, &err), -EBADMSG);
  if (!strstr(err.text, because))
    fail_msg("refused with \"%s\", not because of \"%s\"", err.text, because);
}

static void reads_what_hwloc_wrote(void **state)
{
  char *text = fixture_text("record-good.xml");
  struct gc_record *record;
  struct gc_error err;
  const struct gc_infos *l2;

  (void)state;
  assert_int_equal(read_text(text, strlen(text), &record, &err), 0);
  assert_string_equal(record->identity.id, "GPU-01234567-89ab-cdef-0123-456789abcdef");
  assert_string_equal(record->identity.model, "NVIDIA H200");
  assert_string_equal(record->identity.driver, "580.95.05");
  assert_string_equal(record->identity.vbios, "96.00.BC.00.01");
  assert_string_equal(record->identity.mig, "disabled");
  assert_string_equal(record->format, GC_RECORD_FORMAT);
  assert_string_equal(record->method, GC_RECORD_METHOD);
  assert_int_equal(record->infos.count, 3);
  assert_string_equal(gc_infos_get(&record->infos, "SMs"), "132");
  assert_int_equal(record->count, 5);
  assert_int_equal(record->elements[2].kind, GC_L1);
  assert_int_equal(gc_record_parent(record, 4), 1);
  assert_int_equal(record->elements[0].infos.count, 6);
  assert_string_equal(gc_infos_get(&record->elements[2].infos, "LatencyCycles"), "31.5");
  l2 = &gc_record_find(record, GC_L2)->infos;
  assert_string_equal(gc_infos_get(l2, "CapacitySource"), "absent:replicated <twice> & noisy");
  assert_null(gc_infos_get(l2, "lstopoStyle"));
  gc_record_free(record);
  free(text);
}

static void format_and_method_are_those_stated(void **state)
{
  char *good = fixture_text("record-good.xml");
  char *text = replaced(good, "<info name=\"GPUCacheFormat\" value=\"1\"/>", "");
  struct gc_record *record;
  struct gc_error err;

  (void)state;
  assert_int_equal(read_text(text, strlen(text), &record, &err), 0);
  assert_string_equal(record->format, "");
  gc_record_free(record);
  free(text);
  free(good);
}

#define LONG_NAME                                                                                  \
  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" \
  "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define L1_OBJECT "<object type=\"OSDev\" gp_index=\"6\""
#define L1_INFO "<info name=\"PerSM\" value=\"1\"/>"

static void refuses(void **state)
{
  static const struct {
    const char *from, *to, *because;
  } cases[] = {
    { "<topology version", "<topologie version", "not a topology" },
    { "version=\"2.0\"", "version=\"3.0\"", "format of hwloc 2" },
    { "version=\"2.0\"", "", "format of hwloc 2" },
    { "<topology", "<topology xmlns=\"urn:other\"", "a namespace" },
    { "subtype=\"DeviceMemory\"", "subtype=\"Memory\"", "not inside DeviceMemory" },
    { "GPUCacheUUID", "GPUCacheUuid", "without the id of its GPU" },
    { "value=\"GPU-01234567", "value=\"../01234567", "without the id of its GPU" },
    { "subtype=\"L1Cache\"", "subtype=\"L0Cache\"", "unknown object" },
    { "subtype=\"L1Cache\"", "", "unknown object" },
    { L1_OBJECT, "<object type=\"Misc\" gp_index=\"6\"", "unknown object" },
    { "subtype=\"L1Cache\"", "subtype=\"L3Cache\"", "wrongly nested" },
    { "subtype=\"L1Cache\"", "subtype=\"L2Cache\"", "wrongly nested" },
    { "subtype=\"L2Cache\"", "subtype=\"SharedMemory\"", "wrongly nested" },
    { "subtype=\"ConstantL1Cache\"", "subtype=\"DeviceMemory\"", "second DeviceMemory" },
    { "</topology>",
      "<object type=\"OSDev\" subtype=\"DeviceMemory\"/></topology>", "second DeviceMemory" },
    { "</topology>", "<object type=\"OSDev\" subtype=\"LDS\"/></topology>", "not inside" },
    { L1_INFO, "<userdata>x</userdata>", "neither an info nor an object" },
    { L1_INFO, "text", "neither an info nor an object" },
    { L1_INFO, "<![CDATA[ ]]>", "not well-formed" },
    { L1_INFO, L1_INFO L1_INFO, "duplicate info: PerSM" },
    { "GPUCacheModel", "GPUCacheDriver", "duplicate info: Driver" },
    { "GPUCacheVersion", "GPUCacheMeasured", "duplicate info: Measured" },
    { "GPUCacheSMs", "GPUCache", "without a name" },
    { L1_INFO, "<info name=\"PerSM\"/>", "more than a name and a value" },
    { L1_INFO, "<info value=\"1\"/>", "more than a name and a value" },
    { L1_INFO, "<info name=\"\" value=\"1\"/>", "more than a name and a value" },
    { L1_INFO, "<info name=\"PerSM\" value=\"1\"><info/></info>", "more than a name and a value" },
    { L1_INFO, "<info name=\"" LONG_NAME "\" value=\"1\"/>", "too long" },
    { L1_INFO, "<info name=\"Per SM\" value=\"1\"/>", "not plain ASCII" },
    { L1_INFO, "<info name=\"a\" value=\"\xc3\xa9\"/>", "not plain ASCII" },
    { L1_INFO, "<info name=\"a\" value=\"&#27;[2J\"/>", "not well-formed" },
    { L1_INFO, "<info name=\"a\" value=\"&#10;\"/>", "not plain ASCII" },
    { L1_INFO, "<info name=\"a\" value=\"&x;\"/>", "an entity" },
    { L1_INFO, "<info name=\"a\" value=\"1\" value=\"2\"/>", "an attribute occurs twice" },
    { L1_INFO, "<info name=\"a\" value=\"&#x0x41;\"/>", "an entity" },
    { L1_INFO, "<info name=\"a\" value=\"&#65\"/>", "an entity" },
    { L1_INFO, "<info name=\"a\" value=\"a<b\"/>", "'<' in a value" },
    { L1_INFO, "<info name=\"a\" value=1/>", "without a value in quotes" },
    { L1_INFO, "<info name=\"a\" value/>", "without a value" },
    { L1_INFO, "<info name=\"a\"value=\"1\"/>", "no space" },
    { L1_INFO, "<info name=\"a\" value=\"\x01\"/>", "control character" },
    { L1_INFO, "<info name=\"a\" value=\"1\" / >", "a tag without an end" },
    { L1_INFO, "<info name=\"a\" value=\"1\"></other>", "does not match" },
    { L1_INFO, "<?php x?>", "'<' without a name" },
    { L1_INFO, "<!DOCTYPE topology>", "'<' without a name" },
    { L1_INFO, "<!-- cut", "the text is cut" },
    { "</topology>", "</topology></topology>", "at a wrong place" },
    { "</topology>", "</topology><topology/>", "something follows" },
    { "</topology>", "</topology>text", "text outside" },
    { "<!DOCTYPE", "<!DOCTYPE topology><!DOCTYPE", "a declaration at a wrong place" },
    { "<!DOCTYPE", "<?xml version=\"1.0\"?><!DOCTYPE", "a declaration at a wrong place" },
    { "value=\"580.95.05\"", "value=\"" LONG_NAME "\"", "value too long: Driver" },
    { "value=\"222720\"", "value=\"217KiB\"", "CapacityBytes" },
    { "value=\"31.5\"", "value=\"31,5\"", "LatencyCycles" },
    { "value=\"0.998\"", "value=\"1.5\"", "CapacityConfidence" },
    { "\"hwloc2.dtd\"", "\"hwloc2.dtd\" [<!ENTITY a \"b\">]", "its own DTD" },
    { "\"hwloc2.dtd\"", "\"hwloc2.dtd\" [<!ENTITY % a \"b\">]", "its own DTD" },
    { "\"hwloc2.dtd\"", "\"hwloc2.dtd\" [<!ENTITY a SYSTEM \"file:///etc/passwd\">]",
      "its own DTD" },
    { "\"hwloc2.dtd\"", "\"hwloc2.dtd\" [<!ATTLIST info value CDATA \"x\">]", "its own DTD" },
    { "\"hwloc2.dtd\"", "\"hwloc2.dtd\" [<?php x?>]", "its own DTD" },
    { "encoding=\"UTF-8\"?>", "encoding=\"UTF-8\"?>\n<a/>", "not a topology" },
  };
  char *good = fixture_text("record-good.xml");

  (void)state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    char *text = replaced(good, cases[i].from, cases[i].to);

    expect_refusal(text, cases[i].because);
    free(text);
  }
  free(good);
  expect_refusal("", "the file is empty");
  expect_refusal("\n", "not XML");
  expect_refusal("text", "not XML");
  expect_refusal(" <", "well-formed");
  expect_refusal("<topology version=\"2.0\"/>", "without a DeviceMemory");
}

/* Every key with a form, each with a value that no key of its kind has. */
static void refuses_values_without_the_form_of_their_key(void **state)
{
  static const struct {
    const char *key, *value;
  } cases[] = {
#define NUMBER(id, key, format, least, member, words) {key, "banana"}, {key, "-1"}, {key, ""},
#define LOOSE(key, least, member, words) {key, "banana"}, {key, "1.5"},
#define TEXT(id, key, pattern, between, write, words) {key, "banana!"}, {key, ""},
#define FACT(key, pattern, least, words) {key, pattern ? "banana" : NULL},
#include "record/property_table.h"
  };
  char *good = fixture_text("record-good.xml");
  char info[256], because[160], *text;

  (void)state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    if (!cases[i].value)
      continue;
    snprintf(because, sizeof(because), "form that its key requires: %s", cases[i].key);
    snprintf(info, sizeof(info), "<info name=\"%s\" value=\"%s\"/>", cases[i].key, cases[i].value);
    text = replaced(good, L1_INFO, info);
    expect_refusal(text, because);
    expect_refusal(text, "line 40");
    free(text);
    /* as a fact of the GPU */
    snprintf(info, sizeof(info), "GPUCache%s\" value=\"%s\"/>", cases[i].key, cases[i].value);
    text = replaced(good, "GPUCacheSMs\" value=\"132\"/>", info);
    expect_refusal(text, because);
    expect_refusal(text, "line 20");
    free(text);
  }
  free(good);
}

/* Entities that expand a kilobyte to a gigabyte: refused at the first declaration. */
static void refuses_entities_before_expanding_them(void **state)
{
  char *good = fixture_text("record-good.xml"), bomb[2048] = "\"hwloc2.dtd\" [<!ENTITY a0 \"aaaaaaaaaa\">";
  char *with_bomb, *text;

  (void)state;
  for (int i = 1; i < 12; i++)
    sprintf(bomb + strlen(bomb), "<!ENTITY a%d \"&a%d;&a%d;&a%d;&a%d;&a%d;&a%d;&a%d;&a%d;\">", i, i - 1,
            i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1);
  strcat(bomb, "]");
  with_bomb = replaced(good, "\"hwloc2.dtd\"", bomb);
  text = replaced(with_bomb, L1_INFO, "<info name=\"a\" value=\"&a11;\"/>");
  expect_refusal(text, "its own DTD");
  free(text);
  free(with_bomb);
  free(good);
}

/* n times `repeat` (with its number where it says %d) in place of L1_INFO. */
static char *crowded(unsigned n, const char *repeat)
{
  char *good = fixture_text("record-good.xml"), *many = calloc(n + 1, strlen(repeat) + 16), *text;
  size_t length = 0;

  for (unsigned i = 0; i < n; i++) {
    const char *number = strstr(repeat, "%d");

    length += (size_t)sprintf(many + length, "%.*s", (int)(number - repeat), repeat);
    length += (size_t)sprintf(many + length, "%u%s", i, number + 2);
  }
  text = replaced(good, L1_INFO, many);
  free(many);
  free(good);
  return text;
}

static void is_bounded(void **state)
{
  static const char info[] = "<info name=\"a%d\" value=\"1\"/>";
  struct gc_record *record;
  struct gc_error err;
  char *text, *big, *deep;

  (void)state;
  text = crowded(GC_RECORD_MAX_INFOS + 1, info);
  expect_refusal(text, "too many infos");
  free(text);
  text = crowded(GC_RECORD_MAX_INFOS - 20, info);
  assert_int_equal(read_text(text, strlen(text), &record, &err), 0);
  gc_record_free(record);
  free(text);

  text = crowded(GC_RECORD_MAX_ELEMENTS, "</object><object type=\"OSDev\" subtype=\"LDS\"><info "
                                         "name=\"b%d\" value=\"1\"/>");
  expect_refusal(text, "too many objects");
  free(text);

  text = fixture_text("record-good.xml");
  big = calloc(1, GC_RECORD_MAX_VALUE + 64);
  sprintf(big, "<info name=\"a\" value=\"%0*d\"/>", GC_RECORD_MAX_VALUE + 1, 0);
  deep = replaced(text, L1_INFO, big);
  expect_refusal(deep, "too long");
  free(deep);
  free(big);

  /* The longest allowed, and one more. */
  big = malloc(GC_RECORD_MAX_BYTES + 1);
  memset(big, ' ', GC_RECORD_MAX_BYTES + 1);
  memcpy(big, text, strlen(text));
  assert_int_equal(read_text(big, GC_RECORD_MAX_BYTES, &record, &err), 0);
  gc_record_free(record);
  assert_int_equal(read_text(big, GC_RECORD_MAX_BYTES + 1, &record, &err), -EBADMSG);
  assert_non_null(strstr(err.text, "longer than"));
  free(big);
  free(text);
}

static void is_bounded_in_attributes(void **state)
{
  char text[16384] = "<topology version=\"2.0\"";

  (void)state;
  for (int i = 0; i < GC_RECORD_MAX_ATTRIBUTES; i++)
    sprintf(text + strlen(text), " a%d=\"\"", i);
  strcat(text, "/>");
  expect_refusal(text, "too many attributes");
}

static void is_bounded_in_depth(void **state)
{
  char text[16384] = "<topology version=\"2.0\">";

  (void)state;
  for (int i = 0; i < GC_RECORD_MAX_DEPTH + 2; i++)
    strcat(text, "<object type=\"Group\">");
  strcat(text, "<object type=\"OSDev\" subtype=\"DeviceMemory\"/>");
  for (int i = 0; i < GC_RECORD_MAX_DEPTH + 2; i++)
    strcat(text, "</object>");
  strcat(text, "</topology>");
  expect_refusal(text, "too deep");
}

static void a_truncated_record_is_none(void **state)
{
  char *text = fixture_text("record-good.xml");
  size_t whole = (size_t)(strstr(text, "</topology>") - text) + strlen("</topology>");
  struct gc_record *record;
  struct gc_error err;

  (void)state;
  for (size_t length = 0; length <= strlen(text); length++) {
    int status = read_text(text, length, &record, &err);

    assert_int_equal(status, length < whole ? -EBADMSG : 0);
    if (status)
      assert_true(err.text[0] != '\0');
    gc_record_free(record);
  }
  free(text);
}

/* Any byte may be wrong. A text that is accepted must still be a tree with the id of its GPU. */
static void a_wrong_byte_does_no_harm(void **state)
{
  static const unsigned char flips[] = { 0x01, 0x10, 0x80, 0xff };
  char *text = fixture_text("record-good.xml");
  size_t length = strlen(text);
  struct gc_record *record;
  struct gc_error err;

  (void)state;
  for (size_t i = 0; i < length; i++) {
    unsigned char flip = flips[i % sizeof(flips)];

    text[i] = (char)(text[i] ^ flip);
    if (!read_text(text, length, &record, &err)) {
      assert_true(gc_id_ok(record->identity.id));
      assert_int_equal(record->elements[0].kind, GC_DEVICE_MEMORY);
      for (size_t k = 1; k < record->count; k++)
        assert_true(gc_record_parent(record, k) >= 0);
      gc_record_free(record);
    }
    text[i] = (char)(text[i] ^ flip);
  }
  free(text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(reads_what_hwloc_wrote),
    cmocka_unit_test(format_and_method_are_those_stated),
    cmocka_unit_test(refuses),
    cmocka_unit_test(refuses_values_without_the_form_of_their_key),
    cmocka_unit_test(refuses_entities_before_expanding_them),
    cmocka_unit_test(is_bounded),
    cmocka_unit_test(is_bounded_in_attributes),
    cmocka_unit_test(is_bounded_in_depth),
    cmocka_unit_test(a_truncated_record_is_none),
    cmocka_unit_test(a_wrong_byte_does_no_harm),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
