/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/number.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

const char *gc_number_digits(const char *text, uint64_t *number)
{
  uint64_t sum = 0;

  if (!text || !isdigit((unsigned char)*text))
    return NULL;
  for (; isdigit((unsigned char)*text); text++) {
    const unsigned digit = (unsigned)(*text - '0');

    if (sum > (UINT64_MAX - digit) / 10)
      return NULL;
    sum = sum * 10 + digit;
  }
  *number = sum;
  return text;
}

bool gc_number_whole(const char *text, uint64_t *number)
{
  uint64_t read;
  const char *end = gc_number_digits(text, &read);

  if (!end || *end)
    return false;
  *number = read;
  return true;
}

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
  unsigned long long micros = (unsigned long long)((seconds < 1e12 ? seconds : 1e12) * 1e6 + 0.5);
  size_t length;

  if (!micros)
    micros = 1;
  length = (size_t)snprintf(text, 32, "%llu.%06llu", micros / 1000000, micros % 1000000);
  while (text[length - 1] == '0')
    text[--length] = '\0';
  if (text[length - 1] == '.')
    text[--length] = '\0';
}
