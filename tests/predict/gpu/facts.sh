#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# facts.sh sms|threshold|masks|lines RECORD: the number of SMs; the cycles in the middle between a hit
# in L1 and one in L2, below which a timed load is a hit; the SetIndexMasks of L1; the number of lines
# that L1 has data for.
value() { # KEY ELEMENT: the key of this element, or of the GPU if it is empty
  awk -v key="$1" -v element="$2" -F'"' '
    /<object/ { of = ""; for (i = 1; i < NF; i++) if ($i ~ / subtype=$/) of = $(i + 1) }
    $2 == key && (element == "" || of == element) { print $4; exit }' "$record"
}

record=$2
case $1 in
  sms) value GPUCacheSMs "" ;;
  masks) value SetIndexMasks L1Cache ;;
  lines) echo "$(value CapacityBytes L1Cache) $(value LineBytes L1Cache)" | awk '$2 { print $1 / $2 }' ;;
  threshold)
    echo "$(value LatencyCycles L1Cache) $(value LatencyCycles L2Cache)" |
      awk '$2 > $1 { print int(($1 + $2) / 2) }'
    ;;
esac
