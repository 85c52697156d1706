# SPDX-License-Identifier: BSD-3-Clause
# Loaded by .bats files: comma_locale makes comma.locale, which LC_ALL=comma selects. It skips the test only where no
# locale can be made, because localedef or its files are missing: then not even POSIX can be made (0, or 1 for warnings).
comma_locale() {
  local status=0
  export LOCPATH=$BATS_TEST_TMPDIR/locale
  mkdir "$LOCPATH"
  localedef -i "$top_srcdir/tests/limits/comma.locale" -f ANSI_X3.4-1968 "$LOCPATH/comma" && return
  localedef -i POSIX -f ANSI_X3.4-1968 "$LOCPATH/POSIX" || status=$?
  [ $status -le 1 ] || skip "no locale can be made here (Debian packages libc-bin and locales)"
  return 1
}
