dnl SPDX-License-Identifier: BSD-3-Clause
dnl Programs that make check uses. The build needs none of them. A test without its program is skipped, and names the package.
AC_DEFUN([GC_TEST_PROGRAMS], [
  PKG_CHECK_MODULES([CMOCKA], [cmocka], [gc_cmocka=`$PKG_CONFIG --modversion cmocka`], [gc_cmocka=no])
  AM_CONDITIONAL([HAVE_CMOCKA], [test "$gc_cmocka" != no])
  AC_PATH_PROG([BATS], [bats])
  AM_CONDITIONAL([HAVE_BATS], [test -n "$BATS"])
  AC_PATH_PROG([VALGRIND], [valgrind])
])
