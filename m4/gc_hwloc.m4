dnl SPDX-License-Identifier: BSD-3-Clause
dnl hwloc: headers, component ABI, and the directory in which hwloc searches for plugins.
dnl
dnl The plugin is installed into hwlocplugindir:
dnl   --with-hwloc-plugindir=DIR    DIR
dnl   no --prefix, or that of hwloc hwloc's directory: lstopo shows GPU caches after make install
dnl   any other --prefix            $libdir/hwloc, because an installation into a private prefix (and
dnl                                 distcheck) must not write anywhere else. The user must set
dnl                                 HWLOC_PLUGINS_PATH; make install prints it.
AC_DEFUN([GC_HWLOC], [
  GC_NEED_LIBRARY([HWLOC], [hwloc >= 2.4], [this program is a plugin for it], [libhwloc-dev])

  gc_save_CPPFLAGS=$CPPFLAGS
  CPPFLAGS="$CPPFLAGS $HWLOC_CFLAGS"
  AC_CHECK_HEADER([hwloc/plugins.h], [],
    [AC_MSG_ERROR([hwloc/plugins.h was not found, and hwloc plugins need it: install the Debian package libhwloc-dev])])
  AC_MSG_CHECKING([for the component ABI of hwloc])
  AC_COMPUTE_INT([HWLOC_ABI], [HWLOC_COMPONENT_ABI], [[#include <hwloc.h>]], [HWLOC_ABI=unknown])
  AC_MSG_RESULT([$HWLOC_ABI])
  AS_CASE([$HWLOC_ABI],
    [7|8], [],
    [AC_MSG_ERROR([the hwloc headers have component ABI $HWLOC_ABI; supported are 7 (hwloc 2.4 and later 2.x) and 8 (hwloc 3.0)])])
  CPPFLAGS=$gc_save_CPPFLAGS

  GC_HWLOC_LOADS_PLUGINS

  dnl hwloc.pc does not name the plugin directory yet. Use its variable if a later version has one.
  gc_hwloc_prefix=`$PKG_CONFIG --variable=prefix hwloc`
  hwloc_own_plugindir=`$PKG_CONFIG --variable=pluginsdir hwloc`
  AS_IF([test -z "$hwloc_own_plugindir"],
    [hwloc_own_plugindir=`$PKG_CONFIG --variable=libdir hwloc`/hwloc])
  AC_SUBST([hwloc_own_plugindir])

  AC_ARG_WITH([hwloc-plugindir],
    [AS_HELP_STRING([--with-hwloc-plugindir=DIR],
      [directory for hwloc_gpucache.so (default: the plugin directory of hwloc; LIBDIR/hwloc if --prefix is not the prefix of hwloc)])],
    [], [with_hwloc_plugindir=default])
  AS_CASE([$with_hwloc_plugindir],
    [yes|no|''], [AC_MSG_ERROR([--with-hwloc-plugindir needs a directory])],
    [default],
      [AS_IF([test "$prefix" = NONE || test "$prefix" = "$gc_hwloc_prefix"],
        [hwlocplugindir=$hwloc_own_plugindir], [hwlocplugindir='${libdir}/hwloc'])],
    [[/*|'$'*]], [hwlocplugindir=$with_hwloc_plugindir],
    [AC_MSG_ERROR([--with-hwloc-plugindir needs an absolute directory, not $with_hwloc_plugindir])])
  AC_SUBST([hwlocplugindir])

  dnl The tests run the programs of the hwloc that this was built with.
  hwloc_bindir=$gc_hwloc_prefix/bin
  AC_PATH_PROGS([LSTOPO], [lstopo-no-graphics lstopo], [], [$hwloc_bindir$PATH_SEPARATOR$PATH])
  AC_SUBST([hwloc_bindir])
  AM_CONDITIONAL([HAVE_LSTOPO], [test -n "$LSTOPO"])
])

dnl Whether the libhwloc that $HWLOC_LIBS links can load plugins. By upstream's default, it cannot.
dnl Then everything builds and installs, but nothing ever appears in a topology. Such a libhwloc lacks
dnl the name of the variable HWLOC_PLUGINS_PATH, because the code that reads it is not compiled.
dnl Nothing is run, so that it works for a cross compiler, too. Sets
dnl   gc_libhwloc         the file that is linked; empty if the linker does not name it
dnl   gc_hwloc_plugins    yes, no or unknown
AC_DEFUN([GC_HWLOC_LOADS_PLUGINS], [
  AC_MSG_CHECKING([whether libhwloc can load plugins])
  gc_hwloc_plugins=unknown
  AC_LANG_CONFTEST([AC_LANG_PROGRAM([[#include <hwloc.h>]], [[return hwloc_get_api_version() == 0;]])])
  dnl GNU ld prints only the path, gold and mold print more. A static library is libhwloc.a(topology.o).
  gc_libhwloc=`$CC $CPPFLAGS $HWLOC_CFLAGS $CFLAGS $LDFLAGS -Wl,--trace -o conftest$EXEEXT \
    conftest.$ac_ext $HWLOC_LIBS 2>/dev/null |
    sed -n 's,^[[^/]]*\(/.*/libhwloc\.[[^(: ]]*\).*,\1,p' | sed '1q'`
  rm -f conftest$EXEEXT conftest.$ac_ext conftest.$OBJEXT
  AS_IF([test -r "$gc_libhwloc"],
    [gc_libhwloc=`cd "${gc_libhwloc%/*}" && pwd -P`/${gc_libhwloc##*/}
    AS_IF([tr '\0' '\n' <"$gc_libhwloc" | LC_ALL=C grep -a 'HWLOC_PLUGINS_PATH$' >/dev/null],
      [gc_hwloc_plugins=yes], [gc_hwloc_plugins=no])])
  AC_MSG_RESULT([$gc_hwloc_plugins${gc_libhwloc:+ ($gc_libhwloc)}])
])
