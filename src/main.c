/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The command line: reads all options, at any position, then runs the subcommand.
 */
#include "config.h"

#include "tool/tool.h"

#include "measure/measure.h"
#include "store/store.h"
#include "tool/child.h"
#include "tool/compare/compare.h"
#include "tool/doctor/doctor.h"
#include "tool/environment.h"
#include "tool/export/export.h"
#include "tool/list.h"
#include "tool/measure.h"
#include "tool/measure_one.h"
#include "tool/messages.h"
#include "tool/plot/plot.h"
#include "tool/predict/predict.h"
#include "tool/predict/sweep.h"
#include "tool/purge.h"
#include "tool/report/report.h"
#include "tool/show/show.h"
#include "tool/stack.h"
#include "tool/terminal.h"
#include "util/number.h"
#include "util/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
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
  ANY = 1023
};

/* Arguments: at least `least`, at most `most`; the messages for fewer and for more end with the
 * word that is too much, if there is one. */
#define ANY_NUMBER SIZE_MAX

static const struct command {
  const char *name;
  unsigned bit;
  int (*run)(const struct gc_tool *tool);
  size_t least, most;
  const char *too_few, *too_many;
  int failed; /* its exit status if the result could not be written; 0: GC_EXIT_FAILED */
} commands[] = {
    {"list", LIST, gc_tool_list, 0, 0, NULL, "list takes no argument, but there is", 0},
    {"measure", MEASURE, gc_tool_measure, 0, ANY_NUMBER, NULL, NULL, 0},
    {"show", SHOW, gc_tool_show, 0, ANY_NUMBER, NULL, NULL, 0},
    {"purge", PURGE, gc_tool_purge, 0, ANY_NUMBER, NULL, NULL, 0},
    {"doctor", DOCTOR, gc_tool_doctor, 0, 1, NULL, "doctor takes one program, but there is also",
     0},
    {"export", EXPORT, gc_tool_export, 0, 1, NULL,
     "export takes one GPU or file, but there is also", 0},
    {"report", REPORT, gc_tool_report, 1, ANY_NUMBER,
     "report needs the name of the page, FILE.html", NULL, 0},
    {"compare", COMPARE, gc_tool_compare, 1, 2,
     "compare takes one directory, or two GPUs, files or directories",
     "compare takes one directory, or two GPUs, files or directories, but there is also",
     GC_COMPARE_FAILED},
    {"predict", PREDICT, gc_tool_predict, 1, ANY_NUMBER, "predict needs a trace of GPU kernels", NULL,
     0},
    {"plot", PLOT, gc_tool_plot, 1, 1, "plot needs the directory that measure --raw wrote",
     "plot takes one directory, but there is also", 0},
};

/* help() has all but --resume and --probe, which only this program uses (rest_of_plan.c, doctor/).
 */
static const struct option options[] = {
    {"sim", required_argument, NULL, 's'},
    {"only", required_argument, NULL, 'o'},
    {"force", no_argument, NULL, 'f'},
    {"no-store", no_argument, NULL, 'n'},
    {"replace", no_argument, NULL, 'p'},
    {"raw", required_argument, NULL, 'r'},
    {"timeout", required_argument, NULL, 't'},
    {"element", required_argument, NULL, 'e'},
    {"color", required_argument, NULL, 'c'},
    {"json", no_argument, NULL, 'j'},
    {"resume", required_argument, NULL, 'R'},
    {"xml", no_argument, NULL, 'x'},
    {"all", no_argument, NULL, 'a'},
    {"probe", required_argument, NULL, 'P'},
    {"tolerance", required_argument, NULL, 'T'},
    {"verbose", no_argument, NULL, 'v'},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, 'V'},
    {"format", required_argument, NULL, 'F'},
    {"output", required_argument, NULL, 'O'},
    {"record", required_argument, NULL, 'd'},
    {"gpu", required_argument, NULL, 'g'},
    {"carveout", required_argument, NULL, 'C'},
    {"sweep", required_argument, NULL, 'w'},
    {"plot", required_argument, NULL, 'l'},
    {NULL, 0, NULL, 0},
};

