#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# sass-check must be able to fail: it refuses kernels that have one error each, with the right message.
set -eu
cd "$top_builddir"
if [ -z "${PTXAS:-}" ]; then
  echo "SKIPPED: no ptxas (CUDA Toolkit) to make broken machine code with"
  exit 77
fi
# One architecture of each generation of machine code that has clusters, whatever was built; with an
# older ptxas the first one that was built.
archs=
for arch in 90 100 120; do
  ! "$PTXAS" --help | grep -q "sm_$arch" || archs="$archs $arch"
done
set -- kernels/cuda.sm_*.cubin
[ -n "$archs" ] || archs=$(echo "$1" | sed 's/.*sm_\(.*\)\.cubin/\1/')
ptx=$HOME/broken.ptx

# must_fail REASON SED-SCRIPT [NAME]: of kernels/NAME.ptx, by default cuda
must_fail() {
  reason=$1
  name=${3:-cuda}
  sed -E "$2" "kernels/$name.ptx" >"$ptx"
  if cmp -s "$ptx" "kernels/$name.ptx"; then
    echo "$reason: the change has no effect"
    exit 1
  fi
  for arch in $archs; do
    must_fail_on "$arch"
  done
}

# must_fail_on ARCH: $ptx, for this architecture.
must_fail_on() {
  arch=$1
  case $name in cluster | bulk) [ "$arch" -ge 90 ] || return 0 ;; esac
  "$PTXAS" -arch="sm_$arch" -o "$HOME/$name.sm_$arch.cubin" "$ptx" >"$HOME/log" 2>&1 ||
    { cat "$HOME/log"; exit 1; }
  if tests/kernels/sass-check "$HOME/$name.sm_$arch.cubin" >"$HOME/output"; then
    echo "sm_$arch: $reason: not detected"
    exit 1
  fi
  if ! grep -q "$reason" "$HOME/output"; then
    echo "expected '$reason', but the output was:"
    cat "$HOME/output"
    exit 1
  fi
  echo "detected: sm_$arch: $reason"
}

must_fail 'nothing between the clock reads waits for the load' '/clock64;/,/clock64;/{/@p exit;/d;}'
must_fail 'latency_nc: .*not three chains' 's/ld.global.nc.u64/ld.global.ca.u64/'
must_fail 'read_lines: .*not GPU_READ_LINES loads' 's/ld.global.cg.u32/ld.global.ca.u32/'
must_fail 'another instruction between the clock reads' '/clock64;/,/@p exit;/s/(ld.global.ca.u64 [^[]*\[(.*)\];)/st.global.u64 [\2], \2; \1/'
must_fail 'chase_system: .*no load of this path\|chase_system: .*another instruction' 's/atom.global.sys/atom.global.gpu/' system
must_fail 'does not start where' 's/(ld.global.cg.u64 (%rd[0-9]+), .*)/\1 xor.b64 \2, \2, 512;/'
must_fail 'fill: .*local memory' '/entry gpu_fill/,/^\{/s/^\{/{ .local .b8 pad[64]; .reg .u64 q; cvta.local.u64 q, pad; st.local.u8 [pad], 1; st.global.u64 [q], q;/'
must_fail 'delivers late\|between the clock reads may take time' 's/mov.u64 (%rd[0-9]+), %clock64;/{.reg .u32 c; mov.u32 c, %clock; cvt.u64.u32 \1, c;}/; s/popc.b32 m, m;/mov.u32 m, 1;/'
must_fail 'banks_census: .*is read between tickets' \
  '/entry gpu_banks_census/,/^}/s/(ld.global.cg.u32 (%r[0-9]+), .*)/\1 {.reg .u32 c; ld.param.u32 c, [gpu_banks_census_param_0+72]; mul.lo.u32 \2, \2, c;}/'
must_fail 'outstanding: .*two loads into one register\|outstanding: .*something waits for a load' \
  '/@p ld.global.ca.u32 t[0-9]+, /s/add.u64/add.u64/; s/(@p ld.global.ca.u32 t(5), .*)/\1 setp.eq.u32 p, t\2, 7; @p exit;/'
must_fail 'shares: .*two loads into one register\|shares: .*something waits for a load' \
  '/entry gpu_shares/,/^}/{/@p ld.global.ca.u32 t[0-9]+, /s/add.u64/add.u64/; s/(@p ld.global.ca.u32 t(5), .*)/\1 setp.eq.u32 p, t\2, 7; @p exit;/}'
must_fail 'remote_shared: .*not two chains' 's/ld.shared::cluster/ld.shared/' cluster
must_fail 'remote_shared: .*does not wait for the one before' 's/ld.shared::cluster.u32 (%r[0-9]+), \[%r[0-9]+\];/{.reg .u32 own; mov.u32 own, %laneid; ld.volatile.shared::cluster.u32 \1, [own];}/' cluster
must_fail 'remote_shared: .*cluster is limited' 's/^\)$/) .maxclusterrank 8/' cluster
must_fail 'bulk_rate: .*nothing waits for it' '/@!p bra WAIT/d' bulk
must_fail 'bulk_latency: .*another instruction' 's/@e cp.async.bulk/membar.cta; @e cp.async.bulk/' bulk
must_fail 'bulk_rate: .*no bulk copy' '/entry gpu_bulk_rate/,/^}/s/@e cp.async.bulk[^;]*;//' bulk
