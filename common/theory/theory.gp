# The simulation against the formulas: differences with their 99 % intervals.
file = data.'.csv'
set yrange [*:*]
stats file using (abs(column('difference_percent')) > column('interval_percent') ? 1 : 0) name 'OUTSIDE' nooutput
rows = int(OUTSIDE_records)
outside = int(OUTSIDE_sum)

finding = outside == 0 ? 'Theory lies in every 99 % interval' \
                        : sprintf('Theory lies outside %d of %d intervals', outside, rows)

set multiplot @HEADLINE
set xlabel 'simulated minus theory (%), and its 99 % interval'
unset ylabel
set border 1 lc rgb '#444444'
unset grid
set yrange [rows - 0.5 : -0.5]
set arrow 1 from 0, graph 0 to 0, graph 1 nohead ls CAPACITY
set ytics scale 0
plot file using 'difference_percent':0:'interval_percent':ytic(stringcolumn('queue').', '.stringcolumn('reading')) \
       with xerrorbars ls PROTECTED
unset multiplot
