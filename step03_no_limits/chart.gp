# Arrived and answered in time, by second of arrival; beside it the line that grows.

n = 0
served_to = -1
busiest = 1
stats data.'_by_second.csv' using (n = n + 1, a = column('answered_in_time'), \
                                   served_to = a > 0 ? column('second') : served_to, \
                                   busiest = column('arrived') > busiest ? column('arrived') : busiest, a) nooutput
longest = 1
ends = 0
stats data.'_timeline.csv' using (w = column('waiting'), longest = w > longest ? w : longest, \
                                  ends = column('time_s') > ends ? column('time_s') : ends, w) nooutput
# Whoever finds so many in line is served too late: the line takes as long as the patience
# leaves after the work, which a timer tick makes longer.
tick = setting('timer_tick_s')
work = setting('service_time_s')
work = tick > 0 ? ceil(work / tick) * tick : work
hopeless = setting('slots') / work * (setting('client_timeout_s') - work)

has_collapsed = served_to < n - 1
finding = served_to < 0 ? 'Not one request is answered in time' \
        : has_collapsed ? sprintf('After second %d nobody is answered in time: the line is too long', served_to) \
        : 'Arrived and answered in time, and the length of the line'

set multiplot layout 1,2 @HEADLINE

set xlabel 'second of arrival'
set ylabel is_text ? '' : 'requests per second'
set title is_text ? 'requests/s' : ''
set format y tics_up_to(busiest)
set xrange [-0.6:n - 0.4]
set yrange [0:busiest * 1.3]
if (n <= 12) { set xtics 1 }
# In one row above the bars, if there is room.
if (served_to >= 0 && served_to + 1 < 0.65 * n) {
  set label 1 'arrived' at graph 0.98, first busiest right offset 0,above(0.8) tc ls OFFERED
  set label 2 'answered in time' at graph 0.03, first busiest left offset 0,above(0.8) tc ls OK
} else {
  set label 1 "arrived (".(is_text ? '*' : 'grey').")\nanswered in time (".(is_text ? '=' : 'green').")" \
      at graph 0.5, first busiest center offset 0,(is_text ? 2 : 1.8) tc ls OK
}
set boxwidth 0.9
plot data.'_by_second.csv' using 'second':'arrived' with boxes fs solid 1 fc rgb '#D9D9D9', \
     '' using 'second':'answered_in_time' with boxes ls OK
unset label

set xlabel 'time (s)'
set ylabel is_text ? '' : 'requests waiting in the line'
set title is_text ? 'requests waiting' : ''
set format y tics_up_to(longest)
set xtics autofreq
set xrange [0:ends * 1.03]
set yrange [0:longest * 1.25]
if (hopeless > 0 && hopeless * 1.3 < longest) {
  set arrow 1 from graph 0, first hopeless to graph 1, first hopeless nohead ls CAPACITY
  set label 1 say(hopeless).' in line: too late' at graph 1, first hopeless right \
      offset 0,(hopeless > 0.15 * longest ? -0.8 : 0.8) tc ls CAPACITY front
}
plot data.'_timeline.csv' using 'time_s':'waiting' ls UNPROTECTED
unset multiplot
