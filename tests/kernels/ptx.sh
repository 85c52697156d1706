#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The PTX of the kernels: timed loads in order, no local and no static shared memory. ptx-order.awk must detect PTX
# that is out of order.
set -eu
ptx=$top_builddir/kernels/cuda.ptx
order="awk -f $top_srcdir/tests/kernels/ptx-order.awk"
broken=$HOME/broken.ptx

$order "$ptx"
$order -v expected=system "$top_builddir/kernels/system.ptx"

# must_fail WHAT SED-SCRIPT: ptx-order.awk refuses the kernels with that change.
must_fail() {
  sed "$2" "$ptx" >"$broken"
  if cmp -s "$ptx" "$broken"; then
    echo "$1: the change has no effect"
    exit 1
  fi
  if $order "$broken" >"$HOME/output"; then
    echo "$1: not detected"
    exit 1
  fi
  echo "detected: $1: $(head -n 1 "$HOME/output")"
}

must_fail "no exit after the load" '/clock64;/,/clock64;/{/@p exit;/d;}'
must_fail "a clock read before the wait" '/ld.global.cg.u64/a mov.u64 %rd1, %clock64;'
must_fail "another load between the clock reads" '/setp.eq.u32/i ld.global.cg.u64 %rd1, [%rd1];'
must_fail "the read-only path through L1" 's/ld.global.nc.u64/ld.global.ca.u64/'
must_fail "static shared memory" '1i .shared .align 4 .b8 pad[64];'
