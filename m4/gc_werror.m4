dnl SPDX-License-Identifier: BSD-3-Clause
dnl --enable-werror: warnings are errors, for developers and CI. It is off by default, because a
dnl newer compiler of a user can have new warnings.
AC_DEFUN([GC_WERROR], [
  AC_ARG_ENABLE([werror],
    [AS_HELP_STRING([--enable-werror], [treat compiler warnings as errors (developers, CI)])],
    [], [enable_werror=no])
  AS_IF([test "$enable_werror" != no], [WERROR_CFLAGS=-Werror], [WERROR_CFLAGS=])
  AC_SUBST([WERROR_CFLAGS])
])
