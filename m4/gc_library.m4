dnl SPDX-License-Identifier: BSD-3-Clause
dnl GC_NEED_LIBRARY(VARIABLE, PKG-CONFIG MODULE, WHAT IT IS FOR, DEBIAN PACKAGE)
dnl Sets VARIABLE_CFLAGS, VARIABLE_LIBS and VARIABLE_VERSION. If the library is missing, configure
dnl fails with a message that names the package to install.
AC_DEFUN([GC_NEED_LIBRARY], [
  PKG_CHECK_MODULES([$1], [$2], [],
    [AC_MSG_ERROR([$2 was not found ($3): install the Debian package $4])])
  $1_VERSION=`$PKG_CONFIG --modversion "m4_bpatsubst([$2], [ .*])"`
])
