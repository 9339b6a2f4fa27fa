# How long the queues are, over time. Of the first three it is known what they are; a
# further one is drawn under its own name.

array left[100]
array wait[100]
array dropped[100]
n = 0
stats data.'.csv' using (n = n + 1, left[n] = column('left_in_queue'), wait[n] = column('longest_wait_s'), \
                         dropped[n] = column('dropped'), n) nooutput

# A new queue begins where the time goes back. (Names would do, if one held no comma.)
queue = 1
before = 0
which(time) = (queue = queue + (time < before), before = time, queue)
array longest[100]
do for [i = 1:n] { longest[i] = 0 }
ends = 0
stats data.'_timeline.csv' using (q = which(column('time_s')), l = column('length'), \
                                  longest[q] = l > longest[q] ? l : longest[q], \
                                  ends = before > ends ? before : ends, l) nooutput

finding = longest[1] >= 2 * longest[2] && longest[1] >= 2 * longest[3] \
          ? sprintf('Without a limit the queue grows to %s; with one it stays at %s', say(left[1]), \
                    longest[2] == longest[3] ? say(longest[2]) : say(longest[2]).' and '.say(longest[3])) \
          : 'Length of the queues over time'
of(q, y) = which(column('time_s')) == q ? y : NaN
top = 1
do for [i = 1:n] { top = longest[i] > top ? longest[i] : top }

set multiplot @HEADLINE
set xlabel 'time (s)'
set title is_text ? 'length of the queue (items)' : ''
set ylabel is_text ? '' : 'length of the queue (items)'
set xrange [0:ends * 1.02]
set yrange [0:top * 1.15]
longest_wait(q) = sprintf(': longest wait %s s', say(wait[q]))
set label 1 'no limit'.longest_wait(1) at ends * 0.7, longest[1] * 0.8 right tc ls UNPROTECTED
set label 2 'limit, producer waits'.longest_wait(2) at ends, longest[2] right offset 0,(is_text ? 2 : 2.2) \
    tc ls PROTECTED
set label 3 sprintf('limit, %s dropped', say(dropped[3])).longest_wait(3) at ends, longest[3] right offset 0,1 \
    tc ls SHED_TEXT
queues = names('queue')
do for [i = 4:n] {
  set label i word(queues, i).longest_wait(i) at ends, longest[i] right offset 0,(is_text ? i - 1 : 1.2 * i - 1.4) tc ls OTHER
}

# Both queues with a limit are as long: letters cannot show one through the other.
plot queue = 1, before = 0, data.'_timeline.csv' using 'time_s':(of(1, column('length'))) ls UNPROTECTED, \
     queue = 1, before = 0, '' using 'time_s':(of(2, column('length'))) ls PROTECTED, \
     for [image = 1:!is_text] queue = 1, before = 0, '' using 'time_s':(of(3, column('length'))) ls SHED dt (10,6), \
     for [i = 4:n] queue = 1, before = 0, '' using 'time_s':(of(i, column('length'))) ls OTHER dt (3,9)
unset multiplot
