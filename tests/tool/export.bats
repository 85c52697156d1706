#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# export: formats of other programs, from stored records. make check-sys-sage imports them for real.

setup_file() {
  top_srcdir=${top_srcdir:-$BATS_TEST_DIRNAME/../..}
  local gpu
  # records of simulated GPUs, without measuring
  for gpu in h200 gtx470 gtx780 mi300x; do
    awk -f "$top_srcdir/tests/values/record-of-values.awk" "$top_srcdir/tests/data/values/$gpu.tsv" \
      >"$BATS_FILE_TMPDIR/$gpu.xml"
  done
}

setup() {
  load setup.bash
  prepare
  real=$top_srcdir/doc/results/h200/record.xml
  h200=$BATS_FILE_TMPDIR/h200.xml
  mi300x=$BATS_FILE_TMPDIR/mi300x.xml
}

# export_to FORMAT [RECORD]: the text in $output.
export_to() {
  run_split "$tool" export --format "$1" "${2:-$real}"
  is '' "$errors"
  is 0 "$status"
}

# value FILTER: of the JSON in $output.
value() { jq -r "$1" <<<"$output"; }

# without KEY ELEMENT [RECORD]: prints a record without that info of this element.
without() {
  awk -v key="$1" -v element="$2" '/<object / { inside = index($0, "subtype=\"" element "\"") }
    !(inside && index($0, "<info name=\"" key "\""))' "${3:-$real}"
}

@test "mt4g: the members that sys-sage requires, with its types" {
  export_to mt4g
  local whole path
  for path in compute.multiProcessorCount=132 compute.numberOfCoresPerMultiProcessor=128 \
    compute.maxThreadsPerBlock=1024 compute.warpSize=32 compute.maxThreadsPerMultiProcessor=2048 \
    compute.maxBlocksPerMultiProcessor=32 general.computeCapability.major=9 general.computeCapability.minor=0 \
    general.clockRate.value=1980000 memory.main.memoryClockRate.value=3201000 memory.main.memoryBusWidth.value=6016 \
    memory.main.totalGlobalMem.value=150109880320 memory.l2.size.value=62914560 memory.l2.segmentSize.size=27451776 \
    memory.l2.fetchGranularity.size=64 memory.l2.lineSize.value=128 memory.l2.amount=1 \
    memory.constant.totalConstMem.value=65536 memory.constant.l1.size.size=2048 memory.constant.l1.lineSize.size=64 \
    memory.shared.sharedMemPerBlock.value=232448 memory.shared.sharedMemPerMultiProcessor.value=233472 \
    memory.l1.size.size=222208 memory.l1.amountPerMultiprocessor=1 memory.texture.size.size=222208 \
    memory.readOnly.fetchGranularity.size=32; do
    whole=$(jq -c ".${path%=*}" <<<"$output") # 62914560.0 would not do
    is "$path" "${path%=*}=$whole"
  done
  is 131072 "$(value '.memory.constant["l1.5"].size.size')"
  is 8 "$(value '.memory.constant["l1.5"].amount')"
  is '"NVIDIA H200" "NVIDIA"' "$(value '"\"\(.general.name)\" \"\(.general.vendor)\""')"
  is '["Read Only","Texture"]' "$(jq -c .memory.l1.sharedWith <<<"$output")"
  is '32 cycles measured 0.9975' "$(value '.memory.l1.latency | "\(.mean) \(.unit) \(.method) \(.confidence)"')"
  is number "$(value '.memory.shared.latency.mean | type')"
}

@test "mt4g: bandwidths are in GiB/s, those of the record in GB/s" {
  export_to mt4g
  is 'GiB/s GiB/s' "$(value '"\(.memory.main.readBandwidth.unit) \(.memory.l2.writeBandwidth.unit)"')"
  # 4579 and 4672 * 10^9 / 2^30
  is '4264.52 4351.13' \
    "$(value '[.memory.main.readBandwidth.value, .memory.l2.writeBandwidth.value | . * 100 | floor / 100] | join(" ")')"
}

