#!/bin/sh
# The programs give the bytes that are kept beside each step: as they are, where
# commas are decimal points and the time zone is half an hour odd, and built for
# 32 bits where this compiler and GLib can.
#
# The other builds (gcc, clang, -O0, -O2, sanitizers) are held against each other by
# the check itself; batches of 1, 64 and 1024 by test_batches.
temporary=$(mktemp -d) || exit 1
trap 'rm -rf "$temporary"' EXIT
number=0
programs='step01_calibrate step02_queue step03_no_limits step04_bounded_line step05_slowdown
  step07_retries retry_storm step08_leak step09_sweep tune_wait'

report () { # WHAT STATUS
  number=$((number + 1))
  [ "$2" -eq 0 ] && echo "ok $number - $1" || echo "not ok $number - $1"
}

skip () { # WHAT WHY
  number=$((number + 1))
  echo "ok $number - $1 # SKIP $2"
}

same () { # WHAT BIN PROGRAM...
  what=$1
  shift
  bin=$1
  shift
  sh common/make/expected.sh "$bin" compare "$@" >"$temporary/tap"
  grep -q '^1\.\.[1-9]' "$temporary/tap" && ! grep -q '^not ok' "$temporary/tap"
  same=$?
  [ "$same" -eq 0 ] || sed 's/^/# /' "$temporary/tap"
  report "$what the files are the expected ones" "$same"
}

same 'as they are,' "$BIN" $programs

# The comparison can fail: patience of a thousandth of a second more is seen.
mkdir "$temporary/bin"
ln -s "$(cd "$BIN" && pwd)/step01_calibrate" "$temporary/bin"
printf '#!/bin/sh\nexec "%s" "$@" --client-timeout=1.001s\n' "$BIN/step03_no_limits" >"$temporary/bin/step03_no_limits"
chmod +x "$temporary/bin/step03_no_limits"
sh common/make/expected.sh "$temporary/bin" compare step01_calibrate step03_no_limits >"$temporary/tap"
grep -q '^ok .*step01' "$temporary/tap" && grep -q '^not ok .*step03_no_limits.json' "$temporary/tap"
report 'and a client timeout of 1.001 s is noticed' $?

# Somewhere else in the world. The locale is made here when the machine has none.
here=$("$BIN/step03_no_limits" --capacity=82.7 --out="$temporary/here")
export TZ=America/St_Johns
if localedef -i de_DE -f UTF-8 "$temporary/de_DE.UTF-8" 2>/dev/null; then
  export LOCPATH="$temporary"
fi
if [ "$(LC_ALL=de_DE.UTF-8 locale decimal_point 2>/dev/null)" = , ]; then
  export LC_ALL=de_DE.UTF-8
  same 'where commas are decimal points,' "$BIN" $programs
  there=$("$BIN/step03_no_limits" --capacity=82.7 --out="$temporary/there")
  [ -n "$here" ] && [ "$here" = "$there" ]
  report 'and the same is printed' $?
  ! "$BIN/step03_no_limits" --quiet --capacity=82,7 --out="$temporary/there" 2>/dev/null
  report 'and --capacity=82,7 makes no sense there either' $?
  unset LC_ALL
else
  skip 'where commas are decimal points' 'no German locale is here, and none can be made (Debian: locales)'
fi
unset TZ LOCPATH

# On half as wide a machine. PKG_CONFIG_32 may name the pkg-config of a 32-bit GLib.
pkg_config=${PKG_CONFIG_32:-env PKG_CONFIG_LIBDIR=/usr/lib/i386-linux-gnu/pkgconfig:/usr/share/pkgconfig pkg-config}
echo 'int main (void) { return 0; }' >"$temporary/small.c"
if ! ${CC:-cc} -m32 -o "$temporary/small" "$temporary/small.c" 2>/dev/null || ! "$temporary/small"; then
  skip 'built for 32 bits' "${CC:-cc} -m32 makes no programs here (Debian: gcc-multilib)"
elif ! $pkg_config --exists glib-2.0 gio-2.0 json-glib-1.0; then
  skip 'built for 32 bits' 'no 32-bit GLib is here (Debian: libglib2.0-dev:i386, libjson-glib-dev:i386)'
else
  unset MAKEFLAGS MFLAGS
  build=$(dirname "$BIN")/32 # of its own: another variant's test may run at the same time
  make -s BUILD="$build" CC="${CC:-cc} -m32" PKG_CONFIG="$pkg_config" \
    $(for program in $programs; do echo "$build/bin/$program"; done) 2>&1 | sed 's/^/# /'
  same 'built for 32 bits,' "$build/bin" $programs
fi

echo "1..$number"
