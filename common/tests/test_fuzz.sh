#!/bin/sh
# Every fuzz target takes its corpus; and where the compiler is clang and brings
# libFuzzer, a fixed number of inputs made from it, the same ones every time.
number=0
report () { # WHAT STATUS
  number=$((number + 1))
  [ "$2" -eq 0 ] && echo "ok $number - $1" || echo "not ok $number - $1"
}
programs=$(dirname "$BIN")/fuzz
targets=$(cd "$programs" && ls)

for target in $targets; do
  inputs=$("$programs/$target" common/fuzz/corpus/"$target"/* 2>&1)
  status=$?
  [ $status -eq 0 ] || echo "$inputs" | sed 's/^/# /'
  report "$target takes its corpus" $status
done

temporary=$(mktemp -d) || exit 1
trap 'rm -rf "$temporary"' EXIT
echo '#include <stddef.h>
int LLVMFuzzerTestOneInput (const unsigned char *data, size_t size) { return data == NULL && size > 0; }' >"$temporary/one.c"
case $CC in
  *clang*)
    if $CC -fsanitize=fuzzer,address -o "$temporary/one" "$temporary/one.c" 2>/dev/null; then
      unset MAKEFLAGS MFLAGS # of the check: this build has flags of its own
      make -s BUILD=build/fuzzing CC="$CC" FUZZ_ENGINE=-fsanitize=fuzzer \
        CFLAGS='-O1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer' \
        fuzzers >"$temporary/make" 2>&1
      status=$?
      [ $status -eq 0 ] || sed 's/^/# /' "$temporary/make"
      report 'the targets build with libFuzzer' $status
      for target in $targets; do
        runs=20000
        [ "$target" = http ] && runs=3000
        sh common/make/fuzz.sh build/fuzzing/fuzz "$temporary/found" -runs=$runs "$target" >"$temporary/said"
        status=$?
        sed 's/^/# /' "$temporary/said"
        report "$target takes $runs inputs more" $status
      done
    else
      number=$((number + 1))
      echo "ok $number - new inputs # SKIP $CC has no libFuzzer here (Debian: libclang-rt-dev)"
    fi
    ;;
esac
echo "1..$number"
