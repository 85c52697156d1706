dnl SPDX-License-Identifier: BSD-3-Clause
dnl What make check uses, and gnuplot, which only "plot" does. None of it is needed to build; a test that lacks its program is reported as
dnl skipped, with the name of the package.
AC_DEFUN([GC_TEST_PROGRAMS], [
  PKG_CHECK_MODULES([CMOCKA], [cmocka], [gc_cmocka=`$PKG_CONFIG --modversion cmocka`], [gc_cmocka=no])
  AM_CONDITIONAL([HAVE_CMOCKA], [test "$gc_cmocka" != no])
  AC_PATH_PROG([BATS], [bats])
  AM_CONDITIONAL([HAVE_BATS], [test -n "$BATS"])
  AC_PATH_PROG([VALGRIND], [valgrind])
  dnl hwloc-gpucache plot looks it up when it runs
  AC_PATH_PROG([GNUPLOT], [gnuplot])
])
