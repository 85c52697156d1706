#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# show: for people, for programs, for lstopo.

setup() {
  load setup.bash
  prepare
}

# A node whose first GPU has the record of a real H200: this file of doc/results.
use_h200() {
  local method file=$top_srcdir/doc/results/${1:-h200/record.xml} uuid
  method=$(sed -n 's/^#define GC_RECORD_METHOD "\(.*\)"/\1/p' "$top_srcdir/src/record/elements.h")
  uuid=$(sed -n 's/.*GPUCacheUUID" value="\([^"]*\)".*/\1/p' "$file")
  use_node
  mkdir -p -m 700 "$records"
  sed -e "s/\(GPUCacheMethod\" value=\"\)[0-9]*/\1$method/" -e "s/$uuid/GPU-11111111-0000-0000-0000-000000000017/" \
    "$file" >"$records/GPU-11111111-0000-0000-0000-000000000017.xml"
  chmod 600 "$records"/*.xml
}

@test "show measures first, stores the record, and prints the same afterwards" {
  run_split "$tool" show --sim "$tiny"
  is 0 "$status"
  is '' "$errors"
  local first=$output
  [ -f "$records/sim-tiny.xml" ]
  run_split "$tool" show --sim "$tiny"
  is "$first" "$output"
}

@test "the tables: a line about the GPU, then a row for each element, indented by nesting" {
  use_record small
  run_split "$tool" show --all --sim "$small"
  [[ ${lines[0]} =~ ^gpu0:\ Small\ Test\ GPU,\ 4\ SMs\ at\ 1000\ MHz,\ driver\ simulated,\ measured\ 20 ]]
  [[ ${lines[1]} =~ ELEMENT\ +CAPACITY\ +NOMINAL\ +LINE\ +FETCH\ +PER\ SM\ +IN\ ALL\ +CONFIDENCE\ +SOURCE$ ]]
  [[ ${lines[2]} =~ ^\ {2}DeviceMemory ]]
  [[ ${lines[3]} =~ ^\ {4}L2Cache ]]
  [[ ${lines[4]} =~ ^\ {6}L1Cache\ +8\ KiB\ +-\ +128\ B\ +32\ B\ +1\ +4\ +0\.9[0-9]*\ +measured$ ]]
  [[ $output =~ ELEMENT\ +CYCLES\ +NS\ +MISS\ +READ\ +WRITE$'\n' ]]
  local fast=${output#*CYCLES}
  [[ $fast =~ $'\n'\ {4}L2Cache\ +200\.0\ +200\.0\ +\+200\.0\ +[0-9.]+\ GB/s ]]
  [[ $fast =~ $'\n'\ {6}L1Cache\ +30\.0\ +30\.0\ +\+170\.0\ +[0-9.]+\ B/cycle\ +-$'\n' ]]
  has "$output" $'\n'"  one storage: L1Cache, TextureCache, ReadOnlyCache"$'\n'
  has "$output" $'\n'"  own storage: ConstantL1Cache, SharedMemory"$'\n'
  has "$output" "an SM: compute capability 7.0, 2048 threads, in warps of 32, 16 blocks, 65536 registers"
  has "$output" "the memory bus: 64 bits, 1000 MHz, ECC off"
  has "$output" "L2Cache: 1 partition"
  has_not "$output" "no PerSM of L2Cache"
  has_not "$output" "far partition"
  # one line for each reason
  has "$output" "no PerSM, Instances of ConstantL15Cache: "
  has "$(xargs -d '\n' <<<"$output" | tr -s ' ')" \
    "no Nominal of L1Cache, TextureCache, ReadOnlyCache, ConstantL1Cache, ConstantL15Cache: the interface"
  [ "$(widest "$output")" -le 100 ]
}

@test "the tables show near and far partitions, and the capacity by carve-out" {
  sed -e 's/^size = 8 KiB/size = unified/; s/^size = 256 KiB/size = 1 MiB/; s/^sms = 4/sms = 8/' \
    -e 's/^scope = chip/&\npartitions = 2\nreplicate = yes\nfar_cycles = 60/' \
    -e 's/^\[cache L1\]/[unified]\ntotal = 64 KiB\ncarveouts = 0 8 16 32 KiB\n\n&/' "$small" >"$BATS_TEST_TMPDIR/halves"
  run_split "$tool" show --sim "$BATS_TEST_TMPDIR/halves"
  is 0 "$status"
  has "$output" "  L2Cache: 2 partitions, 4 SMs near each; a partition caches what its SMs read"
  has "$output" "  carve-out 0 %: L1 64 KiB, 1: 56, 26: 48, 51: 32"$'\n'
  run_split "$tool" show --all --sim "$BATS_TEST_TMPDIR/halves"
  is 0 "$status"
  [[ $output =~ $'\n'\ {6}near\ partition\ +200\.0\ +200\.0\ +- ]]
  [[ $output =~ $'\n'\ {6}far\ partition\ +260\.0\ +260\.0\ +- ]]
  has "$output" "L2Cache: 2 partitions, 4 SMs near each; a"
  has "$output" "capacity of L1Cache, TextureCache, ReadOnlyCache: carve-out 0 %, with 16 resident blocks per SM"
  is 1 "$(grep -c 'capacity of' <<<"$output")"
  # the percentages, and below them the capacities: the largest carve-out is 32 KiB
  is "0 % 1 % 26 % 51 % default 64 KiB 56 KiB 48 KiB 32 KiB 64 KiB" \
    "$(grep -A 2 'L1Cache capacity by carve-out' <<<"$output" | tail -n 2 | xargs)"
}

@test "sets, replacement, stores, outstanding loads and what the driver limits are notes" {
  use_h200 structure/h200.xml
  run_split "$tool" show --all gpu0
  is 0 "$status"
  local text
  text=$(xargs -d '\n' <<<"$output" | tr -s ' ' | sed 's/, 0x/,0x/g')
  recorded() { sed -n "s/.*\"$1\" value=\"\([^\",]*\).*/\1/p" "$records"/*.xml | head -n 1; } # up to a comma
  has "$text" "L1Cache: 512 sets of 4 lines, selected by parities of virtual address bits (0x"
  has "$text" "; replacement: slru"
  [[ $text =~ "L1Cache: after 434 fills "[0-9.]*" % of the lines are left, after 868: "[0-9.]*" %, " ]]
  has "$text" "L1Cache: stores go through to the next level; a store to an absent line brings in its sector"
  has "$text" "L1Cache: outstanding misses: at least 64 per SM, at least 16 per warp"
  has "$text" "ConstantL1Cache: 8 sets of 4 lines, selected by parities of virtual address bits (0x40,0x80,0x100); replacement: plru; with one line too many, 5.0 misses in each pass"
  has "$text" "InstructionCache: SMs that share one: 0,1 ..."
  has "$text" "L2Cache: the driver limits what a miss fetches to 64 bytes"
  has "$text" "can be set aside for persisting accesses; memory can be compressed"
  has "$text" "SharedMemory: $(recorded RemoteLatencyCycles) cycles from another SM in the cluster"
  has "$text" "DeviceMemory: 95 % of loads take at most $(recorded LatencyP95Cycles) cycles"
  has "$text" "DeviceMemory: latency while others read, GB/s:ns: $(recorded LatencyUnderLoad | sed 's/:/: /'), "
  has "$text" "TextureCache: 512 sets of 4 lines, selected by parities of virtual address bits (0x80,0x100,0x150200"
  has "$text" "if loads queue up: the oldest warps go first"
  has "$text" "one storage: L1Cache, TextureCache, ReadOnlyCache, SharedMemory; ConstantL15Cache, instructions own storage: ConstantL1Cache, InstructionCache SMs per instance: ConstantL15Cache 16.5 on average, InstructionCache 2, L2TLB 4 to 6"
  local order
  for order in "round-robin:warps take turns" "ready:the warps that became ready last go first" "other:warps go in another order"; do
    sed "s/\(GPUCacheWarpOrder\" value=\"\)[^\"]*/\1${order%:*}/" "$records"/*.xml >"$BATS_TEST_TMPDIR/order.xml"
    has "$("$tool" show --all "$BATS_TEST_TMPDIR/order.xml")" "if loads queue up: ${order#*:}"
  done
}

@test "an AMD GPU has CUs, not SMs" {
  use_record rx7900xtx
  run_split "$tool" show --all --sim rx7900xtx
  is 0 "$status"
  has "${lines[0]}" ", 96 CUs at "
  has "${lines[1]}" "PER CU"
  has "$output" "a CU: "
  has "$output" "  DeviceMemory: a CU makes a request every "
  has "$output" " cycles (coalesced), "
  has "$output" " cycles (uncoalesced)"
  local text
  text=$(xargs -d '\n' <<<"$output" | tr -s ' ')
  has "$text" "CUs per instance: GL1Cache 8, ScalarL1Cache 2, InstructionCache 2"
  has "$text" "outstanding misses: at least 64 per CU, at least 16 per warp"
  has "$text" "latency without traffic 304.8 ns, with traffic 256.0 (a clock rises)"
  is '' "$(grep -E '\bSMs?\b|PerSM' <<<"$output")"
  # below the tables as in the notes, and in reasons
  use_record mi300x
  run_split "$tool" show --sim mi300x
  has "$output" "; Instances, PerCU of L1TLB"
  is '' "$(grep -E '\bSMs?\b|PerSM' <<<"$output")"
  run_split "$tool" show --all --sim mi300x
  text=$(xargs -d '\n' <<<"$output" | tr -s ' ')
  has "$text" "PerCU of L1TLB: blocks did not reach all CUs, or their numbers have gaps"
  has "$text" "OutstandingPerWarp of L1Cache: a CU requests lines too slowly to reach a limit"
  is '' "$(grep -E '\bSMs?\b|PerSM' <<<"$output")"
}

@test "--all shows each value, or names --json as its place" {
  # what is no value: the identity of the GPU and of the record, and the cost
  local hidden='Backend|lstopoStyle|ProcessName|SyntheticDescription|hwlocVersion|GPUCache(Format|MIG|Method|Status|VBIOS|Version|MeasuringRepeats)'
  # all groups are in JSON; a table of carve-outs that is the same as the first one is left out
  hidden+='|CUGroups|CarveoutTable4Warps'
  local name file line all n=0 unit=SMs
  for name in h200 mi300x; do
    file=$top_builddir/tests/records/$name.xml
    all=$("$tool" show --all "$file")
    has "$all" $'\n'"  more: show --json (all groups of $unit, each confidence, identity of the GPU)"
    while IFS=: read -r line _; do
      sed "${line}d" "$file" >"$BATS_TEST_TMPDIR/less.xml"
      n=$((n + 1))
      [ "$("$tool" show --all "$BATS_TEST_TMPDIR/less.xml" 2>&1)" != "$all" ] ||
        { sed -n "${line}p" "$file"; return 1; }
    done < <(grep -nE '<info name="[A-Za-z0-9]*"' "$file" | grep -vE "name=\"($hidden|[A-Za-z0-9]*(Source|Confidence))\"")
    unit=CUs
  done
  [ "$n" -ge 150 ]
}

@test "a row without any value is left out of its table" {
  run_split "$tool" measure --only L1Cache --sim h200
  is 0 "$status"
  is "ELEMENT L1Cache ELEMENT L1Cache" "$(grep -oE '^ +[A-Za-z0-9]+  ' <<<"$output" | xargs)"
  use_record rx7900xtx
  run_split "$tool" show --sim rx7900xtx
  [[ $output =~ $'\n'\ +GL1Cache\ +256\ KiB ]]
  has_not "${output#*CYCLES}" "GL1Cache  "
  is '' "$(grep -E '^ +[A-Za-z0-9]+( +-)+$' <<<"$output")"
}

@test "a record without a compute capability has CUs only if it is of an AMD GPU" {
  run_split "$tool" show "$top_srcdir/tests/data/record-good.xml"
  is 0 "$status"
  has "${lines[0]}" ": NVIDIA H200, 132 SMs"
  has "${lines[1]}" "PER SM"
  # without the driver's tables
  run_split "$tool" measure --only L1Cache --sim rx7900xtx
  is 0 "$status"
  has "${lines[0]}" ", 96 CUs at "
}

@test "every fact of the GPU in a record has its name in the public header" {
  use_record small
  local name header n=0
  header=$(cat "$top_srcdir/include/hwloc/gpucache.h")
  for name in $(grep -o 'info name="GPUCache[^"]*"' "$records/sim-small.xml" | cut -d'"' -f2 | sort -u); do
    # A source and a confidence have the name of their value, without the unit.
    case $name in *Source | *Confidence) has "$header" " ${name/%Confidence/Source}:"; continue ;; esac
    has "$header" " \"$name\""
    n=$((n + 1))
  done
  [ "$n" -ge 20 ]
  has "$(cat "$records/sim-small.xml")" GPUCacheMeasuringMilliseconds
  has_not "$(cat "$records/sim-small.xml")" GPUCacheMeasureSeconds
}

@test "--json: an array of GPUs with every attribute, numbers as numbers" {
  run_split "$tool" show --json --sim "$tiny"
  is 0 "$status"
  is '' "$errors"
  q() { jq -r "$1" <<<"$output"; }
  is 1 "$(q length)"
  is "gpu0 sim-tiny true null" "$(q '.[0] | "\(.name) \(.id) \(.simulated) \(.bus)"')"
  is "4 number" "$(q '.[0].SMs | "\(.) \(type)"')"
  is "7.0 string" "$(q '.[0].ComputeCapability | "\(.) \(type)"')"
  is string "$(q '.[0].Measured | type')"
  is "L2Cache 8192 number" \
    "$(q '.[0].elements[] | select(.subtype == "L1Cache") | "\(.parent) \(.CapacityBytes) \(.CapacityBytes | type)"')"
  is null "$(q '.[0].elements[0].parent')"
  is measured "$(q '.[0].elements[] | select(.subtype == "L1Cache").CapacitySource')"
  is true "$(q '.[0].elements[] | select(.subtype == "L1Cache").CapacityConfidence <= 1')"
  # a cell without a value has a reason; a TLB has no capacity
  is 0 "$(q '[.[0].elements[] | select(.subtype | endswith("TLB") | not) | . as $e | ("Capacity", "Nominal") | select($e["\(.)Source"] == null)] | length')"
  # every info of the elements in the record is there
  local infos
  infos=$(grep '<info ' "$records/sim-tiny.xml" | grep -c -E 'name="[A-Z][A-Za-z]*(Bytes|Cycles|Ns|Source|Confidence)"')
  is "$(grep -E -c '<info name="(Capacity|Latency)' "$records/sim-tiny.xml")" \
    "$(q '[.[0].elements[] | keys[] | select(test("^(Capacity|Latency)"))] | length')"
}

@test "JSON has the reason for a GPU that fails; the others are printed" {
  echo nonsense >"$BATS_TEST_TMPDIR/bad"
  run_split "$tool" show --json --sim "$BATS_TEST_TMPDIR/bad,$tiny"
  is 1 "$status"
  is 2 "$(jq length <<<"$output")"
  has "$(jq -r '.[0].problem' <<<"$output")" "bad"
  is null "$(jq -r '.[0].elements' <<<"$output")"
  is sim-tiny "$(jq -r '.[1].id' <<<"$output")"
  is true "$(jq '.[1].elements | length > 3' <<<"$output")"
}

@test "--xml prints the stored record" {
  use_record tiny
  run_split "$tool" show --xml --sim "$tiny"
  is 0 "$status"
  is "$(cat "$records/sim-tiny.xml")" "$output"
  run_split "$tool" show --xml --sim "$tiny,h200"
  is 2 "$status"
  has "$errors" "--xml prints one GPU"
  "$tool" measure --no-store --only L1Cache --xml --sim "$tiny" >"$BATS_TEST_TMPDIR/one.xml"
  run "$LSTOPO" --of console -i "$BATS_TEST_TMPDIR/one.xml"
  has "$output" L1Cache
  has_not "$output" TextureCache
}

@test "several GPUs: measured in parallel, printed in their order" {
  cp "$tiny" "$BATS_TEST_TMPDIR/other"
  sed -i 's/^model = .*/model = Other GPU/' "$BATS_TEST_TMPDIR/other"
  run_split "$tool" show --sim "$BATS_TEST_TMPDIR/other,$tiny"
  is 0 "$status"
  is '' "$errors"
  is "gpu0: Other GPU gpu1: Tiny Test GPU" "$(grep -o '^gpu.: [^,]*' <<<"$output" | xargs)"
  is 2 "$(leftovers | wc -l)"
  run_split "$tool" measure --force --sim "$BATS_TEST_TMPDIR/other,$tiny"
  is 4 "$(grep -c ELEMENT <<<"$output")"
  run_split "$tool" measure --sim "$BATS_TEST_TMPDIR/other,$tiny"
  is 2 "$(grep -c 'already measured' <<<"$output")"
}