@test "mt4g: which number a latency is, and the persisting part of L2" {
  export_to mt4g
  is '[["p50",true],["mean of the lower and the upper quartile",false],[null,false]]' \
    "$(jq -c '[.memory | .l2, .main, .l1 | .latency | [.meanIs, has("p50")]]' <<<"$output")"
  is true "$(value '.memory.l2.latency | .mean == .p50')"
  is null "$(value '.memory.l2.persistingL2CacheMaxSize')" # that record was made before there was such a value
  sed 's|<info name="PersistingMaxSource".*||; 0,/subtype="L2Cache"[^>]*>/s||&<info name="PersistingMaxBytes" value="39321600"/><info name="PersistingMaxSource" value="api"/>|' \
    "$real" >"$BATS_TEST_TMPDIR/r.xml"
  export_to mt4g "$BATS_TEST_TMPDIR/r.xml"
  is '{"value":39321600,"unit":"bytes"}' "$(jq -c .memory.l2.persistingL2CacheMaxSize <<<"$output")"
}

@test "mt4g: an element without a required value is left out whole" {
  without LatencyCycles TextureCache >"$BATS_TEST_TMPDIR/r.xml"
  export_to mt4g "$BATS_TEST_TMPDIR/r.xml"
  is 'false true' "$(value '.memory | "\(has("texture")) \(has("readOnly"))"')"
  # both constant caches, or none
  without FetchBytes ConstantL15Cache >"$BATS_TEST_TMPDIR/r.xml"
  export_to mt4g "$BATS_TEST_TMPDIR/r.xml"
  is '["totalConstMem"]' "$(value '.memory.constant | keys | tostring')"
  # sys-sage reads a latency only together with both bandwidths
  without WriteGBps L2Cache >"$BATS_TEST_TMPDIR/r.xml"
  export_to mt4g "$BATS_TEST_TMPDIR/r.xml"
  is '[false,false,false]' "$(jq -c '.memory.l2 | [has("latency", "readBandwidth", "writeBandwidth")]' <<<"$output")"
  is true "$(value '.memory.main | has("latency")')"
  without ReadGBps DeviceMemory >"$BATS_TEST_TMPDIR/r.xml"
  export_to mt4g "$BATS_TEST_TMPDIR/r.xml"
  is '[false,false,false]' "$(jq -c '.memory.main | [has("latency", "readBandwidth", "writeBandwidth")]' <<<"$output")"
  # L1 is always there: sys-sage puts the cores below it
  export_to mt4g "$BATS_FILE_TMPDIR/gtx780.xml"
  is '{"globalL1CacheSupported":false,"localL1CacheSupported":true}' "$(jq -c .memory.l1 <<<"$output")"
  is 192 "$(value .compute.numberOfCoresPerMultiProcessor)"
}

@test "mt4g: the capacity of L2 is the stated one, or else the measured one" {
  without NominalBytes L2Cache >"$BATS_TEST_TMPDIR/r.xml"
  export_to mt4g "$BATS_TEST_TMPDIR/r.xml"
  is 27451776 "$(jq -c .memory.l2.size.value <<<"$output")"
}

@test "mt4g: an MI300X: eight L2 caches, each with its groups of CUs, both spellings of names" {
  export_to mt4g "$mi300x"
  is '["AMD",9,4,304,64]' "$(jq -c '[.general.vendor, .general.computeCapability.major, .general.computeCapability.minor,
    .compute.multiProcessorCount, .compute.numberOfCoresPerMultiProcessor]' <<<"$output")"
  is '[8,8,38,4,4]' "$(jq -c '.compute | [.numXCDs, .numXDCDs, .computeUnitsPerDie, .numSIMDsPerCU, .numSIMDsPerCu]' <<<"$output")"
  is '[8,4194304,1,268435456]' "$(jq -c '.memory | [.l2.amount, .l2.size.value, .l3.amount, .l3.size.value]' <<<"$output")"
  is '[160,160,304]' "$(jq -c '.memory.scalarL1 | [.uniqueAmount, (.sharedBetween | length), (.sharedBetween | add | length)]' <<<"$output")"
  is '["totalConstMem"]' "$(value '.memory.constant | keys | tostring')"
  is 65536 "$(value .memory.shared.sharedMemPerMultiProcessor.value)"
}

