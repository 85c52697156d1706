# SPDX-License-Identifier: BSD-3-Clause
# Columns against the first one. $data: as many numbers in a line as there are columns, whose names are in
# title[].
set linetype 1 linecolor rgb blue linewidth 2
set linetype 2 linecolor rgb red linewidth 2
set linetype 3 linecolor rgb green linewidth 2
set linetype 4 linecolor rgb orange linewidth 2
set linetype 5 linecolor rgb purple linewidth 2
set linetype cycle 5
set xlabel title[1] offset 0,0.2 textcolor rgb black
if (columns == 2) {
  set label 3 title[2]
} else {
  set key top left Left reverse samplen 2.2 font 'Helvetica,13' textcolor rgb black
}
set offsets graph 0.02, graph 0.02, graph 0.08, graph 0.02
stats $data using 2:(column(columns)) nooutput
if (STATS_min_x >= 0 && STATS_min_y >= 0) { set yrange [0:*] }
plot for [c = 2:columns] $data using 1:c with linespoints pointtype 7 pointsize 0.5 title title[c]
