#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# copies.sh DIR COUNT RECORD: makes COUNT copies of a record with other ids, as DIR/node00001.xml and
# so on, to time compare. Latencies of L2 vary by a cycle; nothing else does.
set -eu
[ $# = 3 ] || { echo "usage: $0 DIR COUNT RECORD" >&2; exit 2; }
mkdir -p "$1"
awk -v dir="$1" -v count="$2" '
  { line[NR] = $0 }
  END {
    srand(1)
    for (i = 1; i <= count; i++) {
      file = sprintf("%s/node%05d.xml", dir, i)
      for (n = 1; n <= NR; n++) {
        text = line[n]
        if (text ~ /name="GPUCacheUUID"/)
          sub(/value="[^"]*"/, sprintf("value=\"GPU-copy-%05d\"", i), text)
        if (text ~ /subtype="/)
          in_l2 = text ~ /subtype="L2Cache"/
        if (in_l2 && match(text, /LatencyCycles" value="[0-9.]+/)) {
          split(substr(text, RSTART, RLENGTH), part, "value=\"")
          sub(/value="[0-9.]+/, sprintf("value=\"%.1f", part[2] + int(3 * rand()) - 1), text)
        }
        print text >file
      }
      close(file)
    }
  }' "$3"
