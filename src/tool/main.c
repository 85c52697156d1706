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
#include "tool/environment.h"
#include "tool/here.h"
#include "tool/list.h"
#include "tool/measure.h"
#include "tool/plot.h"
#include "tool/purge.h"
#include "tool/say.h"
#include "tool/show.h"
#include "tool/stack.h"
#include "util/number.h"
#include "util/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <hwloc/gpucache.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LIST = 1, MEASURE = 2, SHOW = 4, PURGE = 8, PLOT = 16, ANY = 31 };

static const struct command {
  const char *name;
  unsigned bit;
  int (*run)(const struct gc_tool *tool);
} commands[] = {
  {"list", LIST, gc_tool_list},
  {"measure", MEASURE, gc_tool_measure},
  {"show", SHOW, gc_tool_show},
  {"purge", PURGE, gc_tool_purge},
  {"plot", PLOT, gc_tool_plot},
};

/* help() has all but --resume, which only this program uses (rest.c). */
static const struct option options[] = {
  {"sim", required_argument, NULL, 's'},   {"only", required_argument, NULL, 'o'},
  {"force", no_argument, NULL, 'f'},       {"no-store", no_argument, NULL, 'n'},
  {"replace", no_argument, NULL, 'p'},
  {"raw", required_argument, NULL, 'r'},   {"timeout", required_argument, NULL, 't'},
  {"json", no_argument, NULL, 'j'},        {"resume", required_argument, NULL, 'R'},
  {"xml", no_argument, NULL, 'x'},         {"all", no_argument, NULL, 'a'},
  {"verbose", no_argument, NULL, 'v'},     {"help", no_argument, NULL, 'h'},
  {"version", no_argument, NULL, 'V'},     {NULL, 0, NULL, 0},
};

/* The subcommands that an option belongs to. */
static unsigned belongs(int option)
{
  switch (option) {
  case 's': return LIST | MEASURE | SHOW | PURGE;
  case 'o': case 'f': case 'p': case 'n': case 'r': case 'R': return MEASURE;
  case 't': case 'x': return MEASURE | SHOW;
  case 'j': return SHOW;
  case 'a': return PURGE;
  default: return ANY;
  }
}

static void help(void)
{
  puts("Usage: " GC_TOOL_NAME " [--sim NAME[,NAME...]] COMMAND [OPTION]... [GPU]...\n"
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
       "  show [GPU]...      print records; measure GPUs without a valid record\n"
       "    --json           print JSON, for programs\n"
       "  purge [GPU]...     remove records; without GPU or --sim, all of them\n"
       "    --all            remove all of them\n"
       "  plot DIR           draw the data of measure --raw DIR as SVG pictures, into DIR\n"
       "\n"
       "measure and show:\n"
       "  --timeout SECONDS  stop after this time, at most a day (86400)\n"
       "  --xml              print the record of one GPU as hwloc XML (lstopo -i FILE)\n"
       "\n"
       "All commands:\n"
       "  --sim NAME[,NAME]  use simulated GPUs instead of real ones (not with plot)\n"
       "  --verbose          print messages about what is done\n"
       "  --help, --version\n"
       "\n"
       "A GPU is gpu0, 0, a bus id, a record id, or sim-NAME. Without GPU, all are used.\n"
       "Exit status: 0 done, 1 failed, 2 wrong usage, 3 no GPU that can be used.");
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
    {tool->replace, tool->no_store, "--replace and --no-store exclude each other"},
    {tool->replace, tool->only, "--replace and --only exclude each other: --only stores nothing"},
    {tool->all, tool->sims, "--all and --sim exclude each other: --all removes all records"},
  };

  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    if (pairs[i].first && pairs[i].second)
      return pairs[i].why;
  return NULL;
}

/* Reads the command line. Returns an exit code, or -1 to go on with *command. */
static int parse(int argc, char **argv, struct gc_tool *tool, const struct command **command)
{
  const char *given = NULL; /* an option that some commands do not have */
  struct gc_error err = {""};
  unsigned allowed = ANY;
  char option[32];
  int c, index = 0;

  opterr = 0;
  /* "-": words are returned in their order among the options, whatever POSIXLY_CORRECT says;
   * ":": a missing argument and an unknown option have different results */
  while ((c = getopt_long(argc, argv, "-:h", options, &index)) != -1) {
    switch (c) {
    case 1: tool->words[tool->count++] = optarg; break;
    case 's': tool->sims = optarg; break;
    case 'o': tool->only = optarg; break;
    case 'f': tool->force = true; break;
    case 'p': tool->force = tool->replace = true; break;
    case 'n': tool->no_store = true; break;
    case 'r': tool->raw = optarg; break;
    case 'j': tool->json = true; break;
    case 'x': tool->xml = true; break;
    case 'a': tool->all = true; break;
    case 'v': tool->verbose = tool->times = true; break;
    case 'h': help(); return GC_EXIT_DONE;
    case 'V': version(); return GC_EXIT_DONE;
    case 't':
      if (!good_seconds(optarg, &tool->timeout)) {
        gc_fail(&err, 0, "--timeout needs a number of seconds above 0 and up to %d, not",
                GC_MOST_SECONDS);
        return usage(err.text, optarg);
      }
      break;
    case 'R':
      if (!good_step(optarg, &tool->resume))
        return usage("--resume needs the number of a step, not", optarg);
      break;
    case ':': return usage("an argument is missing after", argv[optind - 1]);
    default: return usage("unknown or misused option", argv[optind - 1]);
    }
    if (c != 1 && (allowed & belongs(c)) != allowed) {
      allowed &= belongs(c);
      given = options[index].name;
    }
  }
  while (optind < argc)
    tool->words[tool->count++] = argv[optind++];

  if (!tool->count)
    return usage("no command given: list, measure, show, purge or plot", NULL);
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
    if (!strcmp(tool->words[0], commands[i].name))
      *command = &commands[i];
  if (!*command)
    return usage("unknown command", tool->words[0]);
  tool->words++;
  tool->count--;
  if (!(allowed & (*command)->bit)) {
    gc_fail(&err, 0, "%s has no option", (*command)->name);
    snprintf(option, sizeof option, "--%s", given);
    return usage(err.text, option);
  }
  if (tool->sims && !good_list(tool->sims))
    return usage("--sim needs names of simulated GPUs, not", tool->sims);
  if (tool->only && !good_list(tool->only))
    return usage("--only needs elements, comma-separated, not", tool->only);
  if (gc_measure_check_only(tool->only, &err))
    return usage(err.text, NULL);
  if ((*command)->bit == LIST && tool->count)
    return usage("list takes no argument, but there is", tool->words[0]);
  if (tool->raw && !*tool->raw)
    return usage("--raw needs a directory", NULL);
  if ((*command)->bit == PLOT && !tool->count)
    return usage("plot needs the directory that measure --raw wrote", NULL);
  if ((*command)->bit == PLOT && tool->count > 1)
    return usage("plot takes one directory, but there is also", tool->words[1]);
  if (tool->all && tool->count)
    return usage("purge takes --all or names of GPUs, not both:", tool->words[0]);
  return contradiction(tool) ? usage(contradiction(tool), NULL) : -1;
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
    status = GC_EXIT_FAILED;
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
