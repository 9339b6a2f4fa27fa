exercise_1 () {
  ran step02_queue
  that 'fewer than 1000 items are left' 'left_in_queue >= 1000'
  that 'more than 1010 items are left' 'left_in_queue <= 1010'
}

exercise_2 () {
  guess
  run step02_queue --duration=10s
  close_to longest_wait_s 0.05
}

exercise_3 () {
  run step02_queue
  that 'there is no fourth row' 'rows == 4'
  that 'in the fourth row an item waited more than 0.1 s' 'longest_wait_s[3] <= 0.1'
  that 'the fourth consumer finished less than the others' 'consumed[3] >= consumed[0] - 2'
  that 'the fourth queue is longer than 10' 'left_in_queue[3] <= 10'
}
