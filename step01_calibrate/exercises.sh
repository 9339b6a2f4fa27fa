exercise_1 () {
  ran step01_calibrate faster
  that 'the work must still be 50 ms' 'settings.service_time_s == 0.05'
  that 'the steady capacity is not 160 per second' 'steady_capacity_rps == 160'
}

exercise_2 () {
  guess
  run step01_calibrate --duration=10s
  close_to capacity_rps 0.15
}

exercise_3 () {
  run step01_calibrate
  results=$mine/check/capacity.json
  that 'capacity.json still has what the short probe read' 'capacity_rps == steady_capacity_rps && capacity_rps > 0'
}
