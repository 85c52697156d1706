#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# contrib/first-day, with simulated GPUs and with a stand-in for HIP.

setup() {
  load setup.bash
  load ../data/mi210-node.bash
  command -v python3 >/dev/null || skip "no python3"
  prepare
  unset ROCR_VISIBLE_DEVICES HIP_VISIBLE_DEVICES CUDA_VISIBLE_DEVICES FAKE_HIP_FAIL
  out=$BATS_TEST_TMPDIR/out
  mkdir "$out"
}

first_day() { run_split "$top_srcdir/contrib/first-day" --tool "$tool" --output "$out" --runs 2 "$@"; }

# A tool that does COMMANDS with the arguments of the measurements of first-day, and the rest as the real one.
wrapped() {
  printf '#!/bin/bash\n[ "$1 $2" != "measure --force" ] || { %s\n}\nexec "%s" "$@"\n' "$1" "$(realpath "$tool")" \
    >"$BATS_TEST_TMPDIR/tool"
  chmod +x "$BATS_TEST_TMPDIR/tool"
  tool=$BATS_TEST_TMPDIR/tool
}

# unpack NAME: the content of the archive, in $unpacked; its page, in $page.
unpack() {
  [ -s "$out/$1.tar.xz" ]
  tar -C "$BATS_TEST_TMPDIR" -xf "$out/$1.tar.xz"
  unpacked=$BATS_TEST_TMPDIR/$1
  page=$(<"$out/$1.txt")
  is "$page" "$(<"$unpacked/odd.txt")"
}

nothing_left() { is "" "$(ls -A "$out")"; }

@test "five differences from all profiles are named on the page, and all files are in the archive" {
  mkdir "$BATS_TEST_TMPDIR/sim"
  sed -e 's/^model = .*/model = NVIDIA Odd Five/' -e 's/^sms = 12 /sms = 13 /' \
    -e '/^\[cache Texture\]/,/^$/{s/^size = 12 KiB/size = 15 KiB/;s/^ways = 96/ways = 120/}' \
    -e '/^\[cache ConstantL1.5\]/,/^$/s/^line = 256/line = 512/' -e 's/^path = memory 39/path = memory 51/' \
    -e '/^\[tlb L1TLB\]/,/^$/s/^entries = 16/entries = 24/' \
    "$top_srcdir/data/sim/gtx780" >"$BATS_TEST_TMPDIR/sim/odd5"
  HWLOC_GPUCACHE_SIM_PATH=$BATS_TEST_TMPDIR/sim first_day --sim odd5
  is 0 "$status"
  has "$output" "what is odd: $out/first-day-nvidia-odd-five-gpu0.txt"
  unpack first-day-nvidia-odd-five-gpu0
  has "$page" "Values that differ from the nearest profile, gtx780"
  has "$page" "GPU SMs: 13 here, 12 in gtx780"
  has "$page" "TextureCache CapacityBytes: 15360 here, 12288 in gtx780 (25.0 % more; repeated"
  has "$page" "ConstantL15Cache FetchBytes: 512 here, 256 in gtx780"
  has "$page" "SharedMemory LatencyCycles: 51 here, 39 in gtx780 (30.8 % more"
  has "$page" "L1TLB Entries: 24 here, 16 in gtx780"
  has "$page" "differences: k20c"
  # the reasons of what is absent here, and the nearest profile has
  has "$page" "ConstantL15Cache LineBytes: 256 in the profile. Here: no number of lines"
  has "$page" "In short: 0 steps failed, 0 values do not repeat, 0 contradict the driver"
  is "2" "$(ls "$unpacked/repetitions" | wc -l)"
  [ -s "$unpacked/raw/gpu0-L1TLB-entries.tsv" ] || ls "$unpacked"/raw/gpu0-L1TLB-*
  has "$(<"$unpacked/doctor.txt")" "plugin file"
  has "$(<"$unpacked/report.html")" "NVIDIA Odd Five"
  has "$(<"$unpacked/show.txt")" "L1TLB"
  has "$(<"$unpacked/steps.txt")" "skipped  driver.txt"
  [ ! -e "$records/sim-odd5.xml" ]
  is "first-day-nvidia-odd-five-gpu0.tar.xz
first-day-nvidia-odd-five-gpu0.txt" "$(ls -A "$out")"
}

