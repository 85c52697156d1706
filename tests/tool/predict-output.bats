#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# predict: several GPUs, what helps most, pictures, pages and reuse distances.

setup() {
  load setup.bash
  prepare
  load predict.bash
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
  is "null, carve_out, line_use, null" "$(value '[.kernels[].l1_hit_rate_with.most | tostring] | join(", ")')"
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
  # one sector of each of 1740 lines, three times; L1 has 1736 lines, or up to 1753 in a drawn run
  awk 'BEGIN {
    print "hwloc-gpucache-trace 1\nkernel\tk\nblocks\t1\nthreads\t32\nwarp\t32"
    for (load = 0; load < 5220; load++)
      printf "0\t0\t0\tload\t-\t4\t1\t%x+4\n", 1048576 + 128 * (load % 1740)
    print "end"
  }' >"$trace"
  sed '/subtype="L1Cache"/,/<\/object>/s/"CensusBytes" value="[0-9]*"/"CensusBytes" value="224400"/' "$real" >"$BATS_TEST_TMPDIR/r.xml"
  real=$BATS_TEST_TMPDIR/r.xml
  predict --seeds 0 "$trace"
  is "0 667 line_use" "$(value '.kernels[0] | "\(.l1_hit_rate.high) \(.l1_hit_rate_with.line_use * 1000 | round) \(.l1_hit_rate_with.most)"')"
  predict "$trace"
  is "667 667 null" "$(value '.kernels[0] | "\(.l1_hit_rate.high * 1000 | round) \(.l1_hit_rate_with.line_use * 1000 | round) \(.l1_hit_rate_with.most)"')"
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
  refused 2 "--record $real is given twice" --record "$real" --record "$real" "$trace"
  refused 2 "--gpu gpu0 is given twice" --sim "$tiny" --gpu gpu0 --gpu gpu0 "$trace"
  # also by another name
  ln -s "$real" "$BATS_TEST_TMPDIR/link.xml"
  for other in "$(dirname "$real")/./record.xml" "$BATS_TEST_TMPDIR/link.xml" "$real:gpu0"; do
    refused 2 "--record $other is the same as $real" --record "$real" --record "$other" "$trace"
  done
  refused 2 "--gpu sim-tiny is the same as gpu0" --sim "$tiny" --gpu gpu0 --gpu sim-tiny "$trace"
  refused 2 "--plot draws for one GPU" --plot x --record "$real" --record "$BATS_TEST_TMPDIR/small.xml" "$trace"
  [ ! -e x ]
  # a GPU on which the kernel cannot run: the others are predicted
  blocks 30000 >"$trace"
  run_split "$tool" predict --seeds 0 --json --record "$real" --record "$BATS_TEST_TMPDIR/small.xml" "$trace"
  is 1 "$status"
  is 1 "$(wc -l <<<"$errors")"
  has "$errors" "small.xml: kernel 1 cannot run: a block needs 31104 bytes of shared memory, an SM has 16384"
  is 16896 "$(value '.[0].kernels[0].l1_loads.sectors')"
  has "$(value '.[1].absent')" "a block needs 31104 bytes"
  run_split "$tool" predict --seeds 0 --record "$BATS_TEST_TMPDIR/small.xml" --record "$real" "$trace"
  is 1 "$status"
  has "$output" "GPU 2: NVIDIA H200"
  has_not "$output" "Small L1"
  # each GPU is named, also if the reason is the same
  cp "$BATS_TEST_TMPDIR/small.xml" "$BATS_TEST_TMPDIR/other.xml"
  refused 1 "small.xml: kernel 1 cannot run: a block needs" --record "$BATS_TEST_TMPDIR/small.xml" --record "$BATS_TEST_TMPDIR/other.xml" "$trace"
  has "$errors" "other.xml: kernel 1 cannot run: a block needs"
  is 2 "$(wc -l <<<"$errors")"
  grep -v '"GPUCacheSMs"' "$real" >"$BATS_TEST_TMPDIR/other.xml"
  run_split "$tool" predict --seeds 0 --record "$BATS_TEST_TMPDIR/other.xml" --record "$real" "$trace"
  is 1 "$status"
  has "$errors" "other.xml: "
  has "$errors" GPUCacheSMs
  has "$output" "GPU 2: NVIDIA H200"
  # what is wrong with the trace is said once
  for option in --json --seeds=0 --sweep=capacity; do
    echo x >"$trace"
    refused 1 "hwloc-gpucache: $trace:1" "$option" --record "$real" --record "$BATS_TEST_TMPDIR/small.xml" "$trace"
    is 1 "$(wc -l <<<"$errors")"
    stream 1 10 >"$trace"
    refused 1 "no kernel has the name and number that are wanted (kernels in all: 1)" "$option" --launches 2 --record "$real" --record "$BATS_TEST_TMPDIR/small.xml" "$trace"
    is 1 "$(wc -l <<<"$errors")"
  done
}

