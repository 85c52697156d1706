/* SPDX-License-Identifier: BSD-3-Clause */
#include "tally.h"

static void add(struct count *count, const struct verdict *v)
{
  count->values++;
  count->right += v->right;
  count->confidence += v->confidence;
}

static void add_value(struct tally *t, const struct verdict *v)
{
  if (v->confidence < GC_CONFIDENCE_LEAST)
    add(&t->doubtful[v->property], v);
  else
    add(&t->bin[v->group][v->property][gc_earned_bin(v->confidence)], v);
  if (v->confidence < SURE)
    return;
  add(&t->sure[v->group][v->property], v);
  add(&t->kinds[v->kind][v->property], v);
  add(&t->classes[v->class], v);
}

void tally_add(struct tally *t, const struct verdict *v)
{
  if (v->nothing_there) {
    t->nothing_there[v->property]++;
    t->invented[v->property] += v->claim == CLAIM_VALUE;
  } else {
    t->asked[v->class][v->kind][v->property]++;
    t->absent[v->class][v->kind][v->property] += v->claim != CLAIM_VALUE;
  }
  t->false_reasons += v->false_reason;
  if (v->claim == CLAIM_AT_LEAST)
    add(&t->bound, v);
  if (v->claim == CLAIM_VALUE)
    add_value(t, v);
}

struct count tally_bin(const struct tally *t, int property, size_t bin)
{
  struct count sum = {0};

  for (int group = 0; group < DRAWN_GROUPS; group++) {
    sum.values += t->bin[group][property][bin].values;
    sum.right += t->bin[group][property][bin].right;
    sum.confidence += t->bin[group][property][bin].confidence;
  }
  return sum;
}

double percent(unsigned long part, unsigned long whole)
{
  return whole ? 100.0 * (double)part / (double)whole : 0;
}
