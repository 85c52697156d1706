#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# compare: two records, a GPU and its record, a cluster, and input that cannot be compared.

setup_file() {
  load setup.bash
  export HWLOC_GPUCACHE_DIR=$BATS_FILE_TMPDIR/records HOME=$BATS_FILE_TMPDIR LC_ALL=C
  export top_builddir top_srcdir HWLOC_GPUCACHE_SIM_PATH=$top_srcdir/data/sim
  unset HWLOC_GPUCACHE HWLOC_GPUCACHE_SIM HWLOC_GPUCACHE_VERBOSE
  # a cluster of twelve GPUs, number 7 of which is slow
  "$top_srcdir/tests/fleet/measure.sh" "$BATS_FILE_TMPDIR/fleet" 12 7 "$top_srcdir/tests/tool/tiny"
}

setup() {
  load setup.bash
  prepare
  real=$top_srcdir/doc/results/h200/record.xml
  fleet=$BATS_FILE_TMPDIR/fleet
  cd "$BATS_TEST_TMPDIR"
}

# changed FROM TO: the real record with this difference, as b.xml
changed() {
  sed "s|$1|$2|" "$real" >b.xml
  ! cmp -s "$real" b.xml
}

@test "a record is like itself" {
  run_split "$tool" compare "$real" "$real"
  is 0 "$status"
  is '' "$errors"
  [[ ${lines[4]} =~ ^alike:\ 9[0-9]\ values ]]
}

@test "two records of one GPU: what differs, by how much, and the limit; another driver is said first" {
  changed 'LatencyCycles" value="280.0"' 'LatencyCycles" value="301.5"'
  sed -i 's/580.159.04/570.1/; s/86:21504/86:13312/; s/MeasuredSMClockMHz" value="1977/MeasuredSMClockMHz" value="1200/' b.xml
  sed -i 's/LatencyNs" value="141.6"/LatencyNs" value="233.0"/' b.xml
  run_split "$tool" compare "$real" b.xml
  is 1 "$status"
  is '' "$errors"
  is "the drivers differ: 580.159.04 and 570.1" "${lines[4]}"
  is "the SM clocks differ (MHz): 1977 and 1200" "${lines[5]}"
  [[ ${lines[6]} =~ ^different:\ 3\; ]]
  has "$(xargs <<<"${lines[8]}")" "L2Cache LatencyCycles 280.0 301.5 +7.68 % 2 %"
  [[ $output =~ CarveoutTable\ +\.\.\.21504,default:222208\ +\.\.\.13312,default:222208\ +-\ +identical ]]
  has_not "$output" LatencyNs
  # the first four lines have the names of the files, which can be long
  [ "$(awk 'NR > 4 { print length }' <<<"$output" | sort -n | tail -n 1)" -le 110 ]
}

@test "a table that is wider than the terminal becomes lines with titles; a file has the table" {
  command -v script >/dev/null || skip "script (package bsdutils) is missing"
  changed 'LatencyCycles" value="280.0"' 'LatencyCycles" value="301.5"'
  local table columns
  table=$("$tool" compare "$real" b.xml) || is 1 $?
  for columns in 40 50; do
    output=$(on_terminal "$columns" "$tool compare $real b.xml")
    [ "$(widest "$output")" -le "$columns" ]
    has "$(xargs <<<"$output")" "L2Cache LatencyCycles A: 280.0 B: 301.5 DIFFERENCE: +7.68 % LIMIT: 2 %"
    has_not "$output" "PROPERTY"
    is "$output" "$(COLUMNS=$columns "$tool" compare "$real" b.xml)"
    output=$(on_terminal "$columns" "$tool compare $fleet")
    [ "$(widest "$output")" -le "$columns" ]
    has "$(xargs <<<"$output")" "SIGMAS: "
  done
  # it fits
  output=$(on_terminal 300 "$tool compare $real b.xml")
  is "$(sed -n "/^different/,\$p" <<<"$table")" "$(sed -n "/^different/,\$p" <<<"$output")"
}

@test "--tolerance replaces the limits of numbers, and of nothing else" {
  changed 'LatencyCycles" value="280.0"' 'LatencyCycles" value="301.5"'
  run "$tool" compare "$real" b.xml --tolerance 8
  is 0 "$status"
  sed -i 's/86:21504/86:13312/' b.xml
  run "$tool" compare --tolerance 8 "$real" b.xml
  is 1 "$status"
  has "$output" "different: 1;"
  changed 'LatencyCycles" value="280.0"' 'LatencyCycles" value="280.5"'
  run "$tool" compare "$real" b.xml
  is 0 "$status"
  run "$tool" compare "$real" b.xml --tolerance 0
  is 1 "$status"
}

