dnl SPDX-License-Identifier: BSD-3-Clause
dnl --with-hip: the option exists so that packagers can say it once and for all; there is no AMD back
dnl end yet, and the summary says that.
AC_DEFUN([GC_HIP], [
  AC_ARG_WITH([hip],
    [AS_HELP_STRING([--with-hip=DIR|no], [ROCm's HIP (has no effect in this version)])],
    [], [with_hip=default])
  AS_CASE([$with_hip],
    [default|no], [],
    [AC_MSG_WARN([--with-hip=$with_hip has no effect: the AMD back end is not in this version])])
])
