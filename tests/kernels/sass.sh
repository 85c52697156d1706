#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The machine code from ptxas, for every architecture that was built: timed loads and chains in order (sass-check),
# no stack and no spills (ptxas -v). nvdisasm, where it is installed, confirms the former. Needs no GPU and, if the
# machine code is there, no toolkit.
set -eu
cd "$top_builddir"
set -- kernels/cuda.sm_*.cubin
if [ ! -e "$1" ]; then
  echo "SKIPPED: no machine code was made, because there is no ptxas (CUDA Toolkit)"
  exit 77
fi
architectures=$(for cubin; do echo "$cubin" | sed 's/.*sm_\(.*\)\.cubin/sm_\1/'; done | sort -V)
set -- "$@" kernels/copies.sm_*.cubin kernels/filler.sm_*.cubin kernels/jumps.sm_*.cubin kernels/system.sm_*.cubin
for cubin in kernels/cluster.sm_*.cubin kernels/bulk.sm_*.cubin; do
  [ ! -e "$cubin" ] || set -- "$@" "$cubin" # a ptxas that knows no GPU with clusters, or only older PTX
done
tests/kernels/sass-check "$@"
# shellcheck disable=SC2086 # a word for each
echo "architectures:" $architectures
for architecture in $("${PTXAS:-false}" --help 2>/dev/null | grep -o "'sm_[0-9]*'" | tr -d "'" | sort -V -u); do
  case " $(echo "$architectures" | tr '\n' ' ')" in
  *" $architecture "*) ;;
  *) echo "$architecture was not built (CUBIN_ARCHS), and not checked" ;;
  esac
done

logs=0
for log in kernels/cuda.sm_*.ptxas kernels/copies.sm_*.ptxas kernels/filler.sm_*.ptxas kernels/jumps.sm_*.ptxas kernels/cluster.sm_*.ptxas \
  kernels/bulk.sm_*.ptxas kernels/system.sm_*.ptxas; do
  [ -e "$log" ] || continue
  logs=$((logs + 1))
  kernels=$(grep -c 'Compiling entry function' "$log")
  clean=$(grep -c ' 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads' "$log")
  if [ "$kernels" -ne "$clean" ] || [ "$kernels" -eq 0 ] || grep 'bytes smem' "$log"; then
    echo "$log: $kernels kernels, $clean without stack and spills"
    exit 1
  fi
done
echo "$logs logs of ptxas: no stack, no spills, no static shared memory"

if ! command -v nvdisasm >/dev/null; then
  echo "nvdisasm was not found: only sass-check has checked the code"
  exit 0
fi
agreed= unknown=
for architecture in $architectures; do
  cubin=kernels/cuda.$architecture.cubin
  if nvdisasm -c "$cubin" >"$HOME/sass" 2>/dev/null; then
    awk -f "$top_srcdir/tests/kernels/sass-order.awk" "$HOME/sass" || { echo "$cubin: out of order"; exit 1; }
    agreed="$agreed $architecture"
  else
    unknown="$unknown $architecture"
  fi
done
echo "nvdisasm agrees:${agreed:- nowhere}${unknown:+; it does not know$unknown}"
[ -n "$agreed" ] || { echo "this nvdisasm reads none of the machine code: it is older than ptxas"; exit 1; }
