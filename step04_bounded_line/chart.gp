# What becomes of the requests and of the work, without limits and with a capped line
# (and with whatever a further row is about); beside it the slowest answers against the
# clients' patience.

array policy[100]
array ok[100]
array shed[100]
array timeout[100]
array work[100]
array wasted[100]
array p99[100]
n = 0
top = 1
slowest = setting('client_timeout_s') * 1e3
patience_ms = slowest
stats data.'.csv' using (n = n + 1, policy[n] = strcol('policy'), ok[n] = column('ok'), shed[n] = column('shed'), \
                         timeout[n] = column('timeout'), work[n] = column('work'), wasted[n] = column('wasted'), \
                         p99[n] = column('p99_ms'), slowest = p99[n] > slowest ? p99[n] : slowest, \
                         top = column('offered') > top ? column('offered') : top, n) nooutput
finding = ok[2] > ok[1] && wasted[1] > 0 && wasted[2] == 0 \
          ? sprintf('A capped line answers %s instead of %s, and wastes no work', say(ok[2]), say(ok[1])) \
          : sprintf('Answered in time: %s without limits, %s with a capped line', say(ok[1]), say(ok[2]))
two_words(text) = word(text, 1)."\n".word(text, 2)
# More than two rows: smaller letters, and in the terminal numbers for the names.
is_full = n > 2
small = is_full && !is_text ? sprintf('font ",%d"', (device eq 'svg' ? 28 : 23) / n + 5) : ''
numbered(i) = is_full && is_text ? sprintf('%d. ', i) : ''
look_of(i) = i == 1 ? UNPROTECTED : i == 2 ? PROTECTED : OTHER
# What a part of a bar is, where it is high enough to say so.
part(count, what) = count > 0.13 * top ? say(count)."\n".what : count > 0.06 * top ? say(count) : ''
lift(count) = count > 0.13 * top ? above(0.55) : 0
white = is_text ? 'black' : 'white'

set multiplot @HEADLINE
if (is_text) { set bmargin 3 } else { set bmargin at screen 0.22 }

set lmargin at screen 0.11
set rmargin at screen 0.66
set ylabel is_text ? '' : 'number of requests and of works' offset 0.5,0
set title is_text ? 'requests and works (number)' : ''
set format y tics_up_to(top)
set xrange [0.4:3 * n - 0.4]
set yrange [0:top * 1.05]
set boxwidth 0.96
set xtics () scale 0 @small
do for [i = 1:n] {
  x = 3 * i - 2
  set xtics add ((is_full && is_text ? 'req.' : 'requests') x, 'work' x + 1)
  served = work[i] - wasted[i]
  set label 10 * i numbered(i).policy[i] at x + 0.5, graph 0 center offset 0,(is_text ? -2 : -2.3) @small
  set label 10 * i + 1 part(ok[i], 'ok') at x, ok[i] * 0.5 center offset 0,lift(ok[i]) front tc rgb white @small
  set label 10 * i + 2 part(shed[i], 'shed') at x, ok[i] + shed[i] * 0.5 center offset 0,lift(shed[i]) front @small
  set label 10 * i + 3 part(timeout[i], 'timeout') at x, ok[i] + shed[i] + timeout[i] * 0.5 center \
      offset 0,lift(timeout[i]) front @small
  set label 10 * i + 4 part(served, 'useful') at x + 1, served * 0.5 center offset 0,lift(served) front tc rgb white \
      @small
  set label 10 * i + 5 part(wasted[i], 'wasted') at x + 1, served + wasted[i] * 0.5 center \
      offset 0,lift(wasted[i]) front tc rgb white @small
}
plot data.'.csv' using (3 * $0 + 1):(column('ok') + column('shed') + column('timeout')) with boxes ls TIMEOUT, \
     '' using (3 * $0 + 1):(column('ok') + column('shed')) with boxes ls SHED, \
     '' using (3 * $0 + 1):'ok' with boxes ls OK, \
     '' using (3 * $0 + 2):'work' with boxes ls WASTED, \
     '' using (3 * $0 + 2):(column('work') - column('wasted')) with boxes ls OK
unset label

set lmargin at screen 0.78
set rmargin at screen 0.98
set ylabel is_text ? '' : 'p99 of the answers (ms)' offset 0.5,0
set title is_text ? 'p99 (ms)' : ''
set format y tics_up_to(slowest)
set xrange [0.4:n + 0.6]
set yrange [0:slowest * 1.2]
set boxwidth 0.8
set xtics () scale 0 @small
set arrow 1 from graph 0, first patience_ms to graph 1, first patience_ms nohead front ls CAPACITY
set label 1 'patience' at graph 0.5, first patience_ms center offset 0,upon(0.7) front tc ls CAPACITY
do for [i = 1:n] {
  set xtics add (numbered(i) eq '' ? two_words(policy[i]) : numbered(i) i)
  height = is_number(p99[i]) ? p99[i] : 0
  reading = height > 0 ? say(height) : 'none'
  is_high = height > 0.1 * slowest
  set label 1 + i reading at i, (is_high ? 0.5 * height : height) center offset 0,(is_high ? 0 : 1) front \
      tc rgb (is_high ? white : 'black') @small
}
plot for [i = 1:n] data.'.csv' using (i):(is_number(p99[i]) ? p99[i] : 0) every ::i - 1::i - 1 \
       with boxes ls look_of(i) dt solid
unset multiplot
