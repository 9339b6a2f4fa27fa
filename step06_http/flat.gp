# The flat line over real HTTP, and how slow /health was at worst.

capacity = setting('capacity_rps')
array multiple[100]
array good[100]
n = 0
stats data.'.csv' using (n = n + 1, multiple[n] = column('multiple'), good[n] = column('steady_goodput_rps'), \
                         column('health_max_ms')) name 'HEALTH' nooutput
lowest = 1e300
highest = 0
do for [i = 1:n] {
  lowest = good[i] < lowest ? good[i] : lowest
  highest = good[i] > highest ? good[i] : highest
}
times = is_text ? 'x' : '×'
is_flat = lowest >= 0.95 * capacity && highest <= 1.05 * capacity
finding = sprintf(is_flat ? 'Over HTTP goodput is flat up to %g times the capacity' \
                          : 'Goodput over HTTP up to %g times the capacity', multiple[n])

set multiplot @HEADLINE
set logscale x
set xrange [0.8:multiple[n] * 1.6]
set xlabel 'offered load (times the capacity)' offset 0,(is_text ? 0 : -0.3)
set ylabel is_text ? 'goodput/s' : 'goodput (requests/s answered in time)'
set yrange [0:capacity * 1.4]
set xtics ()
do for [i = 1:n] { set xtics add (sprintf('%g', multiple[i]).times multiple[i]) }
set arrow 1 from graph 0, first capacity to graph 1, first capacity nohead ls CAPACITY
set label 1 sprintf('capacity: %s/s', say(capacity)) at graph 0.02, first capacity offset 0,above(1.2) tc ls CAPACITY
set label 2 sprintf('/health took %s ms at most', say(HEALTH_max)) at graph 0.5, graph 0.35 center tc ls OK
set label 3 'with limits' at multiple[n], capacity right offset 0,-1.4 tc ls PROTECTED
plot data.'.csv' using 'multiple':'steady_goodput_rps' with linespoints ls PROTECTED
unset multiplot
