# Every step's main figures, simulated and measured: on the diagonal they are the same.
# Beside it how far apart they are, step by step, for what the diagonal is too coarse.

array names[40]
steps = 0
n = 0
agree = 0
most = 5
lowest = 1e9
highest = 1
# The steps in the order in which they come, and the place of each on the axis.
note(name) = steps > 0 && names[steps] eq name ? steps : (steps = steps + 1, names[steps] = name, steps)
place(name) = (sum [i = 1:steps] (names[i] eq name ? i : 0))
number_of(name) = name[1:5] eq 'step ' ? name[6:*] : name eq 'tune_wait' ? "\ntune" : name eq 'retry_storm' ? "\nstorm" : name
wider(a) = is_number(a) && abs(a) > most ? abs(a) : most
stats data.'.csv' using (n = n + 1, agree = agree + (strcol('agrees') eq 'true'), note(strcol('step')), \
                         most = wider(column('difference_percent')), \
                         v = column('virtual'), lowest = (v > 0 && v < lowest) ? v : lowest, \
                         highest = v > highest ? v : highest, v) nooutput

finding = agree == n ? sprintf('What is simulated is what this machine does: all %d figures agree', n) \
                     : sprintf('Simulated and real: %d of %d figures agree within 5 %%', agree, n)
positive(y) = y > 0 ? y : NaN
the_other(value, wanted) = (strcol('agrees') eq 'true') == wanted ? value : NaN

set multiplot @HEADLINE
set rmargin at screen 0.5
set lmargin at screen 0.13
set logscale xy
set xrange [lowest / 2:highest * 2]
set yrange [lowest / 2:highest * 2]
set xtics 10
set ytics 10
set format xy '%g'
set xlabel 'simulated'
set ylabel 'real' offset 1,0
set label 1 "on the line:\nthe same" at graph 0.66, graph 0.5 tc ls CAPACITY
set label 2 "each point is a figure:\na rate, a count, a time" at graph 0.04, graph 0.95 tc ls OFFERED
# The legend: a mark and what it says.
set label 4 'agrees' at graph 0.11, graph 0.75 tc ls PROTECTED point ls PROTECTED offset 1,-0.2
set label 5 'does not' at graph 0.11, graph 0.67 tc ls UNPROTECTED point ls UNPROTECTED offset 1,-0.2
plot x with lines ls CAPACITY, \
     data.'.csv' using (positive(column('virtual'))):(the_other(positive(column('real')), 1)) with points ls PROTECTED, \
     '' using (positive(column('virtual'))):(the_other(positive(column('real')), 0)) with points ls UNPROTECTED
unset label

unset logscale
set lmargin at screen 0.63
set rmargin at screen 0.97
set xrange [0.4:steps + 0.6]
set yrange [-most * 1.3:most * 1.3]
set ytics auto
set xtics auto font ',15'
set xlabel 'step' offset -8,0 # the names of the second programs stand beside it
set ylabel 'real minus simulated (%)'
set object 1 rectangle from graph 0, first -5 to graph 1, first 5 fc rgb '#DCEBF5' fs solid noborder behind
set label 3 'within 5 %' at graph 0.98, first 5 right offset 0,-0.7 tc ls PROTECTED
plot 0 with lines ls CAPACITY, \
     data.'.csv' using (place(strcol('step'))):(the_other(column('difference_percent'), 1)):xticlabels(number_of(strcol('step'))) \
         with points ls PROTECTED, \
     '' using (place(strcol('step'))):(the_other(column('difference_percent'), 0)) with points ls UNPROTECTED
unset multiplot
