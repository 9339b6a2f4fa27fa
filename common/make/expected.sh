#!/bin/sh
# expected.sh BIN compare|update PROGRAM...: the results of the programs that run on
# the virtual clock beside those kept in each step's expected/. "update" puts today's
# there (look at what `git diff` then says); "compare" prints a TAP line a file.
#
# A program's files are kept as they are: JSON, CSV and, of step 1, capacity.json.
bin=$1
action=$2
shift 2
results=$(mktemp -d) || exit 2
trap 'rm -rf "$results"' EXIT
number=0

# A step's second program stands in the step's folder.
folder_of () {
  case $1 in
    step*) echo "$1/expected" ;;
    *) echo "$(dirname step*/"$1.c")/expected" ;;
  esac
}

files_of () { # PROGRAM FOLDER
  for file in "$2/$1.json" "$2/$1.csv" "$2/$1"_*.csv; do
    [ -f "$file" ] && basename "$file"
  done
  [ "$1" = step01_calibrate ] && echo capacity.json
}

for program; do
  folder=$(folder_of "$program")
  "$bin/$program" --quiet --out="$results" >/dev/null 2>&1
  if [ "$action" = update ]; then
    mkdir -p "$folder" || exit 2
    for file in $(files_of "$program" "$results"); do
      cp "$results/$file" "$folder/$file" || exit 2
    done
    continue
  fi
  for file in $( (files_of "$program" "$results"; files_of "$program" "$folder") | sort -u); do
    number=$((number + 1))
    if cmp "$folder/$file" "$results/$file" 2>&1; then
      echo "ok $number - $folder/$file${WHERE:+ $WHERE}"
    else
      echo "not ok $number - $folder/$file${WHERE:+ $WHERE}"
      diff "$folder/$file" "$results/$file" 2>&1 | head -n 6 | sed 's/^/# /'
    fi
  done
done
[ "$action" = update ] || echo "1..$number"
