#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Programs that load libhwloc with dlopen, or contain a copy of it: what happens, the remedies of doc/install.md, and
# what doctor reports.

setup() {
  load ../tool/setup.bash
  prepare
  [ "${SANITIZERS:-no}" = no ] || skip "the sanitizers must be the first library"
  tiny=$top_srcdir/tests/tool/tiny
  late=$top_builddir/tests/compat/late copy=$top_builddir/tests/compat/copy
  library=$("$tool" list --verbose --sim "$tiny" 2>&1 | sed -n 's/.*: hwloc is \([^,]*\),.*/\1/p')
  [ -r "$library" ] && grep -aq HWLOC_PLUGINS_PATH "$library" || skip "there is no shared libhwloc that loads plugins"
  export HWLOC_GPUCACHE_SIM=$tiny HWLOC_COMPONENTS=-x86
}

@test "a libhwloc that was loaded with RTLD_LOCAL loads no plugin; with RTLD_GLOBAL or LD_PRELOAD it does" {
  run_split "$late" "$library" global
  is 1 "$output"
  run_split "$late" "$library" local
  is 0 "$output"
  LD_PRELOAD=$library run_split "$late" "$library" local
  is 1 "$output"
}

@test "the same in Python with ctypes" {
  local python code
  python=$(command -v python3) || skip "there is no python3"
  code='import ctypes, sys
hwloc = ctypes.CDLL(sys.argv[1], mode=getattr(ctypes, sys.argv[2]))
topology = ctypes.c_void_p()
hwloc.hwloc_topology_init(ctypes.byref(topology))
hwloc.hwloc_topology_set_io_types_filter(topology, 3)
hwloc.hwloc_topology_load(topology)
print(hwloc.hwloc_get_nbobjs_by_depth(topology, -6))'
  run_split "$python" -c "$code" "$library" RTLD_LOCAL
  [ "$status" = 0 ] || skip "no ctypes"
  local before=$output
  run_split "$python" -c "$code" "$library" RTLD_GLOBAL
  # a device memory and four caches; what has no value is no object
  is "$((before + 5))" "$output"
  LD_PRELOAD=$library run_split "$python" -c "$code" "$library" RTLD_LOCAL
  is "$((before + 5))" "$output"
}

@test "doctor: a program that loads libhwloc later may need LD_PRELOAD, and with it that libhwloc is found" {
  run_split "$tool" doctor --json "$late"
  is 0 "$(jq -r 'map(select(.link == "program" and .status == "not applicable" and
    (.found | contains("loads no libhwloc when it starts")))) | length - 1' <<<"$output")"
  has "$output" "LD_PRELOAD=${library##*/}, or let it use RTLD_GLOBAL"
  LD_PRELOAD=$library run_split "$tool" doctor --json "$late"
  has "$output" "tests/compat/late uses $library"
}

@test "doctor: a program with a copy of hwloc is not ok, and decides the exit status" {
  use_record tiny
  run_split "$tool" doctor
  is 0 "$status"
  run_split "$tool" doctor --json "$copy"
  is 1 "$status"
  is "not ok" "$(jq -r '.[] | select(.link == "program") | .status' <<<"$output")"
  has "$output" "tests/compat/copy contains a copy of hwloc"
  run_split "$tool" doctor "$late"
  is 0 "$status"
}
