#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The whole path: plugin, the real tool with a simulated GPU, record, plugin.

setup() {
  load setup.bash
  prepare
  real_tool=$top_builddir/hwloc-gpucache
  [ -x "$real_tool" ] || skip "hwloc-gpucache is not built"
  # Counts the starts of the real tool.
  cat > "$BATS_TEST_TMPDIR/tool" <<END
#!/bin/sh
echo "\$*" >> "$FAKE_TOOL_LOG"
exec "$real_tool" "\$@"
END
  chmod +x "$BATS_TEST_TMPDIR/tool"
  export HWLOC_GPUCACHE_TOOL=$BATS_TEST_TMPDIR/tool
  export HWLOC_GPUCACHE_SIM_PATH=$top_srcdir/data/sim
  export HWLOC_GPUCACHE_TIMEOUT=120 # a slow machine, a sanitizer
  tiny=$top_srcdir/tests/tool/tiny
  export HWLOC_GPUCACHE_SIM=$tiny
}

@test "the first load measures, the second finds the same without any process" {
  run "$topo_check" io-important load check dup xml restrict list no-children no-descriptors
  is 0 "$status"
  [[ ${lines[0]} == "0 DeviceMemory gpu0-Memory "* ]]
  [[ ${lines[1]} == "1 L2Cache gpu0-L2 "* ]]
  [[ ${lines[2]} == "2 L1Cache gpu0-L1 8KiB"* ]]
  has "2 SharedMemory gpu0-Shared "
  is 1 "$(starts)"
  local first=$output
  run "$topo_check" io-important load no-vendor-library list no-accelerator no-children no-descriptors
  is 0 "$status"
  is "$first" "$output"
  is 1 "$(starts)"
}

@test "lstopo shows sources and confidences, and the record can be drawn" {
  "$topo_check" io-important load list > "$BATS_TEST_TMPDIR/list"
  local l1
  l1=$(sed -n 's/^2 L1Cache //p' "$BATS_TEST_TMPDIR/list")
  is measured "$(info CapacitySource "os=$l1")"
  [[ $(info CapacityBytes "os=$l1") =~ ^[0-9]+$ ]]
  [[ $(info CapacityConfidence "os=$l1") =~ ^[01](\.[0-9]+)?$ ]]
  [[ $(info LatencyCycles "os=$l1") =~ ^[0-9]+(\.[0-9]+)?$ ]]
  run topology -i "$HWLOC_GPUCACHE_DIR/sim-tiny.xml"
  is 0 "$status"
  has "gpu0-L1 "
}

@test "a load measures a provisional record again when it is due, and counts the tries before it measures" {
  local record=$HWLOC_GPUCACHE_DIR/sim-tiny.xml memory
  { echo 'broken = latency_texture' && cat "$tiny"; } > "$BATS_TEST_TMPDIR/tiny"
  export HWLOC_GPUCACHE_SIM=$BATS_TEST_TMPDIR/tiny
  "$real_tool" measure --sim "$HWLOC_GPUCACHE_SIM" > /dev/null
  memory=$("$topo_check" io-important load list | sed -n 's/^0 DeviceMemory //p')
  is "measured, but provisional: steps failed (TextureCache Latency, TextureCache LatencyP95)" "$(info GPUCacheStatus "os=$memory")"
  is 0 "$(starts)"
  # due: measured again, with the same result
  sed -i 's/\(ProvisionalTried" value="\)[^"]*/\12026-01-01T00:00:00Z/' "$record"
  run "$topo_check" io-important load list
  is 0 "$status"
  is 1 "$(starts)"
  is 1 "$(grep -c 'GPUCacheProvisionalTries" value="2"' "$record")"
  "$topo_check" io-important load list > /dev/null
  is 1 "$(starts)"
  # due, and measuring fails: the try counts, and the record is used. (The VBIOS of a simulated GPU is a hash of its
  # profile; without it, a changed profile is the same GPU.)
  sed -i 's/\(ProvisionalTried" value="\)[^"]*/\12026-01-01T00:00:00Z/; /GPUCacheVBIOS/d' "$record"
  sed -i '1i busy = 10000 300000 0 1000000000000000' "$HWLOC_GPUCACHE_SIM"
  run "$topo_check" io-important load list
  is 0 "$status"
  [[ $output == *"L1Cache gpu0-L1 8KiB"* ]]
  is 2 "$(starts)"
  is 1 "$(grep -c 'GPUCacheProvisionalTries" value="3"' "$record")"
  # due, and the reason is gone
  sed -i '/^broken\|^busy/d' "$HWLOC_GPUCACHE_SIM"
  sed -i 's/\(ProvisionalTried" value="\)[^"]*/\12026-01-01T00:00:00Z/' "$record"
  "$topo_check" io-important load list > /dev/null
  is 3 "$(starts)"
  is 0 "$(grep -c Provisional "$record")"
  "$topo_check" io-important load list > /dev/null
  is 3 "$(starts)"
}

