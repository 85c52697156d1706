# SPDX-License-Identifier: BSD-3-Clause
# What repetitions of one measurement say. $data: number, value in cycles; rows: how many.
subtitle = known(found) ? sprintf('%g cycles found', found).sure : 'not found: '.absent
set label 2 subtitle
set xlabel 'Repetition' offset 0,0.2 textcolor rgb black
set label 3 'Latency (cycles)'
stats $data using 2 nooutput
margin = STATS_max - STATS_min > 2 ? 0.1 * (STATS_max - STATS_min) : 1
set yrange [STATS_min - margin:STATS_max + margin]
set xrange [0:rows + 1]
if (known(found)) {
  set arrow 1 from graph 0, first found to graph 1, first found nohead linecolor rgb red linewidth 2 \
    dashtype (6, 4) back
}
plot $data using 1:2 with points linecolor rgb blue pointtype 7 pointsize 0.7 notitle
