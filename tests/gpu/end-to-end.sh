#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The main use on a real GPU: a topology load without a record measures; the next load only reads
# the record.
tool=$top_builddir/hwloc-gpucache
lstopo=${LSTOPO:-lstopo-no-graphics}
load_cost=$top_builddir/tests/bench/load-cost
counting=$HOME/tool
failed=0

fail() {
  echo "FAILED: $*"
  failed=1
}

# A tool that counts how often it is started.
printf '#!/bin/sh\necho start >>"%s/starts"\nexec "%s" "$@"\n' "$HOME" "$tool" >"$counting"
chmod +x "$counting"
starts() { [ -f "$HOME/starts" ] && wc -l <"$HOME/starts" || echo 0; }
gpus=$(ls /proc/driver/nvidia/gpus | wc -l)

HWLOC_GPUCACHE_TOOL=$counting "$lstopo" --whole-io "$HOME/cold.xml" || fail "the cold load failed"
[ "$(starts)" -eq "$gpus" ] || fail "the cold load started the tool $(starts) times for $gpus GPUs"
HWLOC_GPUCACHE_TOOL=$counting "$lstopo" --whole-io "$HOME/warm.xml" || fail "the warm load failed"
[ "$(starts)" -eq "$gpus" ] || fail "the warm load started the tool"
for element in DeviceMemory L2Cache L1Cache TextureCache ReadOnlyCache ConstantL1Cache \
  ConstantL15Cache SharedMemory; do
  for topology in cold warm; do
    n=$(grep -c "subtype=\"$element\"" "$HOME/$topology.xml")
    [ "$n" -eq "$gpus" ] || fail "$n $element for $gpus GPUs in the $topology load"
  done
done
n=$(grep -c '"GPUCacheStatus" value="measured"' "$HOME/warm.xml")
[ "$n" -eq $((2 * gpus)) ] || fail "GPUCacheStatus=measured occurs $n times"

# Only our plugin: those of hwloc itself for CUDA, NVML and OpenCL link the vendor's libraries.
ours=$top_builddir/src/plugin/.libs
HWLOC_PLUGINS_PATH=$ours "$lstopo" --whole-io "$HOME/ours.xml" || fail "the load with our plugin alone failed"
n=$(grep -c 'subtype="L2Cache"' "$HOME/ours.xml")
[ "$n" -eq "$gpus" ] || fail "$n L2Cache for $gpus GPUs in the load with our plugin alone"
"$load_cost" "$ours" "$ours" >"$HOME/mapped" || fail "the loads with our plugin alone failed"
grep -q 'no vendor library is mapped' "$HOME/mapped" || fail "a warm load maps a vendor library: $(cat "$HOME/mapped")"
exit $failed
