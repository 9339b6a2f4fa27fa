# What becomes of the requests and of the work, without limits and with a capped line;
# beside it the slowest answers against the clients' patience.

array policy[2]
array ok[2]
array shed[2]
array timeout[2]
array work[2]
array wasted[2]
array p99[2]
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
set xrange [0.4:5.6]
set yrange [0:top * 1.05]
set boxwidth 0.96
set xtics ('requests' 1, 'work' 2, 'requests' 4, 'work' 5) scale 0
do for [i = 1:2] {
  x = 3 * i - 2
  served = work[i] - wasted[i]
  set label 10 * i policy[i] at x + 0.5, graph 0 center offset 0,(is_text ? -2 : -2.3)
  set label 10 * i + 1 part(ok[i], 'ok') at x, ok[i] * 0.5 center offset 0,lift(ok[i]) front tc rgb white
  set label 10 * i + 2 part(shed[i], 'shed') at x, ok[i] + shed[i] * 0.5 center offset 0,lift(shed[i]) front
  set label 10 * i + 3 part(timeout[i], 'timeout') at x, ok[i] + shed[i] + timeout[i] * 0.5 center \
      offset 0,lift(timeout[i]) front
  set label 10 * i + 4 part(served, 'useful') at x + 1, served * 0.5 center offset 0,lift(served) front tc rgb white
  set label 10 * i + 5 part(wasted[i], 'wasted') at x + 1, served + wasted[i] * 0.5 center \
      offset 0,lift(wasted[i]) front tc rgb white
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
set xrange [0.4:2.6]
set yrange [0:slowest * 1.2]
set boxwidth 0.8
set xtics (two_words(policy[1]) 1, two_words(policy[2]) 2) scale 0
set arrow 1 from graph 0, first patience_ms to graph 1, first patience_ms nohead front ls CAPACITY
set label 1 'patience' at graph 0.5, first patience_ms center offset 0,upon(0.7) front tc ls CAPACITY
do for [i = 1:2] {
  height = is_number(p99[i]) ? p99[i] : 0
  reading = height > 0 ? say(height) : 'none'
  set label 1 + i reading at i, 0.5 * height center offset 0,(height > 0 ? 0 : 1) front \
      tc rgb (height > 0 ? white : 'black')
}
plot data.'.csv' using (1):(is_number(p99[1]) ? p99[1] : 0) every ::0::0 with boxes ls UNPROTECTED dt solid, \
     '' using (2):(is_number(p99[2]) ? p99[2] : 0) every ::1::1 with boxes ls PROTECTED
unset multiplot
