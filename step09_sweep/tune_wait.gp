# What a longer wait limit brings: no more goodput, only slower answers.

array limit[100]
array goodput[100]
array p99[100]
n = 0
stats data.'.csv' using (n = n + 1, limit[n] = column('max_wait_s'), goodput[n] = column('goodput_rps'), \
                         p99[n] = column('p99_ms'), n) nooutput
capacity = setting('capacity_rps')
patience_ms = setting('client_timeout_s') * 1e3

lowest = 1e300
highest = 0
slowest = patience_ms
do for [i = 1:n] {
  lowest = goodput[i] < lowest ? goodput[i] : lowest
  highest = goodput[i] > highest ? goodput[i] : highest
  slowest = p99[i] > slowest ? p99[i] : slowest
}
has_no_gain = highest > 0 && lowest >= 0.95 * highest && p99[n] > 1.05 * p99[1]
finding = has_no_gain ? 'A longer wait limit brings slower answers, and not one more of them' \
                      : 'Goodput and the slowest answers, by wait limit'
if (has_no_gain && goodput[n] > goodput[1]) {
  finding = 'A longer wait limit brings slower answers, and hardly more of them'
}

set multiplot layout 1,2 @HEADLINE
set xlabel 'wait limit (s)'
set xrange [0:limit[n] * 1.15]
set xtics ()
do for [i = 1:n] { set xtics add (say(limit[i]) limit[i]) }

set ylabel is_text ? '' : 'goodput (requests per second)'
set title is_text ? 'goodput (requests/s)' : ''
top = highest > capacity ? highest : capacity
set format y tics_up_to(top)
set yrange [0:top * 1.3]
set arrow 1 from graph 0, first capacity to graph 1, first capacity nohead ls CAPACITY
set label 1 sprintf('capacity: %s/s', say(capacity)) at graph 0.03, first capacity \
    offset 0,upon(0.7) front tc ls CAPACITY
if (highest > 0) {
  plot data.'.csv' using 'max_wait_s':'goodput_rps' with linespoints ls PROTECTED, \
       '' using 'max_wait_s':'goodput_rps':(say(column('goodput_rps'))) with labels offset 0,-1.1 tc ls PROTECTED
} else {
  set label 2 (is_number(goodput[n]) ? 'nobody is answered in time' : 'too short a run') at graph 0.5, 0.5 center
  plot NaN
  unset label 2
}

set ylabel is_text ? '' : 'p99 of the answers (ms)'
set title is_text ? 'p99 of the answers (ms)' : ''
set format y tics_up_to(slowest)
set yrange [0:slowest * 1.3]
set arrow 1 from graph 0, first patience_ms to graph 1, first patience_ms nohead ls CAPACITY
set label 1 sprintf("clients' patience: %s ms", say(patience_ms)) at graph 0.03, first patience_ms \
    offset 0,upon(0.7) front tc ls CAPACITY
if (is_number(p99[n])) {
  plot data.'.csv' using 'max_wait_s':'p99_ms' with linespoints ls PROTECTED, \
       '' using 'max_wait_s':'p99_ms':(say(column('p99_ms'))) with labels offset -1,1 tc ls PROTECTED
} else {
  set label 2 'nobody is answered in time' at graph 0.5, 0.5 center
  plot NaN
}
unset multiplot
