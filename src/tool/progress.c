/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Draws "gpu0 NVIDIA H200  [####----] 7/23 L1Cache capacity" over the earlier line.
 */
#include "tool/progress.h"

#include "tool/terminal.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BAR 16

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* the watch may erase the line */
static bool drawn;

/* The columns of the terminal; 0: stderr is no terminal that can erase a line. */
static size_t terminal_columns(void)
{
  const char *term = getenv("TERM");
  const size_t columns = gc_terminal_width(STDERR_FILENO);

  if (!isatty(STDERR_FILENO) || !term || !strcmp(term, "dumb"))
    return 0;
  return columns < 2 ? 79 : columns - 1; /* the last column would wrap */
}

void gc_progress(const char *title, unsigned done, unsigned total, const char *what)
{
  size_t columns = terminal_columns();
  char bar[BAR + 1], line[256];

  if (!columns)
    return;
  if (!total)
    total = 1;
  memset(bar, '-', BAR);
  memset(bar, '#', (size_t)BAR * (done < total ? done : total) / total);
  bar[BAR] = 0;
  snprintf(line, sizeof line, "%s  [%s] %u/%u %s", title, bar, done, total, what);
  if (strlen(line) > columns)
    line[columns] = 0;

  pthread_mutex_lock(&mutex);
  fprintf(stderr, "\r%s\033[K", line);
  fflush(stderr);
  drawn = true;
  pthread_mutex_unlock(&mutex);
}

void gc_progress_erase(void)
{
  pthread_mutex_lock(&mutex);
  if (drawn)
    fputs("\r\033[K", stderr);
  drawn = false;
  pthread_mutex_unlock(&mutex);
}
