dnl SPDX-License-Identifier: BSD-3-Clause
dnl Finds a clang that compiles plain C for GPUs. Sets CLANG, and CLANG_TARGETS for the summary.
dnl
dnl A build of clang can lack a target, and an old clang lacks the attribute that makes a function a
dnl kernel. So the check compiles a kernel with the flags of kernels/local.mk.

dnl _GC_GPU_CLANG_IF(CLANG, TARGET, PROCESSOR FLAG, KERNEL ATTRIBUTE, IF IT COMPILES, IF NOT)
AC_DEFUN([_GC_GPU_CLANG_IF], [
  cat >conftest.c <<_GCEOF
__attribute__(($4)) void gpu_conftest(unsigned long long *p) { *p = 1; }
_GCEOF
  AS_IF([$1 --target=$2 $3 --cuda-path=/nonexistent -O2 -ffreestanding -nogpulib -nostdlib dnl
         -Werror -Wno-unused-command-line-argument -S -x c conftest.c -o conftest.s dnl
         >&AS_MESSAGE_LOG_FD 2>&1 && grep gpu_conftest conftest.s >/dev/null], [$5], [$6])
  rm -f conftest.c conftest.s
])

dnl _GC_GPU_CLANG_PROCESSORS(CLANG, TARGET, PREFIX): expands to a command that prints "PREFIX20 ...
dnl PREFIX90", or nothing.
AC_DEFUN([_GC_GPU_CLANG_PROCESSORS],
  [`$1 --target=$2 -nogpulib --print-supported-cpus 2>&1 |
    sed -n 's/^@<:@@<:@:space:@:>@@:>@*\($3@<:@0-9@:>@@<:@0-9a-f@:>@*\)$/\1/p' |
    sort -V | sed -n '1h;$ {x;G;s/\n/ … /;p;}'`])

AC_DEFUN([GC_GPU_CLANG], [
  AC_ARG_WITH([clang],
    [AS_HELP_STRING([--with-clang=PATH],
      [the clang that compiles the GPU kernels (default: the first of clang-19, -18, -17, -20, -21 and clang that has the nvptx64 target)])],
    [], [with_clang=search])
  AS_CASE([$with_clang],
    [yes|search|''], [gc_clangs='clang-19 clang-18 clang-17 clang-20 clang-21 clang'],
    [no], [AC_MSG_ERROR([the GPU kernels cannot be built without clang])],
    [gc_clangs=$with_clang])

  AC_MSG_CHECKING([for a clang that compiles C for nvptx64])
  CLANG=
  for gc_clang in $gc_clangs; do
    _GC_GPU_CLANG_IF([$gc_clang], [nvptx64-nvidia-cuda], [-march=sm_35], [nvptx_kernel],
      [CLANG=$gc_clang; break])
  done
  AS_IF([test -n "$CLANG"], [CLANG=`command -v "$CLANG"`])
  AC_MSG_RESULT([${CLANG:-none}])
  AS_IF([test -z "$CLANG"],
    [AC_MSG_ERROR([the GPU kernels need clang 17 or newer with the nvptx64 target; tried: $gc_clangs. Install the Debian package clang-19 (Ubuntu: clang-18) or use --with-clang=PATH])])
  AC_SUBST([CLANG])
  CLANG_VERSION=`$CLANG -dumpversion`

  gc_processors=_GC_GPU_CLANG_PROCESSORS([$CLANG], [nvptx64-nvidia-cuda], [sm_])
  CLANG_TARGETS="nvptx64${gc_processors:+ ($gc_processors)}"
  AC_MSG_CHECKING([whether $CLANG compiles C for amdgcn])
  _GC_GPU_CLANG_IF([$CLANG], [amdgcn-amd-amdhsa], [-mcpu=gfx906], [amdgpu_kernel],
    [gc_clang_amdgcn=yes], [gc_clang_amdgcn=no])
  AC_MSG_RESULT([$gc_clang_amdgcn])
  AM_CONDITIONAL([HAVE_CLANG_AMDGCN], [test $gc_clang_amdgcn = yes])
  AS_IF([test $gc_clang_amdgcn = yes], [
    gc_processors=_GC_GPU_CLANG_PROCESSORS([$CLANG], [amdgcn-amd-amdhsa], [gfx])
    CLANG_TARGETS="$CLANG_TARGETS, amdgcn${gc_processors:+ ($gc_processors)}"
  ])
])
