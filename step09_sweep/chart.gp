# The cliff, and the flat line: steady goodput against the offered load.

array multiple[100]
array offered[100]
array bare[100]
array safe[100]
n = 0
stats data.'.csv' using (n = n + 1, multiple[n] = column('multiple'), offered[n] = column('offered_rps'), \
                         bare[n] = column('no_limits_rps'), safe[n] = column('protected_rps'), n) nooutput
capacity = offered[n] / multiple[n]
is_measured = is_number(bare[n]) && is_number(safe[n])

# The flat line is what the limits give above the capacity.
lowest = 1e300
highest = 0
top = capacity
do for [i = 1:n] {
  top = safe[i] > top ? safe[i] : bare[i] > top ? bare[i] : top
  if (multiple[i] > 1) {
    lowest = safe[i] < lowest ? safe[i] : lowest
    highest = safe[i] > highest ? safe[i] : highest
  }
}
has_cliff = is_measured && highest > 0 && lowest >= 0.9 * highest && bare[n] <= 0.1 * safe[n]
finding = has_cliff ? 'Past its capacity a service falls off a cliff; limits keep it flat' \
                    : sprintf('Goodput with and without limits, up to %g times the capacity', multiple[n])
times = is_text ? 'x' : '×'
at_the_end(y) = sprintf(': %s/s at %g', say(y), multiple[n]).times

set multiplot @HEADLINE
set xlabel 'offered load (times the capacity'.(is_text ? ')' : '; requests per second)') offset 0,(is_text ? 0 : -0.8)
set title is_text ? 'goodput (requests/s answered in time)' : ''
set ylabel is_text ? '' : 'goodput (requests/s answered in time)'
if (!is_text) {
  set tmargin at screen 0.84
  set bmargin at screen 0.27
}
set format y tics_up_to(top)
set xrange [0:offered[n] * 1.03]
set yrange [0:top * 1.25]

set arrow 1 from capacity, graph 0 to capacity, graph (is_text ? 0.92 : 0.97) nohead ls CAPACITY
set label 1 sprintf('capacity: %s/s', say(capacity)) at capacity, graph 1 center offset 0,0.2 tc ls CAPACITY
if (!is_measured) {
  set label 2 'the run is too short for a steady goodput' at graph 0.6, 0.5 center
} else { if (abs(safe[n] - bare[n]) < 0.12 * top) {
  set label 2 'with or without limits'.at_the_end(safe[n]) at offered[n], safe[n] right offset 0,1.2 front
} else {
  set label 2 'with limits'.at_the_end(safe[n]) at offered[n], safe[n] right offset 0,1.1 front tc ls PROTECTED
  set label 3 'without limits'.at_the_end(bare[n]) at offered[n], bare[n] right offset 0,1.1 front tc ls UNPROTECTED
}}
if (is_measured && !is_text) {
  set label 4 "measured at the points;\nthe lines between them only guide the eye" at graph 0.98, graph 0.5 \
      right front tc ls CAPACITY font device eq 'svg' ? ',17' : ',14'
}
set xtics ()
do for [i = 1:n] {
  set xtics add (sprintf('%g', multiple[i]).times.(is_text ? '' : "\n".say(offered[i]).'/s') offered[i])
}

lost(y) = column('multiple') >= 1 ? y : NaN
if (!is_measured) {
  plot NaN
} else {
  plot for [image = 1:has_cliff && !is_text] data.'.csv' \
         using 'offered_rps':(lost(column('no_limits_rps'))):(lost(column('protected_rps'))) \
         with filledcurves fc rgb '#FBEDE4', \
       data.'.csv' using 'offered_rps':'no_limits_rps' with linespoints ls UNPROTECTED, \
       '' using 'offered_rps':'protected_rps' with linespoints ls PROTECTED
}
unset multiplot
