dnl SPDX-License-Identifier: BSD-3-Clause
dnl AMD GPUs. The build needs nothing of ROCm, because the tool loads HIP at run time. HIP has no
dnl compiler at run time, so each processor needs a code object. AMD_PROCESSORS are the processors
dnl for which AMD_CLANG and its linker, LLD, can make one. The summary names the others; if the user
dnl set AMD_PROCESSORS, they are an error. AMD_CLANG is the clang of GC_GPU_CLANG, unless --with-amd-clang names another, which may know newer processors
dnl and need not know NVIDIA's.

dnl The flags of kernels/local.mk. CU mode puts all waves of a block on one CU of an RDNA pair
dnl (WGP).
m4_define([_GC_AMDGCN_FLAGS],
  [--target=amdgcn-amd-amdhsa -mcumode -std=gnu11 -O2 -ffreestanding -nogpulib -nostdlib])

dnl Generic targets need code object version 6. The driver of clang 19 warns that this version can
dnl change, so the option goes to cc1 directly.
m4_define([_GC_AMDGCN_VERSION],
  [`case $1 in *-generic) echo "-Xclang -mcode-object-version=6" ;; *) echo -mcode-object-version=4 ;; esac`])

dnl _GC_AMDGCN_IF(PROCESSOR, IF IT COMPILES AND LINKS, IF NOT)
dnl The kernel contains the instructions that an old clang does not know.
AC_DEFUN([_GC_AMDGCN_IF], [
  cat >conftest.c <<_GCEOF
#if defined(__GFX12__)
#define OWN \\
  "global_load_dwordx2 v@<:@0:1@:>@, v@<:@2:3@:>@, off scope:SCOPE_DEV\n\ts_wait_loadcnt 0x0\n\t" \\
  "s_wait_storecnt 0x0\n\ts_wait_dscnt 0x0\n\ts_wait_kmcnt 0x0\n\t" \\
  "s_getreg_b32 s0, hwreg(HW_REG_SHADER_CYCLES_LO)\n\ts_getreg_b32 s0, hwreg(HW_REG_SHADER_CYCLES_HI)\n\t" \\
  "s_wait_alu depctr_sa_sdst(0)\n\ts_sendmsg_rtn_b64 s@<:@0:1@:>@, sendmsg(MSG_RTN_GET_REALTIME)"
#elif defined(__GFX11__)
#define OWN \\
  "global_load_dwordx2 v@<:@0:1@:>@, v@<:@2:3@:>@, off glc\n\ts_waitcnt_vscnt null, 0x0\n\t" \\
  "s_getreg_b32 s0, hwreg(HW_REG_SHADER_CYCLES, 0, 20)\n\t" \\
  "s_sendmsg_rtn_b64 s@<:@0:1@:>@, sendmsg(MSG_RTN_GET_REALTIME)"
#else
#define OWN "s_memtime s@<:@0:1@:>@\n\ts_memrealtime s@<:@0:1@:>@"
#endif
typedef unsigned rows __attribute__((ext_vector_type(16)));

__attribute__((amdgpu_kernel, visibility("protected")))
void gpu_conftest(__attribute__((address_space(1))) unsigned long *p)
{
  rows row;

  __scoped_atomic_store_n(p, 1ul, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  __asm__ volatile("ds_read_b32 v0, v1\n\ts_load_dwordx16 %0, %1, 0x0\n\t" OWN
                   : "=&s"(row) : "s"(p) : "v0", "v1", "v2", "v3", "s0", "s1");
}
_GCEOF
  AS_IF([$AMD_CLANG _GC_AMDGCN_FLAGS -mcpu=$1 _GC_AMDGCN_VERSION([$1]) -Werror -c -x c -o conftest.o dnl
         conftest.c >&AS_MESSAGE_LOG_FD 2>&1 &&
         $LLD -shared -s -o conftest.image conftest.o >&AS_MESSAGE_LOG_FD 2>&1], [$2], [$3])
  rm -f conftest.c conftest.o conftest.image
])

AC_DEFUN([GC_HIP], [
  AC_ARG_WITH([hip],
    [AS_HELP_STRING([--with-hip=DIR|no],
      [ROCm in DIR (default: /opt/rocm); only its HIP header is used, to check our own prototypes; no: no kernels for AMD GPUs, so that they are shown but not measured])],
    [], [with_hip=yes])
  AC_ARG_WITH([amd-clang],
    [AS_HELP_STRING([--with-amd-clang=PATH],
      [the clang that compiles the kernels for AMD GPUs (default: that of --with-clang); that of ROCm may know newer processors: /opt/rocm/llvm/bin/clang])],
    [], [with_amd_clang=])
  AC_ARG_VAR([AMD_PROCESSORS],
    [the AMD processors to make code objects for, if not all that the clang knows: "gfx90a gfx11-generic"])
  gc_amd_named=`echo $AMD_PROCESSORS`
  gc_amd_wanted=${gc_amd_named:-'gfx906 gfx908 gfx90a gfx90c gfx942 gfx950 gfx1030 gfx1100 gfx1103 gfx1151 gfx1152 gfx1200 gfx1201 gfx9-generic gfx9-4-generic gfx10-1-generic gfx10-3-generic gfx11-generic gfx12-generic'}
  AMD_PROCESSORS= gc_amd_unknown= LLD=
  AS_CASE([$with_amd_clang],
    [yes|no], [AC_MSG_ERROR([--with-amd-clang needs the path of a clang, such as /opt/rocm/llvm/bin/clang; --with-hip=no leaves out AMD GPUs])],
    [''], [AMD_CLANG=$CLANG],
    [AMD_CLANG=`command -v "$with_amd_clang"`
     AS_IF([test -z "$AMD_CLANG"], [AC_MSG_ERROR([--with-amd-clang=$with_amd_clang: there is no such program])])
     AC_MSG_CHECKING([whether $AMD_CLANG compiles C for amdgcn])
     _GC_GPU_CLANG_IF([$AMD_CLANG], [amdgcn-amd-amdhsa], [-mcpu=gfx906], [amdgpu_kernel],
       [gc_clang_amdgcn=yes], [gc_clang_amdgcn=no])
     AC_MSG_RESULT([$gc_clang_amdgcn])
     AS_IF([test $gc_clang_amdgcn = no],
       [AC_MSG_ERROR([--with-amd-clang=$with_amd_clang: it does not compile C for amdgcn (see config.log)])])])
  AMD_CLANG_VERSION=`$AMD_CLANG -dumpversion`
  gc_amd_major=`echo $AMD_CLANG_VERSION | sed 's/\..*//'`
  AC_SUBST([AMD_CLANG])
  AS_IF([test "$with_hip" = no], [gc_no_amd="left out (--with-hip=no)"],
    [test $gc_clang_amdgcn = no], [gc_no_amd="left out: $AMD_CLANG has no amdgcn target"], [
    AC_MSG_CHECKING([for the linker for AMD code objects])
    gc_lld=`$AMD_CLANG -print-prog-name=ld.lld`
    for gc_try in "$gc_lld" ld.lld-$gc_amd_major ld.lld; do
      AS_IF([test -z "$LLD" && command -v "$gc_try" >/dev/null], [LLD=`command -v "$gc_try"`])
    done
    AC_MSG_RESULT([${LLD:-none}])
    gc_no_amd="left out: no ld.lld (Debian package lld-$gc_amd_major)"
    AS_IF([test -n "$LLD"], [
      AC_MSG_CHECKING([which AMD processors $AMD_CLANG makes code objects for])
      for gc_try in $gc_amd_wanted; do
        AS_CASE([" $AMD_PROCESSORS "], [*" $gc_try "*], [continue])
        _GC_AMDGCN_IF([$gc_try], [AMD_PROCESSORS="$AMD_PROCESSORS $gc_try"],
          [AS_IF([test -n "$gc_amd_named"], [
             AC_MSG_RESULT([failed])
             AC_MSG_ERROR([AMD_PROCESSORS: $AMD_CLANG makes no code object for $gc_try (see config.log)])])
           gc_amd_unknown="$gc_amd_unknown $gc_try"])
      done
      AS_IF([test -z "$AMD_PROCESSORS"],
        [gc_no_amd="left out: they need clang 18 or newer and its ld.lld (see config.log)"])
      AC_MSG_RESULT([${AMD_PROCESSORS:-none}])
    ])
  ])

  gc_amd_list=
  for gc_try in $AMD_PROCESSORS; do
    gc_amd_list="$gc_amd_list PROCESSOR(\"$gc_try\", \"kernels/amd.$gc_try.image\", gc_amd_`echo $gc_try | tr - _`)"
  done
  AC_DEFINE_UNQUOTED([AMD_PROCESSORS(PROCESSOR)], [$gc_amd_list],
    [PROCESSOR(name, file, symbol) for each code object])
  AMD_IMAGES=`for gc_try in $AMD_PROCESSORS; do echo kernels/amd.$gc_try.image; done | tr '\n' ' '`
  AC_SUBST([LLD])
  AC_SUBST([AMD_IMAGES])
  AM_CONDITIONAL([HAVE_AMD_IMAGES], [test -n "$AMD_PROCESSORS"])
  AM_CONDITIONAL([GFX12_NEEDS_WAITS], [test $gc_amd_major -lt 20])

  AS_CASE([$with_hip],
    [yes|no|''], [gc_rocm=/opt/rocm],
    [gc_rocm=$with_hip
     AS_IF([test ! -r "$gc_rocm/include/hip/hip_runtime_api.h"],
       [AC_MSG_ERROR([--with-hip=$with_hip: this directory has no include/hip/hip_runtime_api.h])])])
  HIP_CPPFLAGS=-D__HIP_PLATFORM_AMD__ gc_hip_h=no
  AS_IF([test -r "$gc_rocm/include/hip/hip_runtime_api.h"],
    [HIP_CPPFLAGS="$HIP_CPPFLAGS -isystem $gc_rocm/include"])
  AC_MSG_CHECKING([for hip/hip_runtime_api.h])
  gc_save_CPPFLAGS=$CPPFLAGS
  CPPFLAGS="$gc_save_CPPFLAGS $HIP_CPPFLAGS"
  AC_COMPILE_IFELSE(
    [AC_LANG_PROGRAM([[#include <hip/hip_runtime_api.h>]], [[return HIP_VERSION < 50000000;]])],
    [gc_hip_h=yes])
  CPPFLAGS=$gc_save_CPPFLAGS
  AC_MSG_RESULT([$gc_hip_h])
  AC_SUBST([HIP_CPPFLAGS])
  AM_CONDITIONAL([HAVE_HIP_H], [test $gc_hip_h = yes])
])
