/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The commands and their options, in two tables, and main().
 */
#include "config.h"

#include "tool/tool.h"

#include "measure/measure.h"
#include "options.h"
#include "record/kinds.h"
#include "store/store.h"
#include "tool/commands.h"
#include "tool/measure/measure_one.h"
#include "tool/page/place.h"
#include "tool/predict/sweep.h"
#include "tool/print/messages.h"
#include "tool/print/terminal.h"
#include "tool/process/child.h"
#include "tool/process/environment.h"
#include "tool/process/stack.h"
#include "trace/settings.h"
#include "util/error.h"
#include "util/number.h"
#include "util/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <hwloc/gpucache.h>
#include <locale.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  LIST = 1,
  MEASURE = 2,
  SHOW = 4,
  PURGE = 8,
  PLOT = 16,
  DOCTOR = 32,
  EXPORT = 64,
  COMPARE = 128,
  REPORT = 256,
  PREDICT = 512,
  TRACE = 1024,
  ALL = 2047
};

#define ANY_NUMBER SIZE_MAX
#define ALL_ELEMENTS ((1u << GC_KIND_COUNT) - 1)
#define LIMIT (UINT64_C(4) << 30) /* default of --limit, bytes */

static const struct gc_subcommand commands[] = {
    {"list", LIST, gc_tool_list, "", "the GPUs of this machine and the state of their records", 0,
     0, "no argument"},
    {"measure", MEASURE, gc_tool_measure, "[GPU]...",
     "measure GPUs without a valid record, and store their records", 0, ANY_NUMBER, NULL},
    {"show", SHOW, gc_tool_show, "[GPU|FILE]...",
     "print records; measure GPUs without a valid record", 0, ANY_NUMBER, NULL},
    {"purge", PURGE, gc_tool_purge, "[GPU]...", "remove records; without GPU or --sim, all of them",
     0, ANY_NUMBER, NULL},
    {"export", EXPORT, gc_tool_export, "[GPU|FILE]",
     "write one GPU in a format that other programs read", 0, 1, "one GPU or file"},
    {"report", REPORT, gc_tool_report, "FILE.html [GPU|FILE]...",
     "write a page about one GPU; several GPUs: FILE-ID.html for each", 1, ANY_NUMBER,
     "the name of the page, FILE.html"},
    {"plot", PLOT, gc_tool_plot, "DIR",
     "draw the data of measure --raw DIR as SVG pictures, into DIR", 1, 1,
     "the directory that measure --raw wrote"},
    {"compare", COMPARE, gc_tool_compare, "A B | DIR",
     "print the differences between A and B, or the outliers in a directory", 1, 2,
     "one directory, or two GPUs, files or directories"},
    {"trace", TRACE, gc_tool_trace, "[--] PROGRAM [ARGUMENT]...",
     "record the memory accesses of a CUDA program's kernels", 1, ANY_NUMBER, "a program"},
    {"predict", PREDICT, gc_tool_predict, "TRACE... | -- PROGRAM [ARGUMENT]...",
     "predict the cache hit rates of traced kernels, or of a program's, on a GPU", 1, ANY_NUMBER,
     "a trace of GPU kernels, or -- and a program"},
    {"doctor", DOCTOR, gc_tool_doctor, "[PROGRAM]",
     "find out why lstopo, pyhwloc or PROGRAM shows no GPU caches", 0, 1, "one program"},
};

static bool read_text(const char *text, void *field)
{
  *(const char **)field = text;
  return *text;
}

/* An option that can be repeated; there is room for all words of the command line. */
static bool read_another(const char *text, void *field)
{
  struct gc_values *texts = field;

  return read_text(text, &texts->array[texts->count++]);
}

static bool read_color(const char *text, void *field)
{
  return read_text(text, field) && gc_terminal_can(text);
}

static bool read_page(const char *text, void *field)
{
  return read_text(text, field) && gc_page_can(text);
}

static bool read_sweep(const char *text, void *field)
{
  return read_text(text, field) && gc_sweep_can(text);
}

static bool read_kernel(const char *text, void *field)
{
  return read_text(text, field) && gc_wanted_can(text);
}

/* A number from 1 to most, into an unsigned. */
static bool read_some(const char *text, unsigned most, void *field)
{
  uint64_t number;

  if (!gc_number_whole(text, &number) || !number || number > most)
    return false;
  *(unsigned *)field = (unsigned)number;
  return true;
}

