#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# sass-check must be able to fail: kernels that are wrong in one way each, assembled, are refused, each
# for its own reason.
set -eu
cd "$top_builddir"
if [ -z "${PTXAS:-}" ]; then
  echo "SKIPPED: no ptxas (CUDA Toolkit) to make broken machine code with"
  exit 77
fi
set -- kernels/cuda.sm_*.cubin
arch=${1##*sm_}
arch=${arch%.cubin}
[ -e kernels/cuda.sm_90.cubin ] && arch=90
ptx=$HOME/broken.ptx

# must_fail REASON SED-SCRIPT
must_fail() {
  reason=$1
  sed -E "$2" kernels/cuda.ptx >"$ptx"
  if cmp -s "$ptx" kernels/cuda.ptx; then
    echo "$reason: the change changed nothing"
    exit 1
  fi
  "$PTXAS" -arch="sm_$arch" -o "$HOME/broken.sm_$arch.cubin" "$ptx" >"$HOME/log" 2>&1 ||
    { cat "$HOME/log"; exit 1; }
  if tests/kernels/sass-check "$HOME/broken.sm_$arch.cubin" >"$HOME/said"; then
    echo "$reason: not noticed"
    exit 1
  fi
  if ! grep -q "$reason" "$HOME/said"; then
    echo "expected '$reason', but it said:"
    cat "$HOME/said"
    exit 1
  fi
  echo "noticed: $reason"
}

must_fail 'nothing in the timed window waits for the load' '/clock64;/,/clock64;/{/@p exit;/d;}'
must_fail 'latency_nc: .*not three chains' 's/ld.global.nc.u64/ld.global.ca.u64/'
must_fail 'something else in the timed window' '/clock64;/,/@p exit;/s/(ld.global.ca.u64 [^[]*\[(.*)\];)/st.global.u64 [\2], \2; \1/'
must_fail 'does not start where' 's/(ld.global.cg.u64 (%rd[0-9]+), .*)/\1 xor.b64 \2, \2, 512;/'
must_fail 'fill: .*local memory' '/entry gpu_fill/,/^\{/s/^\{/{ .local .b8 pad[64]; .reg .u64 q; cvta.local.u64 q, pad; st.local.u8 [pad], 1; st.global.u64 [q], q;/'
must_fail 'delivers late' 's/mov.u64 (%rd[0-9]+), %clock64;/{.reg .u32 c; mov.u32 c, %clock; cvt.u64.u32 \1, c;}/; s/popc.b32 m, m;/mov.u32 m, 1;/'
must_fail 'turn_census: .*is read while turns are taken' \
  '/entry gpu_turn_census/,/^}/s/(ld.global.cg.u32 (%r[0-9]+), .*)/\1 {.reg .u32 c; ld.param.u32 c, [gpu_turn_census_param_0+72]; mul.lo.u32 \2, \2, c;}/'
