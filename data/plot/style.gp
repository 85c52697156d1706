# SPDX-License-Identifier: BSD-3-Clause
# How every picture looks; one of the other files comes behind it. Before it, gnuplot is told the block $data
# and: gpu, model, element, property, unit, absent, date, confidence, CarveoutPercent (text, or empty), found,
# threshold (numbers, or NaN), found_text (in KiB or MiB).
# Colours are those of Okabe and Ito, which the colour-blind can tell apart.
set terminal svg size 800,560 dynamic noenhanced font 'Helvetica,15' rounded background '#ffffff'
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
set lmargin at screen 0.105
set rmargin at screen 0.965
unset key

# Title and subtitle, flush left over the plot.
heading = (strlen(model) ? model : gpu).': '.element.' '
sure = strlen(confidence) ? ', confidence '.confidence : ''
