dnl SPDX-License-Identifier: BSD-3-Clause
dnl --enable-werror: warnings end the build. For developers and CI; a user's newer compiler may warn
dnl about things that nobody could know of.
AC_DEFUN([GC_WERROR], [
  AC_ARG_ENABLE([werror],
    [AS_HELP_STRING([--enable-werror], [treat compiler warnings as errors (developers, CI)])],
    [], [enable_werror=no])
  AS_IF([test "$enable_werror" != no], [WERROR_CFLAGS=-Werror], [WERROR_CFLAGS=])
  AC_SUBST([WERROR_CFLAGS])
])
