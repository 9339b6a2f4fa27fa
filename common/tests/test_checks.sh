#!/bin/sh
# The steps' own checks, seen to fail: each program below is built with one fault in a
# part of the lab, and must end with 1 and name the claim that does not hold any more.
# The faults are those of step 8's zoo, and one more.
bin=${BIN:-build/bin}
build=$(cd "$(dirname "$0")/../.." && cd "$bin/.." && pwd) || exit 1
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
libraries="$(pkg-config --libs glib-2.0 gio-2.0 json-glib-1.0) -lm"
n=0

# As everything in this build was compiled and linked. A fault may leave something unused.
compile () { # ARGUMENT...
  eval "$(cat "$build/flags") -w $* $libraries" >"$work/text" 2>&1
}

# The faulty file stands before the library, and so takes the place of the right one.
make_fault () { # NAME
  [ -f "$work/$1.o" ] && return
  if [ "$1" = one_slot_of_all ]; then # a line with a cap leaves but one slot
    file=common/admission/admission.c
    sed "s/running < admission->limits.slots/running < (admission->limits.max_waiting.is_set ? 1 : admission->limits.slots)/" $file >"$work/$1.c"
    ! cmp -s $file "$work/$1.c" || return
  else
    file=$(sed -n 's/^--- //p' "step08_leak/zoo/$1.patch")
    patch -s -F 0 -o "$work/$1.c" "$file" "step08_leak/zoo/$1.patch" || return
  fi
  compile -iquote "$(dirname "$file")" -c -o "$work/$1.o" "$work/$1.c"
}

objects_of () { # PROGRAM
  case $1 in
    step09_sweep) echo "$build/obj/step09_sweep/main.o $build/obj/step09_sweep/sweep.o" ;;
    tune_wait) echo "$build/obj/step09_sweep/tune_wait.o" ;;
    *) echo "$build/obj/$1/main.o" ;;
  esac
}

make_program () { # PROGRAM FAULT
  [ -f "$work/$1-$2" ] || { make_fault "$2" && compile -o "$work/$1-$2" "$(objects_of "$1")" "$work/$2.o" "$build/liblab.a"; }
}

fails () { # PROGRAM FAULT CLAIM
  make_program "$1" "$2" || return
  "$work/$1-$2" --capacity=82.7 --out="$work/out" >"$work/text" 2>&1
  [ $? -eq 1 ] && grep -qF "FAIL  $3 (" "$work/text"
}

while IFS='|' read -r program fault claim; do
  n=$((n + 1))
  if fails "$program" "$fault" "$claim"; then echo "ok $n - $program with $fault: $claim"; else
    sed 's/^/# /' "$work/text"
    echo "not ok $n - $program with $fault: $claim"
  fi
done <<'END'
step03_no_limits|each_tenth_dropped|every request has exactly one outcome
step03_no_limits|over_with_the_schedule|no answer without a work
step03_no_limits|late_answer_counts_too|once the line outgrows their patience, not one client is answered in time
step03_no_limits|late_answer_counts_too|most clients give up
step03_no_limits|late_answer_counts_too|most of the work is wasted
step03_no_limits|late_answer_counts_too|the median of the survivors looks fine all the same
step04_bounded_line|lifo_by_accident|without limits the service collapses as in step 3
step04_bounded_line|line_off_by_one|the line grows to its cap and no further
step04_bounded_line|one_deadline_for_all|behind the capped line no client times out
step04_bounded_line|one_deadline_for_all|behind the capped line no work is wasted
step05_slowdown|closed_in_disguise|after the slowdown the cap alone lets clients time out
step05_slowdown|one_deadline_for_all|with the wait limit no client times out
step05_slowdown|one_deadline_for_all|with the wait limit no work is wasted
step09_sweep|one_slot_of_all|below the capacity protection costs nothing
step09_sweep|one_slot_of_all|protected, goodput stays flat at the capacity as the offered load grows
step09_sweep|lifo_by_accident|without limits, goodput falls to nothing above the capacity
tune_wait|lifo_by_accident|the wait limit does not move the goodput
tune_wait|closed_in_disguise|a longer limit only lets the slowest wait longer
END
echo "1..$n"
