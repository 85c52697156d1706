/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Draws "gpu0 NVIDIA H200  [####----] 7/23 L1Cache capacity" over the earlier line.
 */
#include "tool/print/progress.h"

#include "tool/print/terminal.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define BAR 16

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* the watch may erase the lines */
static size_t drawn; /* lines; the cursor is in the last one */

static bool can_draw(void)
{
  const char *term = getenv("TERM");

  return isatty(STDERR_FILENO) && term && strcmp(term, "dumb");
}

size_t gc_progress_room(void)
{
  struct winsize size;

  if (!can_draw())
    return 0;
  /* the last line of the terminal stays free */
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || size.ws_row < 3 ? 1 : size.ws_row - 1u;
}

static void erase(void)
{
  if (drawn)
    fputs("\r\033[K", stderr);
  for (; drawn > 1; drawn--)
    fputs("\033[A\033[K", stderr);
  drawn = 0;
}

void gc_progress_lines(const char *lines, size_t count, size_t stride)
{
  const size_t width = gc_terminal_real_width(STDERR_FILENO);
  const int columns = width < 2 ? 79 : (int)width - 1; /* the last column would wrap */

  if (!can_draw())
    return;
  pthread_mutex_lock(&mutex);
  if (drawn != count) {
    erase();
  } else if (drawn) {
    fputc('\r', stderr);
    for (size_t i = 1; i < drawn; i++)
      fputs("\033[A", stderr);
  }
  for (size_t i = 0; i < count; i++)
    fprintf(stderr, "%s%.*s\033[K", i ? "\r\n" : "", columns, lines + i * stride);
  fflush(stderr);
  drawn = count;
  pthread_mutex_unlock(&mutex);
}

void gc_progress(const char *title, unsigned done, unsigned total, const char *what)
{
  char bar[BAR + 1], line[GC_PROGRESS_LINE];
  const bool is_of_fleet = !can_draw() && secure_getenv(GC_PROGRESS_ENV);

  if (!is_of_fleet && !can_draw())
    return;
  if (!total)
    total = 1;
  memset(bar, '-', BAR);
  memset(bar, '#', (size_t)BAR * (done < total ? done : total) / total);
  bar[BAR] = 0;
  snprintf(line, sizeof line, "%s  [%s] %u/%u %s", title, bar, done, total, what);
  if (is_of_fleet)
    fprintf(stderr, GC_PROGRESS_MARK "%s\n", line);
  else
    gc_progress_lines(line, 1, sizeof line);
}

void gc_progress_erase(void)
{
  pthread_mutex_lock(&mutex);
  erase();
  pthread_mutex_unlock(&mutex);
}