static bool read_threads(const char *text, void *field)
{
  return read_some(text, GC_PREDICT_MOST_THREADS, field);
}

static bool read_sms(const char *text, void *field)
{
  return read_some(text, GC_PREDICT_SMS_MAX, field);
}

static bool read_seeds(const char *text, void *field)
{
  uint64_t seeds;

  if (!gc_number_whole(text, &seeds) || seeds > GC_PREDICT_MOST_SEEDS)
    return false;
  *(int *)field = (int)seeds;
  return true;
}

static bool read_blocks(const char *text, void *field)
{
  uint64_t *blocks = field;

  *blocks = GC_TRACE_ALL_BLOCKS;
  return !strcmp(text, "all") || (gc_number_whole(text, blocks) && *blocks);
}

/* Bytes, or with K, M, G or T a multiple of 1024. */
static bool read_size(const char *text, void *field)
{
  static const char units[] = "KMGT";
  uint64_t *bytes = field;
  const char *const end = gc_number_digits(text, bytes), *const unit = end ? strchr(units, *end) : NULL;

  if (!end || !*bytes || !unit || (*end && end[1]))
    return false;
  return !*end || !__builtin_mul_overflow(*bytes, UINT64_C(1) << 10 * (unit - units + 1), bytes);
}

/* N, FROM-TO, FROM- or all. */
static bool read_launches(const char *text, void *field)
{
  uint64_t *launches = field;
  char *dash, copy[48];

  if (!strcmp(text, "all"))
    text = "1-";
  if (snprintf(copy, sizeof copy, "%s", text) >= (int)sizeof copy)
    return false;
  dash = strchr(copy, '-');
  if (dash)
    *dash = '\0';
  if (!gc_number_whole(copy, &launches[0]) || !launches[0])
    return false;
  launches[1] = dash ? 0 : launches[0];
  return !dash || !dash[1] ||
         (gc_number_whole(dash + 1, &launches[1]) && launches[1] >= launches[0]);
}

/* Whether a comma list has no empty members. */
static bool is_list(const char *text)
{
  for (;; text++) {
    text += strspn(text, " \t");
    if (!*text || *text == ',')
      return false;
    text += strcspn(text, ",");
    if (!*text)
      return true;
  }
}

