#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The list of GPUs, their names, and the message where there is none.

setup() {
  load setup.bash
  prepare
}

@test "a machine without a GPU: a message and exit 3, for each command that needs one" {
  local command
  for command in list measure show; do
    run_split "$tool" "$command"
    is 3 "$status"
    is '' "$output"
    has "$errors" "hwloc-gpucache: no GPU found"
    has "$errors" "try --sim h200"
  done
}

@test "a machine without a GPU: the message names the root directory, or why HWLOC_FSROOT is ignored" {
  run_split "$tool" list
  is 3 "$status"
  has "$errors" "no GPU found in $BATS_TEST_TMPDIR/nothing (HWLOC_FSROOT); looked in /proc"
  [ ! -e /sys/class/kfd ] && [ ! -e /proc/driver/nvidia/gpus ] || skip "this machine may have a GPU"
  unset HWLOC_THISSYSTEM
  run_split "$tool" list
  [ "$status" = 3 ] || skip "this machine has a GPU"
  has "$errors" "HWLOC_FSROOT is ignored, because HWLOC_THISSYSTEM=1 is not set"
  unset HWLOC_FSROOT
  run_split "$tool" list
  has_not "$errors" HWLOC_FSROOT
}

# machine KIND: see tests/data/machine.sh.
machine() {
  "$top_srcdir/tests/data/machine.sh" "$BATS_TEST_TMPDIR/$1" "$1"
  use_tree "$BATS_TEST_TMPDIR/$1"
}

@test "a word that names neither a GPU nor a file: the message has it, and without a GPU also why there is none" {
  local command
  for command in show export "report page.html" compare; do
    local expected=3
    [ "$command" != compare ] || expected=4
    run_split "$tool" $command nodir
    is "$expected" "$status"
    has "$errors" "hwloc-gpucache: 'nodir' is neither a GPU nor a file; no GPU found in "
    run_split "$tool" $command --sim "$tiny" nodir
    is "$expected" "$status"
    is "hwloc-gpucache: 'nodir' is neither a GPU nor a file; available GPUs: gpu0 (Tiny Test GPU)" "$errors"
  done
}

@test "a path that cannot be used: each command names it and says why" {
  cd "$BATS_TEST_TMPDIR"
  mkdir empty
  : >empty.xml
  cp "$top_srcdir/doc/results/h200/record.xml" closed.xml
  chmod 0 closed.xml
  echo hello >text.xml
  mkfifo pipe.xml
  local command path
  for command in show export "report page.html" compare "predict --sim $tiny"; do
    local expected=1
    [ "$command" != compare ] || expected=4
    while IFS=: read -r path why of_trace; do
      run_split "${plain[@]}" timeout 20 "$tool" $command "$path"
      is "$expected" "$status"
      is '' "$output"
      is 1 "$(wc -l <<<"$errors")"
      [[ $command != predict* || ! $of_trace ]] || why=$of_trace
      has "$errors" "hwloc-gpucache: $path:"
      has "$errors" "$why"
    done <<'END'
missing.xml:No such file or directory
./missing:No such file or directory
missing/:No such file or directory
empty:no *.xml file in this directory describes a GPU:this is a directory, not a trace
closed.xml:Permission denied
empty.xml:the file is empty
text.xml:not XML:does not begin a trace
pipe.xml:not a regular file
END
  done
}

@test "a readable file beside an unknown word: show prints the file, and fails" {
  local real=$top_srcdir/doc/results/h200/record.xml
  run_split "$tool" show "$real"
  local expected=$output
  run_split "$tool" show "$real" nope none
  is 3 "$status"
  has "$(head -n 1 <<<"$output")" "$top_srcdir/doc/results/h200/record.xml"
  is "$(sed -n '/^  ELEMENT/,$p' <<<"$expected")" "$(sed -n '/^  ELEMENT/,$p' <<<"$output")"
  is 1 "$(wc -l <<<"$errors")"
  has "$errors" "'nope', 'none' are neither GPUs nor files; no GPU found"
  run_split "$tool" show --sim "$tiny" nope "$real" gpu0 missing.xml
  is 1 "$status"
  has "$output" "NVIDIA H200"
  has "$output" "Tiny Test GPU"
  is 2 "$(wc -l <<<"$errors")"
}

@test "WSL 2: the message says why no GPU is seen" {
  machine wsl
  run_split "$tool" list
  is 3 "$status"
  has "$errors" "no GPU found in $BATS_TEST_TMPDIR/wsl (HWLOC_FSROOT): this is WSL 2, where the kernel shows GPUs only"
  run "$tool" doctor
  is 1 "$status"
  has "$output" "no GPU: this is WSL 2"
}

