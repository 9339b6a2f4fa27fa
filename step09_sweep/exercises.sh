exercise_1 () {
  ran step09_sweep
  that 'that took longer than 60 s' 'settings.duration_s <= 60'
  that 'that is not the same service' 'settings.capacity_rps == 82.7 && settings.slots == 4'
  that 'at 1.0 times the capacity the unprotected service still reads 60 or more' 'no_limits_rps[1] < 60'
}

exercise_2 () {
  guess
  run step09_sweep --slots=6 --service-time=30ms --capacity=204
  close_to 'protected_rps[4]' 2
}

exercise_3 () {
  run tune_wait
  that 'there are not five limits' 'rows == 5'
  that 'the first limit is not 0 s' 'max_wait_s == 0'
  that 'the second limit is not 0.1 s' 'max_wait_s[1] == 0.1'
  that 'the others are not what they were' 'max_wait_s[2] == 0.3 && max_wait_s[3] == 0.6 && max_wait_s[4] == 0.9'
}
