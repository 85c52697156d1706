#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# measure --peers: how the GPUs of a node reach each other, and what becomes of its record.

setup() {
  load setup.bash
  prepare
}

# lstopo of this machine with the simulated GPUs.
shown() {
  HWLOC_PLUGINS_PATH=$top_builddir/src/plugin/.libs HWLOC_GPUCACHE_TOOL=$tool HWLOC_COMPONENTS=-x86 \
    "$LSTOPO" --of console -v
}

# peer GPU OTHER PATH NS GBPS: the profile of GPU says so of OTHER. Makes the profile first.
peer() {
  [ -e "$BATS_TEST_TMPDIR/$1" ] || cp "$tiny" "$BATS_TEST_TMPDIR/$1"
  printf '\n[peer %s]\npath = %s\nlatency_ns = %s\nread_gbps = %s\nwrite_gbps = %s\ncopy_gbps = %s\n' \
    "$2" "$3" "$4" "$5" "$5" "$5" >>"$BATS_TEST_TMPDIR/$1"
}

# use GPU…: the node has these GPUs.
use() {
  HWLOC_GPUCACHE_SIM=$(printf "$BATS_TEST_TMPDIR/%s," "$@")
  export HWLOC_GPUCACHE_SIM=${HWLOC_GPUCACHE_SIM%,}
}

# value FROM TO COLUMN: of the table, which the last command printed.
value() { awk -v from="$1" -v to="$2" -v column="$3" '$1 == from && $2 == to { print $column }' <<<"$output"; }

# near EXPECTED ACTUAL: within 3 per cent.
near() {
  awk -v a="$1" -v b="$2" 'BEGIN { exit !(b >= 0.97 * a && b <= 1.03 * a) }' && return
  printf 'expected about %s, but got %s:\n%s\n' "$1" "$2" "$output"
  return 1
}

node_record() { echo "$records"/node-*.xml; }

@test "two GPUs: each direction has its own values, which are stored once" {
  peer a '*' nvlink 1100 380
  peer b '*' nvlink 1300 190
  use a b
  run_split "$tool" measure --peers
  is 0 "$status"
  for column in 3 4 5; do
    near 380 "$(value gpu0 gpu1 $column)"
    near 190 "$(value gpu1 gpu0 $column)"
  done
  near 1100 "$(value gpu0 gpu1 6)"
  near 1300 "$(value gpu1 gpu0 6)"
  is NVLink "$(value gpu0 gpu1 7)"
  [ -e "$(node_record)" ]
  run_split "$tool" measure --peers
  is 0 "$status"
  grep '^already measured' <<<"$output"
  is NVLink "$(value gpu1 gpu0 7)"
}

@test "each GPU of a topology and of show has what concerns it" {
  peer a '*' nvlink 1100 380
  peer b '*' nvlink 1300 190
  use a b
  "$tool" measure >/dev/null
  "$tool" measure --peers >/dev/null
  run shown
  is 1 "$(grep -c 'PeerPath=sim-b:NVLink' <<<"$output")"
  is 1 "$(grep -c 'PeerPath=sim-a:NVLink' <<<"$output")"
  grep 'GPUCacheUUID=sim-a .*PeerReadGBps=sim-b:3.*PeerReadSource=measured PeerReadConfidence=0' <<<"$output"
  run_split "$tool" show --all gpu1
  grep 'memory of GPU sim-a: by NVLink, reads 1.*GB/s, stores .*, copies from it .*, latency 1.* ns' \
    <<<"$(tr -s '\n ' ' ' <<<"$output")"
  # GPUs are alike whatever their neighbours are, and a directory of records may have that of the node
  run_split "$tool" compare gpu0 gpu1
  is 0 "$status"
  run_split "$tool" compare "$records"
  is 0 "$status"
  is '' "$errors"
  # measuring a GPU again keeps it
  run_split "$tool" show --json gpu0
  grep PeerLatencyNs <<<"$output"
}

