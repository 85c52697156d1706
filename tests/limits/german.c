/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A library that is preloaded and selects a locale in which numbers have a decimal comma, as
 * libraries of desktops do.
 */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void __attribute__((constructor)) select_locale(void)
{
  char text[8];

  setlocale(LC_ALL, "");
  snprintf(text, sizeof(text), "%.1f", 0.5);
  if (text[1] != ',') {
    static const char message[] = "german: there is no decimal comma\n";

    if (write(STDERR_FILENO, message, sizeof(message) - 1) < 0)
      _exit(78);
    _exit(77);
  }
}
