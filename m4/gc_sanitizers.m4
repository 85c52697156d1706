dnl SPDX-License-Identifier: BSD-3-Clause
dnl --enable-sanitizers: everything that runs on the host is built with AddressSanitizer and
dnl UndefinedBehaviorSanitizer. Programs that are not ours and load the plugin (lstopo) must have the
dnl runtime of the former in place first: SANITIZER_PRELOAD, see tests/sanitized.
dnl
dnl The flags go into CFLAGS and LDFLAGS, not AM_*: no object may escape by having flags of its own.
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
    CFLAGS="$CFLAGS $gc_flags"
    LDFLAGS="$LDFLAGS $gc_flags"
    # clang's is in a directory of its own, where no program looks
    AS_CASE([$gc_runtime], [libclang_rt.*],
      [LDFLAGS="$LDFLAGS -Wl,-rpath,`AS_DIRNAME(["$SANITIZER_PRELOAD"])`"])
  ])
  AC_SUBST([SANITIZER_PRELOAD])
  AM_CONDITIONAL([SANITIZERS], [test "$enable_sanitizers" != no])
])
