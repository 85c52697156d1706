#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# predict: hit rates of small traces whose result is known, on the record of a real H200.

setup() {
  load setup.bash
  prepare
  real=$top_srcdir/doc/results/h200/record.xml
  trace=$BATS_TEST_TMPDIR/trace
}

# stream PASSES LINES: one warp that loads this many lines of 128 bytes one after another, and all of it
# PASSES times, in the format of Nugteren et al.
stream() {
  awk -v passes="$1" -v lines="$2" 'BEGIN {
    print "blockdim: 32 1 1"
    for (pass = 0; pass < passes; pass++)
      for (line = 0; line < lines; line++)
        for (thread = 0; thread < 32; thread++)
          print thread, 0, 1048576 + 128 * line + 4 * thread, 4
  }'
}

# predict ARGUMENT...: its JSON in $output.
predict() {
  run_split "$tool" predict --json --record "$real" "$@"
  is '' "$errors"
  is 0 "$status"
}

value() { jq -r "$@" <<<"$output"; }

# refused STATUS TEXT ARGUMENT...
refused() {
  local expected=$1 text=$2
  shift 2
  run_split "$tool" predict "$@"
  is "$expected" "$status"
  is '' "$output"
  has "$errors" "$text"
}

@test "one warp that loads 100 lines twice: each sector misses once" {
  stream 2 100 >"$trace"
  predict "$trace"
  is 800 "$(value '.kernels[0].l1_loads.sectors')"
  is 400 "$(value '.kernels[0].l1_loads.misses')"
  is 0.5 "$(value '.kernels[0].l1_hit_rate.value')"
  is 400 "$(value '.kernels[0].l1_misses.compulsory')"
  is 400 "$(value '.kernels[0].l1_misses | add')"
  is 400 "$(value '.kernels[0].l2_loads.sectors')"
}

@test "an array that is larger than L1 at one carve-out only" {
  stream 2 400 >"$trace" # 50 KiB
  predict --carveout 0 "$trace"
  is 222208 "$(value '.kernels[0].l1_bytes')"
  is 0.5 "$(value '.kernels[0].l1_hit_rate.value')"
  predict --carveout 86 "$trace" # 21 KiB
  is 21504 "$(value '.kernels[0].l1_bytes')"
  is 0 "$(value '.kernels[0].l1_hit_rate.value')"
  is 1600 "$(value '.kernels[0].l1_misses.compulsory')"
  is 1600 "$(value '.kernels[0].l1_misses.capacity')"
}

@test "the table for people" {
  stream 2 100 >"$trace"
  run_split "$tool" predict --record "$real" "$trace"
  is 0 "$status"
  is '' "$errors"
  has "$output" "GPU: NVIDIA H200"
  has "$(xargs -n 1000 <<<"$output")" "L1 800 400 0 400 50.0 % 50.0 to 50.0 %"
  has "$output" "misses in L1: compulsory 100.0 %"
  has "$output" "L1Cache Sets: 1 set: the cache is fully associative"
  # the first line has the name of the record, which can be long
  [ "$(awk 'NR > 1 { print length }' <<<"$output" | sort -n | tail -n 1)" -le 100 ]
}

@test "the output says how it knows which loads are issued at once" {
  stream 1 10 >"$trace"
  predict "$trace"
  is each "$(value '.kernels[0].launch.loads_wait_by')"
  run_split "$tool" predict --record "$real" "$trace"
  has "$output" "a warp waits for each load: the trace does not show"
  blocks 0 | sed 's/^warp.*/&\nloads-at-once\t4/' >"$trace"
  predict "$trace"
  is "loads-at-once 4" "$(value '.kernels[0].launch | "\(.loads_wait_by) \(.loads_at_once)"')"
  run_split "$tool" predict --record "$real" "$trace"
  has "$output" "a warp issues up to 4 loads at once"
  cp "$top_srcdir/tests/data/traces/kernel-1.traceg" "$trace"
  predict "$trace"
  is registers "$(value '.kernels[0].launch.loads_wait_by')"
  run_split "$tool" predict --record "$real" "$trace"
  has "$output" "a warp waits for a load where the trace uses its registers"
}

@test "a trace that has only some of the blocks" {
  cp "$top_srcdir/tests/data/traces/two-kernels.binary" "$trace"
  predict "$trace"
  is "2 7, 1 1" "$(value '[.kernels[].launch | "\(.blocks) \(.launched_blocks)"] | join(", ")')"
  is "registers, loads-at-once" "$(value '[.kernels[].launch.loads_wait_by] | join(", ")')"
  is 17 "$(value '.kernels[1].l1_bypassing')" # a bulk copy of 33 pieces of 16 bytes
  run_split "$tool" predict --record "$real" "$trace"
  has "$output" "the trace has 2 of the 7 launched blocks: all counts are of the blocks in the trace"
  is 1 "$(grep -c 'launched blocks' <<<"$output")"
}

@test "--seeds and --threads" {
  stream 2 1737 >"$trace"
  predict --seeds 0 "$trace"
  is true "$(value '.kernels[0].l1_hit_rate | .low == .value and .high == .value')"
  some=$output
  predict --seeds 0 --threads 1 "$trace"
  is "$some" "$output"
  predict --seeds 3 --threads 64 "$trace"
  is true "$(value '.kernels[0].l1_hit_rate | .low <= .value and .high >= .value')"
  refused 2 "--seeds needs a number from 0 to 1000" --seeds 1001 "$trace"
  refused 2 "--threads needs a number from 1 to 64" --threads 0 "$trace"
}

@test "bytes from L2 and from memory" {
  # one sector of 32 bytes in each of 100 lines; L2 fetches 64
  awk 'BEGIN {
    print "hwloc-gpucache-trace 1\nkernel\tk\nblocks\t1\nthreads\t32\nwarp\t32"
    for (line = 0; line < 100; line++)
      printf "0\t0\t0\tload\t-\t4\t3\t%x+4\n", 1048576 + 128 * line
    print "end"
  }' >"$trace"
  predict "$trace"
  is "3200 6400 100" "$(value '.kernels[0] | "\(.l2_read_bytes) \(.memory_read_bytes) \(.l1_load_instructions)"')"
  run_split "$tool" predict --record "$real" "$trace"
  has "$output" "read from L2: 3.12 KiB, from memory: 6.25 KiB; sectors for each load of a warp: 1.0"
}

@test "two traces are two kernels; L2 keeps what the first one left" {
  stream 1 100 >"$trace"
  predict "$trace" "$trace"
  is 2 "$(value '.kernels | length')"
  is 2 "$(value '.kernels[1].launch.number')"
  is 0 "$(value '.kernels[1].l1_loads.hits')"
  is 400 "$(value '.kernels[1].l2_loads.hits')"
  is 1 "$(value '.kernels[1].l2_hit_rate.value')"
}

