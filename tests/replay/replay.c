/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * replay [--markdown] [FOLDER]: our statistics on MT4G's raw data, next to what MT4G concluded from the
 * same data, and why that differs. doc/results/replay.md is what --markdown prints.
 */
#include "tests/replay/corpus.h"
#include "tests/replay/judge.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SURELY_SLOW 1.5 /* times the usual hit, where no threshold was found */

static const char head[] =
  "# Our statistics on other people's data\n\n"
  "The raw loads that MT4G 1.2.0 recorded on six GPUs, judged by the code that decides on capacities\n"
  "here (`src/stats/decide.c`, the same that `src/measure/capacity.c` uses), next to what MT4G itself\n"
  "concluded from them (`results.json`).\n\n"
  "```\n%s\n```\n\nof %s. `tests/replay/test_replay`, part of `make check`, verifies on the raw loads, by\n"
  "other means than the statistics, that each size told here shows hits only and that misses stay from\n"
  "the next sizes on.\n\n";

static const char notes[] =
  "\n## How to read it\n\n"
  "- *Capacity* is the largest recorded size that still shows hits only, *next* the size recorded after it;\n"
  "  nothing in between was seen. MT4G tells the middle of a transition, or the first size that misses.\n"
  "- *Confidence* is the posterior that the capacity is this very size. One walk over each size, and few\n"
  "  loads of it, cannot give what repetition gives: the tool itself walks each size several times, on\n"
  "  several SMs, and confirms both sides of the answer.\n"
  "- A file holds the first 255 (L2: 511) loads of walks that are far longer, so a miss is seen only when\n"
  "  it is among them. True capacities can be smaller than what any method could tell from these files,\n"
  "  and elements that share their storage can differ in what was recorded of them (A100, V100: L1 and\n"
  "  texture).\n"
  "- *absent* is an answer: the file does not hold what a capacity could be told from.\n\n"
  "## Single files\n\n"
  "- **Scalar L1 (MI100, MI210)**: the files begin at 16128 bytes, and there 11 of 251 loads miss already;\n"
  "  at 16384 bytes, the capacity that KFD states, 23 of 255 do. No recorded size shows hits only. MT4G\n"
  "  tells 16128 and 16896 bytes, with confidence 0.51.\n"
  "- **Constant L1.5**: one number for each size, 13 (A100), 14 (V100), 72 (H100) and at first 60 cycles\n"
  "  (P6000). That is less than MT4G's own latency of this cache (122, 114, 106, 151), so the timed window\n"
  "  does not wait for the load. Only on the P6000 it changes, to 174 between 31488 and 31744 bytes; eight\n"
  "  single numbers are no sample to test.\n"
  "- **Constant L1, H100**: from 1792 to 2048 bytes one load misses, always the third. Beyond 2048 bytes\n"
  "  misses come as from 8 sets of 4 lines; at 1792 bytes the array fills the set of that load, and one\n"
  "  line of something else in it would do what is seen. 1728 bytes is the last size with hits only.\n"
  "- **L2, P6000**: latencies rise in steps of 14 to 15 cycles, a twelfth of what a miss costs there, as\n"
  "  means over a dozen walks do. The first such step is at 2951680 bytes, for 20 of 511 loads; around\n"
  "  3145728 bytes, the nominal size and MT4G's answer, 75 and 131 loads are beyond it.\n"
  "- **L2, V100**: every second load slides from 220 to 380 cycles over 6.29 to 6.59 MB, and once, at\n"
  "  6299136 bytes, jumps there and back. No threshold separates two levels. The smallest recorded size,\n"
  "  6290944 bytes, is the only one that looks like hits.\n"
  "- **L2, H100**: single slow loads at every size from the smallest on, which is larger than what MT4G\n"
  "  tells, and hits as slow as misses where the change begins.\n"
  "- **L2, A100**: up to 19442432 bytes the trace hits. MT4G's 20971520 is half the nominal size; half of\n"
  "  the loads miss there.\n"
  "- **H200**: MT4G's results are in the folder, but no raw loads.\n";

/* The file's answer and MT4G's, in one sentence. */
static void explain(const struct corpus_file *file, const struct trace *trace, const struct judgement *j,
                    char *text, size_t size)
{
  const struct trace_row *row = trace_at(trace, file->peer_bytes), *last = &trace->rows[trace->n - 1];
  const double slow = j->levels.threshold > 0 ? j->levels.threshold : SURELY_SLOW * j->levels.hit;

  if (!file->peer_bytes)
    snprintf(text, size, "MT4G tells none");
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
    snprintf(text, size, "%zu of %zu loads are slow at %" PRIu64 "%s", trace_slow(row, slow), row->loads,
             row->bytes,
             row->bytes == j->next ? ": MT4G tells the first size that misses"
             : row == last         ? ", the largest size recorded"
                                   : "");
}

static int print(const struct corpus_file *file, bool markdown)
{
  char problem[128], why[160], answer[200], range[80];
  struct judgement j;
  struct trace trace;

  if (trace_open(file->path, &trace, problem, sizeof(problem)) || judge(&trace, &j)) {
    fprintf(stderr, "%s: %s\n", file->path, problem);
    return 1;
  }
  explain(file, &trace, &j, why, sizeof(why));
  snprintf(range, sizeof(range), "%" PRIu64 "–%" PRIu64, trace.rows[0].bytes,
           trace.rows[trace.n - 1].bytes);
  if (j.bytes)
    snprintf(answer, sizeof(answer), markdown ? "**%" PRIu64 "** | %" PRIu64 " | %.3f" :
             "%" PRIu64 ", next %" PRIu64 ", confidence %.3f", j.bytes, j.next, j.confidence);
  else
    snprintf(answer, sizeof(answer), markdown ? "absent: %s | | " : "absent: %s", j.absent);
  if (markdown)
    printf("| %s | %s | %s | %s | %" PRIu64 " (%.2f) | %s |\n", file->gpu, file->element, range, answer,
           file->peer_bytes, file->peer_confidence, why);
  else
    printf("%s %s: %s; MT4G %" PRIu64 "; %s\n", file->gpu, file->element, answer, file->peer_bytes, why);
  trace_free(&trace);
  return 0;
}

int main(int argc, char **argv)
{
  const bool markdown = argc > 1 && !strcmp(argv[1], "--markdown");
  const int rest = 1 + markdown;
  char path[512], problem[600] = "", date[16];
  const char *folder = argc > rest ? argv[rest] : corpus_folder(path, sizeof(path));
  const time_t now = time(NULL);
  struct corpus corpus;
  int failed = 0;

  if (argc > rest + 1 || (folder && *folder == '-')) {
    fprintf(stderr, "usage: replay [--markdown] [FOLDER]\n");
    return 2;
  }
  if (!folder || corpus_open(folder, &corpus, problem, sizeof(problem))) {
    fprintf(stderr, "replay: %s\n", folder ? problem : "MT4G's raw data are not here; set MT4G_TRACES");
    return 1;
  }
  if (markdown) {
    strftime(date, sizeof(date), "%Y-%m-%d", gmtime(&now));
    printf(head, "make tests/replay/replay && tests/replay/replay --markdown ../shared/mt4g", date);
    printf("| GPU | file | recorded sizes | capacity | next | confidence | MT4G (confidence) | why |\n"
           "|---|---|---|---|---|---|---|---|\n");
  }
  for (size_t i = 0; i < corpus.n; i++)
    failed |= print(&corpus.files[i], markdown);
  if (markdown)
    fputs(notes, stdout);
  corpus_free(&corpus);
  return failed;
}
