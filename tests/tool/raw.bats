#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# measure --raw, its files, and plot, which draws them.

setup() {
  load setup.bash
  prepare
  raw=$BATS_TEST_TMPDIR/raw
}

# head_of FILE NAME: the value in the line "# NAME: value".
head_of() { sed -n "s/^# $2: //p" "$1"; }

# column FILE NAME: all values under that name.
column() {
  grep -v '^#' "$1" | awk -F '\t' -v name="$2" '
    NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; if (!c) exit 1; next } { print $c }'
}

# frame FILE: prints each chart of a picture as "left top bottom right", after checking that every
# number is one, and every point of its series and marks within it. The axes of a chart come first.
frame() {
  if command -v xmllint >/dev/null; then xmllint --noout "$1" || return 1; fi
  tr '<' '\n' <"$1" | sed -n "s/^path class='\([^']*\)' d='\([^']*\)'.*/\1|\2/p" | awk -F '|' '
    function outside(x, y) { return x < left || x > right || y < top || y > bottom }
    $2 !~ /^(M[MLHVZzh0-9. ]+)?$/ { print "no path: " $0; exit 1 }
    $1 == "axis" { split($2, at, /[ MVH]/); left = at[2]; top = at[3]; bottom = at[4]; right = at[5]; print left, top, bottom, right; next }
    !bottom || $1 == "grid" { next } # before the axes of its chart, as the legend
    {
      n = split($2, steps, /[MLHVZz]/); gsub(/[^MLHVZz]/, "", $2); x = left; y = top
      for (i = 2; i <= n; i++) {
        command = substr($2, i - 1, 1)
        sub(/h.*/, "", steps[i])
        if (command == "H") x = steps[i] + 0
        else if (command == "V") y = steps[i] + 0
        else if (steps[i] != "") { split(steps[i], at, " "); x = at[1] + 0; y = at[2] + 0 }
        if (outside(x, y)) { print "outside: " $0; exit 1 }
      }
    }'
}

# A hand-written curve with a capacity of 8 KiB.
small_curve() {
  printf '# hwloc-gpucache 0 raw data\n# form: curve\n# gpu: gpu0\n# model: %s\n# element: L1Cache\n' "$1"
  printf '# property: capacity\n# found: 8192\n# confidence: 0.99\n# timing: 4\n'
  printf 'bytes\tloads\tslow\tmin\tp01\tmedian\tp99\tmax\tmean\n'
  printf '4096\t512\t0\t34\t34\t34\t34\t34\t34\n8192\t512\t0\t34\t34\t34\t34\t40\t34.1\n'
  printf '16384\t512\t512\t204\t204\t205\t206\t900\t207\n'
}

@test "--raw writes a file with the result for each element and property" {
  run_split "$tool" measure --sim "$small" --raw "$raw"
  is 0 "$status"
  is '' "$errors"
  has "$output" "L1Cache"
  local file=$raw/gpu0-L1Cache-capacity.tsv element
  is 'Small Test GPU (simulated)' "$(head_of "$file" model)"
  is L1Cache "$(head_of "$file" element)"
  is bytes "$(head_of "$file" unit)"
  is 8192 "$(head_of "$file" found)"
  is 8192 "$(head_of "$file" CapacityBytes)"
  is "hwloc-gpucache measure --sim $small --raw $raw" "$(head_of "$file" command)"
  [[ $(head_of "$file" date) =~ ^[0-9]{4}-[0-9]{2}-[0-9]{2}T.*Z$ ]]
  [[ $(head_of "$file" threshold) =~ ^[0-9]+$ ]]
  for element in L1Cache TextureCache ReadOnlyCache ConstantL1Cache ConstantL15Cache L2Cache; do
    [ -s "$raw/gpu0-$element-capacity.tsv" ]
    [ -s "$raw/gpu0-$element-latency.tsv" ]
  done
  is trace "$(head_of "$raw/gpu0-DeviceMemory-latency.tsv" form)"
  is "$(head_of "$raw/gpu0-SharedMemory-latency.tsv" LatencyCycles)" \
    "$(column "$raw/gpu0-SharedMemory-latency.tsv" cycles | sort -n | sed -n 16p).0"
  is '' "$(find "$raw" -name '.*' -type f)"
}

@test "a curve has the data that the capacity is derived from" {
  "$tool" measure --no-store --only L1Cache --sim "$tiny" --raw "$raw" >/dev/null
  local file=$raw/gpu0-L1Cache-capacity.tsv
  is "coarse confirm survey sweep" "$(column "$file" phase | sort -u | xargs)"
  # beyond the capacity there are misses; below it almost no load is slow
  is 0 "$(paste <(column "$file" bytes) <(column "$file" loads) <(column "$file" slow) |
    awk '$1 <= 8192 && $3 > 0.05 * $2 || $1 >= 16384 && $3 < 0.9 * $2 { wrong++ } END { print wrong + 0 }')"
  [ "$(column "$file" bytes | sort -n | tail -n 1)" -gt 16384 ]
  [ "$(column "$file" bytes | sort -n | head -n 1)" -le 2048 ]
  is 0 "$(paste <(column "$file" min) <(column "$file" p01) <(column "$file" median) \
    <(column "$file" p99) <(column "$file" max) |
    awk '$1 > $2 || $2 > $3 || $3 > $4 || $4 > $5 { wrong++ } END { print wrong + 0 }')"
}

