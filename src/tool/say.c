/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Sentences on stderr. The plugin takes the last line of this form as the GPU's status.
 */
#include "tool/tool.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void gc_say(const char *gpu, const char *format, ...)
{
  char text[1024];
  va_list args;

  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  gc_make_printable(text);
  gc_progress_erase();
  /* one call, so that lines of processes side by side do not mix */
  fprintf(stderr, "%s: %s%s%s\n", GC_TOOL_NAME, gpu ? gpu : "", gpu ? ": " : "", text);
}

int gc_worse(int a, int b)
{
  static const int weight[] = {[GC_EXIT_DONE] = 0, [GC_EXIT_NO_GPU] = 1, [GC_EXIT_USAGE] = 2,
                               [GC_EXIT_FAILED] = 3};

  return weight[a] >= weight[b] ? a : b;
}

static bool is_said(const char *sentence)
{
  return sentence && *sentence;
}

static bool is_same(const char *a, const char *b)
{
  return is_said(a) && is_said(b) && !strcmp(a, b);
}

/* The last of the GPUs from i on whose numbers follow each other and who have i's sentence. */
static size_t last_in_row(const struct gc_result *results, const char *const *sentences, size_t i,
                          size_t count)
{
  while (i + 1 < count && results[i + 1].gpu == results[i].gpu + 1 &&
         is_same(sentences[i], sentences[i + 1]))
    i++;
  return i;
}

void gc_say_once(const struct gc_result *results, const char *const *sentences, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    char names[256] = "";
    bool said = !is_said(sentences[i]);

    for (size_t k = 0; k < i && !said; k++)
      said = is_same(sentences[k], sentences[i]);
    if (said)
      continue;
    for (size_t k = i, last; k < count; k = last + 1) {
      const size_t used = strlen(names);

      last = k;
      if (!is_same(sentences[k], sentences[i]))
        continue;
      last = last_in_row(results, sentences, k, count);
      snprintf(names + used, sizeof names - used, "%s%s%s%s", used ? ", " : "", results[k].gpu->name,
               last == k ? "" : last == k + 1 ? ", " : " to ",
               last == k ? "" : results[last].gpu->name);
    }
    gc_say(names, "%s", sentences[i]);
  }
}
