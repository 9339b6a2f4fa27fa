# What becomes of the requests at each server, and how long its answers take.

array ok[20]
array shed[20]
array timeout[20]
array error[20]
array wasted[20]
array p50[20]
array p99[20]
# gnuplot does not know a doubled quote inside quotes, as in the body of a 503.
table = "< sed 's/\"\"//g' '".data.".csv'"
n = 0
top = 1
patience_ms = setting('client_timeout_s') * 1e3
slowest = patience_ms
stats table using (n = n + 1, ok[n] = column('ok'), shed[n] = column('shed'), timeout[n] = column('timeout'), \
                         error[n] = column('error'), wasted[n] = column('wasted'), \
                         p50[n] = column('p50_ms'), p99[n] = column('p99_ms'), \
                         slowest = p99[n] > slowest ? p99[n] : slowest, \
                         top = column('offered') > top ? column('offered') : top, n) nooutput
servers = names('policy')
# The first server is without limits, the second behind our controller.
finding = ok[2] > ok[1] && wasted[1] > 0 && wasted[2] == 0 \
          ? sprintf('Over real HTTP, too: %s answered, not %s, and no work wasted', say(ok[2]), say(ok[1])) \
          : sprintf('Over real HTTP: %s answered without limits, %s with them', say(ok[1]), say(ok[2]))

white = is_text ? 'black' : 'white'
# Many servers, smaller letters.
is_full = n > 5
small = is_full && !is_text ? (device eq 'svg' ? ',15' : ',12') : ''
half = is_text ? (is_full ? 0.1 : 0.25) : 0.3
row(i) = n - i
# What a part of a bar is, where there is room to say so.
part(count, what) = count > 0.22 * top ? say(count).' '.what : count > 0.09 * top ? say(count) : ''
# A bar from 0 to here is drawn over the longer ones.
to_ok(i) = ok[i]
to_shed(i) = ok[i] + shed[i]
to_timeout(i) = to_shed(i) + timeout[i]

decade = 10 ** floor(log10(top))

set multiplot @HEADLINE
if (!is_text) { set tmargin at screen 0.84 }
unset grid
set yrange [-0.7:n - 0.3]
set lmargin at screen (is_text ? 0.26 : 0.23)
set rmargin at screen (is_text ? 0.62 : 0.63)
set xlabel is_text ? 'requests' : 'requests (number)'
set format x tics_up_to(top)
set xrange [0:top]
set xtics decade * (top > 5 * decade ? 2 : top > 2.5 * decade ? 1 : 0.5)
set ytics () scale 0 font small
do for [i = 1:n] {
  set ytics add (in_two_rows(word(servers, i)) row(i))
  set label 10 * i part(ok[i], 'ok') at ok[i] * 0.5, row(i) center front tc rgb white
  set label 10 * i + 1 part(shed[i], 'shed') at to_ok(i) + shed[i] * 0.5, row(i) center front
  set label 10 * i + 2 part(timeout[i], 'timeout') at to_shed(i) + timeout[i] * 0.5, row(i) center front
  set label 10 * i + 3 part(error[i], 'error') at to_timeout(i) + error[i] * 0.5, row(i) center front tc rgb white
  if (wasted[i] > 0 && !(is_full && is_text)) {
    set label 10 * i + 4 say(wasted[i]).' works wasted' at top, row(i) - 0.47 right tc ls WASTED font small
  }
}
plot table using (0):(row($0 + 1)):(0):'offered':(row($0 + 1) - half):(row($0 + 1) + half) \
       with boxxyerror ls OTHER, \
     '' using (0):(row($0 + 1)):(0):(to_timeout(int($0) + 1)):(row($0 + 1) - half):(row($0 + 1) + half) \
       with boxxyerror ls TIMEOUT, \
     '' using (0):(row($0 + 1)):(0):(to_shed(int($0) + 1)):(row($0 + 1) - half):(row($0 + 1) + half) \
       with boxxyerror ls SHED, \
     '' using (0):(row($0 + 1)):(0):(to_ok(int($0) + 1)):(row($0 + 1) - half):(row($0 + 1) + half) \
       with boxxyerror ls OK
unset label

set lmargin at screen 0.68
set rmargin at screen 0.97
set xlabel is_text ? 'p50 to p99 (ms)' : 'answers, p50 to p99 (ms)'
set format x tics_up_to(slowest)
set xrange [0:slowest * 1.15]
set xtics patience_ms / 2
unset ytics
set arrow 1 from patience_ms, graph 0 to patience_ms, graph (is_text ? 0.9 : 1) nohead ls CAPACITY
set label 1 'patience' at patience_ms, graph 1 center offset 0,(is_text ? 0 : 0.5) tc ls CAPACITY
do for [i = 1:n] {
  look = timeout[i] > 0 ? UNPROTECTED : PROTECTED
  if (is_number(p50[i])) {
    set arrow 1 + i from p50[i], row(i) to p99[i], row(i) nohead ls look
    if (is_text) {
      mark = timeout[i] > 0 ? 'x' : 'o'
      set label 100 + i mark at p50[i], row(i) center front
      set label 200 + i mark at p99[i], row(i) center front
    } else {
      set label 100 + i '' at p50[i], row(i) point ls look front
      set label 200 + i '' at p99[i], row(i) point ls look front
    }
    reading = say(p50[i]).' to '.say(p99[i])
    if (p99[i] > 0.75 * patience_ms) {
      set label 1 + i reading at p99[i], row(i) right offset -1,above(is_full ? 0.6 : 0.9) front tc ls look font small
    } else {
      set label 1 + i reading at p99[i], row(i) center offset 0,above(is_full ? 0.6 : 0.9) front tc ls look font small
    }
  } else {
    set label 1 + i 'no answer in time' at slowest * 0.5, row(i) center
  }
}
plot NaN
unset multiplot
