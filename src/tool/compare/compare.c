/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * hwloc-gpucache compare: reads both sides, or one fleet, and decides on the exit code.
 */
#include "tool/commands.h"

#include "tool/compare/match.h"
#include "tool/compare/print.h"
#include "tool/gpus/targets.h"
#include "tool/print/messages.h"
#include "tool/sources/sources.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* One run of the command. */
struct run {
  const struct gc_tool *tool;
  struct gc_subjects subjects;
  struct gc_comparison report;
  size_t unreadable; /* files and directories that were skipped */
  bool different;
  json_t *pairs; /* --json: an array */
  size_t pair_count, differing_pairs;
};

static int no_memory(void)
{
  gc_no_memory();
  return GC_COMPARE_FAILED;
}

/* --- reading -----------------------------------------------------------------------------------
 */

/* The state of reading a directory. */
struct reading {
  struct gc_subjects *subjects;
  size_t prefix; /* characters of the names that are the directory itself */
};

static int add_source(const struct gc_source *source, void *data)
{
  const struct reading *reading = data;

  return gc_subjects_add(reading->subjects, source->name + reading->prefix, source->record);
}

static int read_directory(struct run *run, const char *path)
{
  struct reading reading = {&run->subjects, strlen(path) + 1};
  struct gc_error err = {""};
  int status = gc_sources_visit_directory(path, add_source, &reading, &run->unreadable, &err);

  if (status)
    gc_say(NULL, "%s", err.text);
  return status ? GC_COMPARE_FAILED : GC_COMPARE_ALIKE;
}

/* A file, or GPUs of this machine. */
static int read_others(struct run *run, char *word)
{
  struct reading reading = {&run->subjects, 0};
  struct gc_tool one = *run->tool;
  struct gc_sources sources;
  int status, failed = 0;

  one.words = &word;
  one.count = 1;
  status = gc_sources_of_words(&one, &sources);
  for (size_t i = 0; status == GC_EXIT_DONE && !failed && i < sources.count; i++)
    failed = add_source(&sources.array[i], &reading);
  gc_sources_free(&sources);
  if (failed)
    return no_memory();
  if (status == GC_EXIT_DONE)
    return GC_COMPARE_ALIKE;
  return status == GC_EXIT_USAGE ? GC_COMPARE_USAGE : GC_COMPARE_FAILED;
}

static int read_side(struct run *run, char *word, struct gc_matched_side *side)
{
  struct stat file;
  int status;

  side->first = run->subjects.count;
  side->is_directory = gc_targets_is_path(word) && !stat(word, &file) && S_ISDIR(file.st_mode);
  status = side->is_directory ? read_directory(run, word) : read_others(run, word);
  side->count = run->subjects.count - side->first;
  return status;
}

/* --- two sides ---------------------------------------------------------------------------------
 */

/* Compares two GPUs and prints the result, unless they are two of many and alike. */
static int compare_pair(struct run *run, size_t a, size_t b, bool always)
{
  struct gc_pair pair;
  int status = gc_pair_compare(&run->subjects, &run->subjects.array[a], &run->subjects.array[b],
                               run->report.tolerance, &pair);

  if (status)
    return status;
  if (run->tool->json) {
    gc_json_add(&run->pairs, gc_json_pair(&run->report, &pair));
  } else if (always || pair.counting) {
    status = gc_print_pair(&run->report, &pair);
    if (!always)
      putchar('\n');
  }
  run->pair_count++;
  run->differing_pairs += pair.counting > 0;
  run->different |= pair.counting > 0;
  gc_pair_free(&pair);
  return status;
}

/* Lists the GPUs of one side only. Returns their number. */
static size_t print_lonely(const struct run *run, const struct gc_match *matches, size_t count,
                           bool of_a, json_t **array)
{
  size_t lonely = 0;

  for (size_t i = 0; i < count; i++) {
    const size_t subject = of_a ? matches[i].a : matches[i].b;

    if ((of_a ? matches[i].b : matches[i].a) != GC_NOBODY)
      continue;
    if (run->tool->json)
      gc_json_add(array, gc_json_subject(&run->subjects.array[subject]));
    else
      printf("only in %c: %s, %s\n", of_a ? 'A' : 'B', run->subjects.array[subject].name,
             run->subjects.array[subject].id);
    lonely++;
  }
  return lonely;
}

/* Members of both kinds of results. */
static void set_result(const struct run *run, json_t **object)
{
  gc_json_set(object, "alike", json_boolean(!run->different && !run->unreadable));
  gc_json_set_whole(object, "unreadable", run->unreadable);
  gc_json_set(object, "pairs", json_incref(run->pairs));
}

