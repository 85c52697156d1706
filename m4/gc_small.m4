dnl SPDX-License-Identifier: BSD-3-Clause
dnl
dnl Sets SMALL_CFLAGS: those flags for a smaller plugin that not every compiler knows. They turn off
dnl optimizations that copy code or split functions. -Os itself would have no effect, because the
dnl user's -O2 comes later.
AC_DEFUN([GC_SMALL], [
  AC_MSG_CHECKING([for flags that make the plugin smaller])
  gc_cflags=$CFLAGS
  SMALL_CFLAGS=
  for gc_flag in -falign-jumps=1 -falign-labels=1 -freorder-blocks-algorithm=simple \
      -fno-tree-ch -fno-split-paths -fno-thread-jumps -fno-tree-dominator-opts \
      -fno-tree-loop-im -fno-inline-small-functions -fno-partial-inlining -fno-ipa-cp \
      -fno-guess-branch-probability -fno-shrink-wrap; do
    CFLAGS="$gc_cflags -Werror $gc_flag"
    AC_COMPILE_IFELSE([AC_LANG_SOURCE([[int gc_small;]])],
                      [SMALL_CFLAGS="$SMALL_CFLAGS $gc_flag"])
  done
  CFLAGS=$gc_cflags
  AC_MSG_RESULT([${SMALL_CFLAGS:-none}])
  AC_SUBST([SMALL_CFLAGS])
])