@test "mt4g: groups of CUs come in the order of the L2 caches; without that order there is no scalar L1" {
  # the last XCD first
  awk -F '"' '/<object / { l2 = /subtype="L2Cache"/ } l2 && /name="CUGroups"/ {
      n = split($4, group, " "); text = group[n]
      for (i = 1; i < n; i++) text = text " " group[i]
      print "<info name=\"CUGroups\" value=\"" text "\"/>"; next } { print }' "$mi300x" >"$BATS_TEST_TMPDIR/r.xml"
  export_to mt4g "$BATS_TEST_TMPDIR/r.xml"
  is '[[1792,1793],[0,1],[1536,1537]]' "$(jq -c '.memory.scalarL1.sharedBetween | [.[0], .[20], .[140]]' <<<"$output")"
  without CUGroups L2Cache "$mi300x" >"$BATS_TEST_TMPDIR/r.xml"
  export_to mt4g "$BATS_TEST_TMPDIR/r.xml"
  is false "$(value '.memory | has("scalarL1")')"
  # a CU that belongs to no group
  sed 's/value="0,1 2,3 4,5/value="0,1 2,3 4/' "$mi300x" >"$BATS_TEST_TMPDIR/r.xml"
  export_to mt4g "$BATS_TEST_TMPDIR/r.xml"
  is false "$(value '.memory | has("scalarL1")')"
}

@test "mt4g: two L2 caches that state the same CUs: no scalar L1" {
  awk '/name="CUGroups"/ { next } /name="GPUCacheSMs"/ { sub(/304/, "4") } /name="Instances"/ && l2 { sub(/"8"/, "\"2\"") }
    { print } /<object / { l2 = /"L2Cache"/ } /"L2Cache"/ { print "<info name=\"CUGroups\" value=\"0 0\"/>" }
    /"ScalarL1Cache"/ { print "<info name=\"CUGroups\" value=\"0,1,2 3\"/>" }' "$mi300x" >"$BATS_TEST_TMPDIR/r.xml"
  export_to mt4g "$BATS_TEST_TMPDIR/r.xml"
  is '4 2 false' "$(value '"\(.compute.multiProcessorCount) \(.memory.l2.amount) \(.memory | has("scalarL1"))"')"
  sed -i 's/value="0 0"/value="0 3"/; s/value="0,1,2 3"/value="3 0,1,2"/' "$BATS_TEST_TMPDIR/r.xml"
  export_to mt4g "$BATS_TEST_TMPDIR/r.xml"
  is '[[0,1,2],[3]]' "$(jq -c .memory.scalarL1.sharedBetween <<<"$output")"
}

@test "mt4g: facts of the record come before the tables" {
  sed 's|<info name="GPUCacheSMs" .*|&<info name="GPUCacheCoresPerSM" value="96"/><info name="GPUCacheConstantBytes" value="32768"/>|' \
    "$real" >"$BATS_TEST_TMPDIR/r.xml"
  export_to mt4g "$BATS_TEST_TMPDIR/r.xml"
  is '96 32768' "$(value '"\(.compute.numberOfCoresPerMultiProcessor) \(.memory.constant.totalConstMem.value)"')"
}

