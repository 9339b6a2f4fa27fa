#!/bin/sh
# Settings far from the chapters': a step either judges its claims rightly, or says that
# they cannot be judged (SKIP, exit status 0), or refuses the settings (2). It never calls
# a right controller wrong, never runs for ever, never fills the memory.
cd "$(dirname "$0")/../.." || exit 1
bin=${BIN:-build/bin}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
steps='step03_no_limits step04_bounded_line step05_slowdown step07_retries retry_storm step09_sweep tune_wait'
n=0

result () { # WHAT STATUS
  n=$((n + 1))
  if [ "$2" -eq 0 ]; then echo "ok $n - $1"; else
    sed 's/^/# /' "$work/text"
    echo "not ok $n - $1"
  fi
}

# Every step at the same settings, step 1 first.
all_steps_pass () { # SERVICE-OPTIONS CLIENT-OPTIONS
  # Options are split on purpose.
  "$bin/step01_calibrate" --out="$work/out" $1 >"$work/text" 2>&1 || return 1
  for step in $steps; do
    "$bin/$step" --out="$work/out" $1 $2 >"$work/text" 2>&1 || return 1
  done
}

while read -r options; do
  all_steps_pass "${options%%|*}" "${options#*|}"
  result "all steps at $options" $?
done <<'END'
--service-time=200ms --slots=8 --timer-tick=1ms |
--service-time=300ms --slots=8 | --client-timeout=1.5s --duration=7s
--service-time=3ms --slots=3 --timer-tick=50ms |
--service-time=10ms --slots=16 --timer-tick=100ms |
--service-time=1ms --slots=64 --timer-tick=16.075ms | --duration=20s
--service-time=70ms --slots=8 --timer-tick=250ms |
--service-time=5ms --slots=64 --timer-tick=16.075ms | --client-timeout=50ms --arrivals=poisson
--service-time=83ms --slots=4 | --client-timeout=50ms --duration=3s
--service-time=700ms --slots=2 --work=exponential | --client-timeout=1s --arrivals=poisson --duration=20s
--service-time=3s --slots=10 | --client-timeout=10s
--service-time=50ms --slots=4 --timer-tick=10s | --duration=1s
END

# Chance decides, but not against the claims.
for seed in 7 11 23 33; do
  for kind in '--arrivals=poisson' '--work=exponential' '--arrivals=poisson --work=exponential'; do
    all_steps_pass '' "--seed=$seed $kind"
    result "all steps at --seed=$seed $kind" $?
  done
done

# Bounded whatever is asked for: two gigabytes of memory are plenty. (A sanitizer alone
# takes terabytes of address space.)
memory=2000000
(ulimit -v $memory; exec "$bin/step02_queue" --version >"$work/text" 2>&1) || memory=unlimited
while read -r status options; do
  (ulimit -v $memory; exec "$bin"/$options --out="$work/out" >"$work/text" 2>&1)
  [ $? -eq "$status" ]
  result "exit status $status of $options" $?
done <<'END'
0 step03_no_limits --capacity=1000000000 --duration=1ns
0 step03_no_limits --capacity=10000 --duration=1ms
0 step04_bounded_line --capacity=80 --timer-tick=86400000
0 step05_slowdown --capacity=80 --client-timeout=8640000 --service-time=86400
0 step05_slowdown --capacity=100000 --service-time=86400000 --duration=3s
0 step03_no_limits --capacity=40.01 --client-timeout=86400000
0 step03_no_limits --capacity=0.01 --service-time=1ns --slots=1000000 --duration=10000
0 step03_no_limits --service-time=20ms --slots=4 --capacity=300 --client-timeout=0.2 --duration=7 --seed=852 --arrivals=poisson --work=exponential
0 step03_no_limits --service-time=72.942735ms --slots=5 --capacity=68.5469 --client-timeout=1.910205568 --duration=8 --seed=79490 --work=exponential
0 step03_no_limits --service-time=0.769277ms --slots=1 --capacity=62.2084 --timer-tick=16.075ms
0 step03_no_limits --service-time=0.585652ms --slots=4 --capacity=2472.82 --timer-tick=30ms --client-timeout=7.7
0 step05_slowdown --service-time=5ms --slots=52 --capacity=3105.23 --client-timeout=0.389306396 --duration=19.3 --seed=670 --arrivals=poisson
0 step07_retries --slots=1 --client-timeout=2s --capacity=80
0 step07_retries --seed=2 --client-timeout=86400000 --capacity=1000
0 step07_retries --service-time=1ms --slots=1 --timer-tick=14.641863ms --capacity=47.8596 --client-timeout=86400000
0 step09_sweep --slots=7 --capacity=80
0 step09_sweep --service-time=1.986292639 --slots=44 --timer-tick=250ms --duration=5 --capacity=22.5949 --client-timeout=86400000
0 step09_sweep --capacity=170
0 step09_sweep --capacity=1000
0 step09_sweep --capacity=248 --service-time=2ms --timer-tick=16.075ms --work=exponential
0 step09_sweep --capacity=40 --service-time=3ms --timer-tick=100ms --work=exponential
0 step09_sweep --service-time=66.591659ms --slots=2 --capacity=30.0338 --timer-tick=22.19722ms --client-timeout=2.7 --duration=4.01 --seed=34524 --work=exponential
0 tune_wait --capacity=40.01
0 tune_wait --capacity=45
0 tune_wait --slots=3 --capacity=30.5382 --duration=10
0 tune_wait --slots=1 --capacity=20 --client-timeout=0.75 --duration=5 --seed=846 --arrivals=poisson --work=exponential
0 tune_wait --service-time=100ms --slots=5 --timer-tick=16.075ms --capacity=35.5477 --client-timeout=0.75 --duration=7 --seed=941 --arrivals=poisson --work=exponential
0 step02_queue --timer-tick=1s
0 step02_queue --duration=12000
2 step02_queue --duration=43201
2 step01_calibrate --service-time=1ns
2 step01_calibrate --service-time=50ns --slots=100
0 step08_leak --timer-tick=30ms
0 step08_leak --timer-tick=16.075ms
2 step09_sweep --capacity=1000000000
2 tune_wait --capacity=100000000 --duration=5s --arrivals=poisson
2 step03_no_limits --capacity=0.000001
2 step03_no_limits --capacity=80 --duration=1000d
END
for step in step02_queue step03_no_limits; do
  rows=$(wc -l <"$work/out/${step}_timeline.csv")
  [ "$rows" -gt 200 ] && [ "$rows" -le 610 ]
  result "the timeline of $step has a bounded number of points ($rows)" $?
done

echo "1..$n"
