# SPDX-License-Identifier: BSD-3-Clause
# Style of all pictures. One of the other files follows it. The command defines before it:
#   $data                                                  the data
#   gpu, model, element, property, unit, absent, date      text, can be empty
#   confidence, CarveoutPercent                            text, can be empty
#   found, threshold                                       numbers, or NaN
#   found_text                                             found in KiB or MiB
# Colours: the palette of Okabe and Ito, which colour-blind people can distinguish.
set terminal svg size 800,600 dynamic noenhanced font 'Helvetica,15' rounded background '#ffffff'
set encoding utf8
blue = '#0072B2'
light = '#9CCBE8'
red = '#D55E00'
green = '#009E73'
orange = '#E69F00'
purple = '#CC79A7'
black = '#222222'
grey = '#767676'
line = '#d9d9d9'
known(number) = number == number

set border 3 linecolor rgb black linewidth 1
set tics nomirror out scale 0.6 textcolor rgb black
set grid linecolor rgb line linewidth 0.8 dashtype solid
set lmargin at screen 0.125
set rmargin at screen 0.965
set tmargin at screen 0.865
set bmargin at screen 0.12
unset key

# Title and subtitle above the plot, aligned left.
heading = (strlen(model) ? model : gpu).': '.element.' '
sure = strlen(confidence) ? ', confidence '.confidence : ''
set label 1 heading.property at screen 0.125, 0.957 left font 'Helvetica,19' textcolor rgb black
set label 2 '' at screen 0.125, 0.915 left font 'Helvetica,14' textcolor rgb grey
# Label of the y axis. gnuplot would cut off its own ylabel beside long numbers.
set label 3 '' at screen 0.025, screen 0.4925 center rotate by 90 textcolor rgb black