@test "--raw changes no value" {
  "$tool" measure --no-store --xml --sim "$tiny" --raw "$raw" >"$BATS_TEST_TMPDIR/with"
  "$tool" measure --no-store --xml --sim "$tiny" >"$BATS_TEST_TMPDIR/without"
  # The median of atomic operations varies by a tenth of a cycle from run to run, with and without --raw.
  values() { grep -o 'name="[A-Za-z0-9]*\(Bytes\|Cycles\|PerCycle\|SharedWith\)" value="[^"]*"' "$1" | grep -v AtomicLatency; }
  has "$(values "$BATS_TEST_TMPDIR/with")" 'name="CapacityBytes" value="8192"'
  is "$(values "$BATS_TEST_TMPDIR/without")" "$(values "$BATS_TEST_TMPDIR/with")"
  atomic() { sed -n 's/.*name="AtomicLatencyCycles" value="\([^"]*\)".*/\1/p' "$1"; }
  is '' "$(paste <(atomic "$BATS_TEST_TMPDIR/without") <(atomic "$BATS_TEST_TMPDIR/with") |
    awk '($1 - $2) ^ 2 > 0.05')"
  [ -n "$(atomic "$BATS_TEST_TMPDIR/with")" ]
}

@test "--raw measures even with a valid record" {
  "$tool" measure --sim "$tiny" >/dev/null
  run_split "$tool" measure --sim "$tiny" --raw "$raw"
  is 0 "$status"
  has_not "$output" "already measured"
  [ -s "$raw/gpu0-L1Cache-capacity.tsv" ]
}

@test "--raw replaces earlier files of the same GPU, and nothing else" {
  "$tool" measure --no-store --only L1Cache --sim "$tiny" --raw "$raw" >/dev/null
  is '' "$(find "$raw" -name 'gpu0-L2Cache*')"
  sed 's/^# gpu: gpu0/# gpu: gpu00/' "$raw/gpu0-L1Cache-latency.tsv" >"$raw/gpu0-other.tsv"
  cp "$raw/gpu0-L1Cache-latency.tsv" "$raw/mine.tsv"
  printf 'mine\n' >"$raw/gpu0-L2Cache-notes.tsv"
  ln -s gpu0-L1Cache-latency.tsv "$raw/gpu0-link.tsv"
  "$tool" measure --no-store --only SharedMemory --sim "$tiny" --raw "$raw" >/dev/null
  is "gpu0-L2Cache-notes.tsv gpu0-link.tsv gpu0-other.tsv mine.tsv" \
    "$(ls "$raw" | grep -v '^gpu0-SharedMemory' | xargs)"
  [ -s "$raw/gpu0-SharedMemory-latency.tsv" ]
  # a run that writes nothing removes nothing
  run_split "$tool" measure --no-store --only LDS --sim "$tiny" --raw "$raw"
  is 1 "$status"
  [ -s "$raw/gpu0-SharedMemory-latency.tsv" ]
}

