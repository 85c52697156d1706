# SPDX-License-Identifier: BSD-3-Clause
# Draws latency and miss rate against array size, for each carve-out. Input:
#   $data          a block for each carve-out; a line for each size: bytes, mean cycles, slow loads
#                  (%)
#   level[]        lowest percentage of each carve-out
#   level_bytes[]  L1 capacity that it leaves, in bytes; level_text[]: as text
#   most           largest mean, in cycles; most_bytes: largest capacity
set linetype 1 linecolor rgb blue
set linetype 2 linecolor rgb red
set linetype 3 linecolor rgb green
set linetype 4 linecolor rgb purple
set linetype 5 linecolor rgb orange
set linetype 6 linecolor rgb black
set linetype cycle 6

set label 2 known(level_bytes[1]) ? 'Capacity from each share of shared memory on'.sure : 'not found: '.absent
unit = most_bytes < 2**20 ? 2.0**10 : 2.0**20
set xrange [0:1.08 * most_bytes / unit]
size(bytes) = bytes > 1.08 * most_bytes ? NaN : bytes / unit # omit sizes beyond the x range
do for [l = 1:levels] {
  if (known(level_bytes[l])) {
    set arrow l from level_bytes[l] / unit, graph 0 to level_bytes[l] / unit, graph 1 nohead linetype l \
      linewidth 1.2 dashtype (6, 4) back
  }
}

set multiplot

# Latency. The label of a carve-out stands above its vertical line.
set tmargin at screen 0.7
set bmargin at screen 0.405
set format x ''
set yrange [0:1.08 * most]
set label 3 'Mean latency (cycles)' at screen 0.025, screen 0.5525
do for [l = 1:levels] {
  if (known(level_bytes[l])) {
    set label 10 + l level[l].': '.level_text[l] at level_bytes[l] / unit, graph 1.03 left rotate by 90 \
      font 'Helvetica,13' textcolor linetype l
  }
}
plot for [l = 1:levels] $data index l - 1 using (size($1)):2 with linespoints linetype l linewidth 1.6 \
  pointtype 7 pointsize 0.25 notitle

# Miss rate.
do for [l = 1:levels] { unset label 10 + l }
unset label 1
unset label 2
set tmargin at screen 0.365
set bmargin at screen 0.12
set format x '%.0f'
set xlabel 'Array size ('.(unit == 2.0**10 ? 'K' : 'M').'iB)' offset 0,0.2 textcolor rgb black
set yrange [0:105]
set ytics 0, 25, 100
set label 3 'Slow loads (%)' at screen 0.025, screen 0.2425
plot for [l = 1:levels] $data index l - 1 using (size($1)):3 with linespoints linetype l linewidth 1.6 \
  pointtype 7 pointsize 0.25 notitle

unset multiplot