@test "records that cannot be written: the status says why, and what to do" {
  local plain=(env)
  [ "$(id -u)" != 0 ] || plain=(setpriv --bounding-set=-dac_override,-dac_read_search --)
  "${plain[@]}" true || skip "setpriv cannot take root's rights away here"
  chmod 500 "$HWLOC_GPUCACHE_DIR"
  run "${plain[@]}" hwloc-info root
  has "sim-tiny: the directory for records $HWLOC_GPUCACHE_DIR cannot be written: Permission denied; set HWLOC_GPUCACHE_DIR to another one"
  is '' "$(ls "$HWLOC_GPUCACHE_DIR")"
}

@test "a directory of records that is not used: the status says so once, and no tool is started" {
  chmod 777 "$HWLOC_GPUCACHE_DIR"
  run hwloc-info root
  has "sim-tiny: the directory for records $HWLOC_GPUCACHE_DIR is not used: everybody can write there; chmod o-w fixes that, or set HWLOC_GPUCACHE_DIR to another one"
  has_not no-store # which is no advice for a load
  is 0 "$(starts)"
  HWLOC_GPUCACHE=refresh run hwloc-info root
  is 0 "$(starts)"
  is 1 "$(grep -o 'everybody can write' <<<"$output" | wc -l)"
}

@test "a full disk: nothing is measured, and the status says why" {
  # a file system that only this test has
  unshare -rm mount -t tmpfs -o size=8k none "$HWLOC_GPUCACHE_DIR" || skip "no disk can be mounted here"
  on_full_disk() { unshare -rm bash -c 'mount -t tmpfs -o size=8k,mode=700 none "$HWLOC_GPUCACHE_DIR" && "$@"' run "$@"; }
  local why="the directory for records $HWLOC_GPUCACHE_DIR cannot be written: No space left on device; set HWLOC_GPUCACHE_DIR to another one"
  run on_full_disk hwloc-info root
  is 0 "$status"
  has "GPUCacheStatus = sim-tiny: $why"
  has_not no-store
  is 1 "$(starts)" # the command finds out; it does not measure
  HWLOC_HIDE_ERRORS=0 run on_full_disk "$topo_check" io-important load
  has "hwloc/gpucache: gpu0 (sim-tiny): $why"
  run on_full_disk "$real_tool" measure --sim "$tiny"
  is 1 "$status"
  is 1 "${#lines[@]}" # no table: nothing was measured
  has "gpu0: $why (measure --no-store does not need it)"
  run on_full_disk "$real_tool" show --sim "$tiny"
  is 0 "$status"
  has "gpu0: the record will not be stored: $why"
  has L1Cache
}

@test "another process measures the GPU: the status says so, and does not name the timeout" {
  local fast=$top_builddir/tests/tool/.libs/libfast.so
  [ -e "$fast" ] || skip "$fast is not built"
  exec 8>"$HWLOC_GPUCACHE_DIR/sim-tiny.lock"
  flock 8
  # the time for which the tool waits passes at once, and other time a hundred times more slowly
  sed -i "s|^exec|FAST_SLEEPS=1 LD_PRELOAD='$SANITIZER_PRELOAD $fast' exec|" "$BATS_TEST_TMPDIR/tool"
  HWLOC_GPUCACHE_TIMEOUT=100 run info GPUCacheStatus root 8>&-
  exec 8>&-
  [[ $output =~ ^sim-tiny:\ another\ process(\ \([0-9]+\))?\ is\ measuring\ this\ GPU\;\ gave\ up\ after\ 99\.[1-5]\ s$ ]]
}

