#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Results repeat: REPEAT measurements (default 10) must agree. Discrete values must be identical,
# capacities within 0.5 %, latencies inside the SM within a cycle, other latencies within 2 %,
# bandwidths, miss penalties (or within a cycle) and censuses within 3 %, points of a survival curve
# within 0.1, FlushBytes within a step (17 %), latencies under load, their loads, departure delays and host memory
# within 5 %, and 95th percentiles within 6 % (few loads are so slow; each value is right within 4
# %). Prints the table that doc/results shows: key, smallest value, largest value.
#
# OTHER=PROGRAM compares with another revision of the command: both measure in alternation, the same
# limits hold for all their values together, and two columns more have the values of PROGRAM.
#
# contrib/first-day uses it, too: TOOL=PROGRAM measures (default: that of the build) the GPU named GPU
# (default: gpu0), and RECORDS=DIR keeps the records as 1.xml, 2.xml ...
tool=${TOOL:-$top_builddir/hwloc-gpucache}
repeat=${REPEAT:-10}
records=${RECORDS:-$HOME}
i=1
while [ $i -le "$repeat" ]; do
  for program in "$tool" ${OTHER:+"$OTHER"}; do
    echo "measurement $i of $repeat" >&2
    "$program" measure --force --no-store --xml "${GPU:-gpu0}" >"$records/$i.xml" || continue
    echo "measured by $program"
    # lines "<subtype> <key> <value>"
    sed -n -e 's/.*subtype="\([^"]*\)".*/@\1/p' -e 's/.*<info name="\([^"]*\)" value="\([^"]*\)".*/\1 \2/p' \
      "$records/$i.xml" | awk '/^@/ { kind = substr($0, 2); next } { print kind, $0 }'
  done
  i=$((i + 1))
done | awk -v repeat="$repeat" -v other="${OTHER:-}" '
  function number(v) { return v ~ /^[0-9.]+$/ }
  # the smallest and the largest value: of all measurements, by "", and of each program, by its path
  function widen(by, name, value) {
    if (!((by, name) in low)) { low[by, name] = high[by, name] = value }
    else if (number(value)) {
      if (value + 0 < low[by, name] + 0) low[by, name] = value
      if (value + 0 > high[by, name] + 0) high[by, name] = value
    } else if (value != low[by, name])
      high[by, name] = value
  }
  function note(name, value) {
    if (!(name in seen)) order[++n] = name
    seen[name]++
    widen("", name, value)
    widen(by, name, value)
  }
  $1 == "measured" { measured++; by = $3; if (!(by in column)) columns[column[by] = ++programs] = by; next }
  $2 ~ /^(GPUCache|Measur|lstopo)/ && $2 !~ /^GPUCache(GPC|TPC|CPC|Cluster|MaxCluster|Flush|WarpOrder)/ { next }
  $2 ~ /Confidence$|ErrorBytes$/ { next }
  $2 == "LatencyBySM" { # least, median, most
    points = split($3, point, ",")
    for (i = 1; i <= points; i++)
      note($1 " LatencyBySMCycles:" i, point[i])
    next
  }
  $2 == "LatencyBySMSource" { sub(/within [0-9.]+ %/, "within a few %") }
  $2 == "SurvivalCurve" || $2 ~ /^Host.*(GBps|Ns)$/ { # each point, or NUMA node, is a value
    points = split($3, point, ",")
    for (i = 1; i <= points; i++) {
      split(point[i], pair, ":")
      note($1 " " $2 ":" pair[1], pair[2])
    }
    next
  }
  $2 == "LatencyUnderLoad" { # each point has two values
    points = split($3, point, ",")
    for (i = 1; i <= points; i++) {
      split(point[i], pair, ":")
      note($1 " Load" i "GBps", pair[1])
      note($1 " Load" i "Ns", pair[2])
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
      least = low["", name]; most = high["", name]
      if (seen[name] != measured) bad = "reported in " seen[name] " of " measured
      else if (!number(least) || name ~ /(Line|Fetch|Entry|Bank|Granule|Limit|Max)Bytes|PerSM|PerWarp|Instances|Partition| (Sets|Ways|Entries|Banks|Slices)$|GPCs|Cluster/)
        bad = least == most ? "" : "differs"
      else {
        spread = most - least
        allowed = 0.03 * most
        if (name ~ /P95Cycles/) allowed = 0.06 * most
        if (name ~ /FlushBytes/) allowed = 0.17 * most # sizes are 19 % apart
        if (name ~ /SurvivalCurve/) allowed = 0.1
        if (name ~ /MissPenaltyCycles/ && allowed < 1) allowed = 1
        if (name ~ / Load[0-9]/) allowed = 0.05 * most
        if (name ~ / Host|DepartureDelay/) allowed = 0.05 * most
        if (name ~ /CapacityBytes|NominalBytes/) allowed = 0.005 * most
        if (name ~ /^(L1|Texture|ReadOnly|Constant|Shared).*LatencyCycles/) allowed = 1
        if (name ~ /^(L2|Device).*LatencyCycles| BulkCopyLatencyCycles/) allowed = 0.02 * most # from L2, too
        if (name ~ /^ConstantL1Cache CapacityBytes/) allowed = 0
        if (spread > allowed) bad = "spread too wide"
      }
      printf "%-44s", name
      for (p = 1; p <= programs; p++) printf " %14s %14s", low[columns[p], name], high[columns[p], name]
      print "", bad
      failed += bad != ""
    }
    printf "%d values, %d of them not repeatable, %d measurements%s\n", n, failed, repeat,
      other == "" ? "" : " by each of two revisions"
    missing = repeat * (other == "" ? 1 : 2) - measured
    if (missing)
      print missing " measurements failed"
    exit failed + missing > 0
  }'
