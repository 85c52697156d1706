#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Results repeat: REPEAT measurements (default 10) must agree. Discrete values must be identical,
# capacities within 0.5 %, latencies inside the SM within a cycle, other latencies within 2 %,
# bandwidths, miss penalties and censuses within 3 %, points of a survival curve within 0.1, and 95th
# percentiles within 6 % (few loads are so slow; each value is right within 4 %). Prints the table that doc/results shows: key,
# smallest value, largest value.
tool=$top_builddir/hwloc-gpucache
repeat=${REPEAT:-10}
i=0
while [ $i -lt "$repeat" ]; do
  "$tool" measure --force --no-store --xml gpu0 >"$HOME/$i.xml" || exit 1
  # lines "<subtype> <key> <value>"
  sed -n -e 's/.*subtype="\([^"]*\)".*/@\1/p' -e 's/.*<info name="\([^"]*\)" value="\([^"]*\)".*/\1 \2/p' \
    "$HOME/$i.xml" | awk '/^@/ { kind = substr($0, 2); next } { print kind, $0 }'
  i=$((i + 1))
done | awk -v repeat="$repeat" '
  function number(v) { return v ~ /^[0-9.]+$/ }
  function note(name, value) {
    if (!(name in seen)) { order[++n] = name; low[name] = high[name] = value }
    seen[name]++
    if (number(value)) {
      if (value + 0 < low[name] + 0) low[name] = value
      if (value + 0 > high[name] + 0) high[name] = value
    } else if (value != low[name])
      high[name] = value
  }
  $2 ~ /^(GPUCache|Measur|lstopo)/ && $2 !~ /^GPUCache(GPC|TPC|CPC|Cluster|MaxCluster)/ { next }
  $2 ~ /Confidence$|ErrorBytes$/ { next }
  $2 == "SurvivalCurve" { # each point is a value
    points = split($3, point, ",")
    for (i = 1; i <= points; i++) {
      split(point[i], pair, ":")
      note($1 " SurvivalCurve:" pair[1], pair[2])
    }
    next
  }
  {
    value = $3
    for (i = 4; i <= NF; i++) value = value " " $i
    note($1 " " $2, value)
  }
  END {
    if (!n) { print "no measurement succeeded"; exit 1 }
    for (k = 1; k <= n; k++) {
      name = order[k]; bad = ""
      if (seen[name] != repeat) bad = "reported in " seen[name] " of " repeat
      else if (!number(low[name]) || name ~ /(Line|Fetch|Entry|Bank|Granule|Limit|Max)Bytes|PerSM|Instances|Partition| (Sets|Ways|Entries|Banks|Slices)$|GPCs|Cluster/)
        bad = low[name] == high[name] ? "" : "differs"
      else {
        spread = high[name] - low[name]
        allowed = 0.03 * high[name]
        if (name ~ /P95Cycles/) allowed = 0.06 * high[name]
        if (name ~ /SurvivalCurve/) allowed = 0.1
        if (name ~ /CapacityBytes|NominalBytes/) allowed = 0.005 * high[name]
        if (name ~ /^(L1|Texture|ReadOnly|Constant|Shared).*LatencyCycles/) allowed = 1
        if (name ~ /^(L2|Device).*LatencyCycles/) allowed = 0.02 * high[name]
        if (name ~ /^ConstantL1Cache CapacityBytes/) allowed = 0
        if (spread > allowed) bad = "spread too wide"
      }
      printf "%-44s %14s %14s %s\n", name, low[name], high[name], bad
      failed += bad != ""
    }
    printf "%d values, %d of them not repeatable, %d measurements\n", n, failed, repeat
    exit failed > 0
  }'