/* The subcommands that an option belongs to. */
static unsigned belongs(int option)
{
  switch (option) {
  case 's':
    return ANY & ~PLOT;
  case 'o':
  case 'f':
  case 'p':
  case 'n':
  case 'R':
    return MEASURE;
  case 'r':
    return MEASURE | REPORT;
  case 't':
    return ANY & ~(LIST | PURGE | PLOT);
  case 'x':
  case 'c':
    return MEASURE | SHOW;
  case 'F':
  case 'O':
    return EXPORT;
  case 'j':
    return SHOW | DOCTOR | COMPARE | PREDICT;
  case 'd':
  case 'g':
  case 'C':
  case 'w':
  case 'l':
    return PREDICT;
  case 'e':
    return SHOW;
  case 'P':
    return DOCTOR;
  case 'T':
    return COMPARE;
  case 'a':
    return MEASURE | SHOW | PURGE;
  default:
    return ANY;
  }
}

static void help(void)
{
  puts(
      "Usage: " GC_TOOL_NAME " [--sim NAME[,NAME...]] COMMAND [OPTION]... [GPU]...\n"
      "Measures the memory hierarchy of GPUs and stores it for hwloc.\n"
      "\n"
      "Commands:\n"
      "  list               the GPUs of this machine and the state of their records\n"
      "  measure [GPU]...   measure GPUs without a valid record, and store their records\n"
      "    --only LIST      measure these elements only (L1Cache,L2Cache...); store nothing\n"
      "    --force          measure even if there is a valid record\n"
      "    --replace        like --force, and replace the record even if values would be lost\n"
      "    --no-store       print the result, store nothing\n"
      "    --raw DIR        measure like --force, and write the data behind all values into DIR\n"
      "  show [GPU|FILE]... print records; measure GPUs without a valid record\n"
      "    --element LIST   show these elements only (L1Cache,L2Cache...)\n"
      "    --json           print JSON, for programs\n"
      "  purge [GPU]...     remove records; without GPU or --sim, all of them\n"
      "    --all            remove all of them\n"
      "  export [GPU|FILE]  write one GPU in a format that other programs read\n"
      "    --format FORMAT  xml (hwloc, default), mt4g, mt4g-csv (sys-sage, GPUscout) or accelsim\n"
      "    --output FILE    write to this file\n"
      "  report FILE.html [GPU|FILE]...\n"
      "                     write a page about one GPU; several GPUs: FILE-ID.html for each\n"
      "    --raw DIR        with the curves that measure --raw DIR wrote\n"
      "  plot DIR           draw the data of measure --raw DIR as SVG pictures, into DIR\n"
      "  compare A B        print the differences between two GPUs, records or directories\n"
      "  compare DIR        print the outliers among the records in a directory\n"
      "    --tolerance PCT  allow numbers to differ by this percentage\n"
      "    --json           print JSON, for programs\n"
      "  predict TRACE...   predict the cache hit rates of traced kernels on a GPU\n"
      "    --record FILE    on the GPU of this record\n"
      "    --gpu GPU        on this GPU of the machine\n"
      "    --carveout PCT   as if all kernels preferred this carve-out for shared memory\n"
      "    --sweep KIND     vary one property: carveout, capacity, ways, line or outstanding\n"
      "    --plot DIR       draw hit rate over capacity as SVG pictures, into DIR\n"
      "    --json           print JSON, for programs\n"
      "  doctor [PROGRAM]   find out why lstopo, or PROGRAM, shows no GPU caches\n"
      "    --json           print JSON, for programs\n"
      "\n"
      "measure, show, doctor, export, report, compare and predict:\n"
      "  --timeout SECONDS  stop after this time, at most a day (86400)\n"
      "\n"
      "measure and show:\n"
      "  --all              print everything, also why values are absent\n"
      "  --color WHEN       bold and dim text: auto (on a terminal), always, never\n"
      "  --xml              print the record of one GPU as hwloc XML (lstopo -i FILE)\n"
      "\n"
      "All commands:\n"
      "  --sim NAME[,NAME]  use simulated GPUs instead of real ones (not with plot)\n"
      "  --verbose          print messages about what is done\n"
      "  --help, --version\n"
      "\n"
      "A GPU is gpu0, 0, a bus id, a record id, or sim-NAME. Without GPU, all are used.\n"
      "Exit status: 0 done, 1 failed, 2 wrong usage, 3 no GPU that can be used.\n"
      "doctor: 0 lstopo will show the caches, 1 it will not.\n"
      "compare: 0 alike, 1 different, 2 wrong usage, 4 failed.");
}