@test "mt4g-csv: twelve lines; each has all fields at the positions that GPUscout-GUI reads" {
  local gpu
  for gpu in h200 gtx470 gtx780; do # gtx470 has no read-only cache, gtx780 no L1
    export_to mt4g-csv "$BATS_FILE_TMPDIR/$gpu.xml"
    is '5 9 7 10 24 18 22 22 20 16 13 13' "$(awk -F ';' '{ print NF }' <<<"$output" | xargs)"
  done
  is L1_DATA_CACHE_ABSENT "$(sed -n '5s/;.*//p' <<<"$output")"
  export_to mt4g-csv
  is 'L2_DATA_CACHE; Size; 60.0; MiB; "="; Cache_Line_Size; 128; "B"; Load_Latency; 280.0; "cycles"; Load_Latency; 141.6; "nanoseconds"; Shared_On; "GPU-level"; Caches_Per_GPU; 1' \
    "${lines[5]}"
  has "${lines[4]}" 'L1_DATA_CACHE; Size; 217.0; KiB; "="'
  has "${lines[4]}" 'Share_Cache_With_Texture; 1; Share_Cache_With_Read-Only; 1; Share_Cache_With_ConstantL1; 0; Caches_Per_SM; 1'
  is 'COMPUTE_RESOURCE_INFORMATION; CUDA_compute_capability; "9.00"; Number_of_streaming_multiprocessors; 132; Number_of_cores_in_GPU; 16896; Number_of_cores_per_SM; 128' \
    "${lines[1]}"
}

@test "mt4g-csv: a size keeps every byte; an unknown value has no number; a lower bound says so" {
  sed 's/value="222208"/value="222209"/' "$real" | awk '/<object / { l1 = /"L1Cache"/ } !(l1 && /name="LatencyNs"/)' \
    >"$BATS_TEST_TMPDIR/r.xml"
  export_to mt4g-csv "$BATS_TEST_TMPDIR/r.xml"
  has "${lines[4]}" '; Size; 217.0009765625; KiB; "="'
  has "${lines[4]}" '; Load_Latency_absent; "absent"; ""; Shared_On'
  sed 's|<info name="CapacityBytes" value="131072"/>|<info name="CapacityAtLeastBytes" value="65536"/>|' "$real" \
    >"$BATS_TEST_TMPDIR/r.xml"
  export_to mt4g-csv "$BATS_TEST_TMPDIR/r.xml"
  has "${lines[9]}" 'CONST_L1_5_CACHE; Size; 64.0; KiB; ">="'
  # a name cannot begin a field
  sed 's/value="NVIDIA H200"/value="A;B"/' "$real" >"$BATS_TEST_TMPDIR/r.xml"
  export_to mt4g-csv "$BATS_TEST_TMPDIR/r.xml"
  has "${lines[0]}" 'GPU_name; "A_B"'
}

@test "accelsim: active options say where the value comes from, the others why there is none" {
  export_to accelsim
  has "$output" $'\n-gpgpu_n_clusters 132  # api: GPUCacheSMs'
  has "$output" $'\n-gpgpu_shader_core_pipeline 2048:32  #'
  has "$output" $'\n-gpgpu_l1_latency 28  # measured: LatencyCycles of L1Cache is 32.0, confidence 0.9975; less 4'
  has "$output" $'\n-gpgpu_shmem_size 233472  # api: CapacityBytes of SharedMemory is 233472'
  has "$output" $'\n#-gpgpu_cache:dl1 S:<sets>:128:<ways>,'
  has "$output" 'known: CapacityBytes 222208, LineBytes 128, FetchBytes 32'
  # each line is a comment or one option with a value and a comment
  is '' "$(grep -v '^#\|^$\|^-[a-z_0-9A-Z:]* [0-9:]*  # ' <<<"$output")"
  without LatencyCycles L1Cache | sed 's/name="LatencySource" value="measured"/name="LatencySource" value="absent:noisy"/' \
    >"$BATS_TEST_TMPDIR/r.xml"
  export_to accelsim "$BATS_TEST_TMPDIR/r.xml"
  has "$output" $'\n#-gpgpu_l1_latency  # no Latency of L1Cache: noisy'
}

@test "accelsim: a topology cannot add active options" {
  local element='<object type="OSDev" gp_index="99" name="x" subtype="Other" osdev_type="1"\/>' key
  for key in GPUCacheModel GPUCacheGlobalLoadsInL1 CarveoutTable LatencySource; do
    sed "s/.*\"GPUCacheUUID\"/$element&/; s/\(name=\"$key\" value=\"\)/\1yes\&#10;-evil_option 1/" "$real" >"$BATS_TEST_TMPDIR/r.xml"
    is yes "$(grep -q '&#10;' "$BATS_TEST_TMPDIR/r.xml" && echo yes)"
    refused 1 "not plain ASCII: $key" --format accelsim "$BATS_TEST_TMPDIR/r.xml"
  done
}