static int print_two_sides(struct run *run, const struct gc_match *matches, size_t count)
{
  json_t *only_a = json_array(), *only_b = json_array();
  const size_t lonely_a = print_lonely(run, matches, count, true, &only_a);
  const size_t lonely_b = print_lonely(run, matches, count, false, &only_b);

  run->different |= lonely_a || lonely_b;
  if (run->tool->json) {
    json_t *object = json_object();

    set_result(run, &object);
    gc_json_set(&object, "onlyInA", only_a);
    gc_json_set(&object, "onlyInB", only_b);
    return gc_json_print(object, 15);
  }
  json_decref(only_a);
  json_decref(only_b);
  if (count > 1)
    printf("pairs of GPUs: %zu different, %zu alike; %zu only in A, %zu only in B\n",
           run->differing_pairs, run->pair_count - run->differing_pairs, lonely_a, lonely_b);
  return 0;
}

static int compare_sides(struct run *run, const struct gc_matched_side *a,
                         const struct gc_matched_side *b)
{
  struct gc_match *matches;
  size_t count, pairs = 0;
  int status = gc_match_sides(&run->subjects, a, b, &matches, &count);

  if (status)
    return no_memory();
  for (size_t i = 0; i < count; i++)
    pairs += matches[i].a != GC_NOBODY && matches[i].b != GC_NOBODY;
  if (!pairs) {
    gc_say(NULL,
           "no GPU of %s has a partner in %s: partners have the same id, and, if several have this "
           "id, files of the same name",
           run->tool->words[0], run->tool->words[1]);
    free(matches);
    return GC_COMPARE_FAILED;
  }
  for (size_t i = 0; !status && i < count; i++)
    if (matches[i].a != GC_NOBODY && matches[i].b != GC_NOBODY)
      status = compare_pair(run, matches[i].a, matches[i].b, count == 1);
  if (!status)
    status = print_two_sides(run, matches, count);
  free(matches);
  return status ? no_memory() : GC_COMPARE_ALIKE;
}

/* --- a fleet -----------------------------------------------------------------------------------
 */

/* Groups of two GPUs. */
static int compare_couples(struct run *run, const struct gc_fleet *fleet)
{
  int status = 0;

  for (size_t i = 0; !status && i < fleet->group_count; i++) {
    const struct gc_group *group = &fleet->groups[i];

    if (group->count == 2)
      status = compare_pair(run, fleet->order[group->first], fleet->order[group->first + 1], false);
  }
  return status;
}

static int print_fleet(struct run *run, const struct gc_fleet *fleet)
{
  json_t *object;

  if (!run->tool->json)
    return gc_print_fleet(&run->report, fleet);
  object = gc_json_fleet(&run->report, fleet);
  set_result(run, &object);
  return gc_json_print(object, 15);
}

static int compare_fleet(struct run *run)
{
  struct gc_fleet fleet;
  size_t largest = 0;
  int status = gc_fleet_compare(&run->subjects, run->report.tolerance, &fleet);

  if (status)
    return no_memory();
  for (size_t i = 0; i < fleet.group_count; i++)
    largest = fleet.groups[i].count > largest ? fleet.groups[i].count : largest;
  run->different = fleet.outlier_count > 0;
  for (size_t i = 0; i < fleet.divided_count; i++)
    run->different |= !run->subjects.properties[fleet.divided[i].property].limit.by_board;
  if (largest > 1) {
    status = compare_couples(run, &fleet);
    if (!status)
      status = print_fleet(run, &fleet);
  }
  gc_fleet_free(&fleet);
  if (status)
    return no_memory();
  if (run->pair_count && !run->tool->json)
    printf("pairs of GPUs: %zu different, %zu alike\n", run->differing_pairs,
           run->pair_count - run->differing_pairs);
  if (largest > 1)
    return GC_COMPARE_ALIKE;
  gc_say(NULL,
         run->subjects.count == 1 ? "%s has one GPU; name a second GPU or file"
                                  : "nothing was compared: no two GPUs of %s are of the same kind; "
                                    "name a second GPU or file",
         run->tool->words[0]);
  return GC_COMPARE_FAILED;
}

/* -----------------------------------------------------------------------------------------------
 */

static int compare_all(struct run *run)
{
  struct gc_matched_side sides[2];
  int status = GC_COMPARE_ALIKE;

  for (size_t i = 0; i < run->tool->count; i++) {
    status = read_side(run, run->tool->words[i], &sides[i]);
    if (status != GC_COMPARE_ALIKE)
      return status;
  }
  run->pairs = json_array();
  status = run->tool->count > 1 ? compare_sides(run, &sides[0], &sides[1]) : compare_fleet(run);
  if (status != GC_COMPARE_ALIKE)
    return status;
  if (run->unreadable) {
    gc_say(NULL, "the comparison is incomplete: %zu %s not be read", run->unreadable,
           run->unreadable == 1 ? "file or directory could" : "files or directories could");
    return GC_COMPARE_FAILED;
  }
  return run->different ? GC_COMPARE_DIFFERENT : GC_COMPARE_ALIKE;
}

int gc_tool_compare(const struct gc_tool *tool)
{
  struct run run = {.tool = tool};
  int status;

  run.report = (struct gc_comparison){&run.subjects, tool->tolerance};
  status = compare_all(&run);
  json_decref(run.pairs);
  gc_subjects_free(&run.subjects);
  return status;
}
