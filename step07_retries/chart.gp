# What each client policy sends, and what the service can serve of it.

array policy[100]
array attempts[100]
array served[100]
array per_user[100]
array late[100]
n = 0
stats data.'.csv' using (n = n + 1, policy[n] = strcol('policy'), attempts[n] = column('attempts_rps'), \
                         per_user[n] = column('attempts_per_user'), \
                         served[n] = column('served') * column('attempts_rps') / column('attempts'), \
                         late[n] = column('timed_out') * column('attempts_rps') / column('attempts'), n) nooutput
capacity = setting('capacity_rps')
top = 0
most = 0
do for [i = 1:n] {
  top = attempts[i] > top ? attempts[i] : top
  most = served[i] > most ? served[i] : most
}
have_no_use = per_user[2] > 1.5 && per_user[3] < per_user[2] && served[2] <= 1.1 * served[1]
finding = have_no_use ? sprintf('Retrying at once makes %s times the load, and hardly more answers', say(per_user[2])) \
                      : 'Attempts per second, and the part that is served, by client policy'

set multiplot @HEADLINE
set title is_text ? 'attempts (per second)' : ''
set ylabel is_text ? '' : 'attempts (per second)'
set xlabel 'what clients do when they are turned away' offset 0,(is_text ? 0 : -0.3)
set format y tics_up_to(top)
set xrange [0.4:n + (is_text ? 0.65 : 0.9)]
has_note = most > capacity && !is_text
set yrange [0:top * (has_note ? 1.3 : 1.2)]
set boxwidth 0.7
set xtics () scale 0
set arrow 1 from graph 0, first capacity to graph 1, first capacity nohead front ls CAPACITY
set label 1 sprintf("capacity\n%s/s", say(capacity)) at graph 1, first capacity right offset 0,(is_text ? 3 : 1.7) \
    front tc ls CAPACITY
if (has_note) {
  set label 2 'served above the capacity: the line drains after the last arrival' \
      at graph 0.02, graph 0.96 left tc ls CAPACITY
}
# What a part of a bar is, where it is high enough to say so.
part(from, to, what) = to - from > 0.08 * top ? sprintf('%s/s %s', say(to - from), what) : ''
white = is_text ? 'black' : 'white'
do for [i = 1:n] {
  set xtics add (policy[i] i)
  shed = attempts[i] - late[i]
  set label 10 * i sprintf('%s/s: %.2f per user', say(attempts[i]), per_user[i]) at i, attempts[i] \
      center offset 0,above(0.8)
  set label 10 * i + 1 part(0, served[i], 'served') at i, served[i] * 0.5 center front tc rgb white
  set label 10 * i + 2 part(served[i], shed, 'shed') at i, (served[i] + shed) * 0.5 center front
  set label 10 * i + 3 part(shed, attempts[i], 'timed out') at i, (shed + attempts[i]) * 0.5 center front
}
plot data.'.csv' using ($0 + 1):'attempts_rps' with boxes ls TIMEOUT, \
     '' using ($0 + 1):(attempts[int($0) + 1] - late[int($0) + 1]) with boxes ls SHED, \
     '' using ($0 + 1):(served[int($0) + 1]) with boxes ls OK
unset multiplot
