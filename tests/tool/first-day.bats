#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# contrib/amd-first-day, with a stand-in for HIP: each step works, and the report has what doc/amd.md names.

setup() {
  load setup.bash
  load ../data/mi210-node.bash
  prepare
  unset ROCR_VISIBLE_DEVICES HIP_VISIBLE_DEVICES CUDA_VISIBLE_DEVICES FAKE_HIP_FAIL
  use_mi210
  [[ " $AMD_IMAGES " == *' kernels/amd.gfx90a.image '* ]] || skip "this build has no kernels for gfx90a"
  build=$BATS_TEST_TMPDIR/build report=$BATS_TEST_TMPDIR/report
  mkdir "$build" # without the smoke test, which does not use the tree
  ln -s "$tool" "$build/hwloc-gpucache"
  export LD_LIBRARY_PATH=$top_builddir/tests/unit/hip-7/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
}

first_day() { run_split "$top_srcdir/contrib/amd-first-day" "$build" "$report"; }

@test "every step has its output in the report" {
  RUNS=2 first_day
  has "$output" "report: $report.tar.xz"
  # on a loaded machine the simulated GPU may seem busy, as in tests/tool/hip.bats
  ! grep -qsE 'the GPU is busy|its clock does not settle' "$report"/*.err || skip "the simulated GPU seems busy"
  has_not "$(grep -v dmesg <<<"$output"; cat "$report"/{measure,run?.xml}.err)" FAILED
  has "$(<"$report/kfd-nodes")" "gfx_target_version 90010"
  has "$(<"$report/list")" "AMD Instinct MI210"
  has "$(<"$report/measure")" "L2Cache"
  [ -n "$(ls "$report/raw")" ]
  is 'run 1 and run 2:' "$(<"$report/compare")"
  has "$(<"$report/run1.xml")" 'name="CapacityBytes" value="16384"'
  [ ! -e "$report/records" ]
  tar -tf "$report.tar.xz" report/summary
}

@test "a step that fails does not stop the others" {
  RUNS=1 FAKE_HIP_FAIL=hipInit=100 first_day
  is 1 "$status"
  has "$output" "FAILED     open                         exit status 3"
  has "$output" "done       list "
  has "$(<"$report/open.err")" "shows no GPU, and so not gpu0: hipErrorNoDevice"
  [ -s "$report.tar.xz" ]
  # an earlier report is not touched
  first_day
  is 2 "$status"
}