@test "accelsim: sets, ways and policies of a record that has them" {
  awk '{ print } /subtype="L1Cache"/ { print "<info name=\"Sets\" value=\"4\"/><info name=\"Ways\" value=\"434\"/>" \
    "<info name=\"Replacement\" value=\"lru\"/><info name=\"WritePolicy\" value=\"through\"/>" }' "$real" >"$BATS_TEST_TMPDIR/r.xml"
  export_to accelsim "$BATS_TEST_TMPDIR/r.xml"
  has "$output" $'\n#-gpgpu_cache:dl1 S:4:128:434,L:T:'
}

@test "inductor: an entry of PyTorch's table" {
  export_to inductor
  has "$output" $'\n# SM clock: 1977 MHz during the measurement\n'
  has "$output" $'\n# shared memory: 233472 bytes of an SM\n# shared memory: 232448 bytes of a block at most\n'
  has "$output" $'\n    dram_bw_gbs=4579,  # measured: ReadGBps of DeviceMemory is 4579, confidence 0.99'
  has "$output" $'\n    dram_gb=139.8,  # GiB; api: CapacityBytes of DeviceMemory is 150109880320\n'
  export_to inductor "$mi300x"
  has "$output" '# shared memory: 65536 bytes of an SM'
  without ReadGBps DeviceMemory >"$BATS_TEST_TMPDIR/r.xml"
  refused 1 "the format inductor needs these values, and the record lacks them or they are too large: ReadGBps of DeviceMemory" \
    --format inductor "$BATS_TEST_TMPDIR/r.xml"
}

@test "inductor: Python reads the entry, and a name cannot add code to it" {
  command -v python3 >/dev/null || skip "there is no python3"
  sed 's/value="NVIDIA H200"/value="A\&quot;: 1, \\\&quot;+print(2)+\&quot;"/' "$real" >"$BATS_TEST_TMPDIR/r.xml"
  export_to inductor "$BATS_TEST_TMPDIR/r.xml"
  run_split python3 -c 'import sys
for name, info in eval("{" + sys.argv[1] + "}", {"DeviceInfo": dict}).items():
    print(name, info["dram_bw_gbs"], info["dram_gb"], info["tops"])' "$output"
  is '' "$errors"
  is 'A": 1, \"+print(2)+" 4579 139.8 {}' "$output"
}

# ceiling ELEMENT KEY: of the roofline in $output.
ceiling() { value "[.ceilings[] | select(.element == \"$1\").$2] | join(\" \")"; }

@test "roofline: bandwidths of the whole GPU, with source and confidence" {
  export_to roofline
  is '4579 8993' "$(ceiling DeviceMemory ReadGBps) $(ceiling L2Cache ReadGBps)"
  local cycles
  cycles=$(sed -n '/subtype="L1Cache"/,/<\/object>/s/.*"ReadBytesPerCycle" value="\(.*\)".*/\1/p' "$real" | head -n 1)
  is "$(awk -v cycles="$cycles" 'BEGIN { printf "%.6g\n", cycles * 132 * 1.977 }')" "$(ceiling L1Cache ReadGBps)"
  is measured "$(ceiling L1Cache ReadSource)"
  [[ $(ceiling L1Cache ReadConfidence) == 0.99* ]]
  is 33038 "$(ceiling SharedMemory WriteGBps)" # 126.6 bytes, 132 SMs, 1.977 GHz
  is '' "$(ceiling L1TLB element)" # it has no bandwidth
  is '[] 1977' "$(jq -c .peaks <<<"$output") $(value .MeasuredSMClockMHz)"
  export_to roofline "$mi300x"
  is 'DeviceMemory L2Cache L3Cache LDS' "$(value '[.ceilings[].element] | sort | map(select(test("L1|Read|Scalar") | not)) | join(" ")')"
  without GPUCacheMeasuredSMClockMHz DeviceMemory >"$BATS_TEST_TMPDIR/r.xml"
  refused 1 "the record lacks them or they are too large: GPUCacheMeasuredSMClockMHz" --format roofline "$BATS_TEST_TMPDIR/r.xml"
}