static void version(void)
{
  puts(GC_TOOL_NAME " " PACKAGE_VERSION "\nbuilt with hwloc " HWLOC_VERSION);
  printf("records of the site: %s\n", gc_store_site_dir());
}

static int usage(const char *what, const char *word)
{
  gc_say(NULL, "%s%s%s%s", what, word ? " '" : "", word ? word : "", word ? "'" : "");
  fputs("Try '" GC_TOOL_NAME " --help'\n", stderr);
  return GC_EXIT_USAGE;
}

/* A comma list without empty members. */
static bool good_list(const char *list)
{
  size_t length = strlen(list);

  return length && list[0] != ',' && list[length - 1] != ',' && !strstr(list, ",,");
}

static bool good_seconds(const char *text, double *seconds)
{
  return gc_number_read(text, seconds) && *seconds > 0 && *seconds <= GC_MOST_SECONDS;
}

static bool good_percent(const char *text, double *percent)
{
  return gc_number_read(text, percent) && *percent <= 1000;
}

static bool good_carveout(const char *text, unsigned *percent)
{
  uint64_t number;

  if (!gc_number_whole(text, &number) || number > 100)
    return false;
  *percent = (unsigned)number;
  return true;
}

/* The number of a step that is not the first. */
static bool good_step(const char *text, unsigned *step)
{
  uint64_t number;

  if (!gc_number_whole(text, &number) || !number || number >= gc_measure_steps())
    return false;
  *step = (unsigned)number;
  return true;
}

/* Why two options that were given cannot be used together, because one of them would do nothing;
 * NULL: there is no such pair. */
static const char *contradiction(const struct gc_tool *tool)
{
  const struct {
    bool first, second;
    const char *why;
  } pairs[] = {
      {tool->resume, !tool->no_store, "--resume needs --no-store"},
      {tool->json, tool->xml, "--json and --xml exclude each other"},
      {tool->elements, tool->xml, "--element and --xml exclude each other: a record is whole"},
      {tool->replace, tool->no_store, "--replace and --no-store exclude each other"},
      {tool->replace, tool->only, "--replace and --only exclude each other: --only stores nothing"},
      {tool->record, tool->gpu, "--record and --gpu exclude each other"},
      {tool->record, tool->sims, "--record and --sim exclude each other"},
      {tool->sweep && !strcmp(tool->sweep, "carveout"), tool->has_carveout,
       "--sweep carveout and --carveout exclude each other"},
      {tool->plot, tool->sweep, "--plot and --sweep exclude each other: --plot varies the capacity"},
      {tool->plot, tool->json, "--plot and --json exclude each other"},
      {tool->plot, tool->has_carveout, "--plot and --carveout exclude each other: --plot marks all"},
      {tool->all, tool->json, "--all and --json exclude each other: JSON always has everything"},
      {tool->all, tool->xml, "--all and --xml exclude each other: a record is whole"},
  };

  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    if (pairs[i].first && pairs[i].second)
      return pairs[i].why;
  return NULL;
}

