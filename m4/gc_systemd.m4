dnl SPDX-License-Identifier: BSD-3-Clause
dnl Directories of the system's own services, for the files of data/systemd.
dnl
dnl GC_SYSTEM_DIR(VARIABLE, PKG-CONFIG MODULE, ITS VARIABLE, SUBDIRECTORY, WHAT IS INSTALLED)
dnl   --with-VARIABLE=DIR     install into DIR
dnl   --with-VARIABLE         install where the module says
dnl   --without-VARIABLE      do not install
dnl   default                 with --prefix=/usr, where the module says, if there is the module; else
dnl                           do not install, because an installation into a private prefix (and
dnl                           distcheck) must not write anywhere else
AC_DEFUN([GC_SYSTEM_DIR], [
  AC_ARG_WITH([$1],
    [AS_HELP_STRING([--with-$1@<:@=DIR@:>@],
      [directory for $5 (default: what $2.pc says if --prefix is /usr, else no)])],
    [], [with_$1=default])
  AC_MSG_CHECKING([where to install $5])
  gc_from_pc=`$PKG_CONFIG --variable=$3 $2 2>/dev/null`
  AS_CASE([$with_$1],
    [default],
      [AS_IF([test "$prefix" = /usr && test -n "$gc_from_pc"], [$1=$gc_from_pc$4], [$1=no])],
    [yes],
      [AS_IF([test -z "$gc_from_pc"],
        [AC_MSG_ERROR([pkg-config knows no $3 of $2: use --with-$1=DIR])])
      $1=$gc_from_pc$4],
    [no], [$1=no],
    [[/*|'$'*]], [$1=$with_$1],
    [AC_MSG_ERROR([--with-$1 needs an absolute directory, not $with_$1])])
  AC_MSG_RESULT([$[]$1])
  AC_SUBST([$1])
])

AC_DEFUN([GC_SYSTEMD], [
  GC_SYSTEM_DIR([systemdsystemunitdir], [systemd], [systemdsystemunitdir], [], [the systemd unit])
  GC_SYSTEM_DIR([tmpfilesdir], [systemd], [tmpfilesdir], [], [the tmpfiles.d file])
  GC_SYSTEM_DIR([udevrulesdir], [udev], [udevdir], [/rules.d], [the udev rule])
  AM_CONDITIONAL([INSTALL_UNIT], [test "$systemdsystemunitdir" != no])
  AM_CONDITIONAL([INSTALL_TMPFILES], [test "$tmpfilesdir" != no])
  AM_CONDITIONAL([INSTALL_UDEV_RULE], [test "$udevrulesdir" != no])
])
