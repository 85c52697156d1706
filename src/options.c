/* SPDX-License-Identifier: BSD-3-Clause */
#include "options.h"

#include "tool/print/messages.h"
#include "tool/print/terminal.h"

#include <ctype.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define WORD 1      /* what getopt_long returns for an argument that is not an option */
#define FIRST 0x100 /* and for the first row of the options */
#define COLUMN 21   /* of the sentences in the help */

int gc_options_wrong(const char *format, ...)
{
  char text[512];
  va_list values;

  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  gc_say(NULL, "%s", text);
  fputs("Try '" GC_TOOL_NAME " --help'\n", stderr);
  return GC_EXIT_USAGE;
}

/* "list, measure or show": the commands of a set. */
static const char *names(const struct gc_command_line *line, unsigned set, const char *last,
                         char text[256])
{
  size_t used = 0;

  for (size_t i = 0; i < line->command_count; i++) {
    const unsigned bit = line->commands[i].bit;
    const char *before = !used ? "" : set == bit ? last : ", ";

    if (set & bit)
      used += (size_t)snprintf(text + used, 256 - used, "%s%s", before, line->commands[i].name);
    set &= ~bit;
  }
  return text;
}

/* The first row with this name. */
static size_t find(const struct gc_command_line *line, const char *name)
{
  size_t i = 0;

  while (strcmp(line->options[i].name, name))
    i++;
  return i;
}

/* Sets the field of an option. An exit code, or -1. */
static int set(const struct gc_option *option, struct gc_tool *tool)
{
  void *field = (char *)tool + option->field;

  if (option->print) {
    option->print();
    return GC_EXIT_DONE;
  }
  if (!option->value)
    *(bool *)field = true;
  else if (!option->read(optarg, field))
    return gc_options_wrong(*optarg ? "--%s needs %s, not '%s'" : "--%s needs %s", option->name,
                            option->needs, optarg);
  return -1;
}

static const struct gc_subcommand *find_command(const struct gc_command_line *line,
                                                const char *name)
{
  for (size_t i = 0; i < line->command_count; i++)
    if (!strcmp(name, line->commands[i].name))
      return &line->commands[i];
  return NULL;
}

/* Whether the argument of a command is a program, even without "--" before it. */
static bool starts_program(const struct gc_command_line *line, const char *name)
{
  const struct gc_subcommand *command = find_command(line, name);

  return command && !strncmp(command->arguments, "[--]", 4);
}

/* Reads options and words; given[i]: there is the option of row i. An exit code, or -1. */
static int read_all(const struct gc_command_line *line, int argc, char **argv, bool *given,
                    struct gc_tool *tool)
{
  struct option longs[line->option_count + 1];
  size_t n = 0;
  int c;

  for (size_t i = 0; i < line->option_count; i++)
    if (find(line, line->options[i].name) == i) /* two equal rows would make "--al" ambiguous */
      longs[n++] = (struct option){line->options[i].name, line->options[i].value != NULL, NULL,
                                   FIRST + (int)i};
  longs[n] = (struct option){0};
  opterr = 0;
  /* "-": words are returned in their order among the options, whatever POSIXLY_CORRECT says;
   * ":": a missing argument and an unknown option have different results */
  while ((c = getopt_long(argc, argv, "-:h", longs, NULL)) != -1) {
    const size_t row = c == 'h' ? find(line, "help") : (size_t)(c - FIRST);
    int status;

    if (c == WORD) {
      tool->words[tool->count++] = optarg;
      if (tool->count == 2 && starts_program(line, tool->words[0]))
        break;
      continue;
    }
    if (c == '?' && optopt && optopt < FIRST) /* a letter, maybe one of several in a word */
      return isgraph((unsigned char)optopt)
                 ? gc_options_wrong("unknown option '-%c'", optopt)
                 : gc_options_wrong("there is an option that is no ASCII letter");
    if (c == ':' || c == '?')
      return gc_options_wrong(c == ':' ? "an argument is missing after '%s'"
                                       : "unknown or misused option '%s'",
                              argv[optind - 1]);
    if (given[row] && line->options[row].once)
      return gc_options_wrong("--%s is given twice; write one list, separated by commas",
                              line->options[row].name);
    status = set(&line->options[row], tool);
    if (status >= 0)
      return status;
    given[row] = true;
  }
  if (c == -1 && optind < argc) /* behind "--", because words are returned in their order */
    tool->program = tool->words + tool->count;
  while (optind < argc)
    tool->words[tool->count++] = argv[optind++];
  return -1;
}

