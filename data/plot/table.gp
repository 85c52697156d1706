# SPDX-License-Identifier: BSD-3-Clause
# Columns against the first one. $data: as many numbers in a line as there are columns, whose names are in
# title[].
set linetype 1 linecolor rgb blue linewidth 2
set linetype 2 linecolor rgb red linewidth 2
set linetype 3 linecolor rgb green linewidth 2
set linetype 4 linecolor rgb orange linewidth 2
set linetype 5 linecolor rgb purple linewidth 2
set linetype cycle 5
set label 1 heading.property at screen 0.105, 0.955 left font 'Helvetica,19' textcolor rgb black
set tmargin at screen 0.9
set bmargin at screen 0.125
set xlabel title[1] offset 0,0.2 textcolor rgb black
if (columns == 2) {
  set ylabel title[2] offset 0.5,0 textcolor rgb black
} else {
  set key top left Left reverse samplen 2.2 font 'Helvetica,13' textcolor rgb black
}
set offsets graph 0.02, graph 0.02, graph 0.08, graph 0.02
plot for [c = 2:columns] $data using 1:c with linespoints pointtype 7 pointsize 0.5 title title[c]