@test "--raw refuses a directory with data of another GPU under the same name, before it measures" {
  local before
  cp "$tiny" "$BATS_TEST_TMPDIR/other"
  "$tool" measure --no-store --only L1Cache --sim "$tiny" --raw "$raw" >/dev/null
  before=$(md5sum "$raw"/*)
  run_split "$tool" measure --sim "$BATS_TEST_TMPDIR/other" --raw "$raw"
  is 1 "$status"
  is '' "$output"
  [[ $errors == "hwloc-gpucache: gpu0: $raw: gpu0-L1Cache-"*" was measured on another gpu0 (Tiny Test GPU (simulated), sim-tiny); give "* ]]
  is "$before" "$(md5sum "$raw"/*)"
  is '' "$(leftovers)"
  # data of versions that wrote no id
  sed -i '/^# id: /d' "$raw"/*
  "$tool" measure --no-store --only SharedMemory --sim "$BATS_TEST_TMPDIR/other" --raw "$raw" >/dev/null
  is "sim-other" "$(head_of "$raw/gpu0-SharedMemory-latency.tsv" id)"
  [ ! -e "$raw/gpu0-L1Cache-latency.tsv" ]
}

@test "--raw removes a directory that it created in vain, and no other" {
  local gpus # GPUs that take long enough to be ended during the measurement
  cp "$top_srcdir/data/sim/mi300x" "$BATS_TEST_TMPDIR/other"
  for gpus in mi300x "mi300x,$BATS_TEST_TMPDIR/other"; do
    run "$tool" measure --timeout 0.01 --sim "$gpus" --raw "$raw"
    is 1 "$status"
    [ ! -e "$raw" ]
    rm -rf "$records" # the lock stays; below, a new one shows that signals are waited for
    env --default-signal=INT "$tool" measure --sim "$gpus" --raw "$raw" >/dev/null 2>&1 3>&- &
    soon [ -e "$raw" ]
    soon [ -e "$records/sim-mi300x.lock" ]
    kill -INT $!
    wait $! || :
    [ ! -e "$raw" ]
  done
  run "$tool" measure --sim nonsense --raw "$raw"
  is 3 "$status"
  [ ! -e "$raw" ]
  mkdir "$raw"
  run "$tool" measure --sim nonsense --raw "$raw"
  [ -d "$raw" ]
}

@test "--raw with several GPUs writes files for each" {
  cp "$tiny" "$BATS_TEST_TMPDIR/other"
  run_split "$tool" measure --no-store --only L1Cache --sim "$tiny,$BATS_TEST_TMPDIR/other" --raw "$raw"
  is 0 "$status"
  is 'Tiny Test GPU (simulated)' "$(head_of "$raw/gpu0-L1Cache-capacity.tsv" model)"
  is 8192 "$(head_of "$raw/gpu1-L1Cache-capacity.tsv" found)"
}

@test "--raw with a directory that cannot be written fails before it measures" {
  local command
  echo 'no directory' >"$BATS_TEST_TMPDIR/file"
  for command in "$BATS_TEST_TMPDIR/file" "$BATS_TEST_TMPDIR/no/such" /proc/self; do
    run_split "$tool" measure --sim "$tiny,h200" --raw "$command"
    is 1 "$status"
    is '' "$output"
    is 1 "$(wc -l <<<"$errors")"
    [[ $errors == "hwloc-gpucache: --raw: cannot "*"$command"* ]]
    is '' "$(leftovers)"
  done
  run_split "$tool" measure --sim "$tiny" --raw "$BATS_TEST_TMPDIR/no/such"
  has "$errors" "cannot make the directory $BATS_TEST_TMPDIR/no/such: its parent directory does not exist"
  run_split "$tool" measure --sim "$tiny" --raw /proc/x
  is "hwloc-gpucache: --raw: cannot make the directory /proc/x: its file system does not allow that" "$errors"
  run_split "$tool" measure --sim "$tiny" --raw ''
  is 2 "$status"
  run_split "$tool" show --sim "$tiny" --raw "$raw"
  is 2 "$status"
}

@test "--raw: a file that cannot be written at the end is a failure, and the record is kept" {
  # a directory is in the place of a file
  mkdir -p "$raw/gpu0-L1Cache-capacity.tsv/x"
  run_split "$tool" measure --sim "$tiny" --raw "$raw"
  is 1 "$status"
  has "$errors" "gpu0: cannot write gpu0-L1Cache-capacity.tsv: "
  has "$output" "ELEMENT"
  is "$records/sim-tiny.xml" "$(leftovers)"
  is '' "$(find "$raw" -name '.*' -type f)"
}

@test "--raw replaces only its own files: it writes the others, and names the file that it keeps" {
  local file=$raw/gpu0-L1Cache-latency.tsv whose
  mkdir "$raw"
  for whose in file link other-gpu; do
    rm -f "$file"
    case $whose in
      file) echo mine >"$file" ;;
      link) echo mine >"$BATS_TEST_TMPDIR/mine" && ln -s "$BATS_TEST_TMPDIR/mine" "$file" ;;
      other-gpu) printf '# hwloc-gpucache 0 raw data\n# gpu: gpu1\nmine\n' >"$file" ;;
    esac
    run_split "$tool" measure --no-store --only L1Cache --sim "$tiny" --raw "$raw"
    is 1 "$status"
    is "hwloc-gpucache: gpu0: cannot write gpu0-L1Cache-latency.tsv: a file of this name exists that --raw did not write; \
move it away, or give another directory" "$errors"
    has "$output" "ELEMENT"
    is "mine" "$(tail -n 1 "$file")"
    [ -s "$raw/gpu0-L1Cache-capacity.tsv" ]
    [ -s "$raw/gpu0-L1Cache-sharing.tsv" ]
  done
  is mine "$(cat "$BATS_TEST_TMPDIR/mine")"
  rm "$file"
  "$tool" measure --no-store --only L1Cache --sim "$tiny" --raw "$raw" >/dev/null
  "$tool" measure --no-store --only L1Cache --sim "$tiny" --raw "$raw" >/dev/null
  is L1Cache "$(head_of "$file" element)"
}

@test "--raw: every step writes a file, without additional launches" {
  local element property
  run_split "$tool" measure --verbose --no-store --sim "$tiny" --raw "$raw"
  is 0 "$status"
  # "gpu0: L1Cache miss penalty took 12.3 ms, 45 launches"
  steps() { sed -n 's/^hwloc-gpucache: gpu0: \([A-Za-z0-9]*\) \(.*\) took [0-9.]* ms, \([0-9]*\) launch.*/\1 \2:\3/p' <<<"$errors"; }
  while IFS=: read -r step launches; do
    element=${step%% *} property=${step#* }
    # an interference check takes at least one launch; this GPU runs no launches together
    [ "$launches" -gt 1 ] || continue
    [[ ! $step =~ ^(SharedMemory capacity|ConstantL15Cache (sharing|excess misses))$ ]] || continue
    [ -s "$raw/gpu0-$element-${property// /-}.tsv" ] || {
      echo "$step: no file"
      return 1
    }
  done < <(steps | grep -v '^warming')
  local with
  with=$(steps | grep -E 'sharing|instances|line|carve')
  [ "$(wc -l <<<"$with")" -gt 10 ]
  run_split "$tool" measure --verbose --no-store --sim "$tiny"
  is "$(steps | grep -E 'sharing|instances|line|carve')" "$with"
}

@test "carve-outs: the runs of each one, drawn in one picture" {
  "$tool" measure --no-store --only L1Cache --sim h200 --raw "$raw" >/dev/null
  local file=$raw/gpu0-L1Cache-carve-outs.tsv table percent bytes
  table=$(head_of "$file" CarveoutTable)
  is "curve $table" "$(head_of "$file" form) $(head_of "$file" found)"
  is "fine rough threshold" "$(column "$file" phase | sort -u | xargs)"
  # misses begin at the capacity
  for percent in 15 29 44 58 72; do
    bytes=$(grep -o "[:,]*$percent:[0-9]*" <<<"$table" | sed 's/.*://')
    is within "$(paste <(column "$file" carve-out) <(column "$file" phase) <(column "$file" bytes) \
      <(column "$file" loads) <(column "$file" slow) | awk -v c="$percent" -v found="$bytes" '
        $1 == c && $2 == "fine" { loads[$3] += $4; slow[$3] += $5 }
        END { for (b in loads) if (slow[b] < 0.005 * loads[b] && b + 0 > most) most = b + 0
              print (most >= found && most <= found + 1024 ? "within" : most) }')"
  done
  [ "$(column "$file" carve-out | sort -n | head -n 1)" = -1 ]
  [ "$(column "$file" carve-out | sort -n | tail -n 1)" = 100 ]
  "$tool" plot "$raw" >/dev/null
  local svg
  svg=$(cat "${file%.tsv}.svg")
  has "$svg" "L1 cache carve-outs"
  has "$svg" "capacity from each share of shared memory on, confidence 0.9"
  for percent in "0 %: 217 KiB" "15 %: 185 KiB" "44 %: 117 KiB" "86 %: 21 KiB"; do
    has "$svg" ">$percent<"
  done
  has_not "$svg" ">14 %"
  # without a table, each carve-out that was tried
  sed -i '/^# CarveoutTable:/d' "$file"
  "$tool" plot "$raw" >/dev/null
  has "$(cat "${file%.tsv}.svg")" "not found"
}

@test "sharing and instances: the files name both elements and both SMs" {
  "$tool" measure --no-store --sim "$small" --raw "$raw" >/dev/null
  local element rows=0
  for element in L1Cache TextureCache ReadOnlyCache ConstantL1Cache SharedMemory; do
    is list "$(head_of "$raw/gpu0-$element-sharing.tsv" form)"
    # each row is about the element
    is 0 "$(paste <(column "$raw/gpu0-$element-sharing.tsv" loaded) <(column "$raw/gpu0-$element-sharing.tsv" 'pushed by') |
      grep -cvw "$element")"
  done
  is yes "$(paste <(column "$raw/gpu0-L1Cache-sharing.tsv" 'pushed by') <(column "$raw/gpu0-L1Cache-sharing.tsv" answer) |
    sed -n 's/^ReadOnlyCache\t//p' | sort -u)"
  # one of the warps had to wait in each SM
  rows=$(column "$raw/gpu0-L1Cache-instances.tsv" SM | wc -l)
  is "$rows" "$(grep -v '^#' "$raw/gpu0-L1Cache-instances.tsv" | awk -F '\t' '
    NR > 1 { waited = 0; for (i = 2; i < NF; i += 2) waited += $i > 1.4 * $(i + 1); good += waited == 1 } END { print good }')"
  is "$(head_of "$raw/gpu0-L1Cache-instances.tsv" Instances)" "$(head_of "$raw/gpu0-L1Cache-instances.tsv" found)"
  run_split "$tool" plot "$raw"
  is 0 "$status"
  has_not "$output" "sharing"
  has "$output" "gpu0-L1Cache-instances.svg"
  has_not "$output" "instances-list"
}