@test "eight GPUs with NVLink between neighbours, and through the host between others" {
  local all=(a b c d e f g h) i k
  for i in {0..7}; do
    for k in {0..7}; do
      ((i == k)) || if ((i / 4 == k / 4)); then
        peer "${all[i]}" "${all[k]}" nvlink 900 300
      else
        peer "${all[i]}" "${all[k]}" host 1 20
      fi
    done
  done
  use "${all[@]}"
  run_split "$tool" measure --peers
  is 0 "$status"
  is 56 "$(grep -c '^gpu' <<<"$output")"
  is 24 "$(grep -c NVLink <<<"$output")"
  near 300 "$(value gpu7 gpu4 3)"
  # kernels cannot use that memory, and copies can
  is - "$(value gpu7 gpu0 3)"
  is - "$(value gpu7 gpu0 6)"
  near 20 "$(value gpu7 gpu0 5)"
  is Host "$(value gpu7 gpu0 7)"
}

@test "the record counts for the same set of GPUs only" {
  peer a '*' pcie 1900 24
  peer b '*' pcie 1900 24
  peer c '*' pcie 1900 24
  use a b
  "$tool" measure >/dev/null
  "$tool" measure --peers >/dev/null
  run shown
  grep PeerPath=sim-b:PCIe <<<"$output"
  use a c
  "$tool" measure >/dev/null
  run shown
  has_not "$output" PeerPath
  use a b
  sed -i 's/^model = .*/& Ti/' "$BATS_TEST_TMPDIR/b"
  "$tool" measure >/dev/null
  run shown
  has_not "$output" PeerPath
}

@test "nothing to measure, and nothing that can be measured" {
  peer a '*' nvlink 1100 380
  use a
  run_split "$tool" measure --peers
  is 0 "$status"
  grep 'no two GPUs' <<<"$output"
  cp "$tiny" "$BATS_TEST_TMPDIR/d"
  cp "$tiny" "$BATS_TEST_TMPDIR/e"
  use d e
  run_split "$tool" measure --peers
  is 1 "$status"
  grep '^hwloc-gpucache: gpu0: reaches no other GPU: the profile of gpu0 does not say how it reaches e' <<<"$errors"
  grep 'no GPU can reach another one, so nothing is stored' <<<"$errors"
  is '' "$(ls "$records" | grep xml || true)"
  use a missing
  run_split "$tool" measure --peers
  is 1 "$status"
  grep 'all GPUs must take part: ' <<<"$errors"
  for wrong in gpu0 --xml '--only L1Cache' "--raw $BATS_TEST_TMPDIR/raw"; do
    run_split "$tool" measure --peers $wrong
    is 2 "$status"
  done
}

@test "a profile that says two things of the same GPU, or nothing about the way, is refused" {
  peer a b nvlink 1100 380
  peer a b pcie 1100 380
  peer b '*' nvlink 1100 380
  use a b
  run_split "$tool" measure --peers
  is 1 "$status"
  grep 'a second \[peer b\]' <<<"$errors"
  cp "$tiny" "$BATS_TEST_TMPDIR/a"
  printf '\n[peer b]\npath = road\n' >>"$BATS_TEST_TMPDIR/a"
  run_split "$tool" measure --peers
  is 1 "$status"
  grep 'path' <<<"$errors"
}

@test "slow ways, and host memory with atomic operations beside other GPUs" {
  peer a '*' pcie 123456 0.05
  peer b '*' pcie 20000 24
  sed -i '$a [host 0]\nlatency_ns = 600\nread_gbps = 400\nwrite_gbps = 400\ncopy_to_gbps = 400\ncopy_from_gbps = 400\ncopy_both_gbps = 700\natomic_ns = 900' \
    "$BATS_TEST_TMPDIR/a"
  use a b
  run_split "$tool" measure --peers
  is 0 "$status"
  near 20000 "$(value gpu1 gpu0 6)"
  near 123456 "$(value gpu0 gpu1 6)"
  run_split "$tool" measure --no-store --only DeviceMemory --xml gpu0
  grep 'HostAtomicLatencyNs" value="0:9' <<<"$output"
}

@test "purge removes the record of the node, too" {
  peer a '*' nvlink 1100 380
  peer b '*' nvlink 1100 380
  use a b
  "$tool" measure --peers >/dev/null
  unset HWLOC_GPUCACHE_SIM
  run_split "$tool" purge
  grep 'removed the record node-' <<<"$output"
  [ ! -e "$(node_record)" ]
}
