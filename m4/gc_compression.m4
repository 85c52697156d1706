dnl SPDX-License-Identifier: BSD-3-Clause
dnl Libraries that decompress memory traces (src/predict/trace). Each is optional: without it, a trace
dnl that is compressed that way is refused with a sentence that names the library.
dnl
dnl GC_HAVE_LIBRARY(VARIABLE, PKG-CONFIG MODULE, WHAT config.h SAYS)
dnl   --without-MODULE (lower case of VARIABLE)   do not use it
dnl Sets VARIABLE_CFLAGS, VARIABLE_LIBS, gc_VARIABLE (its version, or empty) and HAVE_VARIABLE.
AC_DEFUN([GC_HAVE_LIBRARY], [
  AC_ARG_WITH(m4_tolower([$1]),
    [AS_HELP_STRING([--without-]m4_tolower([$1]), [do not use $2])],
    [], [with_]m4_tolower([$1])[=yes])
  gc_$1=
  AS_IF([test "$with_]m4_tolower([$1])[" != no],
    [PKG_CHECK_MODULES([$1], [$2],
      [gc_$1=`$PKG_CONFIG --modversion $2`
      AC_DEFINE([HAVE_$1], [1], [$3])], [:])])
  AC_SUBST([$1_CFLAGS])
  AC_SUBST([$1_LIBS])
])

AC_DEFUN([GC_COMPRESSION], [
  GC_HAVE_LIBRARY([ZLIB], [zlib], [Whether traces compressed with gzip can be read.])
  GC_HAVE_LIBRARY([LZMA], [liblzma], [Whether traces compressed with xz can be read.])
  GC_HAVE_LIBRARY([ZSTD], [libzstd], [Whether traces compressed with zstd can be read.])
])
