# How long the first in line has waited, before and after everything becomes slower: with
# the cap alone, with the wait limit, and with whatever a further row is about.

array policy[100]
n = 0
stats data.'.csv' using (n = n + 1, policy[n] = strcol('policy'), n) nooutput
patience = setting('client_timeout_s')
slow_after = setting('slow_after_s')
whose(name, i) = i >= n || name eq policy[i] ? i : whose(name, i + 1)
array longest[100]
do for [i = 1:n] { longest[i] = 0 }
ends = 0
stats data.'_timeline.csv' using (p = whose(strcol('policy'), 1), w = column('head_wait_s'), \
                                  longest[p] = w > longest[p] ? w : longest[p], \
                                  ends = column('time_s') > ends ? column('time_s') : ends, w) nooutput
top = patience
do for [i = 1:n] { top = longest[i] > top ? longest[i] : top }

finding = longest[1] > patience && longest[2] < patience \
          ? 'A cap on the line does not bound the wait; a wait limit does' \
          : 'How long the first in line has waited'
of(p, y) = whose(strcol('policy'), 1) == p ? y : NaN

set multiplot @HEADLINE
set xlabel 'time (s)'
set title is_text ? 'wait of the first in line (s)' : ''
set ylabel is_text ? '' : 'wait of the first in line (s)'
set xrange [0:ends * 1.02]
set yrange [0:top * 1.2]
if (!is_text) { set tmargin at screen 0.84 }
set arrow 1 from graph 0, first patience to graph 1, first patience nohead ls CAPACITY
set label 1 sprintf("clients' patience: %s s", say(patience)) at graph 0.98, first patience right \
    offset 0,upon(0.7) front tc ls CAPACITY
if (slow_after < ends) {
  set arrow 2 from slow_after, graph 0 to slow_after, graph (is_text ? 0.92 : 1) nohead ls CAPACITY
  set label 2 'everything becomes slower' at slow_after, graph 1 offset slow_after < 0.25 * ends ? -2 : -12,0.6 tc ls CAPACITY
}
are_close = abs(longest[1] - longest[2]) < 0.12 * top
longest_wait(p) = sprintf('%s: up to %s s', policy[p], say(longest[p]))
set label 3 longest_wait(1) at ends, longest[1] right offset 0,above(are_close ? 2 : 0.8) front tc ls UNPROTECTED
set label 4 longest_wait(2) at ends, longest[2] right offset 0,above(0.8) front tc ls PROTECTED
# A further one below its line, one row lower each.
do for [i = 3:n] {
  set label 2 + i longest_wait(i) at ends, longest[i] right offset 0,(is_text ? 2 - i : 1.4 - i) front tc ls OTHER
}

plot data.'_timeline.csv' using 'time_s':(of(1, column('head_wait_s'))) ls UNPROTECTED, \
     '' using 'time_s':(of(2, column('head_wait_s'))) ls PROTECTED, \
     for [i = 3:n] '' using 'time_s':(of(i, column('head_wait_s'))) ls OTHER
unset multiplot
