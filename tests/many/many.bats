#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Many loads at the same moment, without a record.

setup() {
  load setup.bash
  prepare_many
}

# The command, which also writes its messages and the times of its steps to a file of its own.
use_logging_tool() {
  mkdir "$BATS_TEST_TMPDIR/steps"
  cat > "$BATS_TEST_TMPDIR/tool" <<END
#!/bin/sh
"$real_tool" "\$@" --verbose 2>"$BATS_TEST_TMPDIR/steps/\$\$"
status=\$?
cat "$BATS_TEST_TMPDIR/steps/\$\$" >&2
exit \$status
END
  chmod +x "$BATS_TEST_TMPDIR/tool"
  export HWLOC_GPUCACHE_TOOL=$BATS_TEST_TMPDIR/tool
}

# The number of processes that have run steps of the plan.
plans() { grep -l ' took [0-9.]* ms, [0-9]* launch' "$BATS_TEST_TMPDIR/steps"/* | wc -l; }

@test "many processes at once: one measures, all get the same tree" {
  use_logging_tool
  many processes "$processes"
  is "$processes measured" "$(statuses)"
  is 1 "$(value trees)"
  is 1 "$(value written)"
  is 1 "$(plans)"
  is './sim-tiny.xml ' "$(files)"
}

@test "many threads of one process at once: one measurement, the same tree" {
  use_logging_tool
  many threads "$threads"
  is "$threads measured" "$(statuses)"
  is 1 "$(value trees)"
  is 1 "$(value written)"
  is 1 "$(plans)"
}

# "waited" is without the time for which other processes had the processors: hwloc itself needs
# seconds where each processor has dozens of busy loops.
@test "on a busy machine no process waits a second beyond its deadline, and each says why it gave up" {
  [ -r /proc/thread-self/schedstat ] || skip "this kernel does not count how long a thread waits"
  printf '#!/bin/sh\nsleep 60\n' > "$BATS_TEST_TMPDIR/hangs"
  chmod +x "$BATS_TEST_TMPDIR/hangs"
  local tool reason='not measured within|.* did not end within|not finished after|another process (\([0-9]*\) )?is measuring'
  for tool in "$BATS_TEST_TMPDIR/hangs" "$real_tool"; do
    export HWLOC_GPUCACHE_TOOL=$tool HWLOC_GPUCACHE_TIMEOUT=1
    rm -f "$HWLOC_GPUCACHE_DIR"/*
    many processes "$processes" "$loops"
    is "$processes" "$(value loads)"
    [ "$(value waited 2)" -lt $((1000 + 1000)) ] || { echo "$output"; false; }
    is '' "$(statuses | grep -Ev "^[0-9]+ (measured|sim-tiny: ($reason) .*)\$")"
  done
}
