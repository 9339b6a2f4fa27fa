#!/bin/sh
# check.sh MAKE CC: all that `make check` does, one variant after another. Goes on
# after a failure; the last line is "N passed, M failed".
make=$1
cc=$2
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

variant () { # WHAT BUILD TARGETS [VARIABLE=VALUE...]
  what=$1
  build=$2
  targets=$3
  shift 3
  echo "== $what, in $build/ =="
  rm -rf "$build/taps"
  # Word splitting is meant here: MAKE carries its options, TARGETS may be several.
  $make -k BUILD="$build" "$@" $targets
  one_more "builds without a warning" $?
  if [ -d "$build/taps" ]; then
    awk -f common/make/count-taps.awk "$build"/taps/*.tap >"$build/taps/summary"
    sed '$d' "$build/taps/summary"
    read -r p f <<END
$(tail -n 1 "$build/taps/summary")
END
    passed=$((passed + p))
    failed=$((failed + f))
  fi
}

sanitize='-O1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer'

variant "$cc" build 'build tests taps'
variant 'clang' build/clang 'build tests' CC=clang
variant 'clang with the address and undefined-behaviour sanitizers' build/asan 'build tests taps' \
  CC=clang CFLAGS="$sanitize"

echo '== the format =='
{ git ls-files '*.c' '*.h' 2>/dev/null || find . -name '*.[ch]' ! -path './build/*'; } |
  xargs clang-format --dry-run -Werror
one_more 'every .c and .h is as clang-format leaves it' $?

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
