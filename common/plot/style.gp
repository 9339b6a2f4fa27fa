# The one look of all charts. common/make/plot.sh loads it before a chart.gp, with
#   data     the common start of the data files' names: data.'.csv', data.'_by_second.csv'
#   device   svg, png, dumb (the terminal, without colour) or colour (the terminal, with it)
# and, for the terminal, `columns` and `rows`. A chart.gp sets neither terminal nor
# output; it leaves its finding, in one line, in the string `finding`.

is_text = (device eq 'dumb' || device eq 'colour')
# Both images have one layout: the PNG is the SVG at 5/3 of its size. The one counts
# letters in points, the other in pixels of 3/4 point.
if (device eq 'svg') {
  set terminal svg size 960,540 dynamic font 'sans-serif,20' background rgb 'white' \
      name system("basename '".data."'")
}
if (device eq 'png') {
  set terminal pngcairo size 1600,900 font 'sans,16' fontscale 1.6667 linewidth 1.6667 pointscale 1.6667 \
      background rgb 'white'
}
if (device eq 'dumb')   { set terminal dumb mono size columns,rows noenhanced }
if (device eq 'colour') { set terminal dumb ansi256 size columns,rows noenhanced }

set encoding utf8
set datafile separator comma
set datafile columnheaders

# The same thing has the same colour, the same point and the same dashes everywhere
# (hues by Okabe and Ito, which every kind of eye tells apart, dark enough, but for
# orange and pink, to be read as text): plot ... with lines ls PROTECTED, set label ... tc ls PROTECTED
PROTECTED   = 1; set style line PROTECTED   lt 1 lw 3.0 lc rgb '#0072B2' pt 7 ps 1.1
UNPROTECTED = 2; set style line UNPROTECTED lt 2 lw 3.0 lc rgb '#C04A00' pt 9 ps 1.3 dt (12,4)
SHED        = 3; set style line SHED        lt 3 lw 2.5 lc rgb '#E69F00' pt 5 ps 1.1
TIMEOUT     = 4; set style line TIMEOUT     lt 4 lw 2.5 lc rgb '#CC79A7' pt 11 ps 1.3
WASTED      = 5; set style line WASTED      lt 5 lw 2.5 lc rgb '#3F2A75' pt 13 ps 1.3
CAPACITY    = 6; set style line CAPACITY    lt 6 lw 1.8 lc rgb '#444444' dt (8,5)
OK          = 7; set style line OK          lt 7 lw 3.0 lc rgb '#007A5A' pt 6 ps 1.1
OFFERED     = 8; set style line OFFERED     lt 8 lw 2.5 lc rgb '#767676' pt 4 ps 1.0 dt (2,3)
OTHER       = 9; set style line OTHER       lt 9 lw 3.0 lc rgb '#2E86AB' pt 2 ps 1.1
SHED_TEXT   = 10; set style line SHED_TEXT  lt 3 lc rgb '#8A5A00' # orange is too light for words
if (is_text) {
  set style line PROTECTED   pt 'o'
  set style line UNPROTECTED pt 'x'
  set style line SHED        pt 'd'
  set style line OFFERED     pt '.'
  set style line OTHER       pt '+'
}

# The reading of a setting in the run's document, NaN where it has none.
setting(key) = real(system("sed -n 's/.*\"".key."\": \\([-0-9.e]*\\).*/\\1/p;' '".data.".json' | sed q; echo NaN"))
# The rows' names, each in quotes for word(names(key), i): a name may hold a comma, at which strcol() ends.
names(key) = system("sed -n 's/^ *{ \"".key."\": \\(\"[^\"]*\"\\).*/\\1/p' '".data.".json'")
# A long text in two rows, as even as its spaces allow.
longer(text, k) = text[k:k] ne ' ' ? 1e9 : k > strlen(text) - k ? k : strlen(text) - k
middle(text, k, best) = k > strlen(text) ? best : middle(text, k + 1, longer(text, k) < longer(text, best) ? k : best)
broken(text, k) = text[k:k] eq ' ' ? text[1:k - 1]."\n".text[k + 1:*] : text
in_two_rows(text) = strlen(text) > 12 ? broken(text, middle(text, 1, 1)) : text
# A number as one says it: 0.75, 8.2, 80, 20.1k; and the same for the tics of an axis up to x.
say(x) = abs(x) >= 1e4 ? sprintf('%.3gk', x / 1e3) : \
         sprintf(abs(x) >= 10 || x == floor(x) ? '%.0f' : abs(x) >= 1 ? '%.1f' : '%.2g', x)
tics_up_to(x) = x >= 1e4 ? '%.0s%c' : '%g'
is_number(x) = (x == x)
# A label stands so many rows above its line; one of the whole width breaks the line, in the terminal.
above(rows) = is_text ? 1 : rows
upon(rows) = is_text ? 0 : rows

# How a chart begins, its finding above it: set multiplot @HEADLINE
HEADLINE = sprintf("title finding font ',%d'", device eq 'svg' ? 24 : 19)

set border 3 lc rgb '#444444'
set tics nomirror out scale 0.6
set key off
set style data lines
set yrange [0:*]
if (is_text) {
  set title offset 0,0
  set tmargin 2
} else {
  set style fill solid 1.0 border rgb 'white' # so that the parts of a bar need no colour
  set grid ytics lt 1 lw 0.6 lc rgb '#DDDDDD'
  set tmargin at screen 0.87
  set bmargin at screen 0.21
  set rmargin 3
}
