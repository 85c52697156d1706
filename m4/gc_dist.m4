dnl SPDX-License-Identifier: BSD-3-Clause
dnl make dist writes the same bytes for the same files, whoever runs it, wherever and whenever: the
dnl names are sorted; owner, permissions and times do not come from the file system. All files get one
dnl time, so that make regards none of the generated files as older than its source:
dnl   SOURCE_DATE_EPOCH (seconds since 1970) if it is set, else the date of the last release in NEWS.
dnl The autotools, tar and xz must have the same versions.
AC_DEFUN([GC_REPRODUCIBLE_DIST], [
  AC_MSG_CHECKING([whether tar can write reproducible archives])
  gc_tar_options='--sort=name --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX --format=ustar'
  AS_IF([${TAR-tar} $gc_tar_options -cf /dev/null "$srcdir/configure.ac" 2>/dev/null],
    [gc_reproducible_dist=yes
     am__tar='$${TAR-tar} '$gc_tar_options' --mtime="$(dist_time)" -chf - "$$tardir"'],
    [gc_reproducible_dist=no])
  AC_MSG_RESULT([$gc_reproducible_dist])
])