@test "a GPU that is like a profile: nothing differs" {
  first_day --sim t1000
  is 0 "$status"
  unpack first-day-nvidia-t1000-gpu0
  has "$page" "of the nearest profile, 0 values differ, 0 are absent here, and 0 are new."
  has "$page" "0 differences: t1000"
}

@test "values that do not repeat, that contradict the tables of the driver, and a measurement that fails" {
  # the second repetition has another capacity, the third one fails; the tables state another L2
  wrapped 'n=$(($(cat '"$BATS_TEST_TMPDIR"'/count 2>/dev/null) + 1)); echo $n >'"$BATS_TEST_TMPDIR"'/count
    [ $n != 4 ] || { echo the GPU is busy >&2; exit 1; }
    set -o pipefail
    "'"$(realpath "$tool")"'" "$@" | if [ $n = 3 ]; then sed "/\"L1Cache\"/,/CapacityBytes/s/\"CapacityBytes\" value=\"/&1/"
      else sed "/subtype=\"L2Cache\"/a<info name=\"LineDiffers\" value=\"sysfs:256\"/>"; fi; exit $?'
  first_day --sim t1000 --runs 3
  is 1 "$status"
  unpack first-day-nvidia-t1000-gpu0
  has "$page" "L1Cache CapacityBytes: 59392 159392: spread too wide"
  has "$page" "L2Cache Line: 128 here; the driver's tables state 256"
  has "$output" "FAILED   repeat.txt           1 measurements failed"
  has "$page" "repeat.txt: the GPU is busy"
  has "$(<"$unpacked/repeat.txt.err")" "the GPU is busy"
}

@test "the archive has no name of host or user, no path of theirs, and no environment" {
  export USER=qxuserqx HOME=$BATS_TEST_TMPDIR/home/qxuserqx SECRET=qxsecretqx
  mkdir -p "$HOME"
  out=$HOME/out
  mkdir "$out"
  mkdir "$HOME/build"
  ln -s "$(realpath "$tool")" "$HOME/build/hwloc-gpucache"
  tool=$HOME/build/hwloc-gpucache
  wrapped "echo on $(uname -n) by \$USER >&2;"
  mv "$tool" "$HOME/build/wrapped"
  tool=$HOME/build/wrapped
  first_day --sim t1000
  is 0 "$status"
  unpack first-day-nvidia-t1000-gpu0
  has "$(<"$unpacked/record.xml.err")" "on PRIVATE by PRIVATE"
  ! grep -rlE "qxuserqx|qxsecretqx" "$unpacked"
  ! grep -rlwF -- "$(uname -n)" "$unpacked"
  # also not as the owner of the files
  has "$(tar -tvf "$out/first-day-nvidia-t1000-gpu0.tar.xz" | head -n 1)" " 0/0 "
}