# patterns RAW: the latency patterns of TLBs, P1 to P6, on one line.
patterns() { sed -n 's/^P\([1-6]\)\t.*\t/\1 /p' "$1/gpu0-L1TLB-latency-patterns-list.tsv" | paste -s -d ' '; }

@test "latency patterns of TLBs: hits and misses of both, and a reason for each that does not fit" {
  "$tool" measure --sim h200 --only L1TLB,L2TLB --raw "$raw"
  local seen
  seen=$(patterns "$raw")
  local none="absent: there are too few addresses for its pages"
  has "$seen" "6 absent: a switch of page tables takes no longer than P3"
  # a hit of L2, then a miss of the first TLB, then of both; the same with the latency of memory
  awk '{ exit !($2 < $4 && $4 < $6 && $2 < $8 && $8 < $10) }' <<<"$seen" || { echo "$seen"; false; }

  sed 's/^memory = .*/memory = 36 GiB/' "$HWLOC_GPUCACHE_SIM_PATH/h200" >"$BATS_TEST_TMPDIR/small"
  "$tool" measure --sim "$BATS_TEST_TMPDIR/small" --only L1TLB,L2TLB --raw "$raw-small"
  seen=$(patterns "$raw-small")
  has "$seen" "3 $none 4 "
  has "$seen" "5 $none 6 $none"
  awk '{ exit !($2 > 0 && $4 > $2) }' <<<"$seen" || { echo "$seen"; false; }

  # memory that is mapped once: 254 MiB of it are enough, except for P6
  "$tool" measure --sim gtx780 --only L1TLB,L2TLB --raw "$raw-plain"
  is "1 216.0 2 222.0 3 275.0 4 357.0 5 416.0 6 $none" "$(patterns "$raw-plain")"
}