@test "several kernels begin with a table of them" {
  printf 'hwloc-gpucache-trace 1\n' >"$trace"
  for name in _Z4copyPKfPf other _Z4copyPKfPf; do
    printf 'kernel %s\nblocks 1\nthreads 32\nwarp 32\n0 0 10 load - 4 ffffffff 10000+128\n' "$name"
  done >>"$trace"
  echo end >>"$trace"
  run_split "$tool" predict --record "$real" --seeds 0 "$trace"
  is 0 "$status"
  is "copy 2 64 0.0 % 50.0 % 2 KiB 2 KiB compulsory -" "$(grep '^copy' <<<"$output" | xargs)"
  has "$output" "kernel 1: copy(float const*, float*)"
  has "$output" "kernel 2: other"
  [ "$(awk 'NR > 1 { print length }' <<<"$output" | sort -n | tail -n 1)" -le 100 ]
}

# The record of another GPU, with an L1 of 20 KiB and little shared memory, as the file $1.
small_l1() {
  sed 's/name="CarveoutTable" value="[^"]*"/name="CarveoutTable" value="0:20480,100:16384"/
       s/name="CapacityBytes" value="233472"/name="CapacityBytes" value="16384"/
       s/"NVIDIA H200"/"Small L1"/' "$real" >"$1"
}

# A kernel for each thing that helps most, and one that nothing helps.
helped() {
  awk 'function kernel(name, blocks, shared) {
         print "kernel\t" name "\nblocks\t" blocks "\nthreads\t32\nwarp\t32\nshared\t" shared
       }
       # each block loads all of its lines so many times
       function loads(blocks, passes, lines, threads) {
         for (block = 0; block < blocks; block++)
           for (pass = 0; pass < passes; pass++)
             for (line = 0; line < lines; line++)
               printf "%d\t0\t%x\tload\t-\t4\t%s\t%x+4\n", block, pass, threads, 1048576 + 262144 * block + 128 * line
       }
       BEGIN {
         print "hwloc-gpucache-trace 1"
         kernel("nothing", 1, 0); loads(1, 2, 10, "ffffffff")
         # one block on an SM: the smallest carve-out for seven has 21 KiB of L1, the largest L1 185 KiB
         kernel("carveout", 1, 30000); loads(1, 2, 400, "ffffffff")
         # 3000 lines in 1736, but a sector of each is used
         kernel("line", 1, 0); loads(1, 2, 3000, "1")
         # 200 lines of four blocks on an SM; for an L1 of 160 lines
         kernel("occupancy", 528, 0); loads(528, 2, 50, "ffffffff")
         print "end"
       }'
}

@test "what would help most" {
  helped >"$trace"
  predict --seeds 0 "$trace"
  is "null, carve-out, line use, null" "$(value '[.kernels[].l1_hit_rate_with.most | tostring] | join(", ")')"
  is "0.5 0.5 0.5" "$(value '.kernels[0].l1_hit_rate_with | "\(.carve_out) \(.line_use) \(.occupancy)"')"
  is "0.5 0 0" "$(value '.kernels[1].l1_hit_rate_with | "\(.carve_out) \(.line_use) \(.occupancy)"')"
  is "0 0.5 0" "$(value '.kernels[2].l1_hit_rate_with | "\(.carve_out) \(.line_use) \(.occupancy)"')"
  small_l1 "$BATS_TEST_TMPDIR/small.xml"
  real=$BATS_TEST_TMPDIR/small.xml predict --seeds 0 --launches 4 "$trace"
  is "0 0 0.5" "$(value '.kernels[0].l1_hit_rate_with | "\(.carve_out) \(.line_use) \(.occupancy)"')"
  run_split "$tool" predict --seeds 0 --record "$BATS_TEST_TMPDIR/small.xml" --launches 4 "$trace"
  has "$output" "  helps most: half as many blocks on an SM: L1 hit rate 50.0 %, 50.0 points more"
  run_split "$tool" predict --seeds 0 --record "$real" "$trace"
  is "compulsory -" "$(grep '^nothing' <<<"$output" | xargs -n 1 | tail -n 2 | xargs)"
  has "$(xargs <<<"$(grep '^carveout' <<<"$output")")" "carve-out +50.0"
  has "$(xargs <<<"$(grep '^line' <<<"$output")")" "line use +50.0"
  has "$output" "  helps most: the largest L1 (--carveout 0): L1 hit rate 50.0 %, 50.0 points more"
  has "$output" "  helps most: lines of which all sectors are used: L1 hit rate 50.0 %, 50.0 points more"
  is 2 "$(grep -c 'helps most' <<<"$output")"
  [ "$(awk 'NR > 1 { print length }' <<<"$output" | sort -n | tail -n 1)" -le 100 ]
  # the model says the same if it is changed by hand
  predict --seeds 0 --carveout 0 --launches 2 "$trace"
  is 0.5 "$(value '.kernels[0].l1_hit_rate.value')"
  predict --seeds 0 --sweep line --launches 3 "$trace"
  is 0.5 "$(value '.sweep.points[0].kernels[0].l1_hit_rate.value')"
  is null "$(value '.sweep.points[0].kernels[0].l1_hit_rate_with')"
}

@test "what a record does not have does not help" {
  helped >"$trace"
  sed '/"CarveoutTable/d' "$real" >"$BATS_TEST_TMPDIR/r.xml"
  real=$BATS_TEST_TMPDIR/r.xml predict --seeds 0 --launches 2 "$trace"
  is null "$(value '.kernels[0].l1_hit_rate_with.carve_out')"
  sed 's/GlobalLoadsInL1" value="yes"/GlobalLoadsInL1" value="no"/' "$real" >"$BATS_TEST_TMPDIR/r.xml"
  real=$BATS_TEST_TMPDIR/r.xml predict --seeds 0 --launches 2 "$trace"
  is '[null]' "$(value -c '.kernels[0].l1_hit_rate_with | [.[]] | unique')"
  # lines of 8 bytes cannot be modelled; the prediction does not fail
  sed '/subtype="L1Cache"/,/<\/object>/s/"FetchBytes" value="32"/"FetchBytes" value="8"/' "$real" >"$BATS_TEST_TMPDIR/r.xml"
  real=$BATS_TEST_TMPDIR/r.xml predict --seeds 0 --launches 3 "$trace"
  is null "$(value '.kernels[0].l1_hit_rate_with.line_use')"
  is 0 "$(value '.kernels[0].l1_hit_rate_with.occupancy')"
}