@test "xml is the default: the same text as show --xml, and it can be exported again" {
  run_split "$tool" export --sim "$tiny"
  is 0 "$status"
  local text=$output
  is "$("$tool" show --sim "$tiny" --xml)" "$text"
  run_split "$tool" export --format xml "$records/sim-tiny.xml"
  is "$text" "$output"
}

@test "a simulated GPU is measured first, and its record is stored" {
  run_split "$tool" --sim "$tiny" export --format mt4g
  is 0 "$status"
  is 4 "$(value .compute.multiProcessorCount)"
  [ -f "$records/sim-tiny.xml" ]
}

@test "--output: the whole file or none" {
  local out=$BATS_TEST_TMPDIR/out
  mkdir "$out"
  run_split "$tool" export --format mt4g --output "$out/h200.json" "$real"
  is 0 "$status"
  is '' "$output"
  is 132 "$(jq .compute.multiProcessorCount "$out/h200.json")"
  # a failure leaves the earlier file, and nothing else
  without GPUCacheThreadsPerBlock DeviceMemory >"$BATS_TEST_TMPDIR/r.xml"
  run_split "$tool" export --format mt4g --output "$out/h200.json" "$BATS_TEST_TMPDIR/r.xml"
  is 1 "$status"
  is 132 "$(jq .compute.multiProcessorCount "$out/h200.json")"
  run_split bash -c 'ulimit -f 1; exec "$@"' run "$tool" export --format mt4g --output "$out/h200.json" "$real"
  is 1 "$status"
  has "$errors" 'cannot write h200.json: File too large'
  is 132 "$(jq .compute.multiProcessorCount "$out/h200.json")"
  is h200.json "$(ls -A "$out")"
}

@test "--output: wrong places are noticed before anything is measured" {
  local out=$BATS_TEST_TMPDIR/out
  mkdir "$out"
  ln -s nowhere "$out/link"
  mkfifo "$out/pipe"
  local place
  for place in link pipe . ''; do
    run_split "$tool" --sim "$tiny" export --output "$out/$place"
    is 1 "$status"
    has "$errors" 'cannot write'
    is 1 "$(wc -l <<<"$errors")"
  done
  run_split "$tool" --sim "$tiny" export --output "$out/missing/file"
  is 1 "$status"
  has "$errors" "cannot open the directory $out/missing: No such file or directory"
  chmod a-w "$out"
  run_split "${plain[@]}" "$tool" --sim "$tiny" export --output "$out/file"
  is 1 "$status"
  has "$errors" "cannot write in the directory $out: Permission denied"
  is 'link pipe' "$(ls -A "$out" | xargs)"
  [ ! -e "$records/sim-tiny.xml" ]
  chmod u+w "$out"
}

@test "the standard output is full: a message and a failure" {
  run_split bash -c '"$@" >/dev/full' run "$tool" export --format mt4g "$real"
  is 1 "$status"
  has "$errors" 'cannot write to the standard output'
}

# refused STATUS SENTENCE ARGUMENT…: nothing on stdout, one sentence (and a hint after wrong usage).
refused() {
  local expected=$1 sentence=$2
  shift 2
  run_split "$tool" export "$@"
  is "$expected" "$status"
  is '' "$output"
  has "$errors" "$sentence"
  is 1 "$(grep -cv '^Try' <<<"$errors")"
}

