# SPDX-License-Identifier: BSD-3-Clause
# Draws predicted hit rates against the capacity of L1. Input:
#   $data      a line for each capacity, with `columns` numbers: bytes, then rates (%)
#   title[]    names of the columns
#   marks      number of marked capacities: the carve-outs of the GPU, from the largest L1 to the smallest
#   mark[]     their bytes; mark_text[]: as text
set linetype 1 linecolor rgb blue linewidth 2
set linetype 2 linecolor rgb red linewidth 2
set linetype 3 linecolor rgb green linewidth 2
set linetype 4 linecolor rgb orange linewidth 2
set tmargin at screen 0.78
set label 2 marks ? 'Predicted hit rates; dashed lines: L1 of each carve-out for shared memory' : 'Predicted hit rates'
stats $data using 1 nooutput
set logscale x 2
set xrange [STATS_min / 1.1:STATS_max * 1.1]
set xtics ()
size_text(bytes) = bytes < 2**10 ? sprintf('%.0f B', bytes) : \
  bytes < 2**20 ? sprintf('%.0f KiB', bytes / 2.0**10) : sprintf('%.0f MiB', bytes / 2.0**20)
do for [e = 0:40] {
  if (2.0**e >= STATS_min / 1.1 && 2.0**e <= STATS_max * 1.1) { set xtics add (size_text(2.0**e) 2.0**e) }
}
set xlabel 'Capacity of L1' offset 0,0.2 textcolor rgb black
set yrange [0:105]
set ytics 0, 25, 100
set label 3 'Hit rate (%)' at screen 0.025, screen 0.45
set key at screen 0.965, screen 0.915 right bottom Left reverse horizontal maxrows 1 samplen 2.2 font 'Helvetica,13' \
  textcolor rgb black
do for [m = 1:marks] {
  set arrow m from mark[m], graph 0 to mark[m], graph 1 nohead linecolor rgb grey linewidth 1.2 dashtype (6, 4) back
  set label 10 + m mark_text[m] at mark[m], graph 1.02 left rotate by 60 font 'Helvetica,12' textcolor rgb grey
}
plot for [c = 2:columns] $data using 1:c with linespoints pointtype 7 pointsize 0.5 title title[c]