@test "a gain within the range of the runs is none" {
  # one sector of each of 1740 lines, twice; L1 has 1736 lines, or up to 1753 in a drawn run
  awk 'BEGIN {
    print "hwloc-gpucache-trace 1\nkernel\tk\nblocks\t1\nthreads\t32\nwarp\t32"
    for (load = 0; load < 3480; load++)
      printf "0\t0\t0\tload\t-\t4\t1\t%x+4\n", 1048576 + 128 * (load % 1740)
    print "end"
  }' >"$trace"
  sed '/subtype="L1Cache"/,/<\/object>/s/"CensusBytes" value="[0-9]*"/"CensusBytes" value="224400"/' "$real" >"$BATS_TEST_TMPDIR/r.xml"
  real=$BATS_TEST_TMPDIR/r.xml
  predict --seeds 0 "$trace"
  is "0 0.5 line use" "$(value '.kernels[0] | "\(.l1_hit_rate.high) \(.l1_hit_rate_with.line_use) \(.l1_hit_rate_with.most)"')"
  predict "$trace"
  is "0.5 0.5 null" "$(value '.kernels[0] | "\(.l1_hit_rate.high) \(.l1_hit_rate_with.line_use) \(.l1_hit_rate_with.most)"')"
}

@test "several records are columns of a table, and objects in an array" {
  small_l1 "$BATS_TEST_TMPDIR/small.xml"
  stream 2 200 >"$trace" # 25 KiB
  both=(--record "$real" --record "$BATS_TEST_TMPDIR/small.xml")
  run_split "$tool" predict --seeds 0 "${both[@]}" "$trace" "$trace"
  is 0 "$status"
  is '' "$errors"
  has "$output" "GPU 1: NVIDIA H200, $real"
  has "$output" "GPU 2: Small L1, $BATS_TEST_TMPDIR/small.xml"
  is "KERNEL LAUNCHES GPU 1: L1 L2 MEMORY GPU 2: L1 L2 MEMORY" "$(grep '^KERNEL' <<<"$output" | head -n 1 | xargs)"
  is "(no name) 2 50.0 % 50.0 % 25 KiB 0.0 % 75.0 % 25 KiB" "$(grep '^(no name)' <<<"$output" | head -n 1 | xargs)"
  # then the output of each one
  run_split "$tool" predict --seeds 0 --record "$BATS_TEST_TMPDIR/small.xml" "$trace" "$trace"
  alone=$output
  run_split "$tool" predict --seeds 0 "${both[@]}" "$trace" "$trace"
  is "$alone" "$(tail -n "$(wc -l <<<"$alone")" <<<"$output")"
  run_split "$tool" predict --seeds 0 --json "${both[@]}" "$trace"
  is "NVIDIA H200 800, Small L1 0" "$(value '[.[] | "\(.gpu.model) \(.kernels[0].l1_loads.hits)"] | join(", ")')"
  run_split "$tool" predict --seeds 0 --json --sweep carveout "${both[@]}" "$trace"
  is "7 2" "$(value '[.[].sweep.points | length] | join(" ")')"
  run_split "$tool" predict --seeds 0 --sweep carveout "${both[@]}" "$trace"
  is 2 "$(grep -c '^GPU: ' <<<"$output")"
}

@test "three GPUs need two tables; simulated GPUs are GPUs like others" {
  stream 1 10 >"$trace"
  run_split "$tool" predict --seeds 0 --sim "$tiny,t1000,gtx470" "$trace"
  is 0 "$status"
  is "GPU 1: L1 L2 MEMORY GPU 2: L1 L2 MEMORY
GPU 3: L1 L2 MEMORY" "$(grep -o 'GPU [0-9]: L1.*' <<<"$output" | tr -s ' ')"
  [ "$(awk '/^KERNEL/ { print length }' <<<"$output" | sort -n | tail -n 1)" -le 100 ]
  run_split "$tool" predict --sim "$tiny,t1000" --gpu gpu1 --json "$trace"
  is sim-t1000 "$(value .gpu.id)"
  run_split "$tool" predict --sim "$tiny,t1000" --gpu gpu1 --gpu gpu0 --json "$trace"
  is "sim-t1000 sim-tiny" "$(value '[.[].gpu.id] | join(" ")')"
}

@test "a record among others that cannot be used" {
  stream 1 10 >"$trace"
  small_l1 "$BATS_TEST_TMPDIR/small.xml"
  # not a file: nothing is predicted
  for wrong in none.xml "$trace" "$BATS_TEST_TMPDIR"/empty.xml; do
    : >"$BATS_TEST_TMPDIR/empty.xml"
    refused 1 "$wrong" --record "$real" --record "$wrong" "$trace"
    is 1 "$(wc -l <<<"$errors")"
  done
  refused 2 "--record $real is there twice" --record "$real" --record "$real" "$trace"
  refused 2 "--gpu gpu0 is there twice" --sim "$tiny" --gpu gpu0 --gpu gpu0 "$trace"
  refused 2 "--plot draws for one GPU, not for 2" --plot x --record "$real" --record "$BATS_TEST_TMPDIR/small.xml" "$trace"
  [ ! -e x ]
  # a GPU on which the kernel cannot run: the others are predicted
  blocks 30000 >"$trace"
  run_split "$tool" predict --seeds 0 --json --record "$real" --record "$BATS_TEST_TMPDIR/small.xml" "$trace"
  is 1 "$status"
  is 1 "$(wc -l <<<"$errors")"
  has "$errors" "small.xml: kernel 1: a block needs 31024 bytes of shared memory, but an SM of this GPU has 16384"
  is 16896 "$(value '.[0].kernels[0].l1_loads.sectors')"
  has "$(value '.[1].absent')" "a block needs 31024 bytes"
  run_split "$tool" predict --seeds 0 --record "$BATS_TEST_TMPDIR/small.xml" --record "$real" "$trace"
  is 1 "$status"
  has "$output" "GPU 2: NVIDIA H200"
  has_not "$output" "Small L1"
  # what is wrong with the trace is said once
  echo x >"$trace"
  refused 1 "$trace:1" --record "$real" --record "$BATS_TEST_TMPDIR/small.xml" "$trace"
  is 1 "$(wc -l <<<"$errors")"
}

@test "a GPU of a file that has several" {
  stream 1 10 >"$trace"
  two=$BATS_TEST_TMPDIR/two.xml
  "$tool" measure --sim "$tiny,t1000"
  HWLOC_PLUGINS_PATH=$top_builddir/src/plugin/.libs HWLOC_COMPONENTS=-x86 HWLOC_GPUCACHE_TOOL=$tool \
    HWLOC_GPUCACHE_SIM=$tiny,t1000 "$LSTOPO" --of xml "$two"
  refused 2 "predict needs one GPU for each --record and --gpu, but there are 2; name one of them: $two:gpu0, $two:gpu1" --record "$two" "$trace"
  run_split "$tool" predict --seeds 0 --json --record "$two:gpu1" --record "$two:gpu0" "$trace"
  is 0 "$status"
  is 2 "$(value length)"
}