@test "what cannot be exported: one sentence each" {
  refused 2 "unknown format 'pdf'; the formats are xml, mt4g, mt4g-csv, accelsim, inductor, roofline" --format pdf "$real"
  refused 2 "export takes one GPU or file, but there is also 'gpu1'" gpu0 gpu1
  refused 2 "--output needs a file" --output '' "$real"
  refused 1 "the format mt4g-csv describes NVIDIA GPUs only" --format mt4g-csv "$mi300x"
  refused 1 "the format accelsim describes NVIDIA GPUs only" --format accelsim "$mi300x"
  without GPUCacheThreadsPerBlock DeviceMemory >"$BATS_TEST_TMPDIR/r.xml"
  refused 1 "the format mt4g needs these values, and the record lacks them or they are too large: GPUCacheThreadsPerBlock" \
    --format mt4g "$BATS_TEST_TMPDIR/r.xml"
  # an int in sys-sage
  sed 's/value="62914560"/value="4294967296"/' "$real" >"$BATS_TEST_TMPDIR/r.xml"
  refused 1 "NominalBytes or CapacityBytes of L2Cache" --format mt4g "$BATS_TEST_TMPDIR/r.xml"
  sed 's/GPUCacheComputeCapability" value="9.0"/GPUCacheComputeCapability" value="99.0"/' "$real" >"$BATS_TEST_TMPDIR/r.xml"
  refused 1 "GPUCacheCoresPerSM" --format mt4g-csv "$BATS_TEST_TMPDIR/r.xml"
  sed '/<info/,$d' "$real" >"$BATS_TEST_TMPDIR/r.xml"
  refused 1 "$BATS_TEST_TMPDIR/r.xml" "$BATS_TEST_TMPDIR/r.xml"
  refused 1 "$BATS_TEST_TMPDIR/none.xml: No such file or directory" "$BATS_TEST_TMPDIR/none.xml"
  refused 3 "no GPU found"
  refused 3 "no simulated GPU is named 'nothing'" sim-nothing
}

@test "several GPUs: the message names them, and FILE:gpu1 takes one of them" {
  local two=$top_srcdir/tests/data/two-gpus.xml
  sed 's/value="127,5"/value="127.5"/; s/"LatencyConfidence" value="1.5"/"LatencyConfidence" value="0.9"/; s/18446744073709551616/233472/' "$two" >"$BATS_TEST_TMPDIR/two.xml"
  two=$BATS_TEST_TMPDIR/two.xml
  refused 2 "export writes one GPU, but there are 2; name one of them: $two:gpu0, $two:gpu1" "$two"
  export_to xml "$two:gpu1"
  has "$output" sim-p6000
  has_not "$output" GPU-aaaa
  refused 1 "$two has no gpu7" "$two:gpu7"
  cp "$tiny" "$BATS_TEST_TMPDIR/twin"
  refused 2 "export writes one GPU, but there are 2; name one of them: gpu0, gpu1" --sim "$tiny,$BATS_TEST_TMPDIR/twin"
  is '' "$(leftovers)" # not measured
  mkdir "$BATS_TEST_TMPDIR/records2"
  for i in 1 2 3 4 5 6 7 8 9; do cp "$real" "$BATS_TEST_TMPDIR/records2/$i.xml"; done
  refused 2 "/records2/8.xml ..." "$BATS_TEST_TMPDIR/records2"
}

# export_often FILE FORMAT: exports EXPORT_RUNS times (10), each time as process 1 of a new container, and
# compares the file.
export_often() {
  local i
  for ((i = 0; i < ${EXPORT_RUNS:-10}; i++)); do
    unshare -pf "$tool" export --format "$2" --output "$BATS_TEST_TMPDIR/exports/$1" "$real" || return 1
    cmp "$BATS_TEST_TMPDIR/exports/$1" "$BATS_TEST_TMPDIR/$2" || return 1
  done
}

@test "processes of two containers that export into one directory do not mix their files" {
  unshare -pf true 2>/dev/null || skip "unshare -p is not allowed here"
  local first second format
  mkdir "$BATS_TEST_TMPDIR/exports"
  for format in mt4g accelsim; do
    "$tool" export --format $format "$real" >"$BATS_TEST_TMPDIR/$format"
  done
  export_often a mt4g 3>&- &
  first=$!
  export_often b accelsim 3>&- &
  second=$!
  wait $first
  wait $second
  is "a b" "$(ls -A "$BATS_TEST_TMPDIR/exports" | xargs)"
}
