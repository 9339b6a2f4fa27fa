# What one expects of the slots, what the short probe reads, and what lasts.

asked_ms = 0
probe = 0
steady = 0
stats data.'.csv' using (asked_ms = column('asked_ms'), steady = column('steady_capacity_rps'), \
                         probe = column('capacity_rps')) nooutput
slots = setting('slots')
expected = slots * 1e3 / asked_ms
readings = sprintf('%.9g %.9g %.9g', expected, probe, steady)
top = expected > probe ? expected : probe
exactly(x) = x >= 1e4 ? sprintf('%.4gk', x / 1e3) : sprintf('%.4g', x)

finding = steady < 0.97 * expected \
          ? 'The capacity is below what one expects: '.exactly(steady).', not '.exactly(expected).' a second' \
          : probe > 1.01 * steady \
          ? 'The short probe reads high: '.exactly(probe).' a second; what lasts is '.exactly(steady) \
          : 'The capacity is what one expects: '.exactly(steady).' a second'

set multiplot @HEADLINE
unset grid
set lmargin at screen 0.3
set xlabel 'capacity (requests per second)'
set format x tics_up_to(top)
set xrange [0:top * 1.2]
set yrange [-0.6:2.6]
set ytics (sprintf("expected:\n%g slots / %s ms", slots, say(asked_ms)) 2, "measured:\nthe short probe" 1, \
           "measured:\nthe steady capacity" 0) scale 0
half = is_text ? 0.2 : 0.3
reading(i) = real(word(readings, i))
do for [i = 1:3] { set label i exactly(reading(i)) at reading(i), 3 - i left offset 1,0 front }
bar(i, look) = sprintf("using (0):(%d):(0):(reading(%d)):(%d - half):(%d + half) every ::0::0 ".\
                       "with boxxyerror ls %d dt solid", 3 - i, i, 3 - i, 3 - i, look)
BARS = "data.'.csv' ".bar(1, OFFERED).", '' ".bar(2, CAPACITY).", '' ".bar(3, PROTECTED)
plot @BARS
unset multiplot
