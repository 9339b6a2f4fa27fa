#!/bin/sh
# show.sh PROGRAM: runs a test program and prints its tests one a line. Fails when one does.
report=$("$1" 2>&1)
status=$?
echo
printf '%s\n' "$report" | sed -n \
  -e '/^ok .*# *SKIP/s,^ok [0-9]* /[^/]*/\([^ ]*\).*,  left out  \1,p' -e 't' \
  -e 's,^ok [0-9]* /[^/]*/,  passed    ,p' \
  -e 's,^not ok [0-9]* /[^/]*/,  FAILED    ,p'
echo
passed=$(printf '%s\n' "$report" | grep '^ok ' | grep -vc '# *SKIP')
if [ $status -eq 0 ]; then
  echo "$passed tests passed"
else
  printf '%s\n' "$report" | grep -v '^ok \|^# Start\|^# End\|^# random'
  echo "$1 ended with status $status"
fi
exit $status
