/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A command line as two tables: the commands, and the options with their values, readers and help.
 * Options may be anywhere among the words. main.c has the tables.
 */
#ifndef GC_OPTIONS_H
#define GC_OPTIONS_H

#include "tool/tool.h"

struct gc_subcommand {
  const char *name;
  unsigned bit; /* of struct gc_option's commands */
  int (*run)(const struct gc_tool *tool);
  const char *arguments, *help; /* for the help. "[--] PROGRAM": options after it are its own */
  size_t least, most;           /* number of arguments */
  const char *takes;            /* what they are, for the message that there are fewer or more */
};

/* An option may have several rows, with a help for different commands each. */
struct gc_option {
  const char *name;  /* without "--" */
  const char *value; /* what the help calls its value; NULL: it has none */
  unsigned commands; /* that have it */
  size_t field; /* offset in struct gc_tool: a bool if there is no value, else what read sets */
  bool (*read)(const char *text, void *field); /* false: the text is not what `needs` says */
  const char *needs;                           /* "a directory" */
  void (*print)(void); /* instead of a field: prints, and the program ends */
  const char *help;    /* NULL: only this program uses the option, and the help is without it */
  bool once;           /* given twice, it is refused; else the last one counts, or what read does */
};

struct gc_command_line {
  const struct gc_subcommand *commands;
  size_t command_count;
  const struct gc_option *options;
  size_t option_count;
};

/* Reads the options into *tool and the arguments after the command into tool->words, which has room
 * for argc. Returns -1 with *command, or an exit code after a message. */
int gc_options_read(const struct gc_command_line *line, int argc, char **argv, struct gc_tool *tool,
                    const struct gc_subcommand **command);

/* Prints the commands, each with the options that only it has, and then the other options. */
void gc_options_help(const struct gc_command_line *line);

/* Prints a message and a hint at --help. GC_EXIT_USAGE. */
int gc_options_wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
