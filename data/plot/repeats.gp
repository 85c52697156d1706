# SPDX-License-Identifier: BSD-3-Clause
# What repetitions of one measurement say. $data: number, value; title[2]: what the value is; axis[2]: the same as
# the name of an axis; rows: how many.
subtitle = known(found) ? found_text.' found'.sure : 'not found: '.absent
set label 2 subtitle
set xlabel 'Repetition' offset 0,0.2 textcolor rgb black
set label 3 title[2] eq 'cycles' ? 'Latency (cycles)' : axis[2]
stats $data using 2 nooutput
# At least 2 % of the value on both sides, so that what is steady looks so.
low = STATS_min - 0.02 * STATS_median
high = STATS_max + 0.02 * STATS_median
set yrange [low:high]
set xrange [0:rows + 1]
if (known(found)) {
  set arrow 1 from graph 0, first found to graph 1, first found nohead linecolor rgb red linewidth 2 \
    dashtype (6, 4) back
}
plot $data using 1:2 with points linecolor rgb blue pointtype 7 pointsize 0.7 notitle
