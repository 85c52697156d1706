/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/number.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

bool gc_number_read(const char *text, double *number)
{
  const char *at = text ? text : "";
  double digit = 1;
  unsigned digits = 0;

  *number = 0;
  for (; isdigit((unsigned char)*at); at++, digits++)
    *number = *number * 10 + (*at - '0');
  if (*at == '.')
    for (at++; isdigit((unsigned char)*at); at++, digits++)
      *number += (digit /= 10) * (*at - '0');
  return !*at && digits;
}

void gc_number_seconds(double seconds, char text[32])
{
  unsigned long long micros = (unsigned long long)(seconds * 1e6 + 0.5);
  size_t length;

  if (!micros)
    micros = 1;
  length = (size_t)snprintf(text, 32, "%llu.%06llu", micros / 1000000, micros % 1000000);
  while (text[length - 1] == '0')
    text[--length] = '\0';
  if (text[length - 1] == '.')
    text[--length] = '\0';
}