/* What the options on the command line leave open. */
struct given {
  const char *element; /* --element, not yet read */
  unsigned allowed;    /* the commands that have all given options */
  const char *option;  /* the first option that some command does not have; NULL: none */
};

static int bad_timeout(const char *text)
{
  struct gc_error err = {""};

  gc_fail(&err, 0, "--timeout needs a number of seconds above 0 and up to %d, not",
          GC_MOST_SECONDS);
  return usage(err.text, text);
}

/* One option. An exit code, or -1. */
static int read_option(int c, char **argv, struct gc_tool *tool, struct given *given)
{
  switch (c) {
  case 1:
    tool->words[tool->count++] = optarg;
    break;
  case 's':
    tool->sims = optarg;
    break;
  case 'o':
    tool->only = optarg;
    break;
  case 'f':
    tool->force = true;
    break;
  case 'p':
    tool->force = tool->replace = true;
    break;
  case 'n':
    tool->no_store = true;
    break;
  case 'e':
    given->element = optarg;
    break;
  case 'c':
    tool->color = optarg;
    break;
  case 'r':
    tool->raw = optarg;
    break;
  case 'j':
    tool->json = true;
    break;
  case 'x':
    tool->xml = true;
    break;
  case 'P':
    tool->probe = optarg;
    break;
  case 'a':
    tool->all = true;
    break;
  case 'F':
    tool->format = optarg;
    break;
  case 'O':
    tool->output = optarg;
    break;
  case 'd':
    tool->record = optarg;
    break;
  case 'g':
    tool->gpu = optarg;
    break;
  case 'w':
    tool->sweep = optarg;
    break;
  case 'l':
    tool->plot = optarg;
    break;
  case 'v':
    tool->verbose = tool->times = true;
    break;
  case 'h':
    help();
    return GC_EXIT_DONE;
  case 'V':
    version();
    return GC_EXIT_DONE;
  case 't':
    return good_seconds(optarg, &tool->timeout) ? -1 : bad_timeout(optarg);
  case 'R':
    return good_step(optarg, &tool->resume)
               ? -1
               : usage("--resume needs the number of a step, not", optarg);
  case 'T':
    tool->has_tolerance = true;
    return good_percent(optarg, &tool->tolerance)
               ? -1
               : usage("--tolerance needs a percentage from 0 to 1000, not", optarg);
  case 'C':
    tool->has_carveout = true;
    return good_carveout(optarg, &tool->carveout)
               ? -1
               : usage("--carveout needs a whole percentage from 0 to 100, not", optarg);
  case ':':
    return usage("an argument is missing after", argv[optind - 1]);
  default:
    return usage("unknown or misused option", argv[optind - 1]);
  }
  return -1;
}

/* All options and arguments. An exit code, or -1. */
static int read_options(int argc, char **argv, struct gc_tool *tool, struct given *given)
{
  int c, index = 0, status;

  opterr = 0;
  /* "-": words are returned in their order among the options, whatever POSIXLY_CORRECT says;
   * ":": a missing argument and an unknown option have different results */
  while ((c = getopt_long(argc, argv, "-:h", options, &index)) != -1) {
    status = read_option(c, argv, tool, given);
    if (status >= 0)
      return status;
    if (c != 1 && (given->allowed & belongs(c)) != given->allowed) {
      given->allowed &= belongs(c);
      given->option = options[index].name;
    }
  }
  while (optind < argc)
    tool->words[tool->count++] = argv[optind++];
  return -1;
}

static int no_command(void)
{
  struct gc_error err = {"no command given:"};

  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
    const size_t used = strlen(err.text);

    snprintf(err.text + used, sizeof err.text - used, "%s %s",
             i == 0                                       ? ""
             : i + 1 < sizeof commands / sizeof *commands ? ","
                                                          : " or",
             commands[i].name);
  }
  return usage(err.text, NULL);
}