@test "the line of an L2: misses over the distance of loads" {
  "$tool" measure --no-store --only L2Cache --sim k20c --raw "$raw" >/dev/null
  local file=$raw/gpu0-L2Cache-line.tsv line
  line=$(head_of "$file" found)
  is "$(head_of "$file" LineBytes)" "$line"
  is "$line" "$(paste <(column "$file" 'block with one load, bytes') <(column "$file" 'loads that miss, %') |
    awk '$2 > 20 && $1 > most { most = $1 } END { print most }')"
  is 1024 "$(column "$file" 'block with one load, bytes' | sort -n | tail -n 1)"
}

@test "columns of any length are in one file, and in a picture" {
  "$tool" measure --no-store --only L2Cache --sim mi210 --raw "$raw" >/dev/null
  is "gpu0-L2Cache-partitions-table.tsv gpu0-L2Cache-partitions.tsv" "$(cd "$raw" && echo *partitions*)"
  run_split "$tool" plot "$raw"
  is 0 "$status"
  has "$output" "partitions-table.svg"
}

@test "plot draws every file that --raw wrote" {
  "$tool" measure --no-store --sim "$tiny" --raw "$raw" >/dev/null
  run_split "$tool" plot "$raw"
  is 0 "$status"
  is '' "$errors"
  is "$(grep -Lx '# form: list' "$raw"/*.tsv | wc -l)" "$(wc -l <<<"$output")"
  local file
  for file in $(grep -Lx '# form: list' "$raw"/*.tsv); do
    has "$output" "${file%.tsv}.svg"
    has "$(head -n 5 "${file%.tsv}.svg")" "<svg"
    has "$(tail -n 3 "${file%.tsv}.svg")" "</svg>"
  done
  file=$(cat "$raw/gpu0-L1Cache-capacity.svg")
  has "$file" "Tiny Test GPU (simulated): L1 cache capacity"
  has "$file" "8 KiB"
  has "$file" ">hit $(sed -n 's/^# LatencyCycles: \([0-9]*\).*/\1/p' "$raw/gpu0-L1Cache-capacity.tsv")<"
  has "$file" ">Array size<"
  has "$file" ">Latency (cycles)<"
  has "$file" ">Slow loads (%)<"
  for word in mean '98 % of loads' median 'least, most'; do has "$file" ">$word<"; done
}

@test "plot: the same data give the same picture, and every point is in its chart" {
  "$tool" measure --no-store --sim "$tiny" --raw "$raw" >/dev/null
  "$tool" plot "$raw" >/dev/null
  local file before
  before=$(md5sum "$raw"/*.svg)
  for file in "$raw"/*.svg; do
    frame "$file" >"$BATS_TEST_TMPDIR/charts" || { cat "$file" "$BATS_TEST_TMPDIR/charts"; return 1; }
    [ -s "$BATS_TEST_TMPDIR/charts" ]
  done
  is 2 "$(frame "$raw/gpu0-L1Cache-capacity.svg" | wc -l)"
  "$tool" plot "$raw" >/dev/null
  is "$before" "$(md5sum "$raw"/*.svg)"
}

@test "the cycles of a curve are in order, for all ways of timing" {
  "$tool" measure --no-store --only L1Cache,L2Cache --sim "$tiny" --raw "$raw" >/dev/null
  local element
  for element in L1Cache L2Cache; do
    grep -v '^#' "$raw/gpu0-$element-capacity.tsv" | awk -F '\t' '
      NR > 1 && !($4 > 0 && $4 <= $5 && $5 <= $6 && $6 <= $7 && $7 <= $8) { print; bad = 1 } END { exit bad || NR < 9 }'
  done
}

@test "tables have the data of granularities, and the results of bandwidths" {
  "$tool" measure --no-store --only L1Cache,SharedMemory --sim "$tiny" --raw "$raw" >/dev/null
  local fetch=$raw/gpu0-L1Cache-fetch-table.tsv line=$raw/gpu0-L1Cache-line-table.tsv
  is "32 bytes table" "$(head_of "$fetch" found) $(head_of "$fetch" unit) $(head_of "$fetch" form)"
  is "16 32 64 128 256 512 1024" "$(column "$fetch" 'aligned block that holds both, bytes' | xargs)"
  is "0 0 100 100 100 100 100" "$(column "$fetch" 'pairs whose second misses, %' | xargs)"
  is 128 "$(head_of "$line" found)"
  # partners within a line need no space, and partners beyond it as much as distant ones
  is 128 "$(grep -v '^#' "$line" | awk -F '\t' 'NR > 1 && $2 < ($3 + $4) / 2 { last = $1 } END { print last }')"
  is "$(head_of "$raw/gpu0-L1Cache-bandwidth.tsv" ReadBytesPerCycle)" \
    "$(head_of "$raw/gpu0-L1Cache-bandwidth.tsv" found)"
  is "$(head_of "$raw/gpu0-SharedMemory-bandwidth-table.tsv" WriteBytesPerCycle)" \
    "$(head_of "$raw/gpu0-SharedMemory-bandwidth-table.tsv" found)"
  "$tool" plot "$raw" >/dev/null
  has "$(cat "${fetch%.tsv}.svg")" "L1 cache fetch granularity"
  has "$(cat "${fetch%.tsv}.svg")" "32 B found, confidence 0.9"
  has "$(cat "${fetch%.tsv}.svg")" "Pairs whose second misses (%)"
  # x in powers of two, from 16 bytes to 1 KiB
  has "$(cat "${fetch%.tsv}.svg")" ">64 B<"
  has "$(cat "${fetch%.tsv}.svg")" ">1 KiB<"
  has "$(cat "${line%.tsv}.svg")" "L1 cache line size"
  has "$(cat "$raw/gpu0-SharedMemory-bandwidth-table.svg")" "Write (bytes per cycle and SM)"
  has "$(cat "$raw/gpu0-SharedMemory-bandwidth-table.svg")" "bytes per cycle and SM found"
}

@test "plot: levels, capacity and title are those of the file" {
  mkdir "$raw"
  small_curve "Some GPU" >"$raw/a.tsv"
  run_split "$tool" plot "$raw"
  is 0 "$status"
  local svg
  svg=$(cat "$raw/a.svg")
  has "$svg" "Some GPU: L1 cache capacity"
  has "$svg" "8 KiB found, confidence 0.99"
  # exact to a bin only, so it differs from the record
  has "$svg" ">hit ≈ 30<"
  has "$svg" ">miss ≈ 201<"
  small_curve "Some GPU" | sed 's/^# timing/# LatencyCycles: 31.5\n# MissPenaltyCycles: +171.0\n&/' >"$raw/a.tsv"
  "$tool" plot "$raw"
  svg=$(cat "$raw/a.svg")
  has "$svg" ">hit 31.5<"
  has "$svg" ">miss 202.5<"
}

@test "plot replaces its pictures, and no others" {
  mkdir "$raw"
  small_curve "Some GPU" >"$raw/a.tsv"
  small_curve "Some GPU" >"$raw/b.tsv"
  small_curve "Some GPU" >"$raw/c.tsv"
  echo '<svg>mine</svg>' >"$raw/a.svg"
  echo mine >"$BATS_TEST_TMPDIR/mine"
  ln -s ../mine "$raw/b.svg"
  "$tool" plot "$raw" || :
  run_split "$tool" plot "$raw"
  is 1 "$status"
  is "$raw/c.svg" "$output"
  has "$errors" "$raw/a.tsv: a.svg exists and was not written by this command: move it away"
  has "$errors" "$raw/b.tsv: b.svg exists and was not written"
  is '<svg>mine</svg>' "$(cat "$raw/a.svg")"
  is mine "$(cat "$raw/b.svg")"
}

@test "plot: names and contents are never part of a command" {
  local dir="$BATS_TEST_TMPDIR/it's a \$(touch BAD) \`touch BAD\` dir"
  mkdir "$dir"
  cd "$BATS_TEST_TMPDIR"
  small_curve "a'; system('touch BAD'); b = '\`touch BAD\` \$x @y \\" >"$dir/x'; system('touch BAD') .tsv"
  small_curve "-" >"$dir/-e.tsv"
  run_split "$tool" plot "$dir"
  is 0 "$status"
  is '' "$errors"
  [ -s "$dir/x'; system('touch BAD') .svg" ]
  has "$(cat "$dir/x'; system('touch BAD') .svg")" "touch BAD"
  frame "$dir/x'; system('touch BAD') .svg"
  [ -s "$dir/-e.svg" ]
  is '' "$(find . -name BAD)"
}

@test "plot names the files that it cannot draw, draws the others, and leaves other files alone" {
  mkdir "$raw" "$raw/dir.tsv"
  small_curve "Some GPU" >"$raw/good.tsv"
  small_curve "Some GPU" | sed '$s/.*/4096\t1/' >"$raw/short.tsv"
  small_curve "Some GPU" | sed 's/\tslow\t/\tfast\t/' >"$raw/columns.tsv"
  small_curve "Some GPU" | sed 's/^4096/many/' >"$raw/words.tsv"
  small_curve "Some GPU" | sed 's/form: curve/form: song/' >"$raw/form.tsv"
  small_curve "Some GPU" | grep '^#' >"$raw/empty.tsv"
  printf 'a\tb\n1\t2\n' >"$raw/stranger.tsv"
  run_split "$tool" plot "$raw"
  is 1 "$status"
  is "$raw/good.svg" "$output"
  has "$errors" "$raw/short.tsv: row 3 does not have 9 columns"
  has "$errors" "$raw/columns.tsv: a curve needs a column 'slow'"
  has "$errors" "$raw/words.tsv: row 1 has no number under 'bytes'"
  has "$errors" "$raw/form.tsv: its form is unknown"
  has "$errors" "$raw/empty.tsv: it has no data"
  has "$errors" "$raw/dir.tsv: "
  has_not "$errors" stranger
}

@test "plot without anything to draw: one message" {
  refused() {
    is 1 "$status"
    is '' "$output"
    is 1 "$(wc -l <<<"$errors")"
    has "$errors" "hwloc-gpucache: $1"
  }
  run_split "$tool" plot "$raw"
  refused "cannot open the directory $raw: No such file or directory"
  mkdir "$raw"
  run_split "$tool" plot "$raw"
  refused "$raw has no .tsv file"
  printf 'a\tb\n1\t2\n' >"$raw/stranger.tsv"
  run_split "$tool" plot "$raw"
  refused "$raw has no file of measure --raw that can be drawn"
  run_split "$tool" plot /proc/self
  refused "cannot write in the directory /proc/self"
  run_split "$tool" plot
  is 2 "$status"
  has "$errors" "plot needs the directory"
  run_split "$tool" plot "$raw" "$raw"
  is 2 "$status"
  run_split "$tool" plot --sim h200 "$raw"
  is 2 "$status"
}

# table COLUMNS ROW...: a table, in which ; stands for a tab.
table() {
  printf '# hwloc-gpucache 0 raw data\n# form: table\n# gpu: gpu0\n# element: L2Cache\n# property: p\n'
  printf '%s\n' "$@" | tr ';' '\t'
}

@test "plot: axes are logarithmic where numbers span decades, and only there" {
  mkdir "$raw"
  table "round;rate, GB/s" "1;2" "2;30" "3;4000" >"$raw/spans.tsv"
  table "round;rate, GB/s" "1;20" "2;30" "3;40" >"$raw/near.tsv"
  table "round;rate, GB/s" "1;-2" "2;30" "3;4000" >"$raw/negative.tsv"
  table "round;few;many" "1;0;50000" "2;3;60000" >"$raw/columns.tsv"
  table "wait, ns;rate, GB/s" "1;2" "10;2" "100;2" "2000;3" >"$raw/x.tsv"
  "$tool" plot "$raw"
  ticks() { grep -o "text-anchor='$2'[^>]*>[-0-9.e+]*<" "$raw/$1.svg" | sed 's/.*>\(.*\)</\1/' | xargs; }
  is "10 100 1000" "$(ticks spans end)"
  is "0 10 20 30 40" "$(ticks near end)"
  is "0 1000 2000 3000 4000" "$(ticks negative end)"
  is "10 100 1000 10000" "$(ticks columns end)"
  is "1 10 100 1000" "$(ticks x middle)"
  # 2, 30 and 4000 on the axis: 30 is at a third of the height, not at the bottom
  local left top bottom right
  read -r left top bottom right < <(frame "$raw/spans.svg")
  is third "$(grep -o "class='line s0' d='[^']*" "$raw/spans.svg" | sed 's/.*d=.//; s/[ML]/\n/g' |
    awk -v t="$top" -v b="$bottom" 'NR == 3 { at = (b - $2) / (b - t); print (at > 0.3 && at < 0.4 ? "third" : at) }')"
  has "$(cat "$raw/spans.svg")" ">Rate (GB/s)<"
  has "$(cat "$raw/columns.svg")" ">many<"
}