# measure_on_terminal ROWS [COLUMNS [VARIABLE=VALUE]]: two GPUs on a pseudo-terminal of that size.
measure_on_terminal() {
  output=$(TERM=xterm script -qec \
    "stty rows $1 cols ${2:-100}; env ${3:-} $tool measure --force --color never --sim $tiny,$BATS_TEST_TMPDIR/other" /dev/null </dev/null |
    tr -d '\r')
}

@test "several GPUs: a line for each on a terminal while they are measured, then the same as otherwise" {
  command -v script >/dev/null || skip "script (package bsdutils) is missing"
  local escape=$'\e'
  sed 's/^model = .*/model = Other GPU/' "$tiny" >"$BATS_TEST_TMPDIR/other"
  measure_on_terminal 24
  # both lines are drawn again and again, each over itself, and erased at the end
  has "$output" "gpu0 Tiny Test GPU  starting$escape[K"$'\n'"gpu1 Other GPU  starting$escape[K"
  local gpu
  for gpu in "gpu0 Tiny Test GPU" "gpu1 Other GPU"; do
    [ "$(grep -c "$gpu  \[[#-]*\] [0-9]*/[0-9]* L2Cache" <<<"$output")" -ge 2 ]
  done
  has "$output" "$escape[K$escape[A$escape[Kgpu0: Tiny Test GPU, "
  is "$("$tool" show --sim "$tiny,$BATS_TEST_TMPDIR/other")" "gpu0: Tiny${output##*gpu0: Tiny}"
  # too many for the terminal: one line
  measure_on_terminal 2
  has "$output" "2 GPUs  [----------------] 0/2 ready"
  has_not "$output" "  starting"
  # $COLUMNS does not make the terminal wider
  measure_on_terminal 24 40 COLUMNS=300 # a shell may replace $COLUMNS when it starts a command
  is 39 "$(grep -o "gpu[01] [A-Z][^$escape]*" <<<"$output" | wc -L)"
  # without a terminal, nothing is reported
  run_split "$tool" measure --force --sim "$tiny,$BATS_TEST_TMPDIR/other"
  is '' "$errors"
}

@test "several GPUs: one that fails is named, the other is measured" {
  sed 's/^sms = 4/sms = many/' "$tiny" >"$BATS_TEST_TMPDIR/bad"
  run_split "$tool" measure --sim "$tiny,$BATS_TEST_TMPDIR/bad,$tiny"
  is 1 "$status"
  run_split "$tool" measure --no-store --sim "$BATS_TEST_TMPDIR/bad,$tiny,nonsense"
  is 1 "$status"
  has "$errors" "gpu0: "
  has "$errors" "hwloc-gpucache: no simulated GPU is named 'nonsense'"
  has "$output" "gpu1: Tiny Test GPU"
}

@test "several GPUs that cannot be stored are printed nevertheless" {
  cp "$tiny" "$BATS_TEST_TMPDIR/other"
  echo 'not a directory' >"$records"
  run_split "$tool" show --sim "$BATS_TEST_TMPDIR/other,$tiny"
  is 0 "$status"
  is 4 "$(grep -c ELEMENT <<<"$output")"
  is 2 "$(grep -c 'gpu[01]: the record will not be stored' <<<"$errors")"
  run_split "$tool" measure --sim "$BATS_TEST_TMPDIR/other,$tiny"
  is 1 "$status"
  is '' "$output"
  is 2 "$(grep -c 'gpu[01]: the directory for records .* cannot be opened: Not a directory; set HWLOC_GPUCACHE_DIR' <<<"$errors")"
}

# The lines below the tables: those after the last row, which is an element or a partition.
below_tables() { awk '/^$/ || / (CYCLES|CAPACITY) / { table = 1; below = ""; next }
  table && /^ *[A-Za-z0-9]+( partition)? +[-0-9>]/ { below = ""; next } { below = below $0 "\n" } END { printf "%s", below }' <<<"$1"; }

@test "below the tables are at most five lines; the last one says how to see more" {
  local record
  for record in "$top_srcdir"/doc/results/structure/*.xml "$top_srcdir"/doc/results/h200/record.xml; do
    run_split "$tool" show "$record"
    is 0 "$status"
    is '' "$errors"
    [ "$(widest "$output")" -le 100 ]
    run below_tables "$output"
    [ "${#lines[@]}" -ge 3 ] && [ "${#lines[@]}" -le 5 ]
    has "$output" "  one storage: L1Cache, TextureCache, ReadOnlyCache, SharedMemory"
    has "$output" "  L2Cache: 2 partitions, 66 SMs near each; a partition caches what its SMs read"
    has "$output" "  carve-out 0 %: L1 217 KiB, "
    [[ ${lines[-1]} == "  more: show --all ("*"; why "[0-9]*" absent)" ]]
    # with a provisional record, too, and however long the reason is
    sed 's/<info name="GPUCacheMeasured"/<info name="GPUCacheProvisional" value="'"$(printf 'lorem %.0s' {1..50})"'"\/><info name="GPUCacheProvisionalTried" value="2026-01-01T00:00:00Z"\/>&/' \
      "$record" >"$BATS_TEST_TMPDIR/later.xml"
    run_split "$tool" show "$BATS_TEST_TMPDIR/later.xml"
    [ "$(widest "$output")" -le 100 ]
    run below_tables "$output"
    is 5 "${#lines[@]}"
    [[ ${lines[0]} == "  provisional: lorem lorem "* ]]
    [[ ${lines[1]} == "    lorem "*"lorem ...; the next load or measure tries again" ]]
    [[ ${lines[2]} == "  "[^\ ]* ]]
    output=$(COLUMNS=80 "$tool" show "$BATS_TEST_TMPDIR/later.xml" | sed 1d)
    run below_tables "$output"
    is 5 "${#lines[@]}"
    [[ ${lines[1]} == "    lorem "*"the next load or measure tries again" ]]
    run_split "$tool" show --all "$BATS_TEST_TMPDIR/later.xml"
    is 50 "$(grep -o '\blorem\b' <<<"$output" | wc -l)"
  done
}

@test "an element without any value has no row and no box, but its reasons are kept" {
  run_split "$tool" show --sim "$tiny"
  has "$output" "  SharedMemory "
  has_not "$output" "  L1TLB"
  has "$output" "  absent: all of L1TLB, L2TLB; "
  run_split "$tool" show --all --sim "$tiny"
  has "$(xargs -d '\n' <<<"$output" | tr -s ' ')" " SMGroups, PerSM of L2TLB: this needs the values of L1TLB, which are absent"
  is 'null "absent:this needs the values of L1TLB, which are absent"' \
    "$("$tool" show --json --sim "$tiny" | jq -c '.[0].elements[] | select(.subtype == "L2TLB") | .ReachBytes, .ReachSource' | xargs -d '\n')"
}

@test "--all: notes are ordered by element, each reason for absent values is there once, at the end" {
  local record=$top_srcdir/doc/results/structure/h200.xml reasons notes
  run_split "$tool" show --all "$record"
  is 0 "$status"
  is "$(grep -E '^ +[A-Za-z0-9]+  +[0-9]' <<<"$output" | awk '{ print $1 }' | awk '!seen[$0]++' | xargs)" \
    "$(grep -oE '^  (capacity of )?[A-Z][A-Za-z0-9]+: ' <<<"$output" | tr -d ': ' | uniq | xargs)"
  notes=${output#*$'\n  no '}
  is "  more: show --json" "$(grep -E '^  [^ ]' <<<"$notes" | tail -n +2 | grep -v '^  no ' | sed 's/ (.*//')"
  # one line for each reason in the record; PerSM of what SMs share is no news
  reasons=$("$tool" show --json "$record" | jq -r '.[0].elements[] | . as $e | to_entries[]
    | select((.key | endswith("Source")) and (.value | startswith("absent")))
    | select(.key != "PerSMSource" or $e.Instances == null) | .value' | sort -u | wc -l)
  is "$reasons" "$(grep -c '^  no ' <<<"$output")"
  has_not "$output" "share it"
}

@test "--all shows shares of victims and the ways of sets that differ" {
  sed 's/<info name="Replacement" value="slru"\/>/&<info name="VictimShares" value="0.25,0.75"\/><info name="SetWays" value="4,4,3"\/>/' \
    "$top_srcdir/doc/results/structure/h200.xml" >"$BATS_TEST_TMPDIR/shares.xml"
  run_split "$tool" show --all "$BATS_TEST_TMPDIR/shares.xml"
  has "$output" "  L1Cache: share of the replacements of each way: 0.25, 0.75"
  has "$output" "  L1Cache: lines in each set: 4, 4, 3"
}

@test "--all has a line for the host memory of each NUMA node" {
  use_record h200
  run_split "$tool" show --all --sim h200
  is 0 "$status"
  local one=$(tr '\n' ' ' <<<"$output" | tr -s ' ')
  [[ $one == *"host memory of NUMA node 0: reads "[0-9.]*" GB/s, stores "[0-9.]*" GB/s, copies to the GPU "[0-9.]*" GB/s, from the GPU "[0-9.]*" GB/s, both at once "[0-9.]*" GB/s, latency "[0-9]*" ns"* ]]
  [[ $one == *"host memory of NUMA node 1: reads "* ]]
}

@test "show FILE: a record, the topology of a node, a directory, and what is no such file" {
  local record=$top_srcdir/doc/results/structure/h200.xml node=$BATS_TEST_TMPDIR/node.xml bad
  run_split "$tool" show "$record"
  is 0 "$status"
  is '' "$errors"
  [[ ${lines[0]} == "gpu0: NVIDIA H200, 132 SMs "* ]]
  is "H200 false 132" "$("$tool" show --json "$record" | jq -r '.[0] | "\(.model[7:]) \(.simulated) \(.SMs)"')"
  # two GPUs in one file, and the same from a directory
  sed 's/\(GPU[A-Z]*-\|"gpu\)[0-9]/\11/' "$record" | sed -n '/name="gpu/,/^    <\/object>/p' >"$BATS_TEST_TMPDIR/second"
  awk -v second="$BATS_TEST_TMPDIR/second" '/^  <\/object>/ { while ((getline line < second) > 0) print line } 1' \
    "$record" >"$node"
  run_split "$tool" show "$node"
  is 0 "$status"
  is "$node:gpu0 $node:gpu1" "$(grep -o '^[^ ]*:gpu[01]' <<<"$output" | xargs)"
  mkdir "$BATS_TEST_TMPDIR/site"
  cp "$record" "$BATS_TEST_TMPDIR/site/a.xml"
  cp "$top_srcdir/doc/results/structure/h100.xml" "$BATS_TEST_TMPDIR/site/b.xml"
  run_split "$tool" show "$BATS_TEST_TMPDIR/site"
  is "a.xml b.xml" "$(grep -o '^[^ ]*/site/[ab].xml:' <<<"$output" | xargs -n 1 basename | tr -d : | xargs)"
  run_split "$tool" show --xml "$BATS_TEST_TMPDIR/site"
  is 2 "$status"
  has "$errors" "--xml prints one GPU, but there are 2"
  run_split "$tool" show --xml "$record"
  # all of it, although that record was made before objects had a Backend
  is "$(grep -c '<info ' "$record")" "$(grep '<info ' <<<"$output" | grep -vc 'name="Backend" value="GPUCache"')"
  # what looks like a file is never a GPU
  cd "$BATS_TEST_TMPDIR"
  echo nonsense >empty.txt
  local command
  for bad in missing.xml missing.txt sim-missing.xml ./missing site/missing empty.txt; do
    run_split "$tool" show "$bad"
    is 1 "$status"
    is 1 "$(wc -l <<<"$errors")"
    has "$errors" "hwloc-gpucache: $bad: "
    has_not "$errors" "no GPU"
    # with and without a GPU in the machine
    for command in measure purge "measure --sim $tiny"; do
      run_split "$tool" $command "$bad"
      is 2 "$status"
      is '' "$output"
      is "hwloc-gpucache: ${command%% *} takes GPUs, not files: '$bad'" "$errors"
    done
  done
  run_split "$tool" export sim-missing.xml
  is 1 "$status"
  has "$errors" "hwloc-gpucache: sim-missing.xml: "
  run_split "$tool" purge site a.xml b.xml c.xml
  is "hwloc-gpucache: purge takes GPUs, not files: 'site', 'a.xml', 'b.xml' and 1 more" "$errors"
  # a file does not hide the GPU of that name
  touch 0
  run_split "$tool" measure --no-store --sim "$tiny" 0
  is 0 "$status"
  is '[]' "$("$tool" show --json missing.xml 2>/dev/null)"
}

@test "no line has more than 100 columns: a real H200, AMD's driver tables, simulated GPUs" {
  use_h200
  run_split "$tool" show --all gpu0
  is 0 "$status"
  has "$output" "L1Cache capacity by carve-out"
  [ "$(widest "$output")" -le 100 ]
  local tree
  for tree in mi100 mi300x-cpx rx6800; do
    "$top_srcdir/tests/data/amd-tree.sh" "$BATS_TEST_TMPDIR/$tree" "$tree" 1 0000:01:00.0
    use_tree "$BATS_TEST_TMPDIR/$tree"
    run_split "$tool" show --all
    has "$output" "  L2Cache "
    [ "$(widest "$output")" -le 100 ]
  done
  use_tree "$BATS_TEST_TMPDIR/nothing"
  use_record rx7900xtx
  run_split "$tool" show --all --sim rx7900xtx
  is 0 "$status"
  has "$output" "        LDS "
  [ "$(widest "$output")" -le 100 ]
}

@test "long notes and cells continue on the next line, and nothing is lost" {
  use_h200
  local long='the first of many words and the last of many words, which do not fit in one line of this table' id
  id=GPU-11111111-0000-0000-0000-000000000017
  sed -i "/subtype=.L1Cache/,/<.object>/s/the vendor's interface does not state it/$long, $long/
    s/value=.TextureCache,ReadOnlyCache,SharedMemory./value='TextureCache,ReadOnlyCache,SharedMemory,ConstantL1Cache,ConstantL15Cache,InstructionCache'/" \
    "$records/$id.xml"
  run_split "$tool" show --all gpu0
  is 0 "$status"
  is '' "$errors"
  [ "$(widest "$output")" -le 100 ]
  has "$(xargs <<<"${output//\'/}")" "no Nominal of L1Cache: $long, $long"
  has "$(xargs <<<"${output//\'/}")" "one storage: L1Cache, TextureCache, ReadOnlyCache, SharedMemory, ConstantL1Cache, ConstantL15Cache, InstructionCache; "
  # a hanging indent
  [[ $output =~ $'\n'"  no Nominal of L1Cache: "[^$'\n']*$'\n'"    "[a-z] ]]
}

@test "--element shows these elements only, in tables and in JSON" {
  use_h200
  run_split "$tool" show --element L1Cache,L2Cache gpu0
  is 0 "$status"
  is "L2Cache L1Cache L2Cache near far L1Cache" \
    "$(grep -E '^ +[A-Za-z0-9]+( partition)? .*(-|measured|GB/s|cycle)$' <<<"$output" | awk '{ print $1 }' | xargs)"
  has_not "$output" Constant
  has_not "$output" "an SM: "
  has_not "$output" "no Nominal of L1Cache"
  run_split "$tool" show --all --element " L1Cache , L2Cache" gpu0
  has "$output" "no Nominal of L1Cache: "
  has_not "$output" Constant
  has_not "$output" "an SM: "
  run_split "$tool" show --json --element L1Cache gpu0
  is "132 L1Cache L2Cache" "$(jq -r '.[0] | "\(.SMs) \(.elements[].subtype) \(.elements[].parent)"' <<<"$output")"
  run_split "$tool" show --element L3Cache gpu0
  is 1 "$status"
  is '' "$output"
  is "hwloc-gpucache: gpu0: this GPU has no L3Cache" "$errors"
  # of several, those that are there are printed
  run_split "$tool" show --element LDS,L1Cache,L3Cache gpu0
  is 0 "$status"
  is "hwloc-gpucache: gpu0: this GPU has no L3Cache, LDS" "$errors"
  has "$output" L1Cache
  run_split "$tool" show --element LDS "$top_srcdir/doc/results/structure/h200.xml"
  is 1 "$status"
  is '' "$output"
  is "hwloc-gpucache: $top_srcdir/doc/results/structure/h200.xml: this GPU has no LDS" "$errors"
  for bad in L7 '' L1Cache, l1cache; do
    run_split "$tool" show --element "$bad" gpu0
    is 2 "$status"
    is '' "$output"
  done
  run_split "$tool" show --element L1Cache --xml gpu0
  is 2 "$status"
  run_split "$tool" list --element L1Cache
  is 2 "$status"
}

@test "options of show that exclude each other, and an unknown element: one sentence" {
  local record=$top_srcdir/doc/results/structure/h200.xml
  run_split "$tool" show --all --json "$record"
  is 2 "$status"
  is '' "$output"
  is "hwloc-gpucache: --all and --json exclude each other: JSON always has everything" "$(head -n 1 <<<"$errors")"
  is 2 "$(wc -l <<<"$errors")"
  run_split "$tool" show --all --xml "$record"
  is 2 "$status"
  run_split "$tool" show --element L1Cache,Foo "$record"
  is 2 "$status"
  is '' "$output"
  has "$errors" "unknown element: 'Foo'; known: DeviceMemory, "
  is 2 "$(wc -l <<<"$errors")"
  run_split "$tool" show --element Foo,L1Cache,Bar,Baz,Qux "$record"
  is 2 "$status"
  has "$errors" "unknown elements: 'Foo', 'Bar', 'Baz' and 1 more; known: DeviceMemory, "
  is 2 "$(wc -l <<<"$errors")"
  run_split "$tool" measure --only Foo,L1Cache,Bar --sim "$tiny"
  is 2 "$status"
  has "$errors" "unknown elements: 'Foo', 'Bar'; known: DeviceMemory, "
}

@test "if there is a file and another word, the heading names the file" {
  local record=$top_srcdir/doc/results/structure/h200.xml
  run_split "$tool" show "$record"
  has "$(head -n 1 <<<"$output")" "gpu0: NVIDIA H200"
  run_split "$tool" show "$record" gpu0
  is 3 "$status"
  has "$(head -n 1 <<<"$output")" "$record: NVIDIA H200"
  is "hwloc-gpucache: 'gpu0' is neither a GPU nor a file; no GPU found in $HWLOC_FSROOT (HWLOC_FSROOT); looked in /proc/driver/nvidia/gpus, /sys/class/kfd and the PCI devices; try --sim h200" "$errors"
}

@test "sentences on a terminal are divided between words; in a file they are one line" {
  command -v script >/dev/null || skip "script (package bsdutils) is missing"
  script -qec 'test -t 1' /dev/null >/dev/null 2>&1 || skip "no pseudo-terminal can be created here"
  sed '1i nonsense' "$tiny" >"$BATS_TEST_TMPDIR/broken"
  run_split "$tool" show --sim "$BATS_TEST_TMPDIR/broken"
  local whole=$errors columns
  is 1 "$(wc -l <<<"$whole")"
  [ ${#whole} -gt 90 ]
  for columns in 40 60; do
    errors=$(TERM=dumb on_terminal $columns "'$tool' show --sim '$BATS_TEST_TMPDIR/broken'")
    [ "$(widest "$errors")" -le $columns ]
    [ "$(wc -l <<<"$errors")" -gt 1 ]
    # no word is divided that has room in a line
    is "$(tr ' ' '\n' <<<"$whole" | awk -v most=$columns 'length <= most - 2' | sort)" \
      "$(tr -s ' ' '\n' <<<"$errors" | sort | comm -12 - <(tr ' ' '\n' <<<"$whole" | awk -v most=$columns 'length <= most - 2' | sort))"
  done
}

@test "in 80 columns each row is one line with its confidence, and at most five lines are below" {
  command -v script >/dev/null || skip "script (package bsdutils) is missing"
  local record text n=0
  for record in "$top_builddir"/tests/records/*.xml "$top_srcdir"/doc/results/structure/h[12]00.xml; do
    n=$((n + 1))
    if [[ $record == */t1000.xml ]]; then
      output=$(on_terminal 80 "$tool show --color never $record")
    else
      output=$(COLUMNS=80 "$tool" show "$record")
    fi
    [ "$(widest "$output")" -le 80 ]
    is '' "$(grep -n ' $' <<<"$output")"
    # the tables: two headings that are whole, and rows that begin with the name of an element
    text=$(sed -n '/^ELEMENT/,/^  [a-z]* *[a-z]*:/p' <<<"$output")
    is 1 "$(grep -cE '^ELEMENT +CAPACITY +NOMINAL +LINE +FETCH +PER [SC][MU] +IN ALL +CONFIDENCE( +SOURCE)?$' <<<"$text")"
    is 1 "$(grep -cE '^ELEMENT +CYCLES +NS +MISS +READ +WRITE$' <<<"$text")"
    is '' "$(grep -vE '^ELEMENT |^ *[A-Z][A-Za-z0-9]+ +[0-9>-]|^ *(near|far) partition +[0-9]|^$|^  [a-z]' <<<"$text")"
    output=$(sed 1d <<<"$output")
    run below_tables "$output"
    [ "${#lines[@]}" -ge 2 ] && [ "${#lines[@]}" -le 5 ]
    [[ ${lines[-1]} == "  more: show --all ("* ]]
    grep -q 'CONFIDENCE *SOURCE$' <<<"$text" || has "${lines[-1]}" "; in a wider terminal: SOURCE"
    # one storage is stated, not only in a column
    ! grep -q '"SharedWith" value="TextureCache,ReadOnlyCache' "$record" || has "$output" "  one storage: L1Cache, TextureCache, ReadOnlyCache"
  done
  [ "$n" -ge 20 ]
}

@test "on a narrow terminal no line is longer than the terminal, and what is left out is named" {
  command -v script >/dev/null || skip "script (package bsdutils) is missing"
  local record=$top_srcdir/doc/results/structure/h200.xml columns
  for columns in 40 80; do
    output=$(on_terminal "$columns" "$tool show --color never $record")
    [ "$(widest "$output")" -le "$columns" ]
    has "$output" "26.60 MiB"
    [[ $(xargs <<<"$output") == *"in a wider terminal: "*SOURCE* ]]
    has_not "$output" $'\n'"WITH"
    # $COLUMNS has the same effect, on a terminal and elsewhere
    is "$output" "$(COLUMNS=$columns "$tool" show "$record")"
    is "$output" "$(COLUMNS=$columns on_terminal 120 "$tool show --color never $record")"
    output=$(on_terminal "$columns" "$tool show --all --color never $record")
    [ "$(widest "$output")" -le "$columns" ]
    has "$(xargs -d '\n' <<<"$output" | tr -s ' ')" "In $columns columns, these do not fit: "
  done
  output=$(on_terminal 120 "$tool show --color never $record")
  is "$("$tool" show "$record")" "$output"
  # what is no width does not count
  for columns in 0 -40 x 40x '' 99999999999; do
    is "$output" "$(COLUMNS=$columns "$tool" show "$record")"
  done
}

@test "colour: only on a terminal, or if it is asked for" {
  use_h200
  local escape=$'\e'
  run_split env TERM=xterm "$tool" show --all gpu0
  has_not "$output" "$escape"
  local plain=$output
  run_split env TERM=dumb NO_COLOR=1 "$tool" show --all --color always gpu0
  has "$output" "$escape[1mgpu0: NVIDIA H200"
  has "$output" "$escape[1mELEMENT$escape[0m"
  has "$output" "$escape[2m0.8301$escape[0m"
  has "$output" "$escape[2mno Total of L2Cache"
  # it is the same text
  is "$plain" "$(sed "s/$escape\\[[0-9]*m//g" <<<"$output")"
  run_split "$tool" show --color sometimes gpu0
  is 2 "$status"
  is '' "$output"
}

@test "colour on a pseudo-terminal: NO_COLOR, TERM and --color" {
  command -v script >/dev/null || skip "script (package bsdutils) is missing"
  use_h200
  # coloured VARIABLE... -- OPTION...
  coloured() {
    local -a variables=()
    for (( ; ; )); do [ "$1" = -- ] && break; variables+=("$1"); shift; done
    shift
    output=$(env "${variables[@]}" script -qec "$tool show gpu0 $*" /dev/null </dev/null)
    has "$output" "NVIDIA H200"
  }
  local escape=$'\e'
  coloured TERM=xterm --
  has "$output" "$escape[1m"
  coloured TERM=xterm NO_COLOR= --
  has "$output" "$escape[1m"
  coloured TERM=xterm NO_COLOR=1 --
  has_not "$output" "$escape"
  coloured TERM=dumb --
  has_not "$output" "$escape"
  coloured TERM= --
  has_not "$output" "$escape"
  coloured TERM=xterm -- --color never
  has_not "$output" "$escape"
}

@test "the first of the groups of SMs is shown whole" {
  local sms=0,1,14,15,16,17,32,33,48,49,64,65,80,81,96,97,112,113,128,129,130,131
  sed "s|^\( *\)<info name=\"GPUCacheSMs\".*|&\n\1<info name=\"GPUCacheGPCSMs\" value=\"$sms 2,3\"/>|" \
    "$top_srcdir/tests/data/record-good.xml" >"$BATS_TEST_TMPDIR/groups.xml"
  run "$tool" show --all "$BATS_TEST_TMPDIR/groups.xml"
  has "$output" "a GPC has $sms ..."
}

@test "a file with the name of a GPU does not hide the GPU" {
  use_h200
  cd "$BATS_TEST_TMPDIR"
  echo "no record" >gpu0
  run_split "$tool" show gpu0
  is 0 "$status"
  [[ ${lines[0]} == "gpu0: NVIDIA H200"* ]]
  run_split "$tool" show ./gpu0
  is 1 "$status"
}