/* Takes the command from the arguments. An exit code, or -1. */
static int find_command(struct gc_tool *tool, const struct given *given,
                        const struct command **command)
{
  struct gc_error err = {""};
  char option[32];

  if (!tool->count)
    return no_command();
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
    if (!strcmp(tool->words[0], commands[i].name))
      *command = &commands[i];
  if (!*command)
    return usage("unknown command", tool->words[0]);
  tool->words++;
  tool->count--;
  if (given->allowed & (*command)->bit)
    return -1;
  gc_fail(&err, 0, "%s has no option", (*command)->name);
  snprintf(option, sizeof option, "--%s", given->option);
  return usage(err.text, option);
}

/* Whether the values of the options can be used. An exit code, or -1. */
static int check_options(struct gc_tool *tool, const char *element)
{
  struct gc_error err = {""};

  if (tool->sims && !good_list(tool->sims))
    return usage("--sim needs names of simulated GPUs, not", tool->sims);
  if (tool->only && !good_list(tool->only))
    return usage("--only needs elements, comma-separated, not", tool->only);
  if (gc_measure_check_only(tool->only, &err))
    return usage(err.text, NULL);
  if (element && !good_list(element))
    return usage("--element needs elements, comma-separated, not", element);
  if (element && gc_show_elements(element, &tool->elements, &err))
    return usage(err.text, NULL);
  if (tool->color && !gc_terminal_can(tool->color))
    return usage("--color needs auto, always or never, not", tool->color);
  if (tool->raw && !*tool->raw)
    return usage("--raw needs a directory", NULL);
  if (tool->sweep && !gc_sweep_can(tool->sweep))
    return usage("--sweep needs carveout, capacity, ways, line or outstanding, not", tool->sweep);
  if (tool->plot && !*tool->plot)
    return usage("--plot needs a directory", NULL);
  if (tool->record && !*tool->record)
    return usage("--record needs a file", NULL);
  if (tool->gpu && !*tool->gpu)
    return usage("--gpu needs a GPU", NULL);
  if (tool->output && !*tool->output)
    return usage("--output needs a file", NULL);
  return contradiction(tool) ? usage(contradiction(tool), NULL) : -1;
}

/* Whether the command has these arguments. An exit code, or -1. */
static int check_words(const struct gc_tool *tool, const struct command *command)
{
  if (tool->count < command->least)
    return usage(command->too_few, NULL);
  if (tool->count > command->most)
    return usage(command->too_many, tool->words[command->most]);
  if (command->bit == REPORT && !gc_report_can(tool->words[0]))
    return usage("report needs the name of the page first, FILE.html, not", tool->words[0]);
  if (command->bit == PURGE && tool->all && tool->sims)
    return usage("--all and --sim exclude each other: --all removes all records", NULL);
  if (command->bit == PURGE && tool->all && tool->count)
    return usage("purge takes --all or names of GPUs, not both:", tool->words[0]);
  return -1;
}

/* Reads the command line. Returns an exit code, or -1 to go on with *command. */
static int parse(int argc, char **argv, struct gc_tool *tool, const struct command **command)
{
  struct given given = {.allowed = ANY};
  int status = read_options(argc, argv, tool, &given);

  if (status < 0)
    status = find_command(tool, &given, command);
  if (status < 0) /* first: a word may be missing because an option has taken it for its value */
    status = check_options(tool, given.element);
  return status < 0 ? check_words(tool, *command) : status;
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
  struct gc_tool tool = {0};
  const struct command *command = NULL;
  const char *verbose;
  char **words = calloc((size_t)argc + 1, sizeof *words), *line = whole_command(argc, argv);
  int status;

  if (!words || !line) {
    free(words);
    free(line);
    gc_say(NULL, "out of memory");
    return GC_EXIT_FAILED;
  }
  tool.words = words;
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
    status = command && command->failed ? command->failed : GC_EXIT_FAILED;
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
