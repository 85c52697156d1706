/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Facts of the whole GPU that have a source: what the interface states, what a table states, and
 * what neither does.
 */
#include "measure/plan/facts.h"
#include "record/cores.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Rows of the table "Compute Capabilities", and minor numbers between two rows. */
static void cores_of_architectures(void **state)
{
  (void)state;
  assert_int_equal(gc_cores_of_capability(2, 0), 32);
  assert_int_equal(gc_cores_of_capability(2, 1), 48);
  assert_int_equal(gc_cores_of_capability(3, 5), 192);
  assert_int_equal(gc_cores_of_capability(5, 2), 128);
  assert_int_equal(gc_cores_of_capability(6, 0), 64);
  assert_int_equal(gc_cores_of_capability(6, 2), 128);
  assert_int_equal(gc_cores_of_capability(7, 5), 64);
  assert_int_equal(gc_cores_of_capability(8, 0), 64);
  assert_int_equal(gc_cores_of_capability(8, 9), 128);
  assert_int_equal(gc_cores_of_capability(9, 0), 128);
  assert_int_equal(gc_cores_of_capability(4, 0), 0);
  assert_int_equal(gc_cores_of_capability(99, 0), 0);
}

static void is(const struct gc_infos *infos, const char *name, const char *value)
{
  const char *text = gc_infos_get(infos, name);

  assert_int_equal(!text, !value);
  if (value)
    assert_string_equal(text, value);
}

static void sources(void **state)
{
  struct gc_properties p = {.cores_per_sm = 128, .constant_bytes = 65536, .local_l1 = true};
  struct gc_infos infos = {0};

  (void)state;
  assert_int_equal(gc_facts_publish(&p, 0, &infos), 0);
  is(&infos, "ConstantBytes", "65536");
  is(&infos, "ConstantSource", "api");
  is(&infos, "CoresPerSM", "128");
  is(&infos, "CoresPerSMSource", "table");
  is(&infos, "LocalLoadsInL1", "yes");
  is(&infos, "LocalLoadsInL1Source", "api");
  gc_infos_clear(&infos);

  p = (struct gc_properties){.sms = 1};
  assert_int_equal(gc_facts_publish(&p, 0, &infos), 0);
  is(&infos, "ConstantBytes", NULL);
  is(&infos, "ConstantSource", NULL);
  is(&infos, "CoresPerSM", NULL);
  assert_memory_equal(gc_infos_get(&infos, "CoresPerSMSource"), "absent:", 7);
  is(&infos, "LocalLoadsInL1", "no");
  gc_infos_clear(&infos);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cores_of_architectures),
      cmocka_unit_test(sources),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
