# SPDX-License-Identifier: BSD-3-Clause
# Draws the histogram of load latencies. Input:
#   $data        a line for each bar: cycles, percent of the loads
#   bar          width of a bar in cycles; least, most: cycles of the first and the last bar
#   middle       median; loads: number of loads
#   near, far    medians of near and far partitions
subtitle = sprintf('%.0f loads, each timed alone', loads)
subtitle = subtitle.(known(found) ? '; '.found_text.' found'.sure : '')
set label 2 subtitle
set xlabel 'Latency (cycles)' offset 0,0.2 textcolor rgb black
set label 3 sprintf('Loads (%% in %.0f cycle%s)', bar, bar == 1 ? '' : 's')
set yrange [0:*]
set offsets 0, 0, graph 0.08, 0
set boxwidth bar

# Marks near and far partitions, or else the median. The text is on the side that has more space.
array mark[2] = [NaN, NaN]
array mark_text[2] = ['', '']
if (property eq 'partitions') {
  mark[1] = near
  mark[2] = far
  mark_text[1] = 'near '
  mark_text[2] = 'far '
}
if (property eq 'latency') {
  mark[1] = middle
  mark_text[1] = 'median '
}
do for [i = 1:2] {
  if (known(mark[i])) {
    set arrow i from mark[i], graph 0 to mark[i], graph 1 nohead linecolor rgb red linewidth 2 dashtype (6, 4) front
    if (mark[i] < least + 0.75 * (most - least)) {
      set label 3 + i mark_text[i].sprintf('%.0f', mark[i]) at mark[i], graph 1 left offset 0.8,-0.8 \
        font 'Helvetica,15' textcolor rgb red front
    } else {
      set label 3 + i mark_text[i].sprintf('%.0f', mark[i]) at mark[i], graph 1 right offset -0.8,-0.8 \
        font 'Helvetica,15' textcolor rgb red front
    }
  }
}
plot $data using 1:2 with boxes linecolor rgb blue fillstyle solid 0.85 border rgb blue notitle
