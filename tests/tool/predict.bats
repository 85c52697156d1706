#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# predict: hit rates of small traces whose result is known, on the record of a real H200.

setup() {
  load setup.bash
  prepare
  load predict.bash
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
  is "true false" "$(value '[.sums[].estimated] | join(" ")')"
  is true "$(value '.kernels[0].l1_loads.sectors * 7 / 2 == .sums[0].l1_loads.sectors')"
  run_split "$tool" predict --record "$real" "$trace"
  has "$output" "2 of the 7 launched blocks are modelled: all counts are of these"
  is 1 "$(grep -c 'launched blocks' <<<"$output")"
  is 1 "$(grep -c ' ~[0-9]* .* ~[0-9.]* .iB .* ~' <<<"$output")" # sectors, from L2, memory
  has "$output" "~: not all blocks are modelled."
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
  stream 3 1734 >"$trace" # about as many lines as L1 has
  run_split "$tool" predict --seeds 5 --record "$real" "$trace" "$trace" # two kernels: a table
  has "$output" "HELPS MOST"
  [[ $(sed -n 2p <<<"$output") == *"L1 RANGE"*"L2 RANGE" ]]
  [[ $(sed -n 3p <<<"$output") =~ [0-9.]+\ to\ [0-9.]+\ %\ +[0-9.]+\ to\ [0-9.]+\ %$ ]]
  run_split "$tool" predict --seeds 0 --record "$real" "$trace" "$trace"
  has_not "$output" RANGE
  run_split "$tool" predict --seeds 0 --sweep line --record "$real" "$trace"
  has "$output" "L1 HIT RATE"
  has_not "$output" RANGE
  refused 2 "--seeds needs a number from 0 to 1000" --seeds 1001 "$trace"
  refused 2 "--threads needs a number from 1 to 64" --threads 0 "$trace"
}

@test "--sms models only some SMs, and the blocks that they get" {
  counts='.kernels[0] | "\(.launch.blocks) \(.launch.launched_blocks) \(.l1_loads | "\(.sectors) \(.hits + .hits_on_miss)")"'
  blocks 0 >"$trace" # 264 blocks, which load 32 sectors twice; the GPU has 132 SMs
  predict --sms 132 "$trace"
  is "264 264 16896 8448" "$(value "$counts")"
  all=$output
  predict --sms 4096 "$trace"
  is "$all" "$output"
  predict --sms 33 "$trace"
  is "66 264 4224 2112" "$(value "$counts")"
  predict --sms 1 "$trace"
  is "2 264 128 64" "$(value "$counts")"
  blocks 0 | awk '!/^[0-9]/ || $1 < 66' >"$trace" # the others have no instructions
  predict --sms 33 "$trace"
  is "66 264 2112 1056" "$(value "$counts")"
  blocks 0 | sed 's/^131\t\(.*\)\t80\t/131\t\1\tff0\t/' >"$trace" # a load that only another SM has
  predict --sms 33 "$trace"
  is 16 "$(value '.kernels[0].loads | length')"
  blocks 0 >"$trace"
  run_split "$tool" predict --sms 1 --record "$real" "$trace"
  has "$output" "2 of the 264 launched blocks are modelled: all counts are of these"
  run_split "$tool" predict --sms 1 --seeds 0 --sweep line --record "$real" "$trace"
  has "$output" "2 of the 264 launched blocks are modelled"
  has "$output" "a warp waits for each load"
  # 1 hit and 2 misses of 2 blocks are rounded to 2 and 3 of 3
  printf '%s\n' 'hwloc-gpucache-trace 1' 'kernel k' 'blocks 3' 'threads 32' 'warp 32' \
    "0 0 0 load - 4 1 "{1000,1000} '1 0 0 load - 4 1 2000' end >"$trace"
  predict --sms 2 "$trace"
  is "0.4 0.4" "$(value '.sums[0].l1_hit_rate | "\(.value) \(.high)"')"
  refused 2 "--sms needs a number from 1 to 4096" --sms 0 "$trace"
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
  # JSON has the numbers of this table, and the names in both forms
  predict --seeds 0 --reuse "$trace"
  is "_Z4copyPKfPf copy(float const*, float*) 2 64 0 0.5 2048 2048 64, other other 1 32 0 1 1024 0 32" "$(value '[.sums[] |
    "\(.name) \(.demangled) \(.launches) \(.l1_loads.sectors) \(.l1_hit_rate.value) \(.l2_hit_rate.value) \(.l2_read_bytes) \(.memory_read_bytes) \(.l1_misses.compulsory)"] | join(", ")')"
  is "copy(float const*, float*), other, copy(float const*, float*)" "$(value '[.kernels[].launch.demangled] | join(", ")')"
  is "$(value '[.kernels[] | select(.launch.name != "other").reuse_distances | .loads, .first] | "\(.[0] + .[2]) \(.[1] + .[3])"')" \
    "$(value '.sums[0].reuse_distances | "\(.loads) \(.first)"')"
  predict --seeds 0 --sweep capacity "$trace"
  is null "$(value .sums)"
}

