# SPDX-License-Identifier: BSD-3-Clause
# How many loads took how long. $data: cycles, percent of the loads, a line per bar; bar: its width;
# middle: median; loads: how many there were.
subtitle = sprintf('%.0f loads, each timed alone', loads)
set label 2 subtitle
set xlabel 'Latency (cycles)' offset 0,0.2 textcolor rgb black
set label 3 sprintf('Loads (%% in %.0f cycle%s)', bar, bar == 1 ? '' : 's')
set yrange [0:*]
set offsets 0, 0, graph 0.08, 0
set boxwidth bar
set arrow 1 from middle, graph 0 to middle, graph 1 nohead linecolor rgb red linewidth 2 dashtype (6, 4) front
set label 4 sprintf('median %.0f', middle) at middle, graph 1 left offset 0.8,-0.8 font 'Helvetica,15' \
  textcolor rgb red front
plot $data using 1:2 with boxes linecolor rgb blue fillstyle solid 0.85 border rgb blue notitle
