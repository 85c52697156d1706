#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Takes the place of hwloc-gpucache. $FAKE_TOOL_DOES says what it does (default: measure, which writes a
# prepared record). It appends its arguments to $FAKE_TOOL_LOG, so that starts can be counted.
# The sanitizer is for lstopo and would check this shell, too.
[ -z "$LD_PRELOAD" ] || exec env -u LD_PRELOAD "$0" "$@"
set -e
umask 077
echo "$*" >> "$FAKE_TOOL_LOG"
for id in "$@"; do :; done

record() {
  cat <<END
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0">
 <object type="Machine" os_index="0" cpuset="0x1" complete_cpuset="0x1" allowed_cpuset="0x1" nodeset="0x1" complete_nodeset="0x1" allowed_nodeset="0x1" gp_index="1">
  <object type="NUMANode" os_index="0" cpuset="0x1" complete_cpuset="0x1" nodeset="0x1" complete_nodeset="0x1" gp_index="2" local_memory="1024"/>
  <object type="PU" os_index="0" cpuset="0x1" complete_cpuset="0x1" nodeset="0x1" complete_nodeset="0x1" gp_index="3"/>
  <object type="OSDev" gp_index="4" name="gpu0-Memory 80GiB" subtype="DeviceMemory" osdev_type="0">
   <info name="GPUCacheUUID" value="$id"/>
   <info name="GPUCacheModel" value="$model"/>
   <info name="GPUCacheDriver" value="$driver"/>
   <info name="GPUCacheVBIOS" value="$vbios"/>
   <info name="GPUCacheMIG" value="${mig-disabled}"/>
   <info name="GPUCacheFormat" value="1"/>
   <info name="GPUCacheMethod" value="10"/>
   <info name="GPUCacheStatus" value="measured"/>
   <info name="GPUCacheMeasured" value="2025-11-21"/>
   <info name="GPUCacheSMs" value="132"/>
   <info name="NominalBytes" value="85899345920"/>
   <info name="NominalSource" value="api"/>
   <info name="lstopoStyle" value="Background=#efdfde"/>
   <object type="OSDev" gp_index="5" name="gpu0-L2 50MiB" subtype="L2Cache" osdev_type="0">
    <info name="NominalBytes" value="52428800"/>
    <info name="CapacitySource" value="absent:replicated &lt;twice&gt; &amp; noisy"/>
    <object type="OSDev" gp_index="6" name="gpu0-L1 217KiB x132" subtype="L1Cache" osdev_type="0">
     <info name="CapacityBytes" value="222208"/>
     <info name="CapacitySource" value="measured"/>
     <info name="CapacityConfidence" value="0.99"/>
     <info name="LatencyCycles" value="33"/>
     <info name="Instances" value="132"/>
    </object>
    <object type="OSDev" gp_index="7" name="gpu0-ConstantL1.5 31KiB x132" subtype="ConstantL15Cache" osdev_type="0">
     <info name="LatencyCycles" value="80.5"/>
     <info name="Instances" value="132"/>
    </object>
    <object type="OSDev" gp_index="8" name="gpu0-Shared 228KiB x132" subtype="SharedMemory" osdev_type="0">
     <info name="NominalBytes" value="233472"/>
     <info name="Instances" value="132"/>
    </object>
   </object>
  </object>
 </object>
</topology>
END
}

# The VBIOS of a simulated GPU is the hash of its profile without comments and empty lines, FNV-1a.
fnv1a() {
  local hash=$((0xcbf29ce484222325)) byte
  for byte in $(sed 's/[[:space:]]*\(#.*\)*$//; /^$/d' "$1" | od -An -v -tu1); do hash=$(((hash ^ byte) * 0x100000001b3)); done
  printf '%016x' $hash
}

write() {
  if [ "$1" = --sim ]; then
    model=Fake driver=simulated vbios=$(fnv1a "$2")
  else
    case $id in MIG-*) mig=${FAKE_TOOL_MIG-instance} ;; esac
    model='NVIDIA H100' driver=${FAKE_TOOL_DRIVER:-580.159.04} vbios=96.00.a5.00.1a
  fi
  mkdir -p "$HWLOC_GPUCACHE_DIR"
  # several may write the same record at a time
  record > "$HWLOC_GPUCACHE_DIR/$id.xml.$$.new"
  mv "$HWLOC_GPUCACHE_DIR/$id.xml.$$.new" "$HWLOC_GPUCACHE_DIR/$id.xml"
}

case ${FAKE_TOOL_DOES:-measure} in
measure) write "$@" ;;
measure-amd) # the MI100 of tests/data/amd-tree.sh
  model='AMD Instinct MI100' driver=6.10.5 vbios=113-D3431500-100 mig=
  record > "$HWLOC_GPUCACHE_DIR/$id.xml"
  ;;
measure-tegra) # the Jetson of tests/data/machine.sh
  model='NVIDIA Jetson AGX Orin Developer Kit' driver='nvgpu 5.15.136-tegra' vbios= mig=
  record > "$HWLOC_GPUCACHE_DIR/$id.xml"
  ;;
fail)
  echo "noise" >&2
  echo "hwloc-gpucache: gpu7: the first thing went wrong" >&2
  printf 'hwloc-gpucache: gpu7: the GPU is busy: 3 processes use it\n' >&2
  exit 1
  ;;
silent) exit 1 ;;
lie) exit 0 ;;
crash) kill -SEGV $$ ;;
killed-by-*) kill "-${FAKE_TOOL_DOES#*-by-}" $$ ;;
hang)
  # A child that ignores all signals but SIGKILL, and keeps stderr open.
  trap '' TERM INT HUP
  sleep 1000 &
  echo $$ $! > "$FAKE_TOOL_LOG.pids"
  wait
  sleep 1000
  ;;
leave) # Succeeds, but leaves a child behind.
  sleep 1000 &
  echo $! > "$FAKE_TOOL_LOG.pids"
  write "$@"
  ;;
flood)
  head -c 5000000 /dev/zero | tr '\0' 'x' >&2
  echo >&2
  echo "hwloc-gpucache: said at last" >&2
  exit 1
  ;;
describe) # Writes what this process has inherited.
  ls -l /proc/$$/fd > "$FAKE_TOOL_LOG.fds"
  cat /proc/self/status > "$FAKE_TOOL_LOG.status" # of a child: bash blocks SIGCHLD for itself
  cat /proc/$$/stat > "$FAKE_TOOL_LOG.stat"
  env > "$FAKE_TOOL_LOG.env"
  exit 1
  ;;
garbage) head -c 300 /dev/urandom > "$HWLOC_GPUCACHE_DIR/$id.xml" ;;
esac
