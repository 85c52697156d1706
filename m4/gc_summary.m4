dnl SPDX-License-Identifier: BSD-3-Clause
dnl Prints what configure found, at its end.
AC_DEFUN([GC_SUMMARY], [
  gc_version() { test -n "$[]1" && echo "$[]1" || echo "$[]2"; }
  AS_CASE([$gc_hwloc_plugins],
    [no], [gc_no_plugins=', cannot load plugins (see the warning below)'],
    [unknown], [gc_no_plugins=', not known whether it can load plugins'], [gc_no_plugins=])
  dnl ${libdir}/hwloc, then ${exec_prefix}/lib/hwloc, then ${prefix}/lib/hwloc
  gc_dir=$hwlocplugindir
  for gc_round in 1 2 3; do eval "gc_dir=\"$gc_dir\""; done
  AS_IF([test "$gc_dir" != "$hwloc_own_plugindir"],
    [gc_dir="$gc_dir (hwloc searches in $hwloc_own_plugindir)"])
  dnl ${prefix}/var
  gc_site_dir=$localstatedir
  for gc_round in 1 2 3; do eval "gc_site_dir=\"$gc_site_dir\""; done
  AS_IF([test "$with_cuda" = no], [gc_no_ptxas="not used (--with-cuda=no): PTX only"],
    [gc_no_ptxas="not found: PTX only, compiled by the driver on first use"])
  AS_IF([test -n "$PTXAS_VERSION"], [gc_ptxas="$PTXAS_VERSION, $PTXAS
                        cubins for sm_`echo $CUBIN_ARCHS | sed 's/ / sm_/g'`"],
    [gc_ptxas=$gc_no_ptxas])
  AS_IF([test -n "$AMD_PROCESSORS"], [gc_amd="`echo $AMD_PROCESSORS`
                        compiled by $AMD_CLANG, linked by $LLD${gc_amd_unknown:+
                        not supported by this clang:$gc_amd_unknown}"], [gc_amd=$gc_no_amd])

  cat <<_GCEOF

$PACKAGE_NAME $PACKAGE_VERSION
  hwloc                 $HWLOC_VERSION, component ABI $HWLOC_ABI$gc_no_plugins
  plugin directory      $gc_dir
  records of the site   $gc_site_dir/cache/hwloc-gpucache
  systemd unit          $systemdsystemunitdir
  tmpfiles.d, udev      $tmpfilesdir, $udevrulesdir
  jansson               $JANSSON_VERSION
  GPU compiler          clang $CLANG_VERSION, $CLANG
                        $CLANG_TARGETS
  ptxas                 $gc_ptxas
  cuda.h                $gc_cuda_h
  AMD code objects      $gc_amd
  NVIDIA back end       yes (CUDA driver API, loaded at run time)
  AMD back end          `AS_IF([test -n "$AMD_PROCESSORS"], [echo "yes (HIP, loaded at run time)"], [echo "shows AMD GPUs, but has no kernels to measure them"])`
  compressed traces     gzip: `gc_version "$gc_ZLIB" "no zlib (Debian package zlib1g-dev)"`
                        xz: `gc_version "$gc_LZMA" "no liblzma (Debian package liblzma-dev)"`
                        zstd: `gc_version "$gc_ZSTD" "no libzstd (Debian package libzstd-dev)"`
  host compiler         $CC $CFLAGS${WERROR_CFLAGS:+ $WERROR_CFLAGS}
  for make check
    lstopo              `gc_version "$LSTOPO" "not found (Debian package hwloc): tests that run it are skipped"`
    cmocka              `AS_IF([test "$gc_cmocka" = no], [echo "not found (Debian package libcmocka-dev): unit tests are skipped"], [echo $gc_cmocka])`
    bats                `gc_version "$BATS" "not found (Debian package bats): tests that run programs are skipped"`
    valgrind            `gc_version "$VALGRIND" "not found"`
    sanitizers          $enable_sanitizers

_GCEOF
  AS_IF([test "$gc_hwloc_plugins" = no], [cat <<_GCEOF
**************************************************************************************************
WARNING: this libhwloc cannot load plugins: $gc_libhwloc
  It was built without --enable-plugins. Everything builds and installs, but no program that uses
  this libhwloc will ever show a GPU cache.
  Use a libhwloc that can load plugins, then run configure again:
    packages      those of Debian, Ubuntu, Fedora and RHEL, and EasyBuild's hwloc 2.11.2 and newer, can
                  load plugins; those of Spack, conda-forge, nixpkgs and Guix cannot unless their
                  recipe is changed
    from source   ./configure --enable-plugins --prefix=DIR && make install
  configure uses the hwloc that pkg-config finds first; PKG_CONFIG_PATH=DIR/lib/pkgconfig selects one.
**************************************************************************************************

_GCEOF
])
])
