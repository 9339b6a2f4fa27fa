#!/bin/sh
# doctor.sh: what is there, which version, what is missing and how to get it.
# Fails when something that running needs is missing.
. "$(dirname "$0")/packages.sh"

report () { # SET TITLE; lists it and fails when something is missing
  echo "$2"
  wanted_here=$(grep "^$1 " "$here/packages")
  result=0
  while read -r set name probe apt dnf pacman apk brew why; do
    if present "$probe"; then
      printf '  ok       %-14s %s\n' "$name" "$(version_of "$probe")"
    else
      printf '  MISSING  %-14s %s\n' "$name" "$why"
      result=1
    fi
  done <<END
$wanted_here
END
  return $result
}

advice () { # SET TARGET
  by=$(manager)
  packages=
  [ -z "$by" ] || packages=$(missing_packages "$by" $1)
  if [ -n "$packages" ]; then
    echo "  -> make $2, or: $(install_command "$by") $packages"
  else
    echo "  -> no package manager known here has it; install it by hand"
  fi
}

echo "This machine: $(uname -sm), $(getconf _NPROCESSORS_ONLN 2>/dev/null || echo '?') processors," \
  "make $(${MAKE:-make} --version | sed -n '1s/.*Make //p')"
echo

report run 'To run the steps:'
can_run=$?
if [ "$(uname -s)" = Linux ]; then
  report http 'For step 6 and the load test, over real HTTP:' || can_run=1
else
  echo 'Step 6 and the load test over HTTP are for Linux (WSL included); make all goes on without them here.'
fi
[ $can_run -eq 0 ] || advice run deps

report check 'For the tests:' || advice check check-deps
report wish 'For the tests that are skipped without it:' || advice wish check-deps
exit $can_run