/* A comma list; the blanks around its members are removed. */
static bool read_list(const char *text, void *field)
{
  char *list = (char *)text, *end = list, *rest = NULL; /* an argument of main is ours */

  if (!is_list(text))
    return false;
  for (char *word = strtok_r(list, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
    word = gc_strip(word);
    if (end != list)
      *end++ = ',';
    memmove(end, word, strlen(word) + 1);
    end += strlen(end);
  }
  *(const char **)field = list;
  return true;
}

static bool read_seconds(const char *text, void *field)
{
  double *seconds = field;

  return gc_number_read(text, seconds) && *seconds > 0 && *seconds <= GC_MOST_SECONDS;
}

static bool read_tolerance(const char *text, void *field)
{
  return gc_number_read(text, field) && *(double *)field <= 1000;
}

static bool read_carveout(const char *text, void *field)
{
  uint64_t percent;

  if (!gc_number_whole(text, &percent) || percent > 100)
    return false;
  *(int *)field = (int)percent;
  return true;
}

/* The number of a step that is not the first. */
static bool read_step(const char *text, void *field)
{
  uint64_t step;

  if (!gc_number_whole(text, &step) || !step || step >= gc_measure_steps())
    return false;
  *(unsigned *)field = (unsigned)step;
  return true;
}

static void print_help(void);

static void print_version(void)
{
  puts(GC_TOOL_NAME " " PACKAGE_VERSION "\nbuilt with hwloc " HWLOC_VERSION);
  printf("records of the site: %s\n", gc_store_site_dir());
}

#define TEXT_OF(number) #number
#define SECONDS_OF(most) "a number of seconds above 0 and up to " TEXT_OF(most)
#define FLAG(name, commands, field, help)                                                          \
  {                                                                                                \
    name, NULL, commands, offsetof(struct gc_tool, field), NULL, NULL, NULL, help, false           \
  }
/* A comma list. Given twice, the second one would silently replace the first. */
#define LIST_OF(name, value, commands, field, needs, help)                                         \
  {                                                                                                \
    name, value, commands, offsetof(struct gc_tool, field), read_list, needs, NULL, help, true     \
  }
#define VALUE(name, value, commands, field, read, needs, help)                                     \
  {                                                                                                \
    name, value, commands, offsetof(struct gc_tool, field), read, needs, NULL, help, false         \
  }

/* The manual page describes each option that has a help. */
static const struct gc_option options[] = {
    LIST_OF("only", "LIST", MEASURE, only, "elements, comma-separated",
            "measure these elements only (L1Cache,L2Cache...); store nothing"),
    FLAG("force", MEASURE, force, "measure even if there is a valid record"),
    FLAG("replace", MEASURE, replace,
         "like --force, and replace the record even if values would be lost"),
    FLAG("peers", MEASURE, peers, "measure only how all GPUs reach each other"),
    FLAG("no-store", MEASURE, no_store, "print the result, store nothing"),
    VALUE("raw", "DIR", MEASURE, raw, read_text, "a directory",
          "measure like --force, and write the data behind all values into DIR"),
    VALUE("resume", "STEP", MEASURE, resume, read_step, "the number of a step", NULL),
    LIST_OF("element", "LIST", SHOW, element, "elements, comma-separated",
            "show these elements only (L1Cache,L2Cache...)"),
    FLAG("all", PURGE, all, "remove all of them"),
    VALUE("format", "FORMAT", EXPORT, format, read_text, "a format",
          "xml (hwloc, default), mt4g, mt4g-csv, accelsim, inductor or roofline"),
    VALUE("output", "FILE", EXPORT | TRACE, output, read_text, "a file", "write to this file"),
    VALUE("raw", "DIR", REPORT, raw, read_text, "a directory",
          "add the curves that measure --raw DIR wrote"),
    VALUE("tolerance", "PCT", COMPARE, tolerance, read_tolerance, "a percentage from 0 to 1000",
          "allow numbers to differ by this percentage"),
    VALUE("record", "FILE", PREDICT, records, read_another, "a file",
          "predict for the GPU of this record; given several times: compare them"),
    VALUE("gpu", "GPU", PREDICT, gpus, read_another, "a GPU",
          "predict for this GPU of the machine; given several times: compare them"),
    VALUE("carveout", "PCT", PREDICT, carveout, read_carveout, "a whole percentage from 0 to 100",
          "assume that all kernels prefer this carve-out for shared memory"),
    VALUE("sweep", "KIND", PREDICT, sweep, read_sweep,
          "carveout, capacity, ways, line or outstanding",
          "vary one property: carveout, capacity, ways, line or outstanding"),
    VALUE("kernel", "REGEX", TRACE | PREDICT, kernel, read_kernel, "a regular expression",
          "only kernels whose (mangled) name matches"),
    VALUE("launches", "FROM-TO", TRACE | PREDICT, launches, read_launches,
          "numbers of kernels, such as 3, 3-5 or 3-, or all",
          "only kernels with these numbers, from 1, or all (default of trace: a sample)"),
    VALUE("blocks", "N", TRACE | PREDICT, blocks, read_blocks, "a number of blocks, or all",
          "record about N blocks of each launch, or all (default: a sample)"),
    VALUE("limit", "SIZE", TRACE | PREDICT, limit, read_size, "a size, such as 500M or 4G",
          "record no more launches when the trace has this size (default: 4G)"),
    VALUE("seeds", "N", PREDICT, seeds, read_seeds, "a number from 0 to 1000",
          "runs that vary what the record leaves open, for the range (default: 10)"),
    VALUE("threads", "N", PREDICT, threads, read_threads, "a number from 1 to 64",
          "number of runs at the same time (default: one for each processor, at most 4)"),
    VALUE("sms", "N", PREDICT, sms, read_sms, "a number from 1 to 4096",
          "model the blocks of N SMs only, which is faster (default: all SMs)"),
    FLAG("reuse", PREDICT, reuse, "count the reuse distances of lines, too"),
    VALUE("html", "FILE", PREDICT, html, read_page, "the name of a page, such as FILE.html",
          "write a page with tables and pictures"),
    VALUE("plot", "DIR", PREDICT, plot, read_text, "a directory",
          "draw hit rates over capacity and reuse distances, as SVG into DIR"),
    FLAG("python", DOCTOR, python, "examine pyhwloc, as python3 in PATH imports it"),
    VALUE("probe", "KIND", DOCTOR, probe, read_text, "what to try", NULL),
    FLAG("all", MEASURE | SHOW, all, "print everything, also why values are absent"),
    VALUE("color", "WHEN", MEASURE | SHOW, color, read_color, "auto, always or never",
          "bold and dim text: auto (on a terminal), always, never"),
    FLAG("xml", MEASURE | SHOW, xml, "print the record of one GPU as hwloc XML (lstopo -i FILE)"),
    FLAG("json", SHOW | DOCTOR | COMPARE | PREDICT, json, "print JSON, for programs"),
    VALUE("timeout", "SECONDS", ALL & ~(LIST | PURGE | PLOT | TRACE), timeout, read_seconds,
          SECONDS_OF(GC_MOST_SECONDS), "stop after this time, at most a day (86400)"),
    LIST_OF("sim", "NAME[,NAME]", ALL & ~(PLOT | TRACE), sims, "names of simulated GPUs",
            "use simulated GPUs instead of real ones"),
    FLAG("verbose", ALL, times, "print messages about what is done"),
    {"help", NULL, ALL, 0, NULL, NULL, print_help, "print this text", false},
    {"version", NULL, ALL, 0, NULL, NULL, print_version, "print the version", false},
};

static const struct gc_command_line command_line = {commands, sizeof commands / sizeof *commands,
                                                    options, sizeof options / sizeof *options};

static void print_help(void)
{
  gc_terminal_print("Usage: " GC_TOOL_NAME " COMMAND [OPTION]... [ARGUMENT]...\n"
                    "Measures the memory hierarchy of GPUs and stores it for hwloc.\n\n",
                    NULL);
  gc_options_help(&command_line);
  putchar('\n');
  gc_terminal_print(
      "A GPU is gpu0, 0, a bus id, a record id, or sim-NAME. Without GPU, all are used.\n"
      "Exit status: 0 done, 1 failed, 2 wrong usage, 3 no GPU that can be used.\n"
      "doctor: 0 lstopo (or pyhwloc) will show the caches, 1 it will not.\n"
      "compare: 0 alike, 1 different, 2 wrong usage, 4 failed.",
      NULL);
}

/* Why two options that were given cannot be used together, because one of them would do nothing;
 * NULL: there is no such pair. */
static const char *contradiction(const struct gc_tool *tool, unsigned command)
{
  const bool purge_all = command == PURGE && tool->all;
  const struct {
    bool first, second;
    const char *why;
  } pairs[] = {
      {tool->peers, tool->count, "--peers takes no GPU: all of them take part"},
      {tool->peers, tool->only, "--peers and --only exclude each other"},
      {tool->peers, tool->xml, "--peers and --xml exclude each other"},
      {tool->peers, tool->raw, "--peers and --raw exclude each other"},
      {tool->resume, !tool->no_store, "--resume needs --no-store"},
      {tool->json, tool->xml, "--json and --xml exclude each other"},
      {tool->element, tool->xml, "--element and --xml exclude each other: a record is whole"},
      {tool->replace, tool->no_store, "--replace and --no-store exclude each other"},
      {tool->replace, tool->only, "--replace and --only exclude each other: --only stores nothing"},
      {command == PREDICT && tool->program && tool->program != tool->words, true,
       "predict takes traces, or -- and a program, not both"},
      {tool->records.count, tool->gpus.count, "--record and --gpu exclude each other"},
      {tool->records.count, tool->sims, "--record and --sim exclude each other"},
      {tool->sweep && !strcmp(tool->sweep, "carveout"), tool->carveout >= 0,
       "--sweep carveout and --carveout exclude each other"},
      {tool->plot, tool->sweep,
       "--plot and --sweep exclude each other: --plot varies the capacity"},
      {command == PREDICT && (tool->blocks || tool->limit != LIMIT), !tool->program,
       "--blocks and --limit are for recording a program, not for traces"},
      {tool->plot, tool->json, "--plot and --json exclude each other"},
      {tool->plot, tool->records.count > 1 || tool->gpus.count > 1, "--plot draws for one GPU"},
      {tool->reuse, tool->html,
       "--reuse and --html exclude each other: the page has the distances"},
      {tool->reuse, tool->plot,
       "--reuse and --plot exclude each other: the pictures have the distances"},
      {tool->reuse, tool->sweep, "--reuse and --sweep exclude each other: a sweep has rates only"},
      {tool->html, tool->json, "--html and --json exclude each other"},
      {tool->html, tool->plot, "--html and --plot exclude each other: the page has the pictures"},
      {tool->html, tool->sweep, "--html and --sweep exclude each other: the page has a sweep"},
      {tool->plot, tool->carveout >= 0,
       "--plot and --carveout exclude each other: --plot marks all"},
      {tool->all, tool->json, "--all and --json exclude each other: JSON always has everything"},
      {tool->all, tool->xml, "--all and --xml exclude each other: a record is whole"},
      {purge_all, tool->sims, "--all and --sim exclude each other: --all removes all records"},
      {purge_all, tool->count, "purge takes --all or names of GPUs, not both"},
  };

  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    if (pairs[i].first && pairs[i].second)
      return pairs[i].why;
  return NULL;
}

/* Reads the command line. Returns an exit code, or -1 to go on with *command. */
static int parse(int argc, char **argv, struct gc_tool *tool, const struct gc_subcommand **command)
{
  const int status = gc_options_read(&command_line, argc, argv, tool, command);
  struct gc_error err = {""};
  const char *why;

  if (status >= 0)
    return status;
  tool->subcommand = (*command)->name;
  tool->force |= tool->replace;
  tool->verbose |= tool->times;
  tool->of_files = (*command)->bit & (SHOW | EXPORT | REPORT | COMPARE);
  if (gc_measure_check_only(tool->only, &err) ||
      (tool->element && gc_kinds_read(tool->element, ALL_ELEMENTS, &tool->elements, &err)))
    return gc_options_wrong("%s", err.text);
  why = contradiction(tool, (*command)->bit);
  if (why)
    return gc_options_wrong("%s", why);
  if ((*command)->bit == REPORT && !gc_page_can(tool->words[0]))
    return gc_options_wrong("report needs the name of the page first, FILE.html, not '%s'",
                            tool->words[0]);
  return -1;
}

/* The command line as one string, for people; malloc'ed. NULL: out of memory. */
static char *whole_command(int argc, char **argv)
{
  size_t length = sizeof GC_TOOL_NAME;
  char *line, *at;

  for (int i = 1; i < argc; i++)
    length += 1 + strlen(argv[i]);
  line = malloc(length);
  if (!line)
    return NULL;
  at = stpcpy(line, GC_TOOL_NAME);
  for (int i = 1; i < argc; i++)
    at = stpcpy(stpcpy(at, " "), argv[i]);
  return line;
}

/* A closed stdin, stdout or stderr must not become the descriptor of a record or a device: opens
 * a descriptor on which reading or writing fails. */
static void keep_standard_descriptors(void)
{
  for (int fd = 0; fd <= 2; fd++)
    if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
      if (open("/dev/null", fd ? O_RDONLY : O_WRONLY) < 0)
        return;
}

/* With a limit on the length of files (ulimit -f), write() then fails, and a message follows. */
static void keep_long_files_from_ending_us(void)
{
  signal(SIGXFSZ, SIG_IGN);
}

static int run(int argc, char **argv)
{
  struct gc_tool tool = {.tolerance = -1, .carveout = -1, .seeds = -1, .limit = LIMIT};
  const struct gc_subcommand *command = NULL;
  const char *verbose;
  const size_t most = (size_t)argc + 1;
  char **words = calloc(3 * most, sizeof *words), *line = whole_command(argc, argv);
  int status;

  if (!words || !line) {
    free(words);
    free(line);
    return gc_no_memory();
  }
  tool.words = words;
  tool.records.array = (const char **)words + most;
  tool.gpus.array = (const char **)words + 2 * most;
  tool.command = line;
  verbose = secure_getenv(HWLOC_GPUCACHE_VERBOSE_ENV);
  tool.verbose = verbose && *verbose && strcmp(verbose, "0");
  status = parse(argc, argv, &tool, &command);
  if (status < 0)
    status = command->run(&tool);
  free(words);
  free(line);

  if (ferror(stdout) | fflush(stdout)) {
    gc_say(NULL, "cannot write to the standard output: %s", strerror(errno));
    status = command && command->bit == COMPARE ? GC_COMPARE_FAILED : GC_EXIT_FAILED;
  }
  if (gc_left_open())
    _exit(status); /* releasing a context takes 54 ms on an H200; the driver cleans up at once */
  return status;
}

int main(int argc, char **argv)
{
  /* A library that is preloaded may have selected another locale, with a decimal comma. */
  setlocale(LC_ALL, "C");
  keep_standard_descriptors();
  keep_long_files_from_ending_us();
  gc_child_follow_parent();
  gc_environment_take(); /* before there is a second thread */
  return gc_with_stack(run, argc, argv);
}