@test "where the driver lists no GPU, list names the GPUs by their place, or says what is missing" {
  local expected='^gpu1 +NVIDIA GPU \[10de:2330\] +0000:00:06.0 +pci-[0-9a-f]{16}-0000_00_06.0 +none$'
  machine no-list
  run_split "$tool" list
  is 0 "$status"
  [[ ${lines[2]} =~ $expected ]]
  rm "$HWLOC_FSROOT/etc/machine-id"
  run_split "$tool" list
  has "${lines[1]}" "cannot be measured: there is neither /proc/driver/nvidia/gpus, which has its UUID, nor /etc/machine-id"
  run "$tool" doctor
  has "$output" "Make one of these files visible"
}

@test "list shows the GPU of a Jetson, which is no PCI device" {
  machine orin
  run_split "$tool" list
  is 0 "$status"
  has "${lines[1]}" "NVIDIA Jetson AGX Orin Developer Kit"
  has "${lines[1]}" "tegra-1421721046782-17000000"
  is "gpu0: NVIDIA Jetson AGX Orin Developer Kit, id tegra-1421721046782-17000000" \
    "$("$tool" doctor --json | jq -r '.[] | select(.link == "GPUs").found')"
}

@test "list shows real GPUs without any library of a vendor" {
  use_node
  run_split "$tool" list
  is 0 "$status"
  is '' "$errors"
  [[ ${lines[0]} =~ ^GPU.*MODEL.*BUS.*RECORD.*STATE ]]
  [[ ${lines[1]} =~ ^gpu0\ +NVIDIA\ H100\ +0000:17:00\.0\ +GPU-11111111-0000-0000-0000-000000000017\ +none$ ]]
  [[ ${lines[2]} =~ ^gpu1\ +NVIDIA\ H100\ +0000:97:00\.0\ +GPU-22222222-.*none$ ]]
}

@test "list on a narrow terminal: lines with titles; a file has the table" {
  command -v script >/dev/null || skip "script (package bsdutils) is missing"
  local table columns
  use_node
  table=$("$tool" list)
  for columns in 40 60; do
    output=$(on_terminal "$columns" "$tool list")
    [ "$(widest "$output")" -le "$columns" ]
    # an id that is longer than a line is divided
    is gpu0MODEL:NVIDIAH100BUS:0000:17:00.0RECORD:GPU-11111111-0000-0000-0000-000000000017STATE:none \
      "$(sed '/^gpu1/,$d' <<<"$output" | tr -d ' \n')"
    is "$output" "$(COLUMNS=$columns "$tool" list)"
  done
  is "$table" "$(on_terminal 300 "$tool list")"
}

@test "the GPUs are listed once for all words, known and unknown" {
  command -v strace >/dev/null || skip "strace is missing"
  "$tool" measure --sim "$tiny" >/dev/null
  # listings COMMAND...: how often the command opens the profile, which it does in each listing
  listings() {
    strace -f -e trace=open,openat -o "$BATS_TEST_TMPDIR/calls" "$tool" "$@" --sim "$tiny" >/dev/null 2>&1
    grep -c 'tiny"' "$BATS_TEST_TMPDIR/calls"
  }
  local once
  once=$(listings list)
  [ "$once" -ge 1 ]
  is "$once" "$(listings show)"
  is "$once" "$(listings show gpu0)"
  is "$once" "$(listings show gpu0 sim-tiny nope "$top_srcdir/doc/results/h200/record.xml")"
  is "$once" "$(listings report "$BATS_TEST_TMPDIR/page.html" gpu0 tiny none)"
}

@test "simulated GPUs: only they with --sim, beside real ones with HWLOC_GPUCACHE_SIM" {
  use_node
  run "$tool" list --sim "$tiny"
  [[ ${lines[1]} =~ ^gpu0\ +Tiny\ Test\ GPU\ +-\ +sim-tiny ]]
  is 2 "${#lines[@]}"
  HWLOC_GPUCACHE_SIM=$tiny run "$tool" list
  is 4 "${#lines[@]}"
  [[ ${lines[3]} =~ ^gpu2\ +Tiny\ Test\ GPU ]]
  HWLOC_GPUCACHE_SIM=$tiny run "$tool" list --sim h200
  is 2 "${#lines[@]}"
  has "$output" sim-h200
}

@test "a GPU has many names" {
  use_node
  export HWLOC_GPUCACHE_SIM=$tiny
  "$tool" measure sim-tiny >/dev/null
  local word
  for word in gpu2 2 tiny sim-tiny; do
    run_split "$tool" measure "$word"
    is 0 "$status"
    has "$output" "gpu2: already measured"
  done
}