@test "the status of a GPU that the tool cannot measure is the tool's message" {
  printf 'model = broken\nthis is no profile\n' > "$BATS_TEST_TMPDIR/broken"
  HWLOC_GPUCACHE_SIM=$BATS_TEST_TMPDIR/broken run info GPUCacheStatus root
  [[ $output == "sim-broken: "*"broken"* ]]
  is 1 "${#lines[@]}"
  is 1 "$(starts)"
  # A real GPU that this machine does not have: no driver library, or one that does not know it.
  unset HWLOC_GPUCACHE_SIM
  use_node
  run info GPUCacheStatus pci=17:00.0
  is 1 "${#lines[@]}"
  [ -n "$output" ] && [ "$output" != measured ]
  has_not "no message"
}

@test "refresh measures again; the deadline ends the real tool, too" {
  "$topo_check" io-important load
  HWLOC_GPUCACHE=refresh "$topo_check" io-important load
  is "--sim $tiny measure --force --timeout 120 sim-tiny" \
    "$(tail -n 1 "$FAKE_TOOL_LOG")"
  HWLOC_GPUCACHE=refresh HWLOC_GPUCACHE_TIMEOUT=0.001 run info GPUCacheStatus os:0
  HWLOC_GPUCACHE_TIMEOUT=0.001 HWLOC_GPUCACHE_SIM=h200 run info GPUCacheStatus root
  [[ $output == "sim-h200: "*0.001* ]]
  HWLOC_GPUCACHE=cached run "$topo_check" io-important load list
  has "gpu0-L1 " # the failures have not removed it
}

@test "a measurement continues after the program that needed it, and the next one uses it" {
  local signal pid child
  for signal in INT KILL; do
    rm -rf "$HWLOC_GPUCACHE_DIR" && mkdir -m 700 "$HWLOC_GPUCACHE_DIR"
    : >"$HWLOC_GPUCACHE_DIR/sim-tiny.lock"
    exec 8<"$HWLOC_GPUCACHE_DIR/sim-tiny.lock"
    flock 8 # so that it waits
    env --default-signal=INT "$topo_check" io-important load 3>&- 8<&- &
    pid=$!
    child=
    for _ in {1..200}; do
      child=$(pgrep -P $pid -f hwloc-gpucache) && break
      sleep 0.05
    done
    [ -n "$child" ]
    kill -$signal $pid
    wait $pid || :
    exec 8<&-
    is_gone "$child" 120
    [ -s "$HWLOC_GPUCACHE_DIR/sim-tiny.xml" ]
  done
}

@test "four loads at once without a record leave one good record" {
  run "$topo_check" load-in-threads no-children
  is 0 "$status"
  HWLOC_GPUCACHE=cached run "$topo_check" io-important load list
  has "gpu0-L1 "
}

@test "an AMD GPU: the tree of an MI300X, with an L2 in each of its XCDs and an L3 behind them" {
  export HWLOC_GPUCACHE_SIM=mi300x
  use_record mi300x
  run "$topo_check" io-important load check dup xml restrict no-accelerator
  is 0 "$status"
  is 0 "$(starts)"
  is '(DeviceMemory) "gpu0-Memory 192GiB"
  (L3Cache) "gpu0-L3 256MiB"
    (L2Cache) "gpu0-L2 4MiB x8"
      (L1Cache) "gpu0-L1 32KiB x304"
      (ScalarL1Cache) "gpu0-ScalarL1 16KiB x160"
      (LDS) "gpu0-LDS 64KiB x304"
      (InstructionCache) "gpu0-Instruction 64KiB x160"
  (L1TLB) "gpu0-L1TLB 64MiB reach"' \
    "$(topology | sed -n 's/^  \( *\)[A-Z][a-z]*\(([A-Za-z0-9]*) "gpu0-.*"\)$/\1\2/p')"
  is 144x2,16x1 "$(info SharedByCUs 'os=gpu0-ScalarL1 16KiB x160')"
  is measured "$(info CapacitySource 'os=gpu0-L3 256MiB')"
  is sysfs "$(info CapacitySource 'os=gpu0-Instruction 64KiB x160')"
  is gfx942 "$(info GPUCacheGFX 'os=gpu0-Memory 192GiB')"
  # the profile with the longest lists: 304 CUs in groups
  has_little_xml "$HWLOC_GPUCACHE_DIR/sim-mi300x.xml" "AMD GPU with 304 CUs"
  has CUGroups
}

