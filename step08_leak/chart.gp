# The line counters of the right controller and of the leaky one.

array name[2]
array after[2]
n = 0
stats data.'.csv' using (n = n + 1, name[n] = strcol('controller'), after[n] = column('line_after'), n) nooutput
array begins[2]
begins[1] = 1e300
begins[2] = 1e300
array lasts[2]
lasts[1] = 0
lasts[2] = 0
highest = 0
whose(controller) = controller eq name[1] ? 1 : 2
stats data.'_timeline.csv' using (c = whose(strcol('controller')), t = column('time_s'), l = column('line_counter'), \
                                  begins[c] = t < begins[c] ? t : begins[c], lasts[c] = t - begins[c], \
                                  highest = l > highest ? l : highest, l) nooutput
ends = lasts[1] > lasts[2] ? lasts[1] : lasts[2]

finding = after[1] == 0 && after[2] > 0 \
          ? sprintf('A leaked place is never free again: %s counted, nobody waiting', say(after[2])) \
          : 'The line counters of both controllers'
of(c, y) = whose(strcol('controller')) == c ? y : NaN
ms_since(c) = 1e3 * (column('time_s') - begins[c])

set multiplot @HEADLINE
set xlabel 'time since the first request (ms)'
set title is_text ? 'line counter (requests)' : ''
set ylabel is_text ? '' : 'line counter (requests)'
set xrange [0:1e3 * ends * 1.04]
set yrange [0:highest * 1.3]
set ytics 1
ending(c) = sprintf('%s ends at %s', name[c], say(after[c]))
set label 1 ending(1) at 1e3 * ends, 1 right offset 0,above(0.8) tc ls PROTECTED
set label 2 ending(2) at 1e3 * lasts[2], after[2] left offset 1,0 tc ls UNPROTECTED

plot data.'_timeline.csv' using (ms_since(1)):(of(1, column('line_counter'))) with steps ls PROTECTED, \
     '' using (ms_since(2)):(of(2, column('line_counter'))) with steps ls UNPROTECTED
unset multiplot