@test "sim-NAME needs no --sim" {
  cp "$tiny" "$BATS_TEST_TMPDIR/minute"
  export HWLOC_GPUCACHE_SIM_PATH=$BATS_TEST_TMPDIR
  run_split "$tool" measure sim-minute
  is 0 "$status"
  [ -f "$records/sim-minute.xml" ]
  run_split "$tool" show sim-minute
  is 0 "$status"
  has "$output" "Tiny Test GPU"
}

@test "an unknown name: the available ones, exit 3" {
  use_node
  run_split "$tool" measure gpu7
  is 3 "$status"
  has "$errors" "no GPU is named 'gpu7'; available: gpu0 (NVIDIA H100), gpu1 (NVIDIA H100)"
  run_split "$tool" show --sim "$tiny" gpu0 nothing
  is 3 "$status"
  is '' "$output"
  has "$errors" "'nothing'"
}

@test "twenty unknown names: one sentence with the first ones and the number of the others" {
  local names sims command
  names=$(seq -s ' ' -f none%g 20)
  sims=$(seq -s , -f none%g 20)
  use_node
  for command in show measure "report page.html" purge; do
    run_split "$tool" $command $names
    is 3 "$status"
    is '' "$output"
    is 1 "$(wc -l <<<"$errors")"
    case $command in
      show | report*) has "$errors" ": 'none1', 'none2', 'none3' and 17 more are neither GPUs nor files; available" ;;
      *) has "$errors" "is named 'none1', 'none2', 'none3' or 17 more; available" ;;
    esac
  done
  for command in list show measure "report page.html"; do
    HWLOC_GPUCACHE_SIM=$sims,h200 run_split "$tool" $command --sim "$sims"
    is 3 "$status"
    is '' "$output"
    is 1 "$(wc -l <<<"$errors")"
    has "$errors" "no simulated GPU is named 'none1', 'none2', 'none3' or 17 more; available: a100"
  done
  run_split "$tool" show sim-none1 sim-none2
  is 3 "$status"
  is 1 "$(wc -l <<<"$errors")"
  has "$errors" "no simulated GPU is named 'none1', 'none2'; available: a100"
}

@test "blanks around the names of simulated GPUs do not count" {
  cd "$here"
  local list
  for list in "tiny , small" " h200,	./tiny ,./small" "./tiny, , ,./small"; do
    HWLOC_GPUCACHE_SIM_PATH=$here HWLOC_GPUCACHE_SIM=${list/h200/a} run_split "$tool" list
    has "$output" " sim-tiny "
    has "$output" " sim-small "
  done
  run_split "$tool" list --sim " h200 ,	./tiny "
  is 0 "$status"
  is 3 "${#lines[@]}"
}

@test "an unknown simulated GPU: the available ones, exit 3" {
  local arguments
  for arguments in "--sim nonsense" sim-nonsense; do
    run_split "$tool" measure $arguments
    is 3 "$status"
    has "$errors" "hwloc-gpucache: no simulated GPU is named 'nonsense'"
    has "$errors" h200
    is '' "$(leftovers)"
  done
  run_split "$tool" list --sim nonsense
  is 3 "$status"
  is '' "$output"
  has "$errors" "hwloc-gpucache: no simulated GPU is named 'nonsense'"
  run_split "$tool" list --sim "nonsense,$tiny"
  is 3 "$status"
  is 2 "${#lines[@]}"
  has "${lines[1]}" "Tiny Test GPU"
  run_split "$tool" purge --sim "$tiny" 'sim-tiny*'
  is 3 "$status"
  has "$errors" "is named 'sim-tiny*'; available GPUs: gpu0 (Tiny Test GPU)"
  has_not "$errors" gpu1
  run_split "$tool" show --sim ./not/there
  is 3 "$status"
  has "$errors" "cannot be read: No such file or directory"
}

@test "a simulated GPU without a profile: only the message that names all of them stands for several" {
  local far=./$(printf 'x%.0s' {1..260})
  output=$("$tool" doctor --json --sim "none1,$far/a,none2,$far/b,./c,./d" |
    jq -r '.[] | select(.link == "GPUs").found')
  is 5 "$(wc -l <<<"$output")"
  has "$output" "gpu0: no simulated GPU is named 'none1', 'none2'; available"
  has "$output" "gpu1: the path of its profile is too long: $far/a"
  has "$output" "gpu3: the path of its profile is too long: $far/b"
  has "$output" "gpu4: the profile ./c cannot"
  has "$output" "gpu5: the profile ./d cannot"
}

