# The cliff chart of one's own service: goodput against the offered rate.

array offered[100]
array goodput[100]
n = 0
top = 0
stats data.'.csv' using (n = n + 1, steady = column('steady_goodput_rps'), offered[n] = column('offered_rps'), \
                         goodput[n] = is_number(steady) ? steady : column('goodput_rps'), \
                         top = goodput[n] > top ? goodput[n] : top, n) nooutput
capacity = setting('capacity_rps')
frame = is_number(capacity) && capacity > top ? capacity : top > 0 ? top : offered[n]

# Judged by the run at the highest load, if that is beyond the capacity.
is_judged = n > 1 && offered[n] > 1.2 * capacity && top > 0
is_flat = is_judged && goodput[n] >= 0.9 * top
is_cliff = is_judged && goodput[n] <= 0.5 * top
finding = is_flat ? 'This service bends and does not break: its goodput stays flat' \
        : is_cliff ? 'This service falls off a cliff past its capacity' \
        : 'Goodput of this service against the offered load'
look = is_flat ? PROTECTED : is_cliff ? UNPROTECTED : OTHER

set multiplot @HEADLINE
if (!is_text) { set tmargin at screen 0.84 }
set xlabel 'offered load (requests per second)'
set title is_text ? 'goodput (requests/s answered in time)' : ''
set ylabel is_text ? '' : 'goodput (requests/s answered in time)'
set format x tics_up_to(offered[n])
set format y tics_up_to(frame)
set xrange [0:offered[n] * 1.05]
set yrange [0:frame * 1.25]
if (capacity < offered[n] * 1.05) {
  set arrow 1 from capacity, graph 0 to capacity, graph (is_text ? 0.92 : 0.97) nohead ls CAPACITY
  set label 1 sprintf('capacity: %s/s', say(capacity)) at capacity, graph 1 center offset 0,0.2 tc ls CAPACITY
}
set label 2 sprintf('%s/s of %s/s offered', say(goodput[n]), say(offered[n])) at offered[n], goodput[n] right \
    offset 0,above(1.1) front tc ls look
plot data.'.csv' using (offered[int($0) + 1]):(goodput[int($0) + 1]) \
     with linespoints ls look
unset multiplot