@test "a kernel that cannot run on a GPU does not lose the others" {
  small_l1 "$BATS_TEST_TMPDIR/small.xml"
  small=(--record "$BATS_TEST_TMPDIR/small.xml")
  helped | sed 's/^threads\t32/threads\t1024/' >"$trace" # the second kernel needs 30,000 bytes
  run_split "$tool" predict --seeds 0 "${small[@]}" "$trace"
  is 1 "$status"
  why="a block needs 31104 bytes of shared memory, an SM has 16384"
  is "hwloc-gpucache: kernel 2 (carveout) cannot run: $why" "$errors"
  is "carveout 1 - - - - - cannot run -" "$(grep '^carveout' <<<"$output" | xargs)"
  has "$output" "kernel 2: carveout
  1 block, 1024 threads a block, 30000 bytes of shared memory a block
  cannot run on this GPU: $why
kernel 3: line"
  run_split "$tool" predict --seeds 0 --json "${small[@]}" "$trace"
  is 1 "$status"
  is "null,\"$why\",null,null" "$(value -c '[.kernels[].absent] | tostring | .[1:-1]')"
  is "$(value -c '[.kernels[].absent]')" "$(value -c '[.sums[].absent]')"
  is 20 "$(value '.kernels[0].l1_loads.sectors / 4')"
  # L2 has nothing of a kernel that did not run, and drawn runs agree about it
  run_split "$tool" predict --seeds 2 --json --reuse "${small[@]}" "$trace"
  is "null 80" "$(value '"\(.kernels[1].l1_hit_rate) \(.kernels[0].reuse_distances.loads * 4)"')"
  # beside a GPU on which it can
  run_split "$tool" predict --seeds 0 --record "$real" "${small[@]}" "$trace"
  is 1 "$status"
  is "hwloc-gpucache: $BATS_TEST_TMPDIR/small.xml: kernel 2 (carveout) cannot run: $why" "$errors"
  is "carveout 1 50.0 % 2.5 % 48.75 KiB cannot run - -" "$(grep '^carveout' <<<"$output" | head -n 1 | xargs)"
  # sweeps and the page
  run_split "$tool" predict --seeds 0 --sweep capacity "${small[@]}" "$trace"
  is 1 "$status"
  has "$output" "  cannot run on this GPU: $why"
  is 3 "$(grep -c 'x 0.25' <<<"$output")"
  run_split "$tool" predict --seeds 0 --html "$BATS_TEST_TMPDIR/page.html" "${small[@]}" --record "$real" "$trace"
  is 1 "$status"
  xmllint --noout "$BATS_TEST_TMPDIR/page.html"
  has "$(cat "$BATS_TEST_TMPDIR/page.html")" "<li>cannot run on this GPU: $why</li>"
  is 14 "$(grep -c '<svg' "$BATS_TEST_TMPDIR/page.html")"
  run_split "$tool" predict --seeds 0 --plot "$BATS_TEST_TMPDIR/pictures" "${small[@]}" "$trace"
  is 1 "$status"
  has "$errors" "kernel 2 (carveout) cannot run"
  is 6 "$(ls "$BATS_TEST_TMPDIR/pictures" | grep -c svg)"
  # threads and registers
  sed '/"GPUCacheThreadsPerSM"/s/2048/512/' "$real" >"$BATS_TEST_TMPDIR/few.xml"
  refused 1 "cannot run: a block needs 1024 threads, an SM has 512" --record "$BATS_TEST_TMPDIR/few.xml" "$trace"
  sed -i 's/^warp.*/&\nregisters\t65/' "$trace"
  refused 1 "cannot run: a block needs 66560 registers, an SM has 65536" --record "$real" "$trace"
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
  is "gpu0-predict-1-reuse.svg gpu0-predict-1-reuse.tsv gpu0-predict-1.svg gpu0-predict-1.tsv" "$(ls "$BATS_TEST_TMPDIR/pictures" | xargs)"
  echo mine >"$data"
  run_split "$tool" predict --record "$real" --plot "$BATS_TEST_TMPDIR/pictures" "$trace"
  is 1 "$status"
  has "$errors" "was not written by this command"
  is mine "$(cat "$data")"
}

