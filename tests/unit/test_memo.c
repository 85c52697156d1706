/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The memos that steps keep for later steps: each one is found until it is dropped, and is released
 * once. The memory of a step: it is zeroed, and freed once.
 */
#include "measure/core/memo.h"
#include "measure/core/step_memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct note {
  uint64_t value;
  char *text; /* allocated: a missing or a second release is a leak or an error under the sanitizers */
};

static unsigned released;

static void release(void *memo)
{
  struct note *note = memo;

  free(note->text);
  released++;
}

static const struct gc_memo_type first_type = {sizeof(struct note), release};
static const struct gc_memo_type second_type = {sizeof(struct note), release};
static const struct gc_memo_type plain_type = {64, NULL};

static struct note *keep(struct gc_memo **list, const struct gc_memo_type *type, uint64_t value)
{
  struct gc_error err = {""};
  struct note *note = gc_memo_keep(list, type, &err);

  assert_non_null(note);
  assert_true(!note->value && !note->text); /* zeroed */
  note->value = value;
  assert_non_null(note->text = strdup("what a step has found"));
  return note;
}

static uint64_t kept(struct gc_memo *list, const struct gc_memo_type *type)
{
  const struct note *note = gc_memo_find(list, type);

  return note ? note->value : 0;
}

static void a_memo_is_found_until_it_is_dropped(void **state)
{
  struct gc_memo *list = NULL;

  (void)state;
  released = 0;
  assert_null(gc_memo_find(list, &first_type));
  keep(&list, &first_type, 1);
  keep(&list, &second_type, 2);
  assert_int_equal(kept(list, &first_type), 1);
  assert_int_equal(kept(list, &second_type), 2);
  gc_memo_drop(&list, &first_type);
  assert_int_equal(released, 1);
  assert_null(gc_memo_find(list, &first_type));
  assert_int_equal(kept(list, &second_type), 2);
  gc_memo_drop(&list, &first_type); /* there is none any more */
  assert_int_equal(released, 1);
  gc_memo_drop(&list, &second_type);
  assert_int_equal(released, 2);
  assert_null(list);
}

static void a_new_memo_replaces_the_old_one(void **state)
{
  struct gc_memo *list = NULL;

  (void)state;
  released = 0;
  keep(&list, &first_type, 1);
  keep(&list, &second_type, 2);
  keep(&list, &first_type, 3);
  assert_int_equal(released, 1);
  assert_int_equal(kept(list, &first_type), 3);
  assert_int_equal(kept(list, &second_type), 2);
  gc_memo_drop_all(&list);
  assert_int_equal(released, 3);
}

static void all_memos_are_dropped_once(void **state)
{
  struct gc_memo *list = NULL;
  struct gc_error err = {""};

  (void)state;
  released = 0;
  keep(&list, &first_type, 1);
  assert_non_null(gc_memo_keep(&list, &plain_type, &err)); /* has nothing to release */
  keep(&list, &second_type, 2);
  gc_memo_drop_all(&list);
  assert_int_equal(released, 2);
  assert_null(list);
  gc_memo_drop_all(&list);
  assert_int_equal(released, 2);
}

/* The sanitizers see a block that is freed twice or never, and an access beyond the last byte. */
static void memory_of_a_step_is_freed_once(void **state)
{
  struct gc_error err = {""};
  struct gc_bench bench = {.err = &err};
  uint64_t *kept, *last;

  (void)state;
  assert_non_null(kept = gc_step_alloc(&bench, 3, sizeof(*kept)));
  assert_true(!kept[0] && !kept[1] && !kept[2]);
  assert_non_null(last = gc_step_alloc(&bench, 5, sizeof(*last)));
  assert_non_null(gc_step_alloc(&bench, 0, 1));
  kept[2] = last[4] = 7;
  gc_step_free(&bench, NULL);
  gc_step_free(&bench, last); /* and what came after it */
  assert_int_equal(kept[2], 7);
  assert_null(gc_step_alloc(&bench, SIZE_MAX / 4, 8));
  assert_string_equal(err.text, "out of memory");
  gc_step_free_all(&bench);
  gc_step_free_all(&bench);
  assert_null(bench.step_memory);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_memo_is_found_until_it_is_dropped),
    cmocka_unit_test(a_new_memo_replaces_the_old_one),
    cmocka_unit_test(all_memos_are_dropped_once),
    cmocka_unit_test(memory_of_a_step_is_freed_once),
  };

  return cmocka_run_group_tests_name("memo", tests, NULL, NULL);
}