@test "a value that only one record has counts, unless the other record is provisional" {
  sed '/subtype="L1Cache"/,/<\/object>/ { s/name="CapacitySource" value="measured"/name="CapacitySource" value="absent:unclear"/; /"Capacity\(Bytes\|Confidence\)"/d }' "$real" >b.xml
  run "$tool" compare "$real" b.xml
  is 1 "$status"
  has "$output" "absent: unclear"
  sed -i 's|<info name="GPUCacheSMs"|<info name="GPUCacheProvisional" value="busy"/>&|' b.xml
  run "$tool" compare "$real" b.xml
  is 0 "$status"
  has "$output" "not counted, because only one of the two has a value: 1"
  has "$output" "the record is provisional"
}

@test "two boards of the H200: one differs in its constant L1.5" {
  run "$tool" compare "$real" "$top_srcdir/doc/results/h200/next-to-mt4g/record.xml"
  is 1 "$status"
  is "the records are of different method revisions, so values can differ on the same GPU: 4 and 3" "${lines[4]}"
  has "$output" "different: 2;"
  is 2 "$(grep -c ' ConstantL15Cache ' <<<"$output")"
}

@test "a GPU and its record" {
  "$tool" --sim "$tiny" measure --no-store --xml >old.xml
  run_split "$tool" compare --sim "$tiny" gpu0 old.xml
  is 0 "$status"
  is '' "$errors"
  run "$tool" compare --sim "$tiny" sim-tiny "$fleet/node0007/gpu.xml"
  is 1 "$status"
}

@test "JSON of a pair" {
  changed 'LatencyCycles" value="280.0"' 'LatencyCycles" value="301.5"'
  sed -i 's/580.159.04/570.1/' b.xml
  run_split "$tool" compare --json "$real" b.xml
  is 1 "$status"
  is false "$(jq .alike <<<"$output")"
  is 301.5 "$(jq '.pairs[0].differences[] | select(.property == "LatencyCycles") | .b.value' <<<"$output")"
  is '["the drivers differ: 580.159.04 and 570.1"]' "$(jq -c '.pairs[0].notes' <<<"$output")"
  run "$tool" compare --json "$real" "$real"
  is 0 "$status"
  is 'true []' "$(jq -r '"\(.alike) \(.pairs[0].differences)"' <<<"$output")"
}

@test "a cluster: the slow GPU, and no other" {
  run_split "$tool" compare "$fleet"
  is 1 "$status"
  is '' "$errors"
  has "$(tr -s ' ' <<<"$output")" "node0007/gpu.xml L2Cache LatencyCycles 21"
  [ "$(grep -c '^  node' <<<"$output")" -ge 5 ]
  is "$(grep -c '^  node' <<<"$output")" "$(grep -c '^  node0007/gpu.xml ' <<<"$output")"
  has "$output" "12 GPUs, 1 kind: 1 with outliers"
  run "$tool" compare --json "$fleet"
  is 1 "$status"
  is '12 1 ["sim-node0007"] true' \
    "$(jq -r '"\(.gpus) \(.outlierGPUs) \([.outliers[].id] | unique) \(.outliers[0].sigmas > 5)"' <<<"$output")"
}

@test "a cluster without the slow GPU is alike" {
  cp -r "$fleet" healthy
  rm -r healthy/node0007
  run "$tool" compare healthy
  is 0 "$status"
  has "$output" "11 GPUs, 1 kind: 0 with outliers"
}

@test "GPUs of other models are in other groups; two of a model are compared with each other" {
  cp -r "$fleet" mixed
  rm -r mixed/node0007
  cp "$real" mixed/a.xml
  run "$tool" compare mixed
  is 0 "$status"
  has "$output" "NVIDIA H200, 139.8 GiB, ECC on, carve-out 0 %, 32 blocks, method 4: not compared"
  changed 'LatencyCycles" value="280.0"' 'LatencyCycles" value="301.5"'
  mv b.xml mixed/
  run "$tool" compare mixed
  is 1 "$status"
  has "$output" "method 4: compared with each other"
  [[ $output =~ L2Cache\ +LatencyCycles\ +280\.0\ +301\.5 ]]
  has "$output" "pairs of GPUs: 1 different, 0 alike"
}

@test "two directories: the same GPUs are compared, the others listed" {
  mkdir -p then/n1 then/n2 now/n1 now/n3
  cp "$real" then/n1/GPU.xml
  changed 'LatencyCycles" value="280.0"' 'LatencyCycles" value="301.5"'
  mv b.xml now/n1/other-name.xml
  cp "$fleet/node0001/gpu.xml" then/n2/
  cp "$fleet/node0002/gpu.xml" now/n3/
  run_split "$tool" compare then now
  is 1 "$status"
  is '' "$errors"
  has "$output" "A  n1/GPU.xml, GPU-9f079e68"
  has "$output" "only in A: n2/gpu.xml, sim-node0001"
  has "$output" "only in B: n3/gpu.xml, sim-node0002"
  has "$output" "pairs of GPUs: 1 different, 0 alike; 1 only in A, 1 only in B"
  run "$tool" compare "$fleet" "$fleet"
  is 0 "$status"
  is "pairs of GPUs: 0 different, 12 alike; 0 only in A, 0 only in B" "$output"
  run "$tool" compare --json then now
  is '[["sim-node0001"],["sim-node0002"]]' "$(jq -c '[[.onlyInA[].id], [.onlyInB[].id]]' <<<"$output")"
}