@test "files of --plot have the numbers of the kernels" {
  three >"$trace"
  "$tool" predict --record "$real" --seeds 0 --kernel 'of_[23]_lines' --plot "$BATS_TEST_TMPDIR/pictures" "$trace"
  is "gpu0-predict-2-reuse.svg gpu0-predict-2.svg gpu0-predict-3-reuse.svg gpu0-predict-3.svg" "$(cd "$BATS_TEST_TMPDIR/pictures" && ls -- *.svg | xargs)"
  has "$(cat "$BATS_TEST_TMPDIR/pictures/gpu0-predict-2.svg")" of_2_lines
  # those of another GPU stay
  cp "$BATS_TEST_TMPDIR"/pictures/gpu0{,1}-predict-2.tsv
  "$tool" predict --record "$real" --launches 1 --plot "$BATS_TEST_TMPDIR/pictures" "$trace"
  is "gpu0-predict-1-reuse.svg gpu0-predict-1.svg gpu01-predict-2.svg" "$(cd "$BATS_TEST_TMPDIR/pictures" && ls -- *.svg | xargs)"
  # nothing to draw: one sentence, and no directory
  sed -i s/load/store/ "$trace"
  run_split "$tool" predict --record "$real" --plot "$BATS_TEST_TMPDIR/none" "$trace"
  is 1 "$status"
  is "hwloc-gpucache: no kernel has loads in L1, so there is nothing to draw" "$errors"
  [ ! -e "$BATS_TEST_TMPDIR/none" ]
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

@test "a histogram of reuse distances has a bar for each bin, and one for first loads" {
  # twice 100 lines and 3 times 3 of them: 100 first loads, 100 with distance 99, 9 with distances 97 and 2
  { stream 2 100; stream 3 3 | sed 1d; } >"$trace"
  run_split "$tool" predict --record "$real" --plot "$BATS_TEST_TMPDIR/pictures" "$trace"
  is 0 "$status"
  is "2 3 6, 64 127 103, none none 100" "$(awk -F'\t' '/^[0-9n]/ && $3 { print $1, $2, $3 }' \
    "$BATS_TEST_TMPDIR/pictures/gpu0-predict-1-reuse.tsv" | paste -sd, | sed 's/,/, /g')"
  svg=$BATS_TEST_TMPDIR/pictures/gpu0-predict-1-reuse.svg
  xmllint --noout "$svg"
  # the largest L1 has 1736 lines, so bins up to 1024 are shown, and a gap; the x of each bar counts bins from the left
  bars() {
    sed -n "s/.*class='bar' d='\([^']*\)'.*/\1/p" "$1" | sed 's/M/\n/g' | sed 1d | awk -v bins="$2" -F '[ VHz]' '
      NR == FNR { at = ($1 + $4) / 2; high = $2 - $3
                  printf "%s%.1f %.0f", sep, (at - 72) / 434 * (bins + 2.2) - 0.6, high / 210 * most; sep = ", " }' most="$3"
  }
  has "$(cat "$svg")" "Reuse distance (lines, in powers of two)"
  is "2.0 3, 7.0 49, 13.0 48" "$(bars "$svg" 12 51.75)"
  is "0 2 8 32 128 512 first" "$(sed -n "s/.*class='q' text-anchor='middle'.*>\(.*\)<.*/\1/p" "$svg" | xargs)"
  has "$(cat "$svg")" ">72 %</text>"
  # an L1 of 2^n lines is between bins n and n + 1; of a large one, bins that are empty are shown
  data=$BATS_TEST_TMPDIR/pictures/gpu0-predict-1-reuse.tsv
  sed -i 's/^# CarveoutTable:.*/# CarveoutTable: 0:131072/' "$data"
  "$tool" plot "$BATS_TEST_TMPDIR/pictures"
  is "10.5" "$(sed -n "s/.*class='s7 level' d='M\([0-9.]*\) .*/\1/p" "$svg" | awk '{ printf "%.1f", ($1 - 72) / 434 * 13.2 - 0.6 }')"
  # without carve-outs, the last bar is that of the longest distance
  sed -i '/^# CarveoutTable/d' "$data"
  "$tool" plot "$BATS_TEST_TMPDIR/pictures"
  is "2.0 3, 7.0 49, 9.0 48" "$(bars "$svg" 8 51.75)"
  # a distance that is longer than any
  echo $'1e30\t1e31\t209' >>"$data"
  "$tool" plot "$BATS_TEST_TMPDIR/pictures"
  is "28.0 50" "$(bars "$svg" 29 52.5 | sed 's/.*, \(28.0 [0-9]*\),.*/\1/')"
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
  has "$text" "<h3 id='kernel-1-2'>&lt;script&gt;&amp;&#39;&quot;</h3>"
  is '' "$(grep -Eo "(src|url)[=(]|href='[^#]|@import" "$page" || true)"
  # two names, of which the second launch of copy misses more
  is 2 "$(grep -c '<h3 .*(\|<h3 .*>&lt;' "$page")"
  has "$text" "<p>Kernel 3: of the launches with this name, the one with the most misses in L1.</p>"
  is 4 "$(grep -c '<svg' "$page")"
  is 4 "$(grep -o "id='curve-[0-9]*'" "$page" | sort -u | wc -l)"
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
  has "$text" "$(grep "class='bar'" "$BATS_TEST_TMPDIR/pictures/gpu0-predict-3-reuse.svg")"
}

@test "a page has a table of contents, and curves only of kernels that load through L1" {
  page=$BATS_TEST_TMPDIR/page.html
  named _Z4copyPKfPf other _Z4copyPKfPf >"$trace"
  "$tool" predict --record "$real" --record "$(dirname "$real")/../structure/h200.xml" --seeds 0 --html "$page" "$trace"
  for link in gpu-1 kernel-1-3 kernel-1-2 gpu-2 kernel-2-3 kernel-2-2; do
    is 1 "$(grep -c "<li><a href='#$link'>" "$page")"
    is 1 "$(grep -c " id='$link'" "$page")"
  done
  has "$(cat "$page")" "<li><a href='#kernel-1-3'>copy(float const*, float*)</a></li>"
  command -v strace || skip "there is no strace"
  # each pass opens the trace once
  passes() {
    strace -f -e trace=openat -o "$BATS_TEST_TMPDIR/calls" "$tool" predict --record "$real" --seeds 0 --html "$page" "$trace" >/dev/null
    grep -c "\"${trace##*/}\"" "$BATS_TEST_TMPDIR/calls"
  }
  with=$(passes)
  sed -i 's/load\t-/load\tno-l1/' "$trace"
  without=$(passes)
  echo "$with passes, $without without a curve"
  [ "$without" -le $((with - 19)) ]
  is 0 "$(grep -c '<svg' "$page")"
}

@test "a page of several GPUs, of which one cannot run the kernels" {
  page=$BATS_TEST_TMPDIR/page.html
  small_l1 "$BATS_TEST_TMPDIR/small.xml"
  sed -i 's/"Small L1"/"Small \&lt;L1\&gt;"/' "$BATS_TEST_TMPDIR/small.xml"
  named one two >"$trace"
  run_split "$tool" predict --record "$real" --record "$BATS_TEST_TMPDIR/small.xml" --seeds 0 --html "$page" "$trace"
  is 0 "$status"
  xmllint --noout "$page"
  is 8 "$(grep -c '<svg' "$page")"
  is 8 "$(grep -o "id='curve-[0-9]*'" "$page" | sort -u | wc -l)"
  has "$(cat "$page")" ">GPU 2: Small &lt;L1&gt;</h2>"
  has "$(cat "$page")" "GPU 2: L1"
  blocks 30000 >"$trace"
  run_split "$tool" predict --record "$real" --record "$BATS_TEST_TMPDIR/small.xml" --seeds 0 --html "$page" "$trace"
  is 1 "$status"
  xmllint --noout "$page"
  has "$(cat "$page")" "small.xml: kernel 1 cannot run: a block needs 31104 bytes"
  has_not "$(cat "$page")" ": Small"
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
  refused 2 "--html needs the name of a page, such as FILE.html, not 'page.xml'" --html page.xml "$trace"
  refused 2 "--html and --json exclude each other" --html page.html --json "$trace"
  refused 2 "--html and --plot exclude each other" --html page.html --plot x "$trace"
  refused 2 "--blocks and --limit are for recording a program, not for traces" --record "$real" --blocks 5 "$trace"
  refused 2 "--blocks and --limit are for recording a program, not for traces" --record "$real" --limit 5 "$trace"
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
