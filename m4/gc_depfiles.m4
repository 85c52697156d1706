dnl SPDX-License-Identifier: BSD-3-Clause
dnl GC_DEPFILES: before AM_INIT_AUTOMAKE. Makes the empty files that the Makefile includes until the compiler
dnl has written dependencies. Automake's own command makes only those that are missing, with four processes
dnl for each: for 700 files, this took half of all processor time of configure.
AC_DEFUN([GC_DEPFILES], [
  AC_CONFIG_COMMANDS([empty-depfiles], [
    gc_files=
    test x"$AMDEP_TRUE" != x || # --disable-dependency-tracking
      gc_files=`$AWK '/^am__depfiles_remade =/,!/\\\\$/' Makefile |
        tr ' \\\\' '\n\n' | sed -n 's,\$(DEPDIR),.deps,p'`
    test -z "$gc_files" ||
      for gc_file in $gc_files; do echo "$gc_file"; done | sed 's,/@<:@^/@:>@*$,,' | sort -u | xargs mkdir -p
    for gc_file in $gc_files; do
      test -e "$gc_file" || echo '# empty' >"$gc_file"
    done
  ], [AMDEP_TRUE='$AMDEP_TRUE'])
])