@test "a simulated GPU whose profile is gone: a message about its record has its name" {
  mkdir -p -m 700 "$records"
  (umask 077 && echo garbage >"$records/sim-tiny.xml")
  HWLOC_GPUCACHE_SIM_PATH=$BATS_TEST_TMPDIR run_split "$tool" measure --sim tiny
  is 3 "$status"
  is 2 "$(wc -l <<<"$errors")"
  has "$errors" "hwloc-gpucache: gpu0: "
  has "$errors" "hwloc-gpucache: no simulated GPU is named 'tiny'; available"
}

@test "a profile that exists and cannot be read: a message, exit 1" {
  mkdir "$BATS_TEST_TMPDIR/folder"
  run_split "$tool" measure --sim "$BATS_TEST_TMPDIR/folder"
  is 1 "$status"
  has "$errors" "cannot be read: Is a directory"
  is '' "$(leftovers)"
}

@test "two profiles of one name: the second is refused, exit 1; the same profile twice is one GPU" {
  mkdir "$BATS_TEST_TMPDIR/a"
  cp "$tiny" "$BATS_TEST_TMPDIR/a/tiny"
  run_split "$tool" list --sim "$tiny,$BATS_TEST_TMPDIR/a/tiny,$tiny"
  has "$output" gpu1
  [[ $output != *gpu2* ]]
  has "$output" "has the same name as"
  run_split "$tool" measure --sim "$tiny,$BATS_TEST_TMPDIR/a/tiny"
  is 1 "$status"
  has "$errors" "gpu1: its profile $BATS_TEST_TMPDIR/a/tiny"
}

@test "no control character of a profile reaches a terminal" {
  sed $'s/^model = .*/model = Red \e[31mGPU\a/' "$tiny" >"$BATS_TEST_TMPDIR/red"
  local command
  for command in list "measure --only SharedMemory" show; do
    run "$tool" $command --sim "$BATS_TEST_TMPDIR/red"
    is 0 "$status"
    has "$output" "Red ?[31mGPU?"
    has_not "$output" $'\e'
  done
  run "$tool" list --sim $'red\e[31m'
  is 3 "$status"
  has_not "$output" $'\e'
}

@test "show --json is JSON also without a GPU" {
  run_split "$tool" show --json
  is 3 "$status"
  is "[]" "$output"
  has "$errors" "no GPU found"
  run_split "$tool" show --json --sim nowhere
  is 3 "$status"
  is "[" "${output:0:1}"
}

@test "show --json has the format and method of a record" {
  run_split "$tool" show --json --sim "$tiny"
  is "$(sed -n 's/.*name="GPUCacheFormat" value="\([^"]*\)".*/\1/p' "$records/sim-tiny.xml" | head -n 1)" \
    "$(sed -n 's/^    "Format": \(.*\),$/\1/p' <<<"$output")"
  is "$(sed -n 's/.*name="GPUCacheMethod" value="\([^"]*\)".*/\1/p' "$records/sim-tiny.xml" | head -n 1)" \
    "$(sed -n 's/^    "Method": \(.*\),$/\1/p' <<<"$output")"
}

@test "a message is one line, whatever text it contains" {
  run_split "$tool" $'li\nst'
  is "hwloc-gpucache: unknown command 'li?st'" "$(head -n 1 <<<"$errors")"
  echo text >"$BATS_TEST_TMPDIR/"$'a\nb'
  HWLOC_GPUCACHE_DIR=$BATS_TEST_TMPDIR/$'a\nb' run_split "$tool" measure --sim "$tiny"
  is 1 "$(wc -l <<<"$errors")"
  has "$errors" "$BATS_TEST_TMPDIR/a?b cannot be opened"
  HWLOC_GPUCACHE_DIR=$BATS_TEST_TMPDIR/$'a\nb' run "$tool" list --sim "$tiny"
  is 2 "${#lines[@]}"
  run "$tool" list --sim "$BATS_TEST_TMPDIR/"$'a\nb'
  is 2 "${#lines[@]}"
}

@test "a profile that is not a file is refused with that reason" {
  run_split "$tool" measure --sim /dev/zero
  is 1 "$status"
  has "$errors" "the profile /dev/zero cannot be read: not a regular file"
}

@test "a malformed profile: file and line, exit 1" {
  sed 's/^sms = 4/sms = many/' "$tiny" >"$BATS_TEST_TMPDIR/bad"
  run_split "$tool" measure --sim "$BATS_TEST_TMPDIR/bad"
  is 1 "$status"
  has "$errors" "hwloc-gpucache: gpu0: "
  has "$errors" "bad:$(grep -n '^sms' "$tiny" | cut -d: -f1)"
  is '' "$(leftovers)"
}

@test "a GPU with a driver that does not answer: a message, exit 3, no record" {
  use_node
  run_split "$tool" measure gpu1
  is 3 "$status"
  is '' "$output"
  has "$errors" "hwloc-gpucache: gpu1: "
  is '' "$(leftovers)"
}
