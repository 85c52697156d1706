#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# CUDA_VISIBLE_DEVICES with the real driver: what is hidden is not measured, whatever form the list
# has. With several GPUs, also that the driver's order of indices is obeyed.
tool=$top_builddir/hwloc-gpucache
lstopo=${LSTOPO:-lstopo-no-graphics}
failed=0
unset CUDA_VISIBLE_DEVICES CUDA_DEVICE_ORDER

fail() {
  echo "FAILED: $*"
  failed=1
}

uuids=$(sed -n 's/^GPU UUID:[[:space:]]*//p' /proc/driver/nvidia/gpus/*/information)
set -- $uuids
first=$1
for last; do :; done
gpus=$#

# expect STATUS LIST [ORDER]: measures the first GPU with these variables.
expect() {
  [ -z "$3" ] || export CUDA_DEVICE_ORDER="$3"
  CUDA_VISIBLE_DEVICES=$2 "$tool" measure --force --no-store "$first" >"$HOME/out" 2>"$HOME/err"
  status=$?
  unset CUDA_DEVICE_ORDER
  echo "CUDA_VISIBLE_DEVICES='$2' $3: exit $status $(grep -v took "$HOME/err" | head -n 1)"
  [ "$status" -eq "$1" ] || fail "CUDA_VISIBLE_DEVICES='$2' $3 ended in $status, not $1: $(cat "$HOME/err")"
  [ "$1" -eq 0 ] || grep -q "CUDA_VISIBLE_DEVICES is" "$HOME/err" || fail "the message does not name the variable"
}

# the UUID in /proc is the one of CUDA, also without a variable
"$tool" measure --force --no-store "$first" >"$HOME/out" 2>&1 || fail "without a list: $(cat "$HOME/out")"
expect 0 "$first"
expect 0 "$(echo "$first" | cut -c 1-12)"
expect 0 "$(echo "$first" | cut -c 1-12),-1"
expect 3 ''
expect 3 -1
expect 3 -1,0
expect 3 NoDevFiles
expect 3 GPU-00000000-0000-0000-0000-000000000000
expect 3 "$first,$first"
expect 3 "$gpus"
expect 3 MIG-00000000-0000-0000-0000-000000000000
expect 0 0 PCI_BUS_ID
# the driver reads lists that the program leaves to it: blanks and what follows digits
for list in " $first" 0x0 0gpu "$(echo "$first" | tr a-f A-F)"; do
  CUDA_VISIBLE_DEVICES=$list "$tool" measure --force --no-store "$first" >"$HOME/out" 2>&1
  echo "CUDA_VISIBLE_DEVICES='$list': exit $? $(grep -v took "$HOME/out" | grep CUDA | head -n 1)"
done

# hidden GPUs in a topology: the record, or the variable
CUDA_VISIBLE_DEVICES= "$lstopo" --whole-io "$HOME/hidden.xml"
n=$(grep -c "CUDA_VISIBLE_DEVICES is empty, which hides this GPU" "$HOME/hidden.xml")
[ "$n" -ge "$gpus" ] || fail "$n of $gpus GPUs say that they are hidden"
[ -z "$(ls "$HWLOC_GPUCACHE_DIR")" ] || fail "something was measured or noted: $(ls "$HWLOC_GPUCACHE_DIR")"

if [ "$gpus" -eq 1 ]; then
  expect 0 0
  echo "indices of several GPUs: SKIPPED, there is one GPU"
  exit $failed
fi
expect 3 1 PCI_BUS_ID
expect 3 "$last"
# Each index shows one GPU. All indices together show all GPUs, each once.
index=0
: >"$HOME/shown"
while [ "$index" -lt "$gpus" ]; do
  CUDA_VISIBLE_DEVICES=$index "$tool" measure --force >"$HOME/out" 2>"$HOME/err"
  for uuid in $uuids; do
    [ ! -f "$HWLOC_GPUCACHE_DIR/$uuid.xml" ] || echo "$uuid" >>"$HOME/shown"
  done
  n=$(ls "$HWLOC_GPUCACHE_DIR" | grep -c 'xml$')
  echo "index $index: $(tail -n 1 "$HOME/shown")"
  [ "$n" -eq 1 ] || fail "with index $index, $n GPUs were measured: $(cat "$HOME/err")"
  n=$(grep -c "CUDA_VISIBLE_DEVICES is '$index', which hides" "$HOME/err")
  [ "$n" -ge 1 ] || fail "with index $index, the variable is not named: $(cat "$HOME/err")"
  rm -f "$HWLOC_GPUCACHE_DIR"/*
  index=$((index + 1))
done
[ "$(sort -u "$HOME/shown" | wc -l)" -eq "$gpus" ] || fail "not each GPU has an index: $(cat "$HOME/shown")"
# A load does the same.
CUDA_VISIBLE_DEVICES=1 "$lstopo" --whole-io "$HOME/load.xml"
n=$(ls "$HWLOC_GPUCACHE_DIR" | grep -c 'xml$')
[ "$n" -eq 1 ] || fail "a load with one visible GPU measured $n"
exit $failed
