#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Starting the tool leaves nothing behind, neither in the process that loads a topology nor on the machine.

setup() {
  load setup.bash
  prepare
  use_node
}

@test "a hanging tool is killed with its children at the deadline, and the load goes on" {
  export FAKE_TOOL_DOES=hang
  rm "$HWLOC_FSROOT/proc/driver/nvidia/gpus/0000:97:00.0/information" # one is enough
  run leap "$FAKE_TOOL_LOG.pids" "$topo_check" io-all load no-children check list no-descriptors
  is 0 "$status"
  is '' "$output"
  is 1 "$(starts)"
  local pid
  for pid in $(cat "$FAKE_TOOL_LOG.pids"); do is_gone "$pid"; done
  rm "$FAKE_TOOL_LOG.pids"
  HWLOC_GPUCACHE=refresh run leap "$FAKE_TOOL_LOG.pids" hwloc-info pci=17:00.0
  has "GPUCacheStatus = not measured within 600 s; run hwloc-gpucache measure, which has no time limit, or raise HWLOC_GPUCACHE_TIMEOUT"
}

@test "hanging tools of several GPUs share one deadline" {
  # The deadline comes when the second one starts. Run one after the other, the second would start after the
  # deadline, which would then never come.
  cat >"$BATS_TEST_TMPDIR/tool" <<END
#!/bin/sh
unset LD_PRELOAD
mkdir "$BATS_TEST_TMPDIR/first" 2>/dev/null || : >"$BATS_TEST_TMPDIR/deadline"
exec "$fake_tool" "\$@"
END
  chmod +x "$BATS_TEST_TMPDIR/tool"
  export FAKE_TOOL_DOES=hang HWLOC_GPUCACHE_TOOL=$BATS_TEST_TMPDIR/tool
  run leap "$BATS_TEST_TMPDIR/deadline" "$topo_check" io-all load no-children
  is 0 "$status"
  [ -e "$BATS_TEST_TMPDIR/deadline" ]
}

@test "a crashing tool: the load goes on and names the signal" {
  export FAKE_TOOL_DOES=crash
  run "$topo_check" io-all load no-children list no-descriptors
  is 0 "$status"
  is '' "$output"
  HWLOC_GPUCACHE=refresh run info GPUCacheStatus pci=17:00.0
  is "measuring was killed by signal 11" "$output"
}

@test "processes that a tool leaves are killed" {
  export FAKE_TOOL_DOES=leave
  run "$topo_check" io-all load no-children list
  is 0 "$status"
  has gpu0-L1
  is_gone "$(cat "$FAKE_TOOL_LOG.pids")"
}

@test "a tool that floods stderr does not block, and only its last message is used" {
  export FAKE_TOOL_DOES=flood
  run "$topo_check" io-all load no-children no-descriptors
  is 0 "$status"
  is '' "$output"
  is "said at last" "$(info GPUCacheStatus pci=17:00.0)"
}

@test "the tool inherits no descriptor, no signal setting, no terminal, and cannot start itself" {
  export FAKE_TOOL_DOES=describe
  run "$topo_check" io-all stray-descriptors ignore-and-block-signals load
  is 0 "$status"
  # 0, 1, 2, and 255, which bash uses for its script.
  is "0 -> /dev/null
1 -> /dev/null
2 -> pipe:
255" "$(sed -n 's/.* \([0-9]* -> .*\)/\1/p' "$FAKE_TOOL_LOG.fds" | sed 's/pipe:.*/pipe:/; s/^255 .*/255/')"
  is 0000000000000000 "$(sed -n 's/^SigBlk:[[:space:]]*//p' "$FAKE_TOOL_LOG.status")"
  # glibc uses 32 and 33 itself and leaves them ignored in spawned processes.
  is 0 $((0x$(sed -n 's/^SigIgn:[[:space:]]*//p' "$FAKE_TOOL_LOG.status") & ~0x180000000))
  # It leads its own process group.
  is "$(cut -d' ' -f1 "$FAKE_TOOL_LOG.stat")" "$(cut -d' ' -f5 "$FAKE_TOOL_LOG.stat")"
  is HWLOC_GPUCACHE=off "$(grep '^HWLOC_GPUCACHE=' "$FAKE_TOOL_LOG.env")"
}

@test "a process that ignores SIGCHLD, or sets SA_NOCLDWAIT" {
  local step
  for step in ignore-sigchld no-zombies; do
    rm -f "$HWLOC_GPUCACHE_DIR"/*.xml
    run "$topo_check" io-all $step load list no-children no-descriptors
    is 0 "$status"
    is 10 "${#lines[@]}"
  done
  rm -f "$HWLOC_GPUCACHE_DIR"/*.xml
  FAKE_TOOL_DOES=hang run leap "$FAKE_TOOL_LOG.pids" "$topo_check" io-all no-zombies load list no-children
  is 0 "$status"
  is '' "$output"
  local pid
  for pid in $(cat "$FAKE_TOOL_LOG.pids"); do is_gone "$pid"; done
}

@test "a process with a child of its own keeps it" {
  run "$topo_check" io-all own-child load own-child-is-there no-children list
  is 0 "$status"
  is 10 "${#lines[@]}"
}

@test "a process that has closed its standard streams" {
  "$topo_check" closed-streams io-all load check 2> "$BATS_TEST_TMPDIR/err"
  is '' "$(cat "$BATS_TEST_TMPDIR/err")"
  is 2 "$(find "$HWLOC_GPUCACHE_DIR" -name '*.xml' | wc -l)"
}

@test "loads in four threads at once" {
  run "$topo_check" load-in-threads no-children
  is 0 "$status"
  is '' "$output"
}

@test "a warm load maps no vendor library and starts no process" {
  topology > /dev/null
  is 2 "$(starts)"
  run "$topo_check" io-all load no-vendor-library no-children list
  is 0 "$status"
  is 10 "${#lines[@]}"
  is 2 "$(starts)"
}

@test "under valgrind nothing is leaked and nothing undefined is used" {
  command -v valgrind > /dev/null || skip "valgrind is not installed (Debian package valgrind)"
  [ "${SANITIZERS:-no}" = no ] || skip "valgrind and sanitizers do not go together"
  local check=$topo_check
  [ ! -x "${check%/*}/.libs/topo-check" ] || check=${check%/*}/.libs/topo-check
  export FAKE_TOOL_DOES=measure
  rm "$HWLOC_FSROOT/proc/driver/nvidia/gpus/0000:97:00.0/information"
  for turn in cold warm; do
    run valgrind -q --leak-check=full --error-exitcode=9 --child-silent-after-fork=yes "$check" io-all load dup
    [[ $output != *"Valgrind: debuginfo reader:"* ]] ||
      skip "this valgrind cannot read what this compiler says about itself"
    is 0 "$status"
    has_not "definitely lost"
  done
  is 1 "$(starts)"
}

@test "the plugin exports one symbol and links only libc" {
  command -v readelf > /dev/null || skip "readelf is not installed (Debian package binutils)"
  [ "${SANITIZERS:-no}" = no ] || skip "sanitizers add libraries"
  local so=$plugin_dir/hwloc_gpucache.so
  is hwloc_gpucache_component \
    "$(readelf --dyn-syms -W "$so" | awk '$5 == "GLOBAL" && $7 != "UND" { print $8 }')"
  is libc.so "$(readelf -d "$so" | sed -n 's/.*(NEEDED).*\[\(.*\.so\).*/\1/p' | grep -v '^ld-' | sort)"
  readelf -d "$so" | grep -q NODELETE
}
