# The cliff, or the flat line, of your own service: steady goodput against the offered
# load. A load for which the generator was late says nothing of the service and is left out.

array offered[1000]
array good[1000]
n = 0
all = 0
add(x, y) = (n = n + 1, offered[n] = x, good[n] = y, n)
stats data.'.csv' using (all = all + 1, strcol('valid') eq 'true' ? add(column('offered_rps'), column('steady_goodput_rps')) : 0) nooutput
capacity = setting('capacity_rps')
top = 0
do for [i = 1:n] {
  top = is_number(good[i]) && good[i] > top ? good[i] : top
}
is_measured = top > 0
last = n > 0 ? offered[n] : 1
last_good = n > 0 ? good[n] : NaN
# A service that does well beyond what the probe read was not filled by the probe; one
# that answers all that is offered has not been overloaded.
has_capacity = is_number(capacity) && capacity > 0 && top <= 1.2 * capacity
is_beyond = has_capacity && last > 1.2 * capacity && is_number(last_good) && last_good < 0.95 * last
finding = n == 0 ? 'The generator could not keep up: this says nothing about the service' : \
          n < all ? sprintf('The generator kept up with %d of %d loads; the others are left out', n, all) : \
          !is_measured ? 'No request was answered in time' : \
          !is_beyond ? sprintf('Up to %s requests/s: %s/s answered in time', say(last), say(top)) : \
          last_good >= 0.9 * top ? 'Past its capacity this service keeps its goodput' : \
          last_good <= 0.1 * top ? 'Past its capacity this service falls off a cliff' : \
          sprintf('Past its capacity this service keeps %.0f%% of its goodput', 100 * last_good / top)

set multiplot @HEADLINE
set xlabel 'offered load (requests/s)' offset 0,(is_text ? 0 : -0.3)
set ylabel is_text ? 'goodput/s' : 'goodput (requests/s answered in time)'
set xrange [0:last * 1.05]
set yrange [0:(top > 0 ? top : 1) * 1.3]
set format x tics_up_to(last)
set format y tics_up_to(top)
if (has_capacity && capacity <= last) {
  set arrow 1 from capacity, graph 0 to capacity, graph (is_text ? 0.92 : 0.97) nohead ls CAPACITY
  set label 1 sprintf('capacity: %s/s', say(capacity)) at capacity, graph 1 center offset 0,0.2 tc ls CAPACITY
}
if (is_measured && is_number(last_good)) {
  set label 2 sprintf('%s/s', say(last_good)) at last, last_good right offset 0,above(1.2) tc ls OTHER
}
plot data.'.csv' using 'offered_rps':(is_measured && strcol('valid') eq 'true' ? column('steady_goodput_rps') : NaN) \
     with linespoints ls OTHER
unset multiplot
