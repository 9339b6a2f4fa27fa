# Goodput from 1 to 500 times the capacity; beside it what /health and the generator say.

n = 0
lowest = 1e300
highest = 0
first_multiple = 1
last_multiple = 1
slowest = 1
stats data.'.csv' using (n = n + 1, g = column('steady_goodput_rps'), m = column('multiple'), \
                         first_multiple = n == 1 ? m : first_multiple, last_multiple = m, \
                         health = column('health_max_ms'), late = column('lateness_p99_us') / 1e3, \
                         slowest = health > slowest ? health : late > slowest ? late : slowest, \
                         lowest = g < lowest ? g : lowest, highest = g > highest ? g : highest, g) nooutput
capacity = setting('capacity_rps')
promised_ms = setting('health_within_s') * 1e3
times = is_text ? 'x' : '×'
finding = highest > 0 && lowest >= 0.9 * highest \
          ? sprintf('From %g to %g times the capacity: %s good answers a second', first_multiple, last_multiple, \
                    say(lowest) eq say(highest) ? say(lowest) : say(lowest).' to '.say(highest)) \
          : sprintf('Goodput over HTTP from %g to %g times the capacity', first_multiple, last_multiple)

set multiplot layout 1,2 @HEADLINE
set logscale x
set xlabel 'offered load (times the capacity)'
set xrange [first_multiple * 0.7:last_multiple * 1.5]
set xtics (1, 5, 20, 100, 500)
if (is_text) { set xlabel 'times the capacity' }

top = highest > capacity ? highest : capacity
set title is_text ? 'goodput (requests/s)' : ''
set ylabel is_text ? '' : 'goodput (requests per second)'
set format y tics_up_to(top)
set yrange [0:top * 1.3]
set arrow 1 from graph 0, first capacity to graph 1, first capacity nohead ls CAPACITY
set label 1 sprintf('capacity: %s/s', say(capacity)) at graph 0.03, first capacity \
    offset 0,upon(0.9) front tc ls CAPACITY
plot data.'.csv' using 'multiple':'steady_goodput_rps' with linespoints ls PROTECTED
unset arrow
unset label

set title is_text ? 'worst times (ms)' : ''
set ylabel is_text ? '' : 'time (ms)'
set format y tics_up_to(slowest)
set yrange [0:(promised_ms > slowest ? promised_ms : slowest) * 1.4]
set arrow 1 from graph 0, first promised_ms to graph 1, first promised_ms nohead ls CAPACITY
set label 1 sprintf('/health within %s ms', say(promised_ms)) at graph 0.03, first promised_ms \
    offset 0,upon(0.9) front tc ls CAPACITY
set key at graph 0.02, first promised_ms * 0.85 left top reverse Left samplen 2 width -2
plot data.'.csv' using 'multiple':'health_max_ms' with linespoints ls OTHER title 'slowest /health', \
     '' using 'multiple':(column('lateness_p99_us') / 1e3) with linespoints ls OFFERED title 'generator late, p99'
unset multiplot
