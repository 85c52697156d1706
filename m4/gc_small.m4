dnl SPDX-License-Identifier: BSD-3-Clause
dnl
dnl Sets SMALL_CFLAGS: those flags for a smaller plugin that not every compiler knows.
AC_DEFUN([GC_SMALL], [
  AC_MSG_CHECKING([for flags that make the plugin smaller])
  gc_cflags=$CFLAGS
  SMALL_CFLAGS=
  for gc_flag in -falign-jumps=1 -falign-labels=1 -freorder-blocks-algorithm=simple \
      -fno-tree-ch -fno-split-paths -fno-thread-jumps; do
    CFLAGS="$gc_cflags -Werror $gc_flag"
    AC_COMPILE_IFELSE([AC_LANG_SOURCE([[int gc_small;]])],
                      [SMALL_CFLAGS="$SMALL_CFLAGS $gc_flag"])
  done
  CFLAGS=$gc_cflags
  AC_MSG_RESULT([${SMALL_CFLAGS:-none}])
  AC_SUBST([SMALL_CFLAGS])
])
