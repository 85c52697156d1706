#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# tally.sh LOG...: counts the test cases in the logs of make check and prints one line, "N passed, N
# failed" (and ", N skipped" if there are any).
#
# The cases of a test program are the lines that cmocka and bats print; a program that prints none
# counts as one case. The result of the program is that of automake, in the .trs file beside the
# log. A program that failed without naming a failed case, by a crash for example, counts as one
# more failure.
for log; do
  trs=${log%.log}.trs
  printf 'test %s\n' "$(sed -n 's/^:global-test-result: //p' "$trs" 2>/dev/null)"
  [ -r "$log" ] && sed 's/^/log /' "$log"
done | awk '
  function close_test() {
    if (verdict == "")
      return
    bad = verdict ~ /^(FAIL|ERROR|XPASS)$/ || verdict == "none"
    if (bad && !f) f = 1
    if (!p && !f && !s) {
      if (verdict == "SKIP") s = 1; else p = 1
    }
    passed += p; failed += f; skipped += s
  }
  $1 == "test" {
    close_test()
    verdict = NF > 1 ? $2 : "none"
    p = f = s = 0
    split("", seen)
    next
  }
  { sub(/^log /, "") }
  # cmocka names failed and skipped tests twice, the second time in its summary
  /^\[       OK \] / { p++ }
  /^\[  FAILED  \] / && !/listed below:$/ && !seen[$0]++ { f++ }
  /^\[  SKIPPED \] / && !/listed below:$/ && !seen[$0]++ { s++ }
  /^ok [0-9]+/ { if (/ # skip/) s++; else p++ }
  /^not ok [0-9]+/ { f++ }
  END {
    close_test()
    printf "%d passed, %d failed", passed, failed
    if (skipped) printf ", %d skipped", skipped
    printf "\n"
  }'
