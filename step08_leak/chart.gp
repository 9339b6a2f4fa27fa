# The line counters of the right controller and of the leaky one.

array name[2]
array after[2]
n = 0
stats data.'.csv' using (n = n + 1, name[n] = strcol('controller'), after[n] = column('line_after'), n) nooutput
highest = 0
ends = 0
whose(controller) = controller eq name[1] ? 1 : 2
stats data.'_timeline.csv' using (t = column('time_s'), ends = t > ends ? t : ends, l = column('line_counter'), \
                                  highest = l > highest ? l : highest, l) nooutput

finding = after[1] == 0 && after[2] > 0 \
          ? sprintf('A leaked place is never free again: %s counted, nobody waiting', say(after[2])) \
          : 'The line counters of both controllers'
of(c, y) = whose(strcol('controller')) == c ? y : NaN
ms(s) = 1e3 * s

set multiplot @HEADLINE
set xlabel 'time since the first request (ms)'
set title is_text ? 'line counter (requests)' : ''
set ylabel is_text ? '' : 'line counter (requests)'
set xrange [0:1e3 * ends * 1.04]
set yrange [-0.25 * highest:highest * 1.3] # so that the zeros do not lie on the axis
set ytics 1
ending(c) = sprintf('%s ends at %s', name[c], say(after[c]))
set label 1 ending(1) at 1e3 * ends, after[1] right offset 0,-above(0.8) tc ls PROTECTED
set label 2 ending(2) at 1e3 * ends, after[2] right offset 0,above(0.8) tc ls UNPROTECTED

plot data.'_timeline.csv' using (ms(column('time_s'))):(of(1, column('line_counter'))) with steps ls PROTECTED, \
     '' using (ms(column('time_s'))):(of(2, column('line_counter'))) with steps ls UNPROTECTED
unset multiplot
