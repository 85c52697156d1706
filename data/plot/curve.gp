# SPDX-License-Identifier: BSD-3-Clause
# Draws latency and miss rate against array size. Input:
#   $data             a line for each size: bytes; cycles: minimum, percentiles 1, 50 and 99, maximum,
#                     mean; slow loads (%)
#   hit, miss         median cycles below and above the capacity, exact to a histogram bin
#   latency, penalty  latency and miss penalty of the record in cycles, or NaN
#   most              largest 99th percentile of all sizes
about = known(latency) ? '' : '≈ '
about_miss = known(latency + penalty) ? '' : '≈ '
hit = known(latency) ? latency : hit
miss = known(latency + penalty) ? latency + penalty : miss
usual = known(miss) ? miss : known(hit) ? hit : 1
top = most < 1.3 * usual ? 1.4 * usual : most < 2.2 * usual ? 1.07 * most : 2.2 * usual
set rmargin at screen 0.885

carveout = strlen(CarveoutPercent) ? ', carve-out '.CarveoutPercent.' %' : ''
subtitle = known(found) ? found_text.' found'.sure.carveout : 'not found: '.absent
set label 2 subtitle

set logscale x 2
set xrange [least_bytes / 1.03:most_bytes * 1.03]
octaves = log(most_bytes / least_bytes) / log(2)
every = octaves > 9 ? 2 : 1
size_text(bytes) = bytes < 2**10 ? sprintf('%.0f B', bytes) : \
  bytes < 2**20 ? sprintf('%.0f KiB', bytes / 2.0**10) : sprintf('%.0f MiB', bytes / 2.0**20)
if (known(found)) {
  set arrow 1 from found, graph 0 to found, graph 1 nohead linecolor rgb red linewidth 2 dashtype (6, 4) front
}

set multiplot

# Latency.
set tmargin at screen 0.825
set bmargin at screen 0.405
set xtics ()
do for [e = 0:40:every] {
  if (2.0**e >= least_bytes && 2.0**e <= most_bytes) { set xtics add ('' 2.0**e) }
}
set yrange [0:top]
set label 3 'Latency (cycles)' at screen 0.025, screen 0.615
set key at screen 0.905, screen 0.903 right top Left reverse horizontal maxrows 2 samplen 1.8 width -1 \
  font 'Helvetica,13' textcolor rgb black
if (known(hit)) {
  set arrow 2 from graph 0, first hit to graph 1, first hit nohead linecolor rgb grey linewidth 1 \
    dashtype (2, 3) back
  set label 4 sprintf('hit %s%.4g', about, hit) at graph 1, first hit left offset 0.6,0 font 'Helvetica,14' \
    textcolor rgb grey
}
if (known(miss)) {
  set arrow 3 from graph 0, first miss to graph 1, first miss nohead linecolor rgb grey linewidth 1 \
    dashtype (2, 3) back
  set label 5 sprintf('miss %s%.4g', about_miss, miss) at graph 1, first miss left offset 0.6,0 font 'Helvetica,14' \
    textcolor rgb grey
}
if (known(found)) {
  set label 6 found_text at found, graph 1 right offset -0.8,-0.8 font 'Helvetica,15' textcolor rgb red front
}
plot $data using 1:3:5 with filledcurves linecolor rgb light fillstyle solid 0.6 noborder \
       title '98 % of loads', \
     $data using 1:7 with lines linecolor rgb blue linewidth 2.2 title 'mean', \
     $data using 1:4 with points linecolor rgb black pointtype 7 pointsize 0.35 title 'median', \
     $data using 1:6 with points linecolor rgb grey pointtype 7 pointsize 0.2 title 'least, most', \
     $data using 1:2 with points linecolor rgb grey pointtype 7 pointsize 0.2 notitle

# Miss rate.
unset label
unset arrow 2
unset arrow 3
unset key
set tmargin at screen 0.365
set bmargin at screen 0.12
do for [e = 0:40:every] {
  if (2.0**e >= least_bytes && 2.0**e <= most_bytes) { set xtics add (size_text(2.0**e) 2.0**e) }
}
set xlabel 'Array size' offset 0,0.2 textcolor rgb black
set yrange [0:105]
set ytics 0, 25, 100
set label 3 'Slow loads (%)' at screen 0.025, screen 0.2425 center rotate by 90 textcolor rgb black
plot $data using 1:8 with linespoints linecolor rgb blue linewidth 1.6 pointtype 7 pointsize 0.35 notitle

unset multiplot
