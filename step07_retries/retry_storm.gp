# Goodput and attempts by second, before, during and after a burst.

array policy[100]
array after[100]
n = 0
last = 0
stats data.'.csv' using (n = n + 1, policy[n] = strcol('policy'), after[n] = column('recovered_after_s'), \
                         n == 2 ? (last = column('last_attempts_rps')) : 0, n) nooutput
whose(name, i) = i >= n || name eq policy[i] ? i : whose(name, i + 1)
of(p, y) = whose(strcol('policy'), 1) == p ? y : NaN
served = 1
asked = 1
ends = 0
stats data.'_by_second.csv' using (s = column('second'), ends = s > ends ? s : ends, \
                                   g = column('answered_in_time'), served = g > served ? g : served, \
                                   a = column('attempts'), asked = a > asked ? a : asked, a) nooutput
capacity = setting('capacity_rps')
from = setting('burst_from_s')
to = from + setting('burst_s')

stays_down = !is_number(after[2]) && is_number(after[1]) && is_number(after[3])
finding = stays_down ? 'The burst is over, but the retries keep the service down' \
                     : 'Answers in time and attempts, before and after a burst'
recovery(p) = is_number(after[p]) ? sprintf('%s: %s s', policy[p], say(after[p])) : sprintf('%s: never', policy[p])
style_of(p) = p == 1 ? OFFERED : p == 2 ? UNPROTECTED : p == 3 ? PROTECTED : OK

set multiplot layout 1,2 @HEADLINE
set xrange [0:ends + 1]
if (to <= ends && !is_text) {
  set object 1 rectangle from from, graph 0 to to, graph 1 behind fc rgb '#EEEEEE' fs solid border rgb '#EEEEEE'
}

# The service that stays down is drawn over the others.
set xlabel 'second of arrival'
set title is_text ? 'answered in time (per s)' : ''
set ylabel is_text ? '' : 'answered in time (per second)'
set format y tics_up_to(served)
set yrange [0:served * 1.4]
set label 1 'well again after:' at graph 0.98, graph 0.96 right front
do for [p = 1:n] {
  set label 1 + p recovery(p) at graph 0.98, graph 0.96 right offset 0,-p front tc ls style_of(p)
}
plot for [p in '1 3 4 2'] data.'_by_second.csv' using 'second':(of(int(p), column('answered_in_time'))) with lines ls style_of(int(p))
do for [i = 1:n + 1] { unset label i }

# Cut off above what comes after the burst: the peak is told instead.
top = 5 * capacity
set xlabel 'second'
set title is_text ? 'attempts (per s)' : ''
set ylabel is_text ? '' : 'attempts (per second)'
set format y tics_up_to(top)
set yrange [0:top]
set arrow 1 from graph 0, first capacity to graph 1, first capacity nohead front ls CAPACITY
set label 1 sprintf('capacity: %s/s', say(capacity)) at graph 0.98, first capacity right \
    offset 0,(is_text ? 0 : -0.7) front tc ls CAPACITY
if (asked > top) {
  set label 2 sprintf('up to %s/s', say(asked)) at graph 0.98, graph 0.96 right
}
if (last > 1.2 * capacity) {
  set label 3 sprintf('%s: %s/s', policy[2], say(last)) at graph 0.98, first last right offset 0,above(0.7) \
      front tc ls UNPROTECTED
}
plot for [p in '1 3 4 2'] data.'_by_second.csv' using 'second':(of(int(p), column('attempts'))) with lines ls style_of(int(p))
unset multiplot
