#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# How the GPUs of this machine reach each other: REPEAT measurements (default 10) agree within 3 %, and
# their medians agree within 3 % with peers.cu, if there is nvcc. Prints a line for each value: from, to,
# what, smallest, median, largest.
set -u
tool=$top_builddir/hwloc-gpucache
repeat=${REPEAT:-10}
if [ "$(ls /proc/driver/nvidia/gpus 2>/dev/null | wc -l)" -lt 2 ]; then
  echo "skipped: this machine has no two NVIDIA GPUs"
  exit 77
fi
i=0
while [ $i -lt "$repeat" ]; do
  start=$(date +%s%N)
  "$tool" measure --peers --force >"$HOME/table" || exit 1
  echo $((($(date +%s%N) - start) / 1000000)) >>"$HOME/milliseconds"
  awk 'NR > 1 { for (c = 3; c <= 6; c++) print substr($1, 4), substr($2, 4), c, $c; print substr($1, 4), substr($2, 4), "by", $7 }' \
    "$HOME/table" | sed 's/ 3 / read /; s/ 4 / write /; s/ 5 / copy /; s/ 6 / latency /'
  i=$((i + 1))
done >"$HOME/ours"
cat "$HOME/table"
echo "milliseconds of the processes: $(tr '\n' ' ' <"$HOME/milliseconds")"
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
if "$nvcc" -arch=native -o "$HOME/peers" "${srcdir:-.}/tests/gpu/peers.cu" 2>"$HOME/why"; then
  CUDA_DEVICE_ORDER=PCI_BUS_ID "$HOME/peers" >"$HOME/theirs" || exit 1
else
  echo "no program for the comparison: $(head -n 1 "$HOME/why")"
  : >"$HOME/theirs"
fi
sort -k1,1n -k2,2n -k3,3 -k4,4g "$HOME/ours" | awk -v theirs="$HOME/theirs" -v repeat="$repeat" '
  BEGIN { while ((getline line < theirs) > 0) { split(line, w, " "); other[w[1] " " w[2] " " w[3]] = w[4] } }
  function conclude() {
    if (!n) return
    middle = v[int((n + 1) / 2)]
    note = ""
    if (v[1] == "-" && v[n] == "-") note = ""
    else if (last ~ /by$/) { if (v[1] != v[n]) note = " DIFFERS" }
    else if (n < repeat || v[1] + 0 <= 0 || v[n] > 1.03 * v[1]) note = " VARIES"
    if (last in other) {
      note = note "  reference " other[last]
      if (middle > 1.03 * other[last] || middle < 0.97 * other[last]) note = note " DISAGREES"
    }
    if (note ~ /[A-Z][A-Z]/) failed = 1
    print "  " last, v[1], middle, v[n] note
  }
  { name = $1 " " $2 " " $3; if (name != last) { conclude(); n = 0; last = name } v[++n] = $4 }
  END { conclude(); exit failed }' || { echo "FAILED"; exit 1; }