@test "sweeps" {
  stream 2 400 >"$trace"
  predict --sweep carveout "$trace"
  is "0 % 15 % 29 % 44 % 58 % 72 % 86 %" "$(value '[.sweep.points[].value] | join(" ")')"
  is "0.5 0.5 0.5 0.5 0.5 0.5 0" "$(value '[.sweep.points[].kernels[0].l1_hit_rate.value] | join(" ")')"
  predict --sweep capacity "$trace"
  is "55552 111104 222208 444416 888832" "$(value '[.sweep.points[].kernels[0].l1_bytes] | join(" ")')"
  run_split "$tool" predict --record "$real" --sweep carveout "$trace"
  is 0 "$status"
  has "$(xargs -n 1000 <<<"$output")" "86 % 21 KiB 0.0 %"
}

@test "a sweep of what the record does not have" {
  stream 1 10 >"$trace"
  run_split "$tool" predict --record "$real" --sweep ways "$trace"
  is 1 "$status"
  has "$errors" "the record does not have the sets of L1"
  run_split "$tool" predict --record "$real" --sweep outstanding "$trace"
  is 1 "$status"
  has "$errors" "the record does not have the number of outstanding loads"
}

# blocks SHARED: 264 blocks of one warp that loads 8 lines twice, with this shared memory a block.
blocks() {
  awk -v shared="$1" 'BEGIN {
    print "hwloc-gpucache-trace 1\nkernel\tk\nblocks\t264\nthreads\t32\nwarp\t32\nshared\t" shared
    for (block = 0; block < 264; block++)
      for (load = 0; load < 16; load++)
        printf "%d\t0\t%x\tload\t-\t4\tffffffff\t%x+4\n", block, 16 * load,
          1048576 + 1024 * block + 128 * (load % 8)
    print "end"
  }'
}

@test "a carve-out is a preference: the shared memory of a block always fits" {
  blocks 102400 >"$trace" # needs 101 KiB with the driver's own; the carve-outs are 32, 64, 100, 132 KiB ...
  predict --sweep carveout "$trace"
  is "119808 119808 119808 119808 87040" "$(value '[.sweep.points[:5][].kernels[0].l1_bytes] | join(" ")')"
  is "1 1 1 1 1" "$(value '[.sweep.points[:5][].kernels[0].blocks_per_sm] | join(" ")')"
  blocks 4000 >"$trace"
  predict "$trace"
  is 32 "$(value '.kernels[0].blocks_per_sm')"
  blocks 400000 >"$trace"
  refused 1 "a block needs 401024 bytes of shared memory, but an SM of this GPU has 233472" \
    --record "$real" "$trace"
  refused 1 "a block needs" --record "$real" --sweep capacity --json "$trace"
}

@test "loads that do not use L1 do not appear there" {
  stream 2 10 >"$trace"
  sed 's/GlobalLoadsInL1" value="yes"/GlobalLoadsInL1" value="no"/' "$real" >"$BATS_TEST_TMPDIR/r.xml"
  run_split "$tool" predict --json --record "$BATS_TEST_TMPDIR/r.xml" "$trace"
  is 0 "$status"
  is 0 "$(value '.kernels[0].l1_loads.sectors')"
  is null "$(value '.kernels[0].l1_hit_rate')"
  is 80 "$(value '.kernels[0].l1_bypassing')"
  is 80 "$(value '.kernels[0].l2_loads.sectors')"
  is 0.5 "$(value '.kernels[0].l2_hit_rate.value')"
}

@test "hits that only the far partition of L2 has" {
  # Blocks 0 and 66 run near to different partitions, and load the same 64 lines, block 66 later.
  awk 'BEGIN {
    print "hwloc-gpucache-trace 1\nkernel\tk\nblocks\t67\nthreads\t32\nwarp\t32"
    for (block = 0; block <= 66; block++) {
      printf "%d\t0\t1\tother\t%d\n", block, block == 66 ? 90000 : 1
      for (line = 0; line < 64 && block % 66 == 0; line++)
        printf "%d\t0\t0\tload\t-\t4\t1\t%x\n", block, 1048576 + 128 * line
    }
    print "end"
  }' >"$trace"
  predict "$trace"
  far=$(value '.kernels[0].l2_loads_far')
  [ "$far" -gt 16 ] && [ "$far" -lt 48 ] # a hash divides the lines
  is 0.5 "$(value '.kernels[0].l2_hit_rate.value')"
  is true "$(value ".kernels[0].l2_near_hit_rate.value == (64 - $far) / 128")"
  run_split "$tool" predict --record "$real" "$trace"
  is 0 "$status"
  has "$output" "L2 without $far hits in the far partition, as profilers count: "
  # without partitions there are none, and the line is not printed
  sed 's/name="Partitions" value="2"/name="Partitions" value="1"/' "$real" >"$BATS_TEST_TMPDIR/r.xml"
  real=$BATS_TEST_TMPDIR/r.xml predict "$trace"
  is 0 "$(value '.kernels[0].l2_loads_far')"
  is 0.5 "$(value '.kernels[0].l2_near_hit_rate.value')"
  run_split "$tool" predict --record "$BATS_TEST_TMPDIR/r.xml" "$trace"
  has_not "$output" "far partition"
}

@test "dies with an L2 each know nothing of each other" {
  awk -f "$top_srcdir/tests/values/record-of-values.awk" "$top_srcdir/tests/data/values/mi300x.tsv" \
    >"$BATS_TEST_TMPDIR/mi300x.xml"
  # 16 blocks load the same line: each of the 8 dies misses once
  awk 'BEGIN {
    print "hwloc-gpucache-trace 1\nkernel\tk\nblocks\t16\nthreads\t64\nwarp\t64"
    for (block = 0; block < 16; block++)
      printf "%d\t0\t0\tload\t-\t4\tffffffff\t100000+4\n", block
    print "end"
  }' >"$trace"
  run_split "$tool" predict --json --record "$BATS_TEST_TMPDIR/mi300x.xml" "$trace"
  is 0 "$status"
  is 16 "$(value '.kernels[0].l2_loads.sectors')"
  is 8 "$(value '.kernels[0].l2_loads.misses')"
}

