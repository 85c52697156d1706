dnl SPDX-License-Identifier: BSD-3-Clause
dnl The CUDA Toolkit, which is optional: NVIDIA GPUs are supported with and without it. ptxas and
dnl fatbinary make cubins for the GPUs that they support, so that the driver need not compile PTX at
dnl run time. With cuda.h, the build checks our own prototypes of the driver API.
AC_DEFUN([GC_CUDA], [
  AC_ARG_WITH([cuda],
    [AS_HELP_STRING([--with-cuda=DIR|no],
      [CUDA Toolkit in DIR (default: PATH, /usr/local/cuda); no: do not use it, embed the NVIDIA kernels as PTX only])],
    [], [with_cuda=search])
  PTXAS= FATBINARY= CUDA_CPPFLAGS= CUBIN_ARCHS= PTXAS_VERSION= gc_cuda_h=no
  AS_CASE([$with_cuda],
    [no], [gc_cuda_dirs= gc_cuda_path=],
    [yes|search|''],
      [gc_cuda_dirs='/usr/local/cuda /usr/lib/nvidia-cuda-toolkit'
       gc_cuda_path=$PATH$PATH_SEPARATOR/usr/local/cuda/bin$PATH_SEPARATOR/usr/lib/nvidia-cuda-toolkit/bin],
    [gc_cuda_dirs=$with_cuda gc_cuda_path=$with_cuda/bin])

  AS_IF([test "$with_cuda" != no], [
    AC_PATH_PROG([PTXAS], [ptxas], [], [$gc_cuda_path])
    AC_PATH_PROG([FATBINARY], [fatbinary], [], [$gc_cuda_path])

    dnl The directory of ptxas comes first, because its cuda.h has the same version.
    AS_IF([test -n "$PTXAS" && test "$with_cuda" = search],
      [gc_cuda_dirs="`dirname "$PTXAS"`/.. $gc_cuda_dirs"])
    gc_save_CPPFLAGS=$CPPFLAGS
    AC_MSG_CHECKING([for cuda.h])
    for gc_dir in $gc_cuda_dirs; do
      AS_IF([test -r "$gc_dir/include/cuda.h"],
        [gc_cuda_h=`cd "$gc_dir/include" && pwd` CUDA_CPPFLAGS="-isystem $gc_cuda_h"; break])
    done
    CPPFLAGS="$gc_save_CPPFLAGS $CUDA_CPPFLAGS"
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <cuda.h>]], [[return CUDA_VERSION < 9000;]])],
      [AS_IF([test "$gc_cuda_h" = no], [gc_cuda_h=yes])], [gc_cuda_h=no CUDA_CPPFLAGS=])
    AC_MSG_RESULT([$gc_cuda_h])
    CPPFLAGS=$gc_save_CPPFLAGS
  ])

  dnl Cubins for all architectures of ptxas, from the oldest that the PTX supports (sm_35). Variants
  dnl with a letter (90a, 100f) are omitted: the kernels do not use their instructions, and the
  dnl cubin without the letter runs on the same GPU.
  AS_IF([test -n "$PTXAS" && test -n "$FATBINARY"], [
    PTXAS_VERSION=`"$PTXAS" --version | sed -n 's/.*release \(@<:@0-9.@:>@*\).*/\1/p'`
    AC_MSG_CHECKING([which architectures $PTXAS supports])
    CUBIN_ARCHS=`"$PTXAS" --help | grep -o "'sm_@<:@0-9@:>@*'" | tr -dc '0-9\n' | sort -n -u |
      awk '$[]1 >= 35 { printf "%s%s", gap, $[]1; gap = " " }'`
    AC_MSG_RESULT([${CUBIN_ARCHS:-none}])
  ])
  AS_CASE([$with_cuda],
    [no|yes|search|''], [],
    [AS_IF([test -z "$CUBIN_ARCHS"],
      [AC_MSG_ERROR([--with-cuda=$with_cuda: this directory has no working bin/ptxas and bin/fatbinary])])])

  AC_SUBST([PTXAS])
  AC_SUBST([FATBINARY])
  AC_SUBST([CUBIN_ARCHS])
  AC_SUBST([CUDA_CPPFLAGS])
  AM_CONDITIONAL([HAVE_PTXAS], [test -n "$CUBIN_ARCHS"])
  AM_CONDITIONAL([HAVE_CUDA_H], [test "$gc_cuda_h" != no])
])
