#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The values of the simulated GPUs are those of tests/data/values. "make renew-values" renews these
# after a change that changes values on purpose. tests/sim/recent.sh compares those of $RECENT_GPUS.
set -u
compare=$top_srcdir/tests/values/same-values.sh
if [ "$(uname -m)" != x86_64 ]; then
  echo "skipped: the reference was made on x86_64; other processors may round the simulated noise differently"
  exit 77
fi
gpus=
for values in "$top_srcdir"/tests/data/values/*.tsv; do
  gpu=$(basename "$values" .tsv)
  case " $RECENT_GPUS " in *" $gpu "*) ;; *) gpus="$gpus $gpu" ;; esac
done
# shellcheck disable=SC2086 # a list of names
"$compare" "$top_srcdir/tests/data/values" "$top_builddir/tests/records" $gpus || exit 1

# Are differences noticed? One value, one confidence and one kind of source are changed, one key is
# removed.
mkdir "$HOME/changed"
sed -e 's/^L1Cache.CapacityBytes.*/&0/' -e 's/^L1Cache.LatencyConfidence.*/&1/' \
  -e 's/^L2Cache.NominalSource.*/&x/' -e '/^L2Cache.parent/d' \
  "$top_srcdir/tests/data/values/a100.tsv" >"$HOME/changed/a100.tsv"
if "$compare" "$top_srcdir/tests/data/values" "$HOME/changed" a100 >"$HOME/said" ||
  ! grep -q '^a100: L1Cache.CapacityBytes was [0-9]* and is [0-9]*0$' "$HOME/said" ||
  ! grep -q '^a100: L1Cache.LatencyConfidence was' "$HOME/said" ||
  ! grep -q '^a100: L2Cache.NominalSource was' "$HOME/said" ||
  ! grep -q '^a100: L2Cache.parent is gone' "$HOME/said" ||
  ! grep -q '^4 differences' "$HOME/said"; then
  echo "differences were not noticed:"
  cat "$HOME/said"
  exit 1
fi
