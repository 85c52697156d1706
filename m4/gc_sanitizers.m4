dnl SPDX-License-Identifier: BSD-3-Clause
dnl --enable-sanitizers builds all host code with AddressSanitizer and UndefinedBehaviorSanitizer.
dnl Other programs that load the plugin (lstopo) must preload the runtime of AddressSanitizer,
dnl SANITIZER_PRELOAD: see tests/sanitized.
dnl
dnl The flags go into CFLAGS and LDFLAGS, not into AM_*, because objects with their own flags ignore
dnl AM_*.
AC_DEFUN([GC_SANITIZERS], [
  AC_ARG_ENABLE([sanitizers],
    [AS_HELP_STRING([--enable-sanitizers],
      [build with AddressSanitizer and UndefinedBehaviorSanitizer (developers, CI)])],
    [], [enable_sanitizers=no])
  SANITIZER_PRELOAD=
  AS_IF([test "$enable_sanitizers" != no], [
    gc_flags='-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer'
    gc_runtime=libasan.so
    AS_IF([$CC --version 2>/dev/null | grep clang >/dev/null],
      [gc_flags="$gc_flags -shared-libsan" gc_runtime=libclang_rt.asan-$host_cpu.so])
    AC_MSG_CHECKING([for the runtime of AddressSanitizer])
    SANITIZER_PRELOAD=`$CC -print-file-name=$gc_runtime`
    AS_IF([test -r "$SANITIZER_PRELOAD"], [],
      [AC_MSG_ERROR([$CC has no $gc_runtime: install its sanitizer libraries (Debian: part of gcc; libclang-rt-*-dev for clang)])])
    AC_MSG_RESULT([$SANITIZER_PRELOAD])
    AC_DEFINE([GC_SANITIZED], [1], [Built with AddressSanitizer, which keeps freed memory.])
    CFLAGS="$CFLAGS $gc_flags"
    LDFLAGS="$LDFLAGS $gc_flags"
    # The runtime of clang is in a directory that the loader does not search.
    AS_CASE([$gc_runtime], [libclang_rt.*],
      [LDFLAGS="$LDFLAGS -Wl,-rpath,`AS_DIRNAME(["$SANITIZER_PRELOAD"])`"])
  ])
  AC_SUBST([SANITIZER_PRELOAD])
  AM_CONDITIONAL([SANITIZERS], [test "$enable_sanitizers" != no])
])
