/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/compare/print.h"

#include "tool/print/table.h"
#include "tool/print/terminal.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDEST 40

static size_t common_beginning(const char *a, const char *b)
{
  size_t n = 0, separator = 0;

  for (; a[n] && a[n] == b[n]; n++)
    if (strchr(", :", a[n]))
      separator = n + 1;
  return separator;
}

/* Writes the value of a property as it is printed, at most 40 characters: of a long text, the part
 * in which it differs from `other` (may be NULL). A missing value: "absent: " and the reason. */
static void print_value(const struct gc_compared_value *value,
                        const struct gc_compared_value *other, char *text, size_t size)
{
  const char *has = value->state == GC_MISSING ? "not in the record" : value->text;
  size_t skip = 0;

  if (value->state == GC_NO_VALUE) {
    snprintf(text, size, "absent: %s", has);
    return;
  }
  if (value->state == GC_VALUE && other && other->state == GC_VALUE && strlen(has) > WIDEST)
    skip = common_beginning(has, other->text);
  if (strlen(has) - skip <= WIDEST)
    snprintf(text, size, "%s%s", skip ? "..." : "", has + skip);
  else
    snprintf(text, size, "%s%.*s...", skip ? "..." : "", WIDEST - 3, has + skip);
  if (value->state == GC_VALUE && other && other->state == GC_VALUE && value->source &&
      other->source && value->source != other->source)
    snprintf(text + strlen(text), size - strlen(text), " (%s)", value->source);
}

static void print_percent(double percent, char *text)
{
  if (isfinite(percent))
    snprintf(text, GC_CELL, "%+.2f %%", percent);
}

static void print_subject(const char *label, const struct gc_subject *subject)
{
  gc_terminal_say("%s  %s, %s\n   %s, driver %s, measured %s", label, subject->name, subject->id,
                  *subject->model ? subject->model : "unknown model",
                  *subject->driver ? subject->driver : "unknown",
                  *subject->measured ? subject->measured : "at an unknown time");
}

static void print_note(const char *sentence, void *data)
{
  (void)data;
  gc_terminal_say("%s", sentence);
}

static int start_table(struct gc_table *table, const char *const *titles, size_t columns)
{
  return gc_table_start(table, titles, columns, 0) ? -ENOMEM : 0;
}

/* A row of a property that differs. */
static int add_difference(const struct gc_comparison *report, const struct gc_pair *pair,
                          const struct gc_difference *difference, struct gc_table *table)
{
  const struct gc_compared_property *property = &report->subjects->properties[difference->property];
  const struct gc_compared_value *a = gc_subject_value(pair->a, difference->property);
  const struct gc_compared_value *b = gc_subject_value(pair->b, difference->property);
  char(*row)[GC_CELL] = gc_table_row(table);

  if (!row)
    return -ENOMEM;
  snprintf(row[0], GC_CELL, "%s", gc_property_element(property));
  snprintf(row[1], GC_CELL, "%s", gc_property_title(property));
  print_value(a, b, row[2], GC_CELL);
  print_value(b, a, row[3], GC_CELL);
  if (difference->why) {
    snprintf(row[4], GC_CELL, "%s", difference->why);
    return 0;
  }
  if (property->limit.alike == GC_WITHIN && a->state == b->state)
    print_percent(difference->percent, row[4]);
  gc_limit_text(&property->limit, report->tolerance, row[5], GC_CELL);
  return 0;
}

static int print_differences(const struct gc_comparison *report, const struct gc_pair *pair,
                             size_t first, size_t end, bool counting)
{
  static const char *const titles[] = {"ELEMENT", "PROPERTY", "A", "B", "DIFFERENCE", "LIMIT"};
  static const char *const other_titles[] = {"ELEMENT", "PROPERTY", "A", "B", "WHY NOT"};
  struct gc_table table;
  int status = counting ? start_table(&table, titles, 6) : start_table(&table, other_titles, 5);

  for (size_t i = first; !status && i < end; i++)
    status = add_difference(report, pair, &pair->differences[i], &table);
  gc_table_print_all(&table, "  ", 2);
  return status;
}

int gc_print_pair(const struct gc_comparison *report, const struct gc_pair *pair)
{
  int status = 0;

  print_subject("A", pair->a);
  print_subject("B", pair->b);
  gc_pair_notes(pair->a, pair->b, print_note, NULL);
  if (pair->counting) {
    gc_terminal_say("different: %zu; %zu values compared", pair->counting, pair->compared);
    status = print_differences(report, pair, 0, pair->counting, true);
  } else {
    gc_terminal_say("alike: %zu values are within their limits", pair->compared);
  }
  if (pair->count > pair->counting && !status) {
    gc_terminal_say("not counted, because only one of the two has a value: %zu",
                    pair->count - pair->counting);
    status = print_differences(report, pair, pair->counting, pair->count, false);
  }
  return status;
}

/* --- fleets ------------------------------------------------------------------------------------
 */

static int add_outlier(const struct gc_comparison *report, const struct gc_outlier *outlier,
                       struct gc_table *table)
{
  const struct gc_subject *subject = &report->subjects->array[outlier->subject];
  const struct gc_compared_property *property = &report->subjects->properties[outlier->property];
  const struct gc_compared_value usual = {.text = outlier->usual, .state = GC_VALUE};
  const struct gc_compared_value *value = gc_subject_value(subject, outlier->property);
  char(*row)[GC_CELL] = gc_table_row(table);