@test "no GPU, a GPU that is not there, an existing file: a message, and nothing is written" {
  first_day
  is 3 "$status"
  has "$errors" "no GPU found"
  nothing_left
  first_day --sim t1000 gpu7
  is 2 "$status"
  is "first-day: there is no gpu7; there are: gpu0" "$errors"
  nothing_left
  echo mine >"$out/first-day-nvidia-t1000-gpu0.txt"
  first_day --sim t1000
  is 2 "$status"
  has "$errors" "first-day-nvidia-t1000-gpu0.txt exists: move it away"
  is "mine" "$(cat "$out"/*)"
  first_day --sim t1000 --output "$out/first-day-nvidia-t1000-gpu0.txt"
  is 2 "$status"
  is "first-day: --output $out/first-day-nvidia-t1000-gpu0.txt is not a directory" "$errors"
  rm "$out"/*
  tool=$out/none
  first_day
  is 2 "$status"
  is "first-day: $out/none is no program" "$errors"
  nothing_left
}

@test "of several GPUs, each has an archive, or only those that are named" {
  first_day --sim t1000,gtx840m gpu1
  is 0 "$status"
  is 2 "$(ls -A "$out" | wc -l)"
  first_day --sim t1000,gtx780 --output "$BATS_TEST_TMPDIR"
  is 0 "$status"
  [ -s "$BATS_TEST_TMPDIR/first-day-nvidia-t1000-gpu0.tar.xz" ]
  [ -s "$BATS_TEST_TMPDIR/first-day-nvidia-geforce-gtx-780-gpu1.tar.xz" ]
}

@test "after an interruption nothing is left, also no process" {
  wrapped "echo \$\$ >$BATS_TEST_TMPDIR/pid; exec sleep 300;"
  "$top_srcdir/contrib/first-day" --tool "$tool" --output "$out" --sim t1000 >"$BATS_TEST_TMPDIR/said" 2>&1 3>&- &
  local first_day=$!
  for _ in $(seq 300); do [ -s "$BATS_TEST_TMPDIR/pid" ] && break; sleep 0.1; done
  kill -TERM $first_day # bats ignores SIGINT in background jobs
  status=0
  wait $first_day || status=$?
  is 130 "$status"
  has "$(<"$BATS_TEST_TMPDIR/said")" "first-day: interrupted; there is no archive"
  nothing_left
  ! kill -0 "$(<"$BATS_TEST_TMPDIR/pid")" 2>/dev/null
}

@test "a full file system: a message, and nothing is left" {
  unshare -rm mount -t tmpfs none "$BATS_TEST_TMPDIR/nothing" 2>/dev/null || skip "mount is not allowed here"
  full() { # SIZE
    run unshare -rm bash -c 'mount -t tmpfs -o size="$1",mode=700 none "$2" || exit
      "$3" --tool "$4" --output "$2" --sim t1000 --runs 2; echo "exit $?"; ls -A "$2"' \
      full "$1" "$out" "$top_srcdir/contrib/first-day" "$tool"
    has "$output" "No space left on device"
  }
  full 64k
  is "exit 1" "$(tail -n 1 <<<"$output")"
  # only the page and the archive are missing
  wrapped ':;'
  sed -i '1a[ "$1" != compare ] || head -c 100M /dev/zero >"'"$out"'/others"' "$tool"
  full 64m
  is "exit 1
others" "$(tail -n 2 <<<"$output")"
}

# --- a GPU with a driver: a stand-in for HIP

use_hip() {
  use_mi210
  [[ " $AMD_IMAGES " == *' kernels/amd.gfx90a.image '* ]] || skip "this build has no kernels for gfx90a"
  export LD_LIBRARY_PATH=$top_builddir/tests/unit/hip-7/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  # without the smoke test, which does not use the tree
  mkdir "$BATS_TEST_TMPDIR/build"
}

@test "a GPU with a driver: its tables are in the archive, without unique numbers" {
  use_hip
  first_day --build "$BATS_TEST_TMPDIR/build"
  unpack first-day-amd-instinct-mi210-gfx90a-gpu0
  # on a loaded machine the simulated GPU may seem busy, as in tests/tool/hip.bats
  ! grep -qsE 'the GPU is busy|its clock does not settle' "$unpacked"/*.err || skip "the simulated GPU seems busy"
  has_not "$(grep -v kernel-log <<<"$output")" FAILED
  has "$(<"$unpacked/driver.txt")" "gfx_target_version 90010"
  has "$(<"$unpacked/list.txt")" "AMD Instinct MI210"
  has "$(<"$unpacked/show.txt")" "L2Cache"
  has "$(<"$unpacked/record.xml")" 'name="CapacityBytes" value="16384"'
  has "$(<"$unpacked/record.xml")" 'name="GPUCacheUUID" value="GPU-00000000-0000-0000-0000-000000000'
  has "$page" "differences: mi210"
  ! grep -E "unique_id[: ]+[1-9]" "$unpacked/driver.txt"
}

@test "a step that fails does not stop the others" {
  use_hip
  FAKE_HIP_FAIL=hipInit=100 first_day --build "$BATS_TEST_TMPDIR/build"
  is 1 "$status"
  unpack first-day-amd-instinct-mi210-gfx90a-gpu0
  has "$output" "FAILED   record.xml           exit status 3"
  has "$output" "done     list.txt "
  has "$(<"$unpacked/record.xml.err")" "shows no GPU, and so not gpu0: hipErrorNoDevice"
  has "$page" "record.xml: hwloc-gpucache: "
  has "$page" "Not known: the measurements failed."
}
