#!/bin/sh
# check.sh MAKE CC PROGRAM...: all that `make check` does: builds the variants, one after
# another, and runs the tests of two of them. The programs are those that run on the
# virtual clock. Goes on after a failure; the last line is "N passed, M failed".
make=$1
cc=$2
shift 2
programs=$*
passed=0
failed=0

one_more () { # WHAT STATUS
  if [ "$2" -eq 0 ]; then
    echo "  ok   $1"
    passed=$((passed + 1))
  else
    echo "  FAIL $1"
    failed=$((failed + 1))
  fi
}

# Whoever stops the check stops what it has started; a make passes it on.
made=
trap 'kill $made 2>/dev/null; wait $made; exit 143' HUP INT TERM

make_all () { # OPTION|TARGET...
  # Word splitting is meant here: MAKE carries its options.
  $make -k "$@" &
  made=$!
  wait $made
}

variant () { # WHAT BUILD [VARIABLE=VALUE...]
  what=$1
  build=$2
  shift 2
  echo "== $what, in $build/ =="
  rm -rf "$build/taps"
  make_all BUILD="$build" "$@" build tests
  one_more "builds without a warning" $?
}

tests_of () { # WHAT BUILD
  echo "== the tests, $1 =="
  awk -f common/make/count-taps.awk "$2"/taps/*.tap >"$2/taps/summary"
  sed '$d' "$2/taps/summary"
  read -r p f <<END
$(tail -n 1 "$2/taps/summary")
END
  passed=$((passed + p))
  failed=$((failed + f))
}

# What the programs of a build leave behind, in $1/results.
run_all () { # BUILD
  rm -rf "$1/results"
  for program in $programs; do
    "$1/bin/$program" --quiet --out="$1/results" >/dev/null
    [ -f "$1/results/$program.json" ] || return 1
  done
}

same_results () { # WHAT BUILD: as those of build/
  run_all "$2" && mv "$2/results" "$2/compared" && diff -r build/expected "$2/compared"
  one_more "$1 give the same results, byte for byte" $?
  rm -rf "$2/compared"
}

sanitize='-O1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer'

variant "$($cc --version | head -n 1)" build
variant 'clang' build/clang CC=clang
variant 'no optimisation' build/O0 CFLAGS=-O0
variant 'clang with the address and undefined-behaviour sanitizers' build/asan CC=clang CFLAGS="$sanitize"

make_all both-taps ALSO="BUILD=build/asan CC=clang CFLAGS='$sanitize'"
one_more 'the tests of two variants could all be run' $?
tests_of 'in build/' build
tests_of 'with the sanitizers' build/asan

echo '== the same results everywhere =='
run_all build && rm -rf build/expected && mv build/results build/expected
one_more 'all programs run and leave their results' $?
same_results 'two runs' build
same_results 'gcc and clang' build/clang
same_results '-O2 and -O0' build/O0
same_results 'builds with and without sanitizers' build/asan

echo '== the format =='
{ git ls-files '*.c' '*.h' 2>/dev/null || find . -name '*.[ch]' ! -path './build/*'; } |
  xargs clang-format --dry-run -Werror
one_more 'every .c and .h is as clang-format leaves it' $?

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