# The record of $real, with the TLBs of another H200; $1: cycles that a miss of the second one adds.
with_tlbs() {
  awk -v penalty="$1" '
    FNR == NR { if (/subtype="L[12]TLB"/) inside = 1
                if (inside) tlbs = tlbs $0 "\n"
                if (/<\/object>/) inside = 0
                next }
    /subtype="L2Cache"/ && !done { gsub(/"MissPenaltyCycles" value="11[0-9.]*"/, "\"MissPenaltyCycles\" value=\"" penalty "\"", tlbs); printf "%s", tlbs; done = 1 }
    { print }' "$top_srcdir/doc/results/structure/h200.xml" "$real"
}

@test "a record with TLBs: misses are counted, and change what hits" {
  # Warp 0 loads a line, 60 lines of different pages, and the first one again; warp 1 loads lines of one
  # page. L1 has 168 lines. Without TLBs, warp 1 has loaded about 60 lines then. If misses cost as much as
  # three loads, it has loaded all 200.
  awk 'BEGIN {
    print "hwloc-gpucache-trace 1\nkernel\tk\nblocks\t1\nthreads\t64\nwarp\t32"
    for (load = 0; load <= 61; load++)
      printf "0\t0\t%x\tload\t-\t4\t1\t%x+4\n", load, (1 + load % 61) * 67108864
    for (load = 0; load < 200; load++)
      printf "0\t1\t%x\tload\t-\t4\t1\t%x+4\n", 100, 33554432 + 128 * load
    print "end"
  }' >"$trace"
  predict --carveout 86 "$trace"
  is 1 "$(value '.kernels[0].l1_loads.hits')"
  is null "$(value '.kernels[0].l1_tlb')"
  is "translation at this level takes no time" "$(value '.assumptions["L1TLB Entries"]')"
  with_tlbs 2000 >"$BATS_TEST_TMPDIR/r.xml"
  real=$BATS_TEST_TMPDIR/r.xml predict --carveout 86 "$trace"
  is 0 "$(value '.kernels[0].l1_loads.hits')"
  is 262 "$(value '.kernels[0].l1_tlb.lookups')"
  # 61 pages of warp 0, one of them twice, and the page of warp 1; the second TLB keeps all
  is 63 "$(value '.kernels[0].l1_tlb.misses')"
  is "63 62" "$(value '.kernels[0].l2_tlb | "\(.lookups) \(.misses)"')"
  is null "$(value '.assumptions["L2TLB Entries"]')"
  run_split "$tool" predict --record "$BATS_TEST_TMPDIR/r.xml" --carveout 86 "$trace"
  is 0 "$status"
  has "$output" "TLB misses: L1TLB 63 of 262 look-ups (24.0 %), L2TLB 62 of 63 look-ups (98.4 %)"
  has "$output" "L1TLB SMGroups: each SM has one of its own"
}

@test "a value of a TLB that cannot be used is named" {
  stream 1 10 >"$trace"
  with_tlbs 100 | sed '/subtype="L2TLB"/,/<\/object>/s/name="Entries" value="2048"/name="Entries" value="99999999999"/
    ' >"$BATS_TEST_TMPDIR/r.xml"
  real=$BATS_TEST_TMPDIR/r.xml predict "$trace"
  has "$(value '.assumptions["L2TLB Entries"]')" "its value is impossible"
  with_tlbs 100 | sed 's/name="SMGroups" value="0,1,/name="SMGroups" value="0,0,/' >"$BATS_TEST_TMPDIR/r.xml"
  real=$BATS_TEST_TMPDIR/r.xml predict "$trace"
  has "$(value '.assumptions["L2TLB SMGroups"]')" "it has an SM twice; SMs with adjacent numbers share one"
}

@test "--plot draws the hit rate over the capacity, with the carve-outs" {
  stream 2 400 >"$trace"
  run_split "$tool" predict --record "$real" --plot "$BATS_TEST_TMPDIR/pictures" "$trace"
  is '' "$errors"
  is 0 "$status"
  svg=$BATS_TEST_TMPDIR/pictures/gpu0-predict-1.svg
  has "$output" "$svg"
  xmllint --noout "$svg"
  for word in 'Capacity of L1' 'Hit rate' '86 %' 'L1, sectors' 'L2, sectors' 'LRU stack, lines'; do
    has "$(cat "$svg")" "$word"
  done
  data=$BATS_TEST_TMPDIR/pictures/gpu0-predict-1.tsv
  is "222208 50" "$(awk -F'\t' '$1 == 222208 { print $1, $2 }' "$data")"
  # again: own files are replaced or removed, others are not
  "$tool" predict --record "$real" --plot "$BATS_TEST_TMPDIR/pictures" "$trace" "$trace"
  [ -e "$BATS_TEST_TMPDIR/pictures/gpu0-predict-2.svg" ]
  "$tool" predict --record "$real" --plot "$BATS_TEST_TMPDIR/pictures" "$trace"
  is "gpu0-predict-1.svg gpu0-predict-1.tsv" "$(ls "$BATS_TEST_TMPDIR/pictures" | xargs)"
  echo mine >"$data"
  run_split "$tool" predict --record "$real" --plot "$BATS_TEST_TMPDIR/pictures" "$trace"
  is 1 "$status"
  has "$errors" "was not written by this command"
  is mine "$(cat "$data")"
}

# named NAME...: a kernel for each name; each one loads one line more than the one before, twice.
named() {
  local name lines=0
  echo 'hwloc-gpucache-trace 1'
  for name; do
    lines=$((lines + 1))
    printf 'kernel\t%s\nblocks\t1\nthreads\t32\nwarp\t32\n' "$name"
    for ((load = 0; load < 2 * lines; load++)); do
      printf '0\t0\t%x\tload\t-\t4\tffffffff\t%x+4\n' $((0x110 + load / lines)) $((1048576 + 128 * (load % lines)))
    done
  done
  echo end
}

