# The one look of all charts. common/make/plot.sh loads it before a chart.gp, with
#   data     the common start of the data files' names: data.'.csv', data.'_by_second.csv'
#   device   svg, png, dumb (the terminal, without colour) or colour (the terminal, with it)
# and, for the terminal, `columns` and `rows`. A chart.gp sets neither terminal nor output.

if (device eq 'svg') {
  set terminal svg size 960,540 font 'sans-serif,15' background rgb 'white' dynamic
}
if (device eq 'png') {
  set terminal pngcairo size 1600,900 font 'sans,13' fontscale 1.7 linewidth 2 background rgb 'white'
}
if (device eq 'dumb')   { set terminal dumb mono size columns,rows }
if (device eq 'colour') { set terminal dumb ansi256 size columns,rows }
in_terminal = (device eq 'dumb' || device eq 'colour')

set encoding utf8
set datafile separator comma
set datafile columnheaders

# The same thing has the same colour and the same point everywhere (colours by
# Okabe and Ito, told apart by every kind of eye): plot ... with lines ls PROTECTED
PROTECTED   = 1; set style line PROTECTED   lt 1 lw 2.5 lc rgb '#0072B2' pt 7 ps 0.9
UNPROTECTED = 2; set style line UNPROTECTED lt 2 lw 2.5 lc rgb '#D55E00' pt 9 ps 1.0
SHED        = 3; set style line SHED        lt 3 lw 2.0 lc rgb '#E69F00' pt 5 ps 0.8
TIMEOUT     = 4; set style line TIMEOUT     lt 4 lw 2.0 lc rgb '#CC79A7' pt 11 ps 1.0
WASTED      = 5; set style line WASTED      lt 5 lw 2.0 lc rgb '#7A5195' pt 13 ps 1.0
CAPACITY    = 6; set style line CAPACITY    lt 6 lw 1.5 lc rgb '#555555' dt (8,6) pt 0
OK          = 7; set style line OK          lt 7 lw 2.5 lc rgb '#009E73' pt 6 ps 0.9
OFFERED     = 8; set style line OFFERED     lt 8 lw 2.0 lc rgb '#999999' pt 4 ps 0.8
OTHER       = 9; set style line OTHER       lt 9 lw 2.0 lc rgb '#56B4E9' pt 2 ps 0.9

set border 3 lc rgb '#444444'
set tics nomirror out scale 0.6
if (!in_terminal) {
  set grid ytics lt 1 lw 0.6 lc rgb '#DDDDDD'
}
set title offset 0,0.3
set key outside bottom center horizontal samplen 2 spacing 1.1 noenhanced
set style fill solid 0.9 noborder
set boxwidth 0.8 relative
set style data lines
set style histogram clustered gap 1
set yrange [0:*]
