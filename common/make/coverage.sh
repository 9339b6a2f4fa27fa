#!/bin/sh
# coverage.sh MAKE BUILD: which lines the tests reach. A report for reading in
# BUILD/report/index.html, a table here; exit status 1 when a line of what every
# result hangs on (common/admission, common/loadgen, common/time) is not reached and
# carries no comment that says why: "not reached: ...".
make=$1
build=$2

if ! command -v gcovr >/dev/null; then
  echo 'gcovr is not here (Debian: gcovr)' >&2
  exit 2
fi
mkdir -p "$build/report"
find "$build" -name '*.gcda' -delete
# The tests over HTTP have threads, which must not lose counts to each other.
export GCOV_ERROR_FILE=/dev/null # not into what the tests read
$make BUILD="$build" CC=gcc CFLAGS='-O0 --coverage -fprofile-update=atomic' build tests unit-taps >"$build/make.txt" 2>&1 || {
  tail -n 20 "$build/make.txt"
  exit 2
}
# The steps themselves, as the test of their results runs them.
BIN=$build/bin CC=false sh common/tests/test_determinism.sh >"$build/taps/test_determinism.tap" 2>&1
echo '# exit 0' >>"$build/taps/test_determinism.tap"
awk -f common/make/count-taps.awk "$build"/taps/*.tap | sed '$d' | grep FAIL

# Of the library alone: tests that build a module a second time would count it twice.
# The macro is GLib's code, made anew in every file.
covered () { # FOLDERS OPTION...
  folders=$1
  shift
  # Word splitting is meant here.
  gcovr --root . --exclude-lines-by-pattern '.*(not reached: |G_DEFINE_AUTOPTR_CLEANUP_FUNC).*' "$@" $(for folder in $folders; do echo "$build/obj/common/$folder"; done)
}
covered 'admission http lab loadgen service time' --filter common/ --html-details "$build/report/index.html" --txt - || exit 2
covered 'admission loadgen time' --filter 'common/(admission|loadgen|time)/' --csv "$build/kernel.csv" || exit 2

# filename,line_total,line_covered,...
if awk -F, 'NR > 1 && $2 != $3 { bad = 1 } END { exit bad || NR < 10 }' "$build/kernel.csv"; then
  echo 'every line of common/admission, common/loadgen and common/time is reached or says why not'
else
  echo 'not reached, and without a comment that says why:'
  awk -F, 'NR > 1 && $2 != $3 { print "  " $1 ": " $2 - $3 " of " $2 " lines" }' "$build/kernel.csv"
  exit 1
fi