@test "--html writes a page that needs no other file" {
  page=$BATS_TEST_TMPDIR/page.html
  named _Z4copyPKfPf "<script>&'\"" _Z4copyPKfPf >"$trace"
  run_split "$tool" predict --record "$real" --seeds 0 --html "$page" "$trace"
  is '' "$errors"
  is 0 "$status"
  is "$page" "$output"
  xmllint --noout "$page"
  text=$(cat "$page")
  has "$text" "default-src 'none'"
  has_not "$text" "<script"
  has "$text" "<h3>&lt;script&gt;&amp;&#39;&quot;</h3>"
  is '' "$(grep -Eo "(src|href|url)[=(]|@import" "$page" || true)"
  # two names, of which the second launch of copy misses more
  is 2 "$(grep -c '<h3>.*(\|<h3>&lt;' "$page")"
  has "$text" "<p>Kernel 3: of the launches with this name, the one with the most misses in L1.</p>"
  is 2 "$(grep -c '<svg' "$page")"
  is 2 "$(grep -o "id='curve-[0-9]*'" "$page" | sort -u | wc -l)"
  # the table of kernels, and the loads by offset
  has "$text" ">copy</th><td class='n'>2</td><td class='n'>32</td><td class='n'>50.0 %</td>"
  has "$text" ">0x0110</th><td class='n'>12</td><td class='n'>12</td><td class='n'>0.0 %</td>"
  has "$text" "<li>misses in L1: compulsory 100.0 %</li>"
  has "$text" "<dt>L1Cache Sets</dt>"
  has "$text" "LRU stack, lines"
  # the curve is that of --plot
  "$tool" predict --record "$real" --plot "$BATS_TEST_TMPDIR/pictures" "$trace"
  curve=$(grep -o "<path class='line s0' d='M[0-9.]* [0-9.]*L[^']*'" "$BATS_TEST_TMPDIR/pictures/gpu0-predict-3.svg")
  [ -n "$curve" ]
  has "$text" "$curve"
}

@test "a page of several GPUs, of which one cannot run the kernels" {
  page=$BATS_TEST_TMPDIR/page.html
  small_l1 "$BATS_TEST_TMPDIR/small.xml"
  sed -i 's/"Small L1"/"Small \&lt;L1\&gt;"/' "$BATS_TEST_TMPDIR/small.xml"
  named one two >"$trace"
  run_split "$tool" predict --record "$real" --record "$BATS_TEST_TMPDIR/small.xml" --seeds 0 --html "$page" "$trace"
  is 0 "$status"
  xmllint --noout "$page"
  is 4 "$(grep -c '<svg' "$page")"
  is 4 "$(grep -o "id='curve-[0-9]*'" "$page" | sort -u | wc -l)"
  has "$(cat "$page")" "<h2>Small &lt;L1&gt;</h2>"
  has "$(cat "$page")" "GPU 2: L1"
  blocks 30000 >"$trace"
  run_split "$tool" predict --record "$real" --record "$BATS_TEST_TMPDIR/small.xml" --seeds 0 --html "$page" "$trace"
  is 1 "$status"
  xmllint --noout "$page"
  has "$(cat "$page")" "small.xml: kernel 1: a block needs 31024 bytes"
  has_not "$(cat "$page")" "<h2>Small"
  # a kernel that cannot be read is named on the page
  three | sed 's/^0.0.1.load.-.4.1.100080$/0 0 1 frob/' >"$trace"
  run_split "$tool" predict --record "$real" --seeds 0 --html "$page" "$trace"
  is 1 "$status"
  has "$(cat "$page")" "<p class='note'>Kernel 2 is left out: $trace:12: the operation is none of load"
}

@test "a page that cannot be written is noticed at once, and a failure leaves an earlier page" {
  named one >"$trace"
  refused 1 "$BATS_TEST_TMPDIR/missing" --record "$real" --html "$BATS_TEST_TMPDIR/missing/page.html" "$trace"
  mkdir -m 555 "$BATS_TEST_TMPDIR/locked"
  run_split "${plain[@]}" "$tool" predict --record "$real" --html "$BATS_TEST_TMPDIR/locked/page.html" "$trace"
  is 1 "$status"
  has "$errors" "locked"
  is 1 "$(wc -l <<<"$errors")"
  echo earlier >"$BATS_TEST_TMPDIR/page.html"
  echo frob >"$trace"
  refused 1 "$trace:1" --record "$real" --html "$BATS_TEST_TMPDIR/page.html" "$trace"
  is earlier "$(cat "$BATS_TEST_TMPDIR/page.html")"
  refused 2 "--html needs the name of a page, as FILE.html, not 'page.xml'" --html page.xml "$trace"
  refused 2 "--html and --json exclude each other" --html page.html --json "$trace"
  refused 2 "--html and --plot exclude each other" --html page.html --plot x "$trace"
  refused 2 "--html and --sweep exclude each other" --html page.html --sweep ways "$trace"
}

@test "--reuse counts reuse distances" {
  stream 2 100 >"$trace"
  predict --seeds 0 "$trace"
  is null "$(value '.kernels[0].reuse_distances')"
  predict --seeds 0 --reuse "$trace"
  is "128 200 100 8" "$(value '.kernels[0].reuse_distances | "\(.line_bytes) \(.loads) \(.first) \(.bins | length)"')"
  is '{"from":64,"to":127,"loads":100}' "$(value -c '.kernels[0].reuse_distances.bins[7]')"
  is 0 "$(value '[.kernels[0].reuse_distances.bins[:7][].loads] | add')"
  run_split "$tool" predict --seeds 0 --reuse --record "$real" "$trace"
  is 0 "$status"
  is "64 to 127 100 50.0 % 16 KiB 50.0 %" "$(grep ' 64 to 127' <<<"$output" | xargs)"
  is "first load 100 50.0 % - -" "$(grep ' first load' <<<"$output" | xargs)"
  # each SM counts by itself, and each kernel begins anew; loads that bypass L1 are not counted
  awk 'BEGIN {
    print "hwloc-gpucache-trace 1"
    for (kernel = 0; kernel < 2; kernel++) {
      print "kernel\tk\nblocks\t2\nthreads\t32\nwarp\t32"
      for (block = 0; block < 2; block++)
        for (load = 0; load < 3; load++)
          printf "%d\t0\t0\tload\t-\t4\t1\t%x\n", block, 1048576
    }
    print "end"
  }' >"$trace"
  predict --seeds 0 --reuse "$trace"
  is '[2,4],[2,4]' "$(value -c '[.kernels[].reuse_distances | [.first, .bins[0].loads]] | tostring | .[1:-1]')"
  sed 's/GlobalLoadsInL1" value="yes"/GlobalLoadsInL1" value="no"/' "$real" >"$BATS_TEST_TMPDIR/r.xml"
  real=$BATS_TEST_TMPDIR/r.xml predict --seeds 0 --reuse "$trace"
  is 0 "$(value '.kernels[0].reuse_distances.loads')"
  for other in "--html x.html" "--plot x" "--sweep capacity"; do
    # shellcheck disable=SC2086 # two words
    refused 2 "--reuse and ${other%% *} exclude each other" --reuse $other "$trace"
  done
  # the page has the same
  stream 2 100 >"$trace"
  "$tool" predict --seeds 0 --record "$real" --html "$BATS_TEST_TMPDIR/page.html" "$trace"
  has "$(cat "$BATS_TEST_TMPDIR/page.html")" ">64 to 127</th><td class='n'>100</td><td class='n'>50.0 %</td><td class='n'>16 KiB</td><td class='n'>50.0 %</td>"
}

