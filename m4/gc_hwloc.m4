dnl SPDX-License-Identifier: BSD-3-Clause
dnl hwloc: headers, component ABI, and the directory where hwloc looks for plugins.
dnl
dnl hwlocplugindir, where ours is installed:
dnl   --with-hwloc-plugindir=DIR   that one
dnl   no --prefix, or hwloc's own  hwloc's directory: lstopo shows GPU caches after make install
dnl   any other --prefix           $libdir/hwloc, because an installation into a private prefix (and
dnl                                distcheck) must not write anywhere else. HWLOC_PLUGINS_PATH must
dnl                                name it then; make install says so.
AC_DEFUN([GC_HWLOC], [
  GC_NEED_LIBRARY([HWLOC], [hwloc >= 2.4], [this is a plugin for it], [libhwloc-dev])

  gc_save_CPPFLAGS=$CPPFLAGS
  CPPFLAGS="$CPPFLAGS $HWLOC_CFLAGS"
  AC_CHECK_HEADER([hwloc/plugins.h], [],
    [AC_MSG_ERROR([hwloc/plugins.h was not found, and hwloc plugins are written against it: install the Debian package libhwloc-dev])])
  AC_MSG_CHECKING([for the component ABI of hwloc])
  AC_COMPUTE_INT([HWLOC_ABI], [HWLOC_COMPONENT_ABI], [[#include <hwloc.h>]], [HWLOC_ABI=unknown])
  AC_MSG_RESULT([$HWLOC_ABI])
  AS_CASE([$HWLOC_ABI],
    [7|8], [],
    [AC_MSG_ERROR([the hwloc headers have component ABI $HWLOC_ABI, and only 7 (hwloc 2.4 and later 2.x) and 8 (hwloc 3.0) are known])])
  CPPFLAGS=$gc_save_CPPFLAGS

  dnl hwloc.pc does not name the plugin directory today. Ask for it all the same, for the day it does.
  gc_hwloc_prefix=`$PKG_CONFIG --variable=prefix hwloc`
  hwloc_own_plugindir=`$PKG_CONFIG --variable=pluginsdir hwloc`
  AS_IF([test -z "$hwloc_own_plugindir"],
    [hwloc_own_plugindir=`$PKG_CONFIG --variable=libdir hwloc`/hwloc])
  AC_SUBST([hwloc_own_plugindir])

  AC_ARG_WITH([hwloc-plugindir],
    [AS_HELP_STRING([--with-hwloc-plugindir=DIR],
      [where hwloc_gpucache.so is installed (default: where hwloc looks; below LIBDIR when --prefix is not the prefix of hwloc)])],
    [], [with_hwloc_plugindir=default])
  AS_CASE([$with_hwloc_plugindir],
    [yes|no|''], [AC_MSG_ERROR([--with-hwloc-plugindir needs a directory])],
    [default],
      [AS_IF([test "$prefix" = NONE || test "$prefix" = "$gc_hwloc_prefix"],
        [hwlocplugindir=$hwloc_own_plugindir], [hwlocplugindir='${libdir}/hwloc'])],
    [[/*|'$'*]], [hwlocplugindir=$with_hwloc_plugindir],
    [AC_MSG_ERROR([--with-hwloc-plugindir needs an absolute directory, not $with_hwloc_plugindir])])
  AC_SUBST([hwlocplugindir])

  dnl The tests run the programs of the hwloc they were built with, wherever that is.
  hwloc_bindir=$gc_hwloc_prefix/bin
  AC_PATH_PROGS([LSTOPO], [lstopo-no-graphics lstopo], [], [$hwloc_bindir$PATH_SEPARATOR$PATH])
  AC_SUBST([hwloc_bindir])
  AM_CONDITIONAL([HAVE_LSTOPO], [test -n "$LSTOPO"])
])
