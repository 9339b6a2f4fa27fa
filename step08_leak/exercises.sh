exercise_1 () {
  ran step08_leak
  grep -q '"clock": "real"' "$results" || no 'that was the virtual clock'
  that 'the leaky controller did not leak' 'line_after[0] == 0 && line_after[1] == 2'
}

exercise_2 () {
  guess
  run step04_bounded_line
  close_to 'peak_line[1]' 0
}

# Three animals of the zoo in one controller, no two of which fail the same test, so that
# every fault that is mended shows.
break_controller () {
  mkdir -p step08_leak/exercise && cp common/admission/admission.c "$broken.part" || could_not "$broken cannot be written"
  for fault in line_off_by_one place_lost_on_cancel lost_wake_up; do
    patch -s -F 0 "$broken.part" "step08_leak/zoo/$fault.patch" || could_not "the fault $fault does not fit any more"
  done
  rm -f "$broken.part.orig" # patch may keep what was there before, and that gives an answer away
  mv "$broken.part" "$broken"
}

# One test after another, each in a process of its own, so that all are heard.
exercise_3 () {
  broken=step08_leak/exercise/admission.c
  judge=$mine/judge
  if [ ! -f "$broken" ]; then
    break_controller
    no "here is the controller to mend: $broken"
  fi
  # Word splitting is meant: these are lists of options.
  ${CC:-cc} -D_GNU_SOURCE -g -iquote common/admission -o "$judge" common/tests/test_admission.c "$broken" \
    "$bin/../liblab.a" $(pkg-config --cflags --libs gio-2.0 json-glib-1.0) -lm || no "$broken does not compile"
  failed=0
  for test in $("$judge" -l | grep '^/'); do
    "$judge" -p "$test" >/dev/null 2>&1 || { echo "  fails: $test"; failed=$((failed + 1)); }
  done
  [ $failed -eq 0 ] || no "$failed tests fail; to hear one of them: $judge -p NAME"
}