static bool has_option(const struct gc_command_line *line, unsigned command, const char *name)
{
  for (size_t i = 0; i < line->option_count; i++)
    if ((line->options[i].commands & command) && !strcmp(line->options[i].name, name))
      return true;
  return false;
}

int gc_options_read(const struct gc_command_line *line, int argc, char **argv, struct gc_tool *tool,
                    const struct gc_subcommand **result)
{
  bool given[line->option_count];
  const struct gc_subcommand *command = NULL;
  char text[256];
  int status;

  memset(given, 0, sizeof given);
  status = read_all(line, argc, argv, given, tool);
  if (status >= 0)
    return status;
  if (!tool->count)
    return gc_options_wrong("no command given: %s", names(line, ~0u, " or ", text));
  command = find_command(line, tool->words[0]);
  if (!command)
    return gc_options_wrong("unknown command '%s'", tool->words[0]);
  tool->words++;
  tool->count--;
  for (size_t i = 0; i < line->option_count; i++)
    if (given[i] && !has_option(line, command->bit, line->options[i].name))
      return gc_options_wrong("%s has no option '--%s'", command->name, line->options[i].name);
  if (tool->count < command->least)
    return gc_options_wrong("%s needs %s", command->name, command->takes);
  if (tool->count > command->most)
    return gc_options_wrong("%s takes %s, but there is%s '%s'", command->name, command->takes,
                            command->most ? " also" : "", tool->words[command->most]);
  *result = command;
  return -1;
}

/* Ends a line of the help that has so many characters; the sentence is on the next line if there is
 * no room. */
static void end_row(int width, const char *sentence)
{
  printf(width < COLUMN ? "%*s" : "\n%*s", width < COLUMN ? COLUMN - width : COLUMN, "");
  gc_terminal_print_from(sentence, COLUMN);
}

static void print_options(const struct gc_command_line *line, unsigned commands, int indent)
{
  for (size_t i = 0; i < line->option_count; i++) {
    const struct gc_option *option = &line->options[i];

    if (option->commands == commands && option->help)
      end_row(printf("%*s--%s %s", indent, "", option->name, option->value ? option->value : ""),
              option->help);
  }
}

/* Whether row i is the first one in the help that is for exactly these commands. */
static bool begins_group(const struct gc_command_line *line, size_t i)
{
  for (size_t k = 0; k < i; k++)
    if (line->options[k].commands == line->options[i].commands && line->options[k].help)
      return false;
  return line->options[i].help;
}

void gc_options_help(const struct gc_command_line *line)
{
  unsigned all = 0;
  char text[256];

  puts("Commands:");
  for (size_t i = 0; i < line->command_count; i++) {
    const struct gc_subcommand *command = &line->commands[i];

    all |= command->bit;
    end_row(printf("  %s %s", command->name, command->arguments), command->help);
    print_options(line, command->bit, 4);
  }
  for (size_t i = 0; i < line->option_count; i++) {
    const unsigned commands = line->options[i].commands;

    if (!(commands & (commands - 1)) || !begins_group(line, i))
      continue; /* of a single command, or printed already */
    putchar('\n');
    gc_terminal_say("%s:", commands == all ? "all commands" : names(line, commands, " and ", text));
    print_options(line, commands, 2);
  }
}