@test "texts of a picture do not overlap; names are demangled" {
  { printf 'hwloc-gpucache-trace 1\nkernel _Z4copyPKfPf\nblocks 1\nthreads 32\nwarp 32\n'
    printf '0 0 10 load - 4 ffffffff 10000+128\nend\n'; } >"$trace"
  run_split "$tool" predict --record "$real" --plot "$BATS_TEST_TMPDIR/pictures" "$trace"
  is 0 "$status"
  svg=$BATS_TEST_TMPDIR/pictures/gpu0-predict-1.svg
  has "$(cat "$svg")" "NVIDIA H200: copy(float const*, float*) hit rates"
  # carve-outs, slanted: 16 pixels from one to the next; those of 15 % and 0 % are nearer
  grep -o 'translate([0-9.]* [0-9.]*) rotate(-60)' "$svg" | tr '( ' '\n\n' | grep '^[0-9]*\.[0-9]$' |
    sort -n | awk 'NR > 1 && $1 - last < 16 { bad = 1 } { last = $1 } END { exit bad || NR < 5 }'
  has_not "$(cat "$svg")" "15 %"
  # the legend is below the last line of the heading, which has 13 pixels
  awk '/^<text class=.q. x=.8. y=/ { heading = $0; sub(/.*y=./, "", heading); sub(/[^0-9].*/, "", heading) }
       /^<g transform=/ { moved = $0; sub(/.*translate\(0 /, "", moved); sub(/\).*/, "", moved) }
       /LRU stack/ { legend = $0; sub(/.*<text [^>]*y=./, "", legend); sub(/[^0-9.].*/, "", legend)
                     found = heading > 20 && moved + legend - heading >= 18 }
       END { exit !found }' "$svg"
}

@test "--gpu, --sim and a GPU without a record" {
  stream 1 10 >"$trace"
  run_split "$tool" predict --sim "$tiny" --json "$trace"
  is 0 "$status"
  is sim-tiny "$(value .gpu.id)"
  run_split "$tool" predict --sim "$tiny" --gpu gpu0 --json "$trace"
  is 0 "$status"
  refused 3 "no GPU" "$trace"
  has "$errors" "predict needs no GPU with --record FILE"
}

# Three kernels, of which the second one loads 2 lines and the third one 3.
three() {
  echo 'hwloc-gpucache-trace 1'
  for lines in 1 2 3; do
    printf 'kernel\tof_%d_lines\nblocks\t1\nthreads\t32\nwarp\t32\n' "$lines"
    for ((line = 0; line < lines; line++)); do
      printf '0\t0\t%x\tload\t-\t4\t1\t%x\n' "$line" $((1048576 + 128 * line))
    done
  done
  echo end
}

# The numbers and names of the kernels in $output.
kernels() { value '[.kernels[].launch | "\(.number) \(.name)"] | join(", ")'; }

@test "--kernel and --launches choose kernels" {
  three >"$trace"
  predict "$trace"
  is "1 of_1_lines, 2 of_2_lines, 3 of_3_lines" "$(kernels)"
  is 2 "$(value '.kernels[2].l2_loads.hits')"
  predict --kernel 'of_[13]' "$trace"
  is "1 of_1_lines, 3 of_3_lines" "$(kernels)"
  is 1 "$(value '.kernels[1].l2_loads.hits')" # kernel 2 did not run
  predict --launches 2 "$trace" "$trace"
  is "2 of_2_lines" "$(kernels)"
  predict --launches 3-5 "$trace" "$trace"
  is "3 of_3_lines, 4 of_1_lines, 5 of_2_lines" "$(kernels)"
  predict --launches 5- --kernel of_2 "$trace" "$trace"
  is "5 of_2_lines" "$(kernels)"
  predict --launches 2 --sweep capacity "$trace"
  is "of_2_lines" "$(value '.sweep.points[0].kernels[].launch.name')"
  refused 1 "none of the 3 kernels has the name and number that are wanted" --record "$real" --kernel of_4 "$trace"
  refused 1 "none of the 3 kernels" --record "$real" --launches 4 "$trace"
  refused 2 "--kernel needs a regular expression" --kernel '(' "$trace"
  for launches in 0 x 3-2 2-x -3 1-2-3; do
    refused 2 "--launches needs numbers of kernels" --launches="$launches" "$trace"
  done
}

@test "a kernel that cannot be read is left out and named; the others are predicted" {
  three | sed 's/^0.0.1.load.-.4.1.100080$/0 0 1 frob/' >"$trace" # in kernels 2 and 3
  run_split "$tool" predict --json --record "$real" "$trace"
  is 1 "$status"
  is "1 of_1_lines" "$(kernels)"
  is 2 "$(wc -l <<<"$errors")"
  has "$errors" "kernel 2 is left out: $trace:12: the operation is none of load"
  has "$errors" "kernel 3 is left out: $trace:18: the operation is none of load"
  has "$(value '.left_out[1] | "\(.number) \(.why)"')" "3 $trace:18: the operation"
  # text, sweep and pictures do the same
  for option in "" "--sweep carveout" "--plot $BATS_TEST_TMPDIR/pictures"; do
    # shellcheck disable=SC2086 # nothing, or words
    run_split "$tool" predict --record "$real" $option "$trace"
    is 1 "$status"
    has "$errors" "kernel 3 is left out: $trace:18"
    is 2 "$(wc -l <<<"$errors")"
  done
  # what is not wanted is not read
  run_split "$tool" predict --json --record "$real" --launches 1 "$trace"
  is 0 "$status"
  is '' "$errors"
  # a kernel that ends early, after others
  three | head -n 15 >"$trace"
  run_split "$tool" predict --json --record "$real" "$trace"
  is 1 "$status"
  is "1 of_1_lines, 2 of_2_lines" "$(kernels)"
  has "$errors" "kernel 3 is left out: $trace:15: there is no line \"end\": the file is truncated"
}

@test "a list of Accel-Sim with kernels that cannot be read" {
  samples=$top_srcdir/tests/data/traces
  cd "$BATS_TEST_TMPDIR"
  cp "$samples/kernel-1.traceg" kernel-1.traceg
  sed 's/LDG.E.CONSTANT/FROB.E/' kernel-1.traceg >kernel-2.traceg
  sed 's/version = 5/version = 9/' kernel-1.traceg >kernel-3.traceg
  cat kernel-2.traceg kernel-1.traceg >kernel-5.traceg # two in a file
  printf 'kernel-%d.traceg\n' 1 2 3 4 5 1 >kernelslist.g
  echo frob >>kernelslist.g
  run_split "$tool" predict --json --record "$real" kernelslist.g
  is 1 "$status"
  is "1 6 7" "$(value '[.kernels[].launch.number] | join(" ")')"
  is 5 "$(wc -l <<<"$errors")"
  has "$errors" "kernel 2 is left out: kernel-2.traceg:25: FROB.E has addresses"
  has "$errors" "kernel 3 is left out: kernel-3.traceg"
  has "$errors" "kernel 4 is left out: kernelslist.g:4: the file kernel-4.traceg is not there"
  has "$errors" "kernel 5 is left out: kernel-5.traceg:25: FROB.E has addresses"
  has "$errors" "kernel 8 is left out: kernelslist.g:7: \"frob\" is neither a kernel nor a copy"
}

