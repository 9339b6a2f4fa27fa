exercise_1 () {
  ran step04_bounded_line
  that 'that is not the same load' 'settings.capacity_rps == 82.7 && settings.service_time_s == 0.05 && settings.slots == 4'
  that 'the capped goodput is still more than 1 % above 80' 'goodput_rps[1] <= 80.8'
  that 'a shorter run is enough' 'settings.duration_s <= 52'
}

exercise_2 () {
  guess
  run step04_bounded_line --client-timeout=500ms
  close_to 'ok[1]' 15
}

exercise_3 () {
  run step04_bounded_line
  that 'there is no third row' 'rows == 3'
  that 'in the third row somebody waits in line' 'peak_line[2] == 0'
  that 'in the third row an answer takes longer than the work' 'p99_ms[2] <= 50.001'
  that 'the third row is not the same load' 'offered[2] == offered[0]'
}
