/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * replay [--markdown] [FOLDER]: applies our statistics to MT4G's raw data. Prints the results next to
 * MT4G's conclusions from the same data, and the reasons for differences. --markdown prints the tables of
 * doc/results/replay.md.
 */
#include "tests/replay/corpus.h"
#include "tests/replay/judge.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SURELY_SLOW 1.5 /* times the median hit, if no threshold was found */

/* Compares our answer and MT4G's in one sentence. */
static void explain(const struct corpus_file *file, const struct trace *trace,
                    const struct judgement *j, char *text, size_t size)
{
  const struct trace_row *row = trace_at(trace, file->peer_bytes);
  const struct trace_row *last = &trace->rows[trace->n - 1];
  const double slow = j->levels.threshold > 0 ? j->levels.threshold : SURELY_SLOW * j->levels.hit;

  if (!file->peer_bytes)
    snprintf(text, size, "MT4G reports none");
  else if (file->peer_bytes == j->bytes)
    snprintf(text, size, "agree");
  else if (file->peer_confidence <= 0)
    snprintf(text, size, "MT4G gives up too: confidence 0");
  else if (!row)
    snprintf(text, size, "MT4G's size is below all that were recorded");
  else if (slow <= 0)
    snprintf(text, size, "one number for each size");
  else if (file->peer_bytes < j->bytes)
    snprintf(text, size, "no load misses up to %" PRIu64, j->bytes);
  else
    snprintf(text, size, "%zu of %zu loads are slow at %" PRIu64 "%s", trace_slow(row, slow),
             row->loads, row->bytes,
             row->bytes == j->next ? ": MT4G reports the first size that misses"
             : row == last         ? ", the largest size recorded"
                                   : "");
}

static int print(const struct corpus_file *file, bool markdown)
{
  char problem[128] = "out of memory", why[160], answer[200], range[80];
  struct judgement j;
  struct trace trace;

  if (trace_open(file->path, &trace, problem, sizeof(problem)) || judge(&trace, &j)) {
    fprintf(stderr, "%s: %s\n", file->path, problem);
    trace_free(&trace);
    return 1;
  }
  explain(file, &trace, &j, why, sizeof(why));
  snprintf(range, sizeof(range), "%" PRIu64 "–%" PRIu64, trace.rows[0].bytes,
           trace.rows[trace.n - 1].bytes);
  if (j.bytes)
    snprintf(answer, sizeof(answer),
             markdown ? "**%" PRIu64 "** | %" PRIu64 " | %.3f"
                      : "%" PRIu64 ", next %" PRIu64 ", confidence %.3f",
             j.bytes, j.next, j.confidence);
  else
    snprintf(answer, sizeof(answer), markdown ? "absent: %s | | " : "absent: %s", j.absent);
  if (markdown)
    printf("| %s | %s | %s | %s | %" PRIu64 " (%.2f) | %s |\n", file->gpu, file->element, range,
           answer, file->peer_bytes, file->peer_confidence, why);
  else
    printf("%s %s: %s; MT4G %" PRIu64 "; %s\n", file->gpu, file->element, answer, file->peer_bytes,
           why);
  trace_free(&trace);
  return 0;
}

static int print_line(const struct corpus_file *file, bool markdown)
{
  char problem[128] = "", range[80], capacity[220], line[200];
  struct line_judgement j;

  if (judge_line(file->path, &j, problem, sizeof(problem))) {
    fprintf(stderr, "%s: %s\n", file->path, problem);
    return 1;
  }
  snprintf(range, sizeof(range), "%" PRIu64 "–%" PRIu64, j.first, j.last);
  if (j.narrow.bytes)
    snprintf(capacity, sizeof(capacity),
             markdown ? "%" PRIu64 " | %" PRIu64 " | %.3f"
                      : "capacity %" PRIu64 ", next %" PRIu64 ", confidence %.3f",
             j.narrow.bytes, j.narrow.next, j.narrow.confidence);
  else
    snprintf(capacity, sizeof(capacity), markdown ? "absent: %s | | " : "capacity absent: %s",
             j.narrow.absent);
  if (j.line)
    snprintf(line, sizeof(line), markdown ? "**%" PRIu64 "**" : "line %" PRIu64, j.line);
  else
    snprintf(line, sizeof(line), markdown ? "absent: %s" : "line absent: %s", j.absent);
  if (markdown)
    printf("| %s | %s, stride %" PRIu64 " | %s | %s | %s | %" PRIu64 " (%.2f) |\n", file->gpu,
           file->element, j.stride, range, capacity, line, file->peer_bytes, file->peer_confidence);
  else
    printf("%s %s, stride %" PRIu64 ": %s; %s; MT4G %" PRIu64 "\n", file->gpu, file->element,
           j.stride, capacity, line, file->peer_bytes);
  return 0;
}

int main(int argc, char **argv)
{
  const bool markdown = argc > 1 && !strcmp(argv[1], "--markdown");
  const int rest = 1 + markdown;
  char path[512], problem[600] = "";
  const char *folder = argc > rest ? argv[rest] : corpus_folder(path, sizeof(path));
  struct corpus corpus;
  int failed = 0;

  if (argc > rest + 1 || *folder == '-') {
    fprintf(stderr, "usage: replay [--markdown] [FOLDER]\n");
    return 2;
  }
  if (corpus_open(folder, &corpus, problem, sizeof(problem))) {
    fprintf(stderr, "replay: %s\n", problem);
    return 1;
  }
  if (markdown)
    puts("| GPU | file | recorded | capacity | next | confidence | MT4G (confidence) | why |\n"
         "|---|---|---|---|---|---|---|---|");
  for (size_t i = 0; i < corpus.n; i++)
    failed |= print(&corpus.files[i], markdown);
  if (markdown)
    puts("\n| GPU | line-size file | recorded | capacity | next | confidence | line | MT4G (confidence) |\n"
         "|---|---|---|---|---|---|---|---|");
  for (size_t i = 0; i < corpus.line_count; i++)
    failed |= print_line(&corpus.lines[i], markdown);
  corpus_free(&corpus);
  return failed;
}
