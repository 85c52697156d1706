/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The time that the reader of records takes grows with the length of the text, not with its square.
 * Four times the length may take at most ten times the time (the square would take sixteen times).
 */
#include "fuzz.h"

#include "record/record.h"
#include "record/reader.h"

#include <string.h>
#include <time.h>

#define HEAD "<?xml version=\"1.0\"?>\n<topology version=\"2.0\">"
#define LONG (256u << 10)

/* Fills a text of this length with numbered repetitions of the pattern. */
static size_t fill(char *text, size_t size, const char *pattern, const char *before)
{
  size_t length = (size_t)sprintf(text, HEAD "%s", before);

  for (unsigned i = 0; length + 100 < size; i++)
    length += (size_t)sprintf(text + length, pattern, i);
  return length;
}

/* Milliseconds of processor time: other processes do not count. */
static double used_ms(void)
{
  struct timespec t;

  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* The shortest of several times, in ms. */
static double time_of(const char *text, size_t length)
{
  double best = 1e9;

  for (int i = 0; i < 7; i++) {
    double start = used_ms(), ms;
    struct gc_record *record = NULL;
    struct gc_error err;

    if (!gc_record_read_xml(text, length, &record, &err))
      gc_record_free(record);
    ms = used_ms() - start;
    best = ms < best ? ms : best;
  }
  return best;
}

int main(void)
{
  static const struct {
    const char *what, *pattern, *before;
  } cases[] = {
      {"attributes", " a%u=\"1\"", "<object type=\"Machine\""},
      {"attributes without a space", "a%u=\"\"", "<object type=\"Machine\" "},
      {"infos", "<info name=\"n%u\" value=\"1\"/>",
       "<object type=\"OSDev\" subtype=\"DeviceMemory\">"},
      {"infos of other objects", "<info name=\"n%u\" value=\"1\"/>", "<object type=\"Machine\">"},
      {"objects, nested", "<object type=\"Group\" os_index=\"%u\">", ""},
      {"objects, one after the other", "<object type=\"PU\" os_index=\"%u\"/>",
       "<object type=\"Machine\">"},
      {"unknown elements, nested", "<e%u>", ""},
      {"comments", "<!-- %u -->", ""},
      {"characters", "&lt;&#%u;", "<object type=\"Machine\" name=\""},
      {"declarations", "<!ENTITY e%u \"x\">", "<!DOCTYPE topology ["},
  };
  char *text = malloc(LONG);
  int failed = 0;

  PROMISE(text);
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    double quarter = 0, whole = 0;
    int linear = 0;

    /* Another process may have disturbed one of the times. */
    for (int attempt = 0; !linear && attempt < 5; attempt++) {
      quarter = time_of(text, fill(text, LONG / 4, cases[i].pattern, cases[i].before));
      whole = time_of(text, fill(text, LONG, cases[i].pattern, cases[i].before));
      linear = whole < 10 * quarter + 0.5;
    }
    printf("%s %s: %.2f ms for 64 KiB, %.2f ms for 256 KiB\n", linear ? "ok" : "FAILED",
           cases[i].what, quarter, whole);
    failed |= !linear;
  }
  free(text);
  return failed;
}