# is_stated WORDS NUMBER: doc/testing.md has this number after these words, within 1 %. Without words, nothing is checked.
is_stated() {
  local stated
  [ -n "$1" ] || return 0
  stated=$(sed -n "s/.*$1:\{0,1\} \([0-9]*\),\([0-9]\{3\}\).*/\1\2/p" "$top_srcdir/doc/testing.md")
  [ $((100 * ($2 - stated))) -le "$stated" ] && [ $((100 * (stated - $2))) -le "$stated" ] && return
  echo "doc/testing.md states $stated bytes after '$1', not $2"
  return 1
}

# Programs exchange topologies as XML, for example MPI jobs: the elements once, and the values without sources once more.
# has_little_xml RECORD [WORDS]: a GPU with these values and with six OS devices of other components adds no more bytes
# than doc/testing.md states, and within 1 % as many as stated there after these words.
# The topology is in $output.
has_little_xml() {
  local gpu name record without devices key current most
  unset HWLOC_GPUCACHE_SIM
  use_node
  rm -r "$HWLOC_FSROOT"/proc/driver/nvidia/gpus/0000:97:00.0 "$HWLOC_FSROOT"/sys/bus/pci/devices/0000:97:00.0
  gpu=/sys/devices/pci0000:00/0000:15:01.0/0000:17:00.0/drm
  for name in card1 card2 card3 renderD130 renderD131; do
    mkdir -p "$HWLOC_FSROOT$gpu/$name"
    echo 1:1 >"$HWLOC_FSROOT$gpu/$name/dev"
    ln -s "../../${gpu#/sys/}/$name" "$HWLOC_FSROOT/sys/class/drm/$name"
  done
  # the record becomes that of the GPU of this node, made by this program
  record=$HWLOC_GPUCACHE_DIR/$gpu0.xml
  cp "$1" "$record"
  while read -r key current; do
    sed -i "s/\(GPUCache$key\" value=\"\)[^\"]*/\1$current/" "$record"
  done <<END
UUID $gpu0
Driver 580.159.04
VBIOS 96.00.a5.00.1a
Format $(sed -n 's/^#define GC_RECORD_FORMAT "\(.*\)"/\1/p' "$top_srcdir/src/record/elements.h")
Method $(sed -n 's/^#define GC_RECORD_METHOD "\(.*\)"/\1/p' "$top_srcdir/src/record/elements.h")
END
  chmod 600 "$record"
  output=$("$LSTOPO" --filter io:all --of xml)
  without=$(HWLOC_GPUCACHE=off "$LSTOPO" --filter io:all --of xml)
  devices=$(grep -c "GPUCacheUUID\" value=\"$gpu0" <<<"$output")
  echo "# ${1##*/}: $((${#output} - ${#without})) bytes of XML" >&3
  is 8 "$devices" # DeviceMemory, the PCI device, six OS devices
  [[ $output == *'"CapacityConfidence"'* ]] # nothing is missing
  is_stated "$2" $((${#output} - ${#without}))
  most=$(sed -n 's/.*One GPU adds at most \([0-9]*\),\([0-9]*\) bytes to the XML.*/\1\2/p' "$top_srcdir/doc/testing.md")
  [ $((${#output} - ${#without})) -le "$most" ]
  [ "$most" -le 72000 ]
}

@test "one GPU adds little XML: a simulated H200" {
  use_record h200
  has_little_xml "$HWLOC_GPUCACHE_DIR/sim-h200.xml" "simulated H200 with two NUMA nodes"
}

@test "one GPU adds little XML: each real record in doc/results" {
  local record words n=0
  for record in "$top_srcdir"/doc/results/*/record.xml "$top_srcdir"/doc/results/structure/h*.xml; do
    rm -rf "$BATS_TEST_TMPDIR/node"
    case $record in
      */structure/h200.xml) words="record of a real H200" ;;
      */structure/h100.xml) words="of a real H100" ;;
      *) words= ;;
    esac
    has_little_xml "$record" "$words"
    n=$((n + 1))
  done
  [ "$n" -ge 1 ]
}