@test "broken entries: a sentence each, the rest is compared, and the status is neither alike nor different" {
  cp -r "$fleet" broken
  rm -r broken/node0007
  head -c 300 "$real" >broken/cut.xml
  echo hello >broken/node0001/note.xml
  mkdir broken/node0002/nothing.xml
  run_split "$tool" compare broken
  is 4 "$status"
  has "$errors" "broken/cut.xml: line 4: not well-formed XML"
  has "$errors" "broken/node0001/note.xml: not XML"
  has "$errors" "the comparison is incomplete: 2 files or directories could not be read"
  is 3 "$(wc -l <<<"$errors")"
  has "$output" "11 GPUs, 1 kind: 0 with outliers"
  run "$tool" compare --json broken
  is 'false 2' "$(jq -r '"\(.alike) \(.unreadable)"' <<<"$(grep -v ^hwloc <<<"$output")")"
}

@test "one GPU alone: the message asks for a second one" {
  run_split "$tool" compare "$real"
  is 4 "$status"
  is '' "$output"
  is "hwloc-gpucache: $real has one GPU; name a second GPU or file" "$errors"
}

@test "files of an attacker cost themselves only, and forge no line" {
  cp -r "$fleet" hostile
  local gpu=hostile/node0001/gpu.xml element='<object type="OSDev" gp_index="99" name="x" subtype="Quantum" osdev_type="1"/>'
  sed 's/\("GPUCacheModel" value="\)/\1Good GPU\&#10;alike: all/; s/sim-/evil-/' "$gpu" >hostile/line.xml
  sed 's/\("GPUCacheUUID" value="\)[^"]*/\1..\/..\/evil/; s/.*"GPUCacheUUID"/'"${element//\//\\/}"'&/' "$gpu" >hostile/id.xml
  { echo '<topology version="2.0">'
    yes '<object type="Group">' | head -n 200000
    yes '</object>' | head -n 200000
    echo '</topology>'; } >hostile/nested.xml
  { sed '/"GPUCacheUUID"/q' "$gpu"
    yes '<object type="OSDev" subtype="L1Cache">' | head -n 300
    yes '</object>' | head -n 300
    sed '1,/"GPUCacheUUID"/d' "$gpu"; } >hostile/elements.xml
  cp "$real" $'hostile/name\nalike: all.xml'
  run_split "$tool" compare hostile
  is 4 "$status"
  has "$errors" "hostile/line.xml: "
  has "$errors" "hostile/id.xml: "
  has "$errors" "hostile/nested.xml: "
  has "$errors" "hostile/elements.xml: "
  is 5 "$(wc -l <<<"$errors")"
  has "$output" "13 GPUs, 2 kinds: 1 with outliers"
  is '' "$(grep '^alike' <<<"$output")"
}

@test "what cannot be compared fails with status 4 and one sentence" {
  mkdir empty
  echo hello >text.xml
  for arguments in "missing.xml $real" "$real missing.xml" "empty" "empty $real" "text.xml $real" \
    "$real" "gpu0 $real" "$fleet/node0001 $fleet/node0002/../node0003" "$real/ $real"; do
    # shellcheck disable=SC2086
    run_split "$tool" compare $arguments
    if [ "$arguments" = "$fleet/node0001 $fleet/node0002/../node0003" ]; then
      continue # one GPU on both sides: compared
    fi
    is 4 "$status"
    is '' "$output"
    is 1 "$(wc -l <<<"$errors")"
  done
  mkdir one other
  cp "$fleet"/node0001/gpu.xml one/1.xml
  cp "$fleet"/node0002/gpu.xml one/2.xml
  cp "$fleet"/node0003/gpu.xml other/3.xml
  run_split "$tool" compare one other
  is 4 "$status"
  has "$errors" "no GPU of one has a partner in other: partners have the same id"
}

@test "a result that cannot be written is a failure, not a difference" {
  run bash -c '"$@" >/dev/full' run "$tool" compare "$real" "$real"
  is 4 "$status"
}

@test "wrong usage" {
  for arguments in "" "a b c" "--tolerance x a b" "--tolerance -1 a b" "--tolerance 1001 a b" "--xml a b" "--force a b"; do
    # shellcheck disable=SC2086
    run "$tool" compare $arguments
    is 2 "$status"
  done
  run "$tool" show --tolerance 1
  is 2 "$status"
}
