exercise_1 () {
  ran step07_retries
  that 'fewer than 400 users come' 'users >= 400'
  that 'somebody tries again' 'attempts[0] == users[0] && attempts[1] == users[1] && attempts[2] == users[2]'
  that 'somebody is not served' 'served[1] == users[1]'
}

exercise_2 () {
  guess
  run step07_retries --duration=20s
  close_to 'attempts[2]' 15
}

exercise_3 () {
  run step07_retries
  that 'the immediate crowd still makes more than 1.15 attempts per user' 'attempts_per_user[1] <= 1.15'
  that 'the immediate crowd does not try again at all' 'attempts[1] > users[1] + 50'
  that 'the polite crowd no longer tries again' 'attempts[2] > users[2] + 50'
}
