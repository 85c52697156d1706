# SPDX-License-Identifier: BSD-3-Clause
# Draws all columns against the first one. Input:
#   $data    a line for each row, with `columns` numbers
#   title[]  names of the columns; axis[]: the same as axis labels
# If x is the size of a block, the x axis is logarithmic and the value that was found is marked. If x is
# the number of an SM or CU, values are points without a line. If an x has several values, their mean
# is drawn.
set linetype 1 linecolor rgb blue linewidth 2
set linetype 2 linecolor rgb red linewidth 2
set linetype 3 linecolor rgb green linewidth 2
set linetype 4 linecolor rgb orange linewidth 2
set linetype 5 linecolor rgb purple linewidth 2
set linetype 6 linecolor rgb black linewidth 2
set linetype 7 linecolor rgb light linewidth 2
set linetype 8 linecolor rgb grey linewidth 2
set linetype cycle 8
sizes = strstrt(title[1], 'block') > 0
units = title[1] eq 'SM' || title[1] eq 'CU'
share = title[columns][strlen(title[columns]):] eq '%'

set label 2 strlen(found_text) ? found_text.' found'.sure : strlen(absent) ? 'not found: '.absent : ''
set xlabel axis[1] offset 0,0.2 textcolor rgb black
if (columns == 2) {
  set label 3 axis[2]
} else {
  set label 3 title[1] eq 'SM' ? 'Latency (cycles)' : share ? 'Loads (%)' : ''
  set key top left Left reverse horizontal samplen 2.2 font 'Helvetica,13' textcolor rgb black
}
set offsets graph 0.02, graph 0.02, graph (columns > 9 ? 0.35 : 0.12), graph 0.02 # room for the key
stats $data using 1:2 nooutput
if (STATS_min_x >= 0 && STATS_min_y >= 0 && title[1] ne 'SM') { set yrange [0:*] }
if (share) {
  set offsets 0, 0, 0, 0
  set yrange [0:columns == 2 ? 105 : 125]
  set ytics 0, 25, 100
}
if (sizes) {
  set logscale x 2
  set xrange [STATS_min_x / 1.2:STATS_max_x * 1.2]
}
if (sizes && known(found)) {
  set arrow 1 from found, graph 0 to found, graph 1 nohead linecolor rgb red linewidth 2 dashtype (6, 4) back
}
if (units) {
  set xrange [-1:STATS_max_x + 1]
  plot for [c = 2:columns] $data using 1:c with points pointtype 7 pointsize 0.5 linewidth 1 title title[c]
} else {
  plot for [c = 2:columns] $data using 1:c smooth unique with linespoints pointtype 7 pointsize 0.5 title title[c]
}
