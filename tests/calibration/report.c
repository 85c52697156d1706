/* SPDX-License-Identifier: BSD-3-Clause */
#include "report.h"

static const char *const class_names[DRAWN_CLASSES] = {"quiet", "disturbed", "noise"};
static const char *const group_names[DRAWN_GROUPS] = {"other GPUs", "other noise", "other pages"};

void report_row(FILE *rows, const struct verdict *v)
{
  static const char *const claims[] = {"absent", "at_least", "value"};

  fprintf(rows, "%llu\t%s\t%s\t%s\t%s\t%s\t%d\t%d\t%.4f\t%s\t%s\t%s%s\n",
          (unsigned long long)v->gpu, group_names[v->group], class_names[v->class],
          gc_kind_name(v->kind), gc_properties_names[v->property], claims[v->claim], v->right,
          v->nothing_there, v->confidence, v->value, v->truth, v->why,
          v->false_reason ? " (false)" : "");
}

static void print_count(const char *first, const char *second, const struct count *count)
{
  printf("| %-16s | %-16s | %6lu", first, second, count->values);
  if (count->values)
    printf(" | %6.4f | %5lu | %6.2f %%", count->confidence / (double)count->values,
           count->values - count->right, percent(count->right, count->values));
  else
    printf(" | %6s | %5s | %8s", "", "", "");
}

static void report_bins(const struct tally *t)
{
  char what[32];

  printf("\n| property | confidence | values | stated | wrong | right |\n"
         "|---|---|---:|---:|---:|---:|\n");
  for (int property = 0; property < GC_PROPERTY_COUNT; property++)
    for (size_t b = 0; b < BINS; b++) {
      const struct count count = tally_bin(t, property, b);

      if (!count.values)
        continue;
      snprintf(what, sizeof(what), "%.4g to %.4g", gc_earned_bins[b],
               b + 1 < BINS ? gc_earned_bins[b + 1] : 1);
      print_count(gc_properties_names[property], what, &count);
      printf(" |\n");
    }
}

/* "3 of 120" */
static void print_absent(const struct tally *t, int class, int kind, int property)
{
  printf(" | %4lu of %4lu", t->absent[class][kind][property], t->asked[class][kind][property]);
}

static void report_elements(const struct tally *t)
{
  printf("\n| element | property | values with %.2f or more | stated | wrong | right | absent on "
         "quiet GPUs | on disturbed ones |\n|---|---|---:|---:|---:|---:|---:|---:|\n",
         SURE);
  for (int kind = 0; kind <= GC_WHOLE_GPU; kind++)
    for (int property = 0; property < GC_PROPERTY_COUNT; property++)
      if (t->asked[DRAWN_QUIET][kind][property] + t->asked[DRAWN_DISTURBED][kind][property]) {
        print_count(gc_kind_name((enum gc_kind)kind), gc_properties_names[property],
                    &t->kinds[kind][property]);
        print_absent(t, DRAWN_QUIET, kind, property);
        print_absent(t, DRAWN_DISTURBED, kind, property);
        printf(" |\n");
      }
}

static void report_groups(const struct tally *t)
{
  printf("\n| %.2f or more | | values | stated | wrong | right |\n|---|---|---:|---:|---:|---:|\n",
         SURE);
  for (int property = 0; property < GC_PROPERTY_COUNT; property++)
    for (int group = 0; group < DRAWN_GROUPS; group++)
      if (t->sure[group][property].values) {
        print_count(gc_properties_names[property], group_names[group], &t->sure[group][property]);
        printf(" |\n");
      }
  for (int class = 0; class < DRAWN_CLASSES; class ++) {
    print_count("all", class_names[class], &t->classes[class]);
    printf(" |\n");
  }
}

void report(const struct tally *t)
{
  report_bins(t);
  report_groups(t);
  report_elements(t);
  printf("\nvalues reported where there is nothing to find:");
  for (int i = 0; i < GC_PROPERTY_COUNT; i++)
    if (t->nothing_there[i])
      printf(" %s %lu of %lu;", gc_properties_names[i], t->invented[i], t->nothing_there[i]);
  printf("\n\"at least\" reported: %lu, right: %lu\n\n", t->bound.values, t->bound.right);
}
