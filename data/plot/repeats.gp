# SPDX-License-Identifier: BSD-3-Clause
# Draws the repetitions of a measurement. Input:
#   $data     a line for each repetition: number, value
#   title[2]  name of the value; axis[2]: the same as an axis label
#   rows      number of repetitions
subtitle = known(found) ? found_text.' found'.sure : 'not found: '.absent
set label 2 subtitle
set xlabel 'Repetition' offset 0,0.2 textcolor rgb black
set label 3 title[2] eq 'cycles' ? 'Latency (cycles)' : axis[2]
stats $data using 2 nooutput
# At least 2 % of the value on both sides, so that small differences look small.
low = STATS_min - 0.02 * STATS_median
high = STATS_max + 0.02 * STATS_median
set yrange [low:high]
set xrange [0:rows + 1]
if (known(found)) {
  set arrow 1 from graph 0, first found to graph 1, first found nohead linecolor rgb red linewidth 2 \
    dashtype (6, 4) back
}
plot $data using 1:2 with points linecolor rgb blue pointtype 7 pointsize 0.7 notitle
