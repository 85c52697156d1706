#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Measures GPUs that GPGPU-Sim simulates, with the unmodified command, and compares the results with
# GPGPU-Sim's configuration files. doc/results/gpgpusim.md explains the results.
#
#   make check-gpgpusim DIR=/where/gpgpu-sim/is/built CUDA_INSTALL_PATH=/usr/local/cuda-11 [CASES='volta-l1 turing-shared']
set -eu
# make exports both
source=$(cd "${top_srcdir:?}" && pwd) build=$(cd "${top_builddir:?}" && pwd)

if [ -z "${DIR:-}" ]; then
  cat >&2 <<EOF
make check-gpgpusim needs DIR=PATH, a built GPGPU-Sim (https://github.com/accel-sim/gpgpu-sim_distribution),
and CUDA_INSTALL_PATH=PATH, the CUDA toolkit that it was built with (its headers are enough).
GPGPU-Sim's README.md explains how to build it; doc/results/gpgpusim.md names the version that was used.
CASES='volta-kernels volta-shared volta-l1' selects cases; the others are those of turing and ampere.
EOF
  exit 2
fi
library=$(find "$DIR/lib" -path '*/release/libcudart.so' 2>/dev/null | head -1)
cuda=${CUDA_INSTALL_PATH:-/usr/local/cuda}
if [ -z "$library" ] || [ ! -e "$cuda/include/builtin_types.h" ]; then
  echo "$DIR/lib has no libcudart.so (is GPGPU-Sim built there?), or $cuda/include has no headers" >&2
  exit 2
fi
library=$(cd "${library%/*}" && pwd)
version=${library#*/cuda-}
version=${version%%/*}
objects=$(cd "$DIR" && pwd)/build/${library#*/lib/}

work=$build/tests/gpgpusim/work
mkdir -p "$work/lib" "$work/root"
compile() { ${CXX:-c++} -std=c++17 -O2 -Wall -Wextra -Wno-unused-parameter -shared -fPIC "$@"; }
cd "$source/tests/gpgpusim"
if [ -z "$(find "$work/lib/libcuda.so.1" -newer libcuda.cc -newer rewrite.cc -newer host-clock.cc 2>/dev/null)" ]; then
  compile host-clock.cc -o "$work/lib/libhostclock.so"
  # $DIR itself is no include path: it contains a file named "new".
  compile -DCUDART_VERSION="$version" -I"$source/src" -isystem "$DIR/src" -isystem "$DIR/libcuda" \
    -isystem "$objects/libcuda" -isystem "$cuda/include" libcuda.cc rewrite.cc -Wl,-soname,libcuda.so.1 \
    -Wl,-rpath,"$library:$work/lib" -L"$library" -lcudart -L"$work/lib" -lhostclock -o "$work/lib/libcuda.so.1"
fi

# The driver's files for one GPU with the bus id and UUID of libcuda.cc.
root=$work/root
rm -rf "$root"
# shellcheck source=tests/data/tree.bash
. "$source/tests/data/tree.bash"
bus=0000:17:00.0 uuid=GPU-47504750-552d-5369-6d2d-4750552d3030
pci $bus 0x030200 0x10de 0x0000 00000001 ''
put /proc/driver/nvidia/version 'NVRM version: NVIDIA UNIX x86_64 Kernel Module  0.0  GPGPU-Sim'
put /proc/driver/nvidia/gpus/$bus/information $'Model: \t\t GPGPU-Sim' $'GPU UUID: \t '$uuid \
  $'Video BIOS: \t 0' $'Bus Type: \t PCIe' $'Bus Location: \t '$bus $'Device Minor: \t 0' $'GPU Excluded:\t No'
put /sys/module/nvidia/initstate live
write_tree
mkdir -p "$root/sys/bus/pci/drivers/nvidia"
ln -s "../../devices/$bus" "$root/sys/bus/pci/drivers/nvidia/$bus"

# option NAME VALUE: replaces the value of an option in the configuration of this case.
option() {
  if grep -q -- "^-$1 " gpgpusim.config; then
    sed -i "s|^-$1 .*|-$1 $2|" gpgpusim.config
  else
    echo "-$1 $2" >>gpgpusim.config
  fi
}

# value NAME: the value of an option.
value() { sed -n "s/^-$1 *//p" gpgpusim.config; }

# small_l1: an L1 of L1_KIB, by the number of ways, and no carve-out. Sets, lines, sectors, policies
# and latency stay.
L1_KIB=${L1_KIB:-4}
small_l1() {
  local dl1 sets line ways
  dl1=$(value gpgpu_cache:dl1)
  IFS=':,' read -r _ sets line ways _ <<<"$dl1"
  option gpgpu_cache:dl1 "${dl1/:$sets:$line:$ways,/:$sets:$line:$((L1_KIB * 1024 / sets / line)),}"
  option gpgpu_adaptive_cache_config 0
}

# slow_clocks: a tenth of each clock. The command waits 1.2 ms for a steady clock and keeps some
# launches busy for times in microseconds; everything that is compared counts cycles.
slow_clocks() {
  local clocks
  clocks=$(value gpgpu_clock_domains | awk -F: -v OFS=: '{ for (i = 1; i <= NF; i++) $i /= 10; print }')
  option gpgpu_clock_domains "$clocks"
}

# An SM with one scheduler and eight warps, of which there are two, and two memory channels. This
# changes bandwidths, but no cache and no latency in the SM. Launches begin at once. Statistics that
# nobody reads are off.
# shellcheck disable=SC2054
small=(gpgpu_n_clusters 2 gpgpu_n_cores_per_cluster 1 gpgpu_shader_core_pipeline 256:32
  gpgpu_num_sched_per_core 1 gpgpu_pipeline_widths 1,1,1,1,1,1,1,1,1,1,2,1,1 gpgpu_num_sp_units 1
  gpgpu_num_sfu_units 1 gpgpu_num_dp_units 1 gpgpu_num_int_units 1 gpgpu_num_tensor_core_units 1
  gpgpu_operand_collector_num_units_gen 2 gpgpu_operand_collector_num_in_ports_gen 2
  gpgpu_operand_collector_num_out_ports_gen 2 gpgpu_num_reg_banks 2 gpgpu_l1_banks 1
  ptx_opcode_latency_int 1,1,1,1,1,1 ptx_opcode_initiation_int 1,1,1,1,1,1
  gpgpu_n_mem 2 gpgpu_memory_partition_indexing 0 gpgpu_simple_dram_model 1 gpgpu_max_concurrent_kernel 1
  gpgpu_kernel_launch_latency 0 gpgpu_TB_launch_latency 0
  gpgpu_memlatency_stat 0 gpgpu_runtime_stat 1000000 enable_ptx_file_line_stats 0 power_simulation_enabled 0)

# derive CASE CONFIGURATION [OPTION VALUE]...: makes gpgpusim.config in a folder of the case.
derive() {
  local case=$1 config=$2
  shift 2
  rm -rf "${work:?}/$case"
  mkdir -p "$work/$case" && cd "$work/$case"
  cp "$DIR/configs/tested-cfgs/$config/gpgpusim.config" .
  case $case in *-l1 | *-l2*) small_l1 ;; esac
  slow_clocks
  set -- "${small[@]}" "$@"
  while [ $# -gt 0 ]; do
    option "$1" "$2"
    shift 2
  done
  echo "$case: $config"
}

# on_gpu COMMAND...: runs a command that finds the simulated GPU.
on_gpu() {
  HWLOC_FSROOT=$root HWLOC_THISSYSTEM=1 HWLOC_GPUCACHE_DIR=$PWD/records GPGPUSIM_KERNELS=$build/kernels \
    PYTHONDONTWRITEBYTECODE=1 LD_PRELOAD=$work/lib/libhostclock.so \
    LD_LIBRARY_PATH=$work/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} "$@"
}

# measure ELEMENT: with the command.
measure() {
  local status=0
  # shellcheck disable=SC2086
  on_gpu "$build/hwloc-gpucache" measure --only "$1" ${RAW:+--raw raw} --timeout 86400 --xml gpu0 \
    >measured.xml 2>messages || status=$?
  cat messages
  [ $status = 0 ] || return 1
  PYTHONDONTWRITEBYTECODE=1 python3 "$source/tests/gpgpusim/compare.py" gpgpusim.config measured.xml
}

failed=
for case in ${CASES:-volta-kernels turing-kernels ampere-kernels volta-shared turing-shared ampere-shared volta-l1 turing-l1 ampere-l1 volta-l2 turing-l2 ampere-l2 volta-l2-small}; do
  case $case in
  volta-*) config=SM7_TITANV ;;
  turing-*) config=SM75_RTX2060 ;;
  ampere-*) config=SM86_RTX3070 ;;
  *)
    echo "no case $case" >&2
    exit 2
    ;;
  esac
  # L2 answers sooner than configured where only L1 is compared: that takes less time
  case $case in
  *-kernels)
    derive "$case" $config gpgpu_l2_rop_latency 40
    on_gpu python3 "$source/tests/gpgpusim/kernels.py" gpgpusim.config "$build/kernels"
    ;;
  *-shared)
    derive "$case" $config
    measure SharedMemory
    ;;
  *-l1)
    derive "$case" $config gpgpu_l2_rop_latency 40
    measure L1Cache
    ;;
  *-l2)
    # the slices of the file: 96 KiB for Volta, else 128 KiB; each memory channel has two
    channels=2
    [ "$case" != ampere-l2 ] || channels=4
    derive "$case" $config gpgpu_n_clusters 8 gpgpu_n_mem $channels
    measure L2Cache
    ;;
  *-l2-small)
    # slices of 32 KiB: 1024 lines in all, so few that other loads of the GPU count
    derive "$case" $config gpgpu_n_clusters 8 gpgpu_cache:dl2 S:16:128:16,L:B:m:L:P,A:192:4,32:0,32
    measure L2Cache
    ;;
  *)
    echo "no case $case" >&2
    exit 2
    ;;
  esac || failed="$failed $case"
done
[ -z "$failed" ] || echo "not as configured:$failed"
[ -z "$failed" ]