# one_each NAME...: a kernel of each name.
one_each() {
  echo 'hwloc-gpucache-trace 1'
  printf 'kernel %s\nblocks 1\nthreads 32\nwarp 32\n0 0 10 load - 4 ffffffff 10000+128\n' "$@"
  echo end
}

@test "names in the table tell kernels apart" {
  local long=void_reduce_of_rows_with_a_name_that_is_longer_than_all_columns end
  for end in "" _1 _2; do # differ at their ends
    set -- "$@" "$long$end"
  done
  # other parameters of a template; overloads; cut within characters of two bytes; another direction
  one_each "$@" _Z4gemmILi128ELi64ELi8ELi16EEvPfS0_ _Z4gemmILi128ELi32ELi8ELi16EEvPfS0_ _Z1fi _Z1ff \
    "$(printf 'ä%.0s' {1..100})" $'a\xe2\x80\xaetxt' $'b\xc2\x85b' >"$trace"
  run_split "$tool" predict --record "$real" --seeds 0 "$trace"
  is 0 "$status"
  table=$(sed -n '2,/^kernel 1:/p' <<<"$output" | grep -v '^kernel')
  iconv -f utf8 -t utf8 <<<"$output" >"$BATS_TEST_TMPDIR/valid"
  # columns are aligned, whatever the bytes
  is 1 "$(python3 -c 'import sys; print(len({len(l[:l.rindex(" ")].rstrip()[:50]) for l in sys.stdin.read().splitlines()[1:]}))' <<<"$table")"
  is 10 "$(sed '1d; s/  *1  *32 .*//' <<<"$table" | sort -u | wc -l)"
  has "$table" "f(int) "
  has "$table" "f(float) "
  has "$table" "a???txt"
  has "$table" "b??b"
  has_not "$output" $'\xe2\x80\xae'
  has "$output" "kernel 9: a???txt"
  # a function of C beside one of C++
  one_each h _Z1hi _Z1kf >"$trace"
  run_split "$tool" predict --record "$real" --seeds 0 "$trace"
  is "h h(int) k" "$(sed -n '3,/^kernel 1:/p' <<<"$output" | grep -v '^kernel' | awk '{ print $1 }' | xargs)"
  # the complete name is in its section, also a long one
  one_each "$(printf 'n%.0s' {1..1000})_1" "$(printf 'n%.0s' {1..1000})_2" >"$trace"
  run_split "$tool" predict --record "$real" --seeds 0 --json "$trace"
  is 1002 "$(value '.kernels[1].launch.name | length')"
  run_split "$tool" predict --record "$real" --seeds 0 "$trace"
  has "$(xargs <<<"$output")" "nn_1 1 32"
  # as wide as a terminal
  for columns in 60 90; do
    output=$(on_terminal "$columns" "$tool predict --record $real --seeds 0 $trace")
    [ "$(sed 1d <<<"$output" | awk '{ print length }' | sort -n | tail -n 1)" -le "$columns" ]
    has "$output" "nn_2 "
  done
  has "$(xargs <<<"$(on_terminal 60 "$tool predict --record $real --seeds 0 $trace")")" \
    "In 60 columns, these do not fit: FROM L2, MEMORY, MOSTLY, HELPS MOST."
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

# The record of $real with this number of sets and ways of L1, as the file $3.
with_sets() {
  sed "/subtype=\"L1Cache\"/a <info name=\"Sets\" value=\"$1\"/><info name=\"Ways\" value=\"$2\"/>" "$real" >"$3"
}

@test "sweeps say what the factors made of L1" {
  stream 2 400 >"$trace"
  with_sets 512 4 "$BATS_TEST_TMPDIR/r.xml" # tags for 256 KiB
  real=$BATS_TEST_TMPDIR/r.xml
  predict --seeds 0 --sweep capacity "$trace"
  is "55552 111104 222208 444416 888832" "$(value '[.sweep.points[].kernels[0].l1_bytes] | join(" ")')"
  is "4 4 4 8 16" "$(value '[.sweep.points[].kernels[0].l1_ways] | join(" ")')"
  run_split "$tool" predict --seeds 0 --sweep capacity --record "$real" "$trace"
  has "$(xargs <<<"$output")" "x 2 434 KiB 50.0 %"
  has_not "$output" became
  run_split "$tool" predict --seeds 0 --sweep ways --record "$real" "$trace"
  has "$(xargs <<<"$(grep 'x 0.25' <<<"$output")")" "1 in 2048 sets"
  has "$(xargs <<<"$(grep 'x 4' <<<"$output")")" "16 in 128 sets"
  run_split "$tool" predict --seeds 0 --sweep line --record "$real" "$trace"
  has "$(xargs <<<"$(grep 'x 2 ' <<<"$output")")" "256 bytes"
  # segmented LRU in any number of ways: 10 lines, loaded twice, survive 1736 others; in LRU sets they do not
  real=$top_srcdir/doc/results/h200/record.xml
  with_sets 62 28 "$BATS_TEST_TMPDIR/r.xml"
  sed -i '/"CarveoutTable"/d' "$BATS_TEST_TMPDIR/r.xml"
  { stream 2 10; stream 1 1746 | sed 1,321d; stream 1 10 | sed 1d; } >"$BATS_TEST_TMPDIR/again"
  for replacement in slru lru; do
    sed "/subtype=\"L1Cache\"/a <info name=\"Replacement\" value=\"$replacement\"/>" "$BATS_TEST_TMPDIR/r.xml" >"$BATS_TEST_TMPDIR/$replacement.xml"
    real=$BATS_TEST_TMPDIR/$replacement.xml predict --seeds 0 --sweep ways "$BATS_TEST_TMPDIR/again"
    is "7 14 28 56" "$(value '[.sweep.points[:4][].kernels[0].l1_ways] | join(" ")')"
    is "$([ $replacement = slru ] && echo 80 80 80 80 || echo 40 40 40 40)" \
      "$(value '[.sweep.points[:4][].kernels[0].l1_loads.hits] | join(" ")')"
  done
  predict --seeds 0 --sweep line "$trace"
  is "32 64 128 256 512" "$(value '[.sweep.points[].kernels[0].l1_line_bytes] | join(" ")')"
  # 1736 lines are 48.2 sets of 36 ways
  real=$top_srcdir/doc/results/h200/record.xml
  with_sets 48 36 "$BATS_TEST_TMPDIR/s.xml"
  real=$BATS_TEST_TMPDIR/s.xml
  sed -i '/"CarveoutTable"/d' "$real"
  run_split "$tool" predict --seeds 0 --sweep capacity --record "$real" "$trace"
  has "$output" "  x 4: 868 KiB became 868.5 KiB: each of 193 sets has a whole number of lines"
  has "$output" "  x 0.25: 54.25 KiB became 54 KiB: each of 12 sets"
  # lines under way
  sed '/subtype="L1Cache"/a <info name="OutstandingPerSM" value="64"/>' "$real" >"$BATS_TEST_TMPDIR/r.xml"
  run_split "$tool" predict --seeds 0 --sweep outstanding --record "$BATS_TEST_TMPDIR/r.xml" "$trace"
  has "$(xargs <<<"$(grep 'x 0.25' <<<"$output")")" "16 lines"
}

@test "text after the end is no kernel" {
  { three; echo 'kernel k'; } >"$trace"
  three >"$trace.right"
  run_split "$tool" predict --record "$real" --seeds 0 --json "$trace" "$trace.right"
  is 1 "$status"
  is "hwloc-gpucache: $trace:21: there is text after the line \"end\"" "$errors"
  is "1 2 3 4 5 6" "$(value '[.kernels[].launch.number] | join(" ")')"
  is '[{"number":null,"why":"'"$trace"':21: there is text after the line \"end\""}]' "$(value -c .left_out)"
  run_split "$tool" predict --record "$real" --seeds 0 --html "$BATS_TEST_TMPDIR/page.html" "$trace"
  is 1 "$status"
  has "$(cat "$BATS_TEST_TMPDIR/page.html")" "<p class='note'>$trace:21: there is text after"
  run_split "$tool" predict --record "$real" --seeds 0 --launches 3 "$trace"
  is 1 "$status"
  has "$output" "kernel 3: of_3_lines"
  refused 1 "there is text after the line" --record "$real" --launches 4 "$trace"
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

@test "a carve-out is a preference: the shared memory of a block always fits" {
  blocks 102400 >"$trace" # needs 101 KiB with the driver's own; the carve-outs are 32, 64, 100, 132 KiB ...
  predict --sweep carveout "$trace"
  is "119808 119808 119808 119808 87040" "$(value '[.sweep.points[:5][].kernels[0].l1_bytes] | join(" ")')"
  is "1 1 1 1 1" "$(value '[.sweep.points[:5][].kernels[0].blocks_per_sm] | join(" ")')"
  blocks 4000 >"$trace"
  predict "$trace"
  is 32 "$(value '.kernels[0].blocks_per_sm')"
  blocks 400000 >"$trace"
  refused 1 "a block needs 401024 bytes of shared memory, an SM has 233472" \
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
  # a sweep does not show an L1 that no load uses
  run_split "$tool" predict --seeds 0 --sweep capacity --record "$BATS_TEST_TMPDIR/r.xml" "$trace"
  is "x 2 - - 50.0 %" "$(grep 'x 2' <<<"$output" | xargs -n 100)"
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
  refused 1 "no kernel has the name and number that are wanted (kernels in all: 3)" --record "$real" --kernel of_4 "$trace"
  refused 1 "no kernel has the name and number that are wanted (kernels in all: 3)" --record "$real" --launches 4 "$trace"
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
  # but a trace that ends in it may lack kernels that are wanted: behind a line, and in one
  for bytes in 257 265; do
    three | head -c $bytes >"$trace"
    run_split "$tool" predict --json --record "$real" --kernel of_1 "$trace"
    is 1 "$status"
    is "1 of_1_lines" "$(kernels)"
    is "hwloc-gpucache: $trace: it cannot be read beyond kernel 3: it is broken or truncated" "$errors"
    is "null" "$(value '.left_out[].number')"
  done
  head -c 500 "$top_srcdir/tests/data/traces/two-kernels.binary" >"$trace"
  refused 1 "cannot be read beyond kernel 1" --record "$real" --kernel without "$trace"
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
  stream 100 400 >"$trace"
  refused 1 "not finished after 0.02 s" --record "$real" --timeout 0.02 "$trace"
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