  if (!row)
    return -ENOMEM;
  snprintf(row[0], GC_CELL, "%s", subject->name);
  snprintf(row[1], GC_CELL, "%s", gc_property_element(property));
  snprintf(row[2], GC_CELL, "%s", gc_property_title(property));
  print_value(value, outlier->usual ? &usual : NULL, row[3], GC_CELL);
  if (outlier->usual) {
    print_value(&usual, value, row[4], GC_CELL);
  } else {
    snprintf(row[4], GC_CELL, "%.10g", outlier->median);
    print_percent(outlier->percent, row[5]);
    if (isfinite(outlier->sigmas))
      snprintf(row[6], GC_CELL, "%+.1f", outlier->sigmas);
  }
  return 0;
}

static int print_outliers(const struct gc_comparison *report, const struct gc_fleet *fleet)
{
  static const char *const titles[] = {"GPU",    "ELEMENT",    "PROPERTY", "VALUE",
                                       "MEDIAN", "DIFFERENCE", "SIGMAS"};
  struct gc_table table;
  int status;

  if (!fleet->outlier_count)
    return 0;
  gc_terminal_say("OUTLIERS: values that differ from those of equal GPUs");
  status = start_table(&table, titles, 7);
  for (size_t i = 0; !status && i < fleet->outlier_count; i++)
    status = add_outlier(report, &fleet->outliers[i], &table);
  gc_table_print_all(&table, "  ", 3);
  putchar('\n');
  return status;
}

static int add_divided(const struct gc_comparison *report, const struct gc_fleet *fleet,
                       const struct gc_divided *divided, struct gc_table *table)
{
  const struct gc_compared_property *property = &report->subjects->properties[divided->property];
  const struct gc_group *group = &fleet->groups[divided->group];
  char(*row)[GC_CELL] = gc_table_row(table);

  if (!row)
    return -ENOMEM;
  snprintf(row[0], GC_CELL, "%s", gc_property_element(property));
  snprintf(row[1], GC_CELL, "%s", gc_property_title(property));
  snprintf(row[2], GC_CELL, "%zu of %zu", divided->deviating, group->count);
  if (divided->with < group->count)
    snprintf(row[3], GC_CELL, "%zu have a value", divided->with);
  else if (property->limit.alike == GC_WITHIN)
    snprintf(row[3], GC_CELL, "%.10g to %.10g, median %.10g", divided->low, divided->high,
             divided->median);
  snprintf(row[4], GC_CELL, "%s",
           property->limit.by_board ? "depends on the SMs that are enabled: not counted" : "");
  return 0;
}

static int print_divided(const struct gc_comparison *report, const struct gc_fleet *fleet)
{
  static const char *const titles[] = {"ELEMENT", "PROPERTY", "DEVIATE", "VALUES", "NOTE"};
  struct gc_table table;
  int status;

  if (!fleet->divided_count)
    return 0;
  gc_terminal_say("DIVIDED: properties in which too many GPUs deviate to call them outliers");
  status = start_table(&table, titles, 5);
  for (size_t i = 0; !status && i < fleet->divided_count; i++)
    status = add_divided(report, fleet, &fleet->divided[i], &table);
  gc_table_print_all(&table, "  ", 2);
  putchar('\n');
  return status;
}

static void print_groups(const struct gc_fleet *fleet)
{
  char text[512];

  for (size_t i = 0; i < fleet->group_count; i++) {
    const struct gc_group *group = &fleet->groups[i];
    const size_t first = fleet->order[group->first];

    gc_group_text(fleet->subjects, first, text, sizeof text);
    gc_terminal_say("%6zu  %s%s", group->count, text,
                    group->count == 1               ? ": not compared, no other GPU is like it"
                    : group->count < GC_FLEET_LEAST ? ": compared with each other"
                                                    : "");
    if (group->count == 1)
      gc_terminal_say("        %s", fleet->subjects->array[first].name);
  }
}

static int by_id(const void *x, const void *y)
{
  const char *const *a = x, *const *b = y;

  return strcmp(*a, *b);
}

/* Files that were gathered twice, or a GPU that has moved to another node. */
static int print_repeated(const struct gc_subjects *subjects)
{
  const char **ids = calloc(subjects->count + 1, sizeof *ids);
  size_t repeated = 0;

  if (!ids)
    return -ENOMEM;
  for (size_t i = 0; i < subjects->count; i++)
    ids[i] = subjects->array[i].id;
  qsort(ids, subjects->count, sizeof *ids, by_id);
  for (size_t i = 1; i < subjects->count; i++)
    repeated += !strcmp(ids[i - 1], ids[i]);
  if (repeated)
    gc_terminal_say("records that repeat a GPU: %zu", repeated);
  free(ids);
  return 0;
}

int gc_print_fleet(const struct gc_comparison *report, const struct gc_fleet *fleet)
{
  const size_t gpus = report->subjects->count;
  int status = print_outliers(report, fleet);

  if (!status)
    status = print_divided(report, fleet);
  puts("  GPUS  KIND");
  print_groups(fleet);
  if (fleet->comparisons > 0)
    gc_terminal_say(
        "Outliers are beyond the limit of their property and %.1f sigmas, for %.0f numbers.",
        fleet->sigmas, fleet->comparisons);
  if (!status)
    status = print_repeated(report->subjects);
  gc_terminal_say("%zu GPU%s, %zu kind%s: %zu with outliers", gpus, gpus == 1 ? "" : "s",
                  fleet->group_count, fleet->group_count == 1 ? "" : "s", fleet->outlier_gpus);
  return status;
}