@test "plot: empty, constant, single, huge, negative and missing numbers" {
  mkdir "$raw"
  local value file
  for value in 0 1 -5 1e308 -1e308 1e-320 9007199254740993; do
    table "round;a, ns;b, ns" "1;$value;$value" "2;$value;nan" "nan;7;$value" "3;inf;-inf" >"$raw/table$value.tsv"
    table "SM;a;b" "$value;1;$value" >"$raw/sm$value.tsv"
    table "repeat;a, ns" "1;$value" "2;$value" >"$raw/repeats$value.tsv"
    table "repeat;cycles" "0;3" "1;$value" | sed 's/form: table/form: trace/' >"$raw/trace$value.tsv"
    table "bytes;L1;L2" "$value;$value;3" | sed 's/form: table/form: rates/' >"$raw/rates$value.tsv"
    table "from;to;loads" "$value;$value;7" "3;3;$value" "none;none;$value" | sed 's/form: table/form: distances/; s/^# property.*/&\n# line: 128\n# CarveoutTable: 0:222208/' >"$raw/distances$value.tsv"
    small_curve M | sed "s/\t206\t/\t$value\t/; s/^# found.*/# found: $value/" | grep -v '^8192' >"$raw/curve$value.tsv"
  done
  table "round;a" "nan;nan" >"$raw/nothing.tsv"
  table "round;SM;SM" "1;2;3" >"$raw/places.tsv"
  table "cycles" 7 1.7e308 -1.7e308 | sed 's/form: table/form: trace/' >"$raw/range.tsv"
  small_curve M | sed '/^[48]/d' >"$raw/one.tsv"
  table "round;a" "1;-1e308" "2;1e308" >"$raw/both.tsv"
  run_split timeout 60 "$tool" plot "$raw"
  is 1 "$status" # a curve refuses negative numbers
  is "$raw/curve-1e308.tsv: row 2 has no number under 'p99'
$raw/curve-5.tsv: row 2 has no number under 'p99'" "$(sed 's/^hwloc-gpucache: //' <<<"$errors")"
  is "$(($(ls "$raw"/*.tsv | wc -l) - 2))" "$(wc -l <<<"$output")"
  for file in "$raw"/*.svg; do
    frame "$file" >"$BATS_TEST_TMPDIR/charts" || { cat "$file" "$BATS_TEST_TMPDIR/charts"; return 1; }
    [ -s "$BATS_TEST_TMPDIR/charts" ]
  done
  # a single point is seen
  has "$(cat "$raw/sm1.svg")" "h.1'/>"
  has "$(cat "$raw/one.svg")" "class='dots s0' d='M"
  # a histogram of one number has one bar, and says how many loads it has
  has "$(cat "$raw/range.svg")" ">Latency (cycles) of 3 loads<"
  is 1 "$(grep -o "class='bar' d='M" "$raw/trace1.svg" | wc -l)"
  # a curve without numbers has no point, but axes
  has "$(cat "$raw/nothing.svg")" "class='axis'"
  has "$(cat "$raw/nothing.svg")" ">Round<"
}

@test "plot reads regular files only, and writes into no link" {
  mkdir "$raw"
  mkfifo "$raw/fifo.tsv"
  ln -s /dev/zero "$raw/zero.tsv"
  ln -s missing "$raw/missing.tsv"
  truncate -s 40M "$raw/long.tsv"
  small_curve "Some GPU" >"$raw/good.tsv"
  run_split timeout 20 "$tool" plot "$raw"
  is 1 "$status"
  is "$raw/good.svg" "$output"
  has "$errors" "$raw/fifo.tsv: it is not a regular file"
  has "$errors" "$raw/zero.tsv: it is a symbolic link"
  has "$errors" "$raw/missing.tsv: it is a symbolic link"
  has "$errors" "$raw/long.tsv: it is too long"
  # a full disk leaves the earlier picture
  local before
  before=$(md5sum "$raw/good.svg")
  run_split bash -c 'ulimit -f 1; "$@"' run "$tool" plot "$raw"
  is 1 "$status"
  is "$before" "$(md5sum "$raw/good.svg")"
  is '' "$(find "$raw" -name '.*' -type f)"
}

@test "measure --verbose prints the cost of each step, HWLOC_GPUCACHE_VERBOSE does not" {
  run_split "$tool" measure --verbose --no-store --sim "$tiny" --only L1Cache
  is 0 "$status"
  has "$errors" 'gpu0: L1Cache capacity took '
  has_not "$errors" 'L2Cache capacity took '
  [[ $errors =~ "L1Cache carve-outs took "[0-9.]+" ms, 0 launches"$'\n' ]]
  HWLOC_GPUCACHE_VERBOSE=1 run_split "$tool" measure --no-store --sim "$tiny" --only L1Cache
  is 0 "$status"
  has_not "$errors" ' took '
}

@test "plot prints names of files without control characters" {
  mkdir "$raw"
  small_curve Model >"$raw/gpu0-"$'\033[2J'"L1Cache.tsv"
  run_split "$tool" plot "$raw"
  is 0 "$status"
  has "$output" "gpu0-?[2JL1Cache.svg"
  has_not "$output" $'\033'
}
