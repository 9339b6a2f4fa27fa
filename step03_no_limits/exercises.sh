exercise_1 () {
  ran step03_no_limits
  that 'clients still time out' 'timeout == 0 && ok == offered'
  that 'that is not the same load' 'offered == 827'
  that 'a shorter patience is enough' 'settings.client_timeout_s <= 6'
}

exercise_2 () {
  guess
  run step03_no_limits --duration=10s
  close_to peak_line 9
}

exercise_3 () {
  run step03_no_limits
  that 'that is not the same load, or the line has a limit' 'offered == 827 && shed == 0'
  that 'fewer than 350 clients are answered in time' 'ok >= 350'
}
