/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/clock.h"

#include "util/number.h"

#include <stdio.h>
#include <string.h>

#define DATE_FORM "dddd-dd-ddTdd:dd:ddZ"
#define DAY_SECONDS 86400

double gc_now_ms(void)
{
  struct timespec t;

  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static unsigned days_in(unsigned year, unsigned month)
{
  static const unsigned char days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

  return days[month - 1] + (month == 2 && year % 4 == 0 && (year % 100 || year % 400 == 0));
}

static unsigned days_of(unsigned year)
{
  return 337 + days_in(year, 2);
}

void gc_date_write(time_t when, char text[GC_DATE])
{
  const unsigned long second = (unsigned long)(when > 0 && when < GC_DATE_END ? when : 0);
  const unsigned rest = (unsigned)(second % DAY_SECONDS);
  unsigned day = (unsigned)(second / DAY_SECONDS);
  unsigned short year = 1970;
  unsigned char month = 1;

  for (; day >= days_of(year); year++)
    day -= days_of(year);
  for (; day >= days_in(year, month); month++)
    day -= days_in(year, month);
  snprintf(text, GC_DATE, "%04u-%02u-%02uT%02u:%02u:%02uZ", year, month,
           (unsigned char)(day + 1), rest / 3600, rest / 60 % 60, rest % 60);
}

bool gc_date_read(const char *text, time_t *when)
{
  uint64_t year, month, day, hour, minute, second;
  time_t days = 0;

  for (size_t i = 0; i < sizeof(DATE_FORM); i++)
    if (DATE_FORM[i] == 'd' ? text[i] < '0' || text[i] > '9' : text[i] != DATE_FORM[i])
      return false;
  gc_number_digits(text, &year);
  gc_number_digits(text + 5, &month);
  gc_number_digits(text + 8, &day);
  gc_number_digits(text + 11, &hour);
  gc_number_digits(text + 14, &minute);
  gc_number_digits(text + 17, &second);
  if (year < 1970 || month < 1 || month > 12 || day < 1 ||
      day > days_in((unsigned)year, (unsigned)month) || hour > 23 || minute > 59 || second > 59)
    return false;
  for (unsigned before = 1970; before < year; before++)
    days += days_of(before);
  for (unsigned before = 1; before < month; before++)
    days += days_in((unsigned)year, before);
  *when = (days + (time_t)day - 1) * DAY_SECONDS + (time_t)(hour * 3600 + minute * 60 + second);
  return true;
}
