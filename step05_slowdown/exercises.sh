exercise_1 () {
  ran step05_slowdown
  that 'the patience is more than 510 ms' 'settings.client_timeout_s <= 0.51'
  that 'clients time out behind the wait limit' 'timeout[1] == 0 && shed[1] > 0'
}

exercise_2 () {
  guess
  run step05_slowdown --slots=8 --capacity=165.3
  close_to 'peak_line[1]' 2
}

exercise_3 () {
  run step05_slowdown
  that 'there is no third row' 'rows == 3'
  that 'in the third row nobody times out' 'timeout[2] > 0'
  that 'the third line is longer than its cap' 'peak_line[2] <= peak_line[0]'
}