@test "a broken trace is named with its line, and nothing of it is reported" {
  stream 1 3 >"$trace"
  echo "5 0 x 4" >>"$trace"
  refused 1 "$trace:98" --record "$real" "$trace"
  refused 1 "$BATS_TEST_TMPDIR/none" --record "$real" "$BATS_TEST_TMPDIR/none"
  : >"$trace"
  refused 1 "$trace" --record "$real" "$trace"
  refused 1 "$BATS_TEST_TMPDIR" --record "$real" "$BATS_TEST_TMPDIR"
}

# short: a trace in our format that is complete.
short() {
  printf 'hwloc-gpucache-trace\t1\nkernel\tk\nblocks\t1\nthreads\t32\nwarp\t32\n'
  printf '0\t0\t0\tload\t-\t4\tf\t7f0000001000+4\nend\n'
}

@test "what is wrong with a trace: file, line and reason, also if other traces are right" {
  cd "$BATS_TEST_TMPDIR"
  short >right
  head -c -6 right >cut
  sed '$d' right >no-end
  cat right right >twice
  { cat right; echo 'blockdim: 32 1 1'; } >mixed
  sed 's/trace.1/trace 7/' right >version
  sed 's/7f0000001000/fffffffffffff000/' right >address
  sed 's/^threads.*/threads\t4000/' right >threads
  sed 's/^warp.*/warp\t48/' right >warp
  printf 'hwloc-gpucache-trace 1\nend\n' >no-kernel
  printf 'MemcpyHtoD,0x1000,4096\n' >no-kernel-list
  head -c 2000 /bin/sh | tr '\000\n' '\377\377' >binary
  echo >>binary
  while IFS='|' read -r file text; do
    [ "$file" = twice ] || [ "$file" = mixed ] || refused 1 "$text" --record "$real" "$file"
    is 1 "$(wc -l <<<"$errors")"
    # the right one is predicted, unless the other one is no trace at all
    run_split "$tool" predict --record "$real" right "$file"
    is 1 "$status"
    has "$errors" "$text"
    is 1 "$(wc -l <<<"$errors")"
    [ "$file" = twice ] || [ "$file" = mixed ] && continue
    refused 1 "${text%% in this trace}" --record "$real" --json "$file"
    refused 1 "${text%% in this trace}" --record "$real" --sweep carveout "$file"
  done <<'END'
cut|cut:6: the last line has no newline: the file is truncated
no-end|no-end:6: there is no line "end": the file is truncated
twice|twice:8: there is text after the line "end"
mixed|mixed:8: there is text after the line "end"
version|version:1: this is version 7 of the format; this program reads 1
address|address:6: an address is beyond the 57 bits of an address
threads|threads:4: "threads 4000": this must be a number, 1 to 1024
warp|warp:5: "warp 48": this must be a number, 32 or 64
binary|binary:1: "?ELF
none|none: No such file or directory
END
  refused 1 "no-kernel: there is no kernel in this trace" --record "$real" no-kernel
  refused 1 "no-kernel-list: there is no kernel in this trace" --record "$real" no-kernel-list
  refused 1 "there is no kernel in any of the 2 traces" --record "$real" no-kernel no-kernel-list
  refused 1 "not a regular file; write the trace into a file first" --record "$real" /dev/null
}

@test "a compressed trace that ends within its first line has no line 0" {
  command -v gzip >/dev/null || skip "there is no gzip"
  short | gzip >"$trace.gz"
  run_split "$tool" predict --record "$real" "$trace.gz"
  [ "$status" = 0 ] || skip "built without zlib"
  head -c 40 "$trace.gz" >"$trace"
  refused 1 "$trace: the gzip data is truncated" --record "$real" "$trace"
}

@test "files that may not be read" {
  short >"$trace"
  cp "$real" "$BATS_TEST_TMPDIR/r.xml"
  chmod 000 "$BATS_TEST_TMPDIR/r.xml"
  run_split "${plain[@]}" "$tool" predict --record "$BATS_TEST_TMPDIR/r.xml" "$trace"
  is 1 "$status"
  is '' "$output"
  has "$errors" "cannot read $BATS_TEST_TMPDIR/r.xml: Permission denied"
  chmod 000 "$trace"
  run_split "${plain[@]}" "$tool" predict --record "$real" "$trace"
  is 1 "$status"
  is '' "$output"
  has "$errors" "$trace: Permission denied"
}

@test "without HOME" {
  short >"$trace"
  unset HOME XDG_CACHE_HOME HWLOC_GPUCACHE_DIR
  predict "$trace" # a record needs no directory
  run_split "$tool" predict --sim "$tiny" --json "$trace"
  is 0 "$status"
  is sim-tiny "$(value .gpu.id)"
  has "$errors" "the record will not be stored"
}

@test "a record that lacks what a prediction needs" {
  stream 1 3 >"$trace"
  grep -v '"GPUCacheSMs"' "$real" >"$BATS_TEST_TMPDIR/r.xml"
  refused 1 "GPUCacheSMs" --record "$BATS_TEST_TMPDIR/r.xml" "$trace"
  refused 1 "none.xml" --record "$BATS_TEST_TMPDIR/none.xml" "$trace"
}

@test "--timeout ends a long prediction" {
  stream 2000 400 >"$trace"
  refused 1 "not finished after 0.2 s" --record "$real" --timeout 0.2 "$trace"
}

@test "wrong usage" {
  stream 1 3 >"$trace"
  refused 2 "predict needs a trace" --record "$real"
  refused 2 "--carveout needs a whole percentage" --carveout 101 "$trace"
  refused 2 "--sweep needs" --sweep colour "$trace"
  refused 2 "--sweep needs carveout, capacity, ways, line or outstanding, not '$trace'" --sweep "$trace"
  refused 2 "--record and --gpu exclude each other" --record "$real" --gpu 0 "$trace"
  refused 2 "--plot and --sweep exclude each other" --plot x --sweep ways "$trace"
  refused 2 "--sweep carveout and --carveout exclude each other" --sweep carveout --carveout 5 "$trace"
  HWLOC_GPUCACHE_SIM=$tiny,t1000 refused 2 "predict needs one GPU, but there are 2" "$trace"
}
