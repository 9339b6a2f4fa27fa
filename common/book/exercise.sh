#!/bin/sh
# exercise.sh BIN STEP.NUMBER: says whether an exercise is done, as in 03.1.
# Status 0: yes; 1: not yet; 2: it could not be told.
#
# What an exercise wants stands in stepNN_*/exercises.sh, in functions exercise_1 to
# exercise_3 made of the words below. A reader's runs and guesses are in out/mine.
bin=$1
step=${2%.*}
number=${2#*.}
mine=out/mine

no () { # WHY
  echo "no: $*"
  exit 1
}

could_not () { # WHY
  echo "$*" >&2
  exit 2
}

# The reader has run PROGRAM into out/mine, or into a folder in it.
ran () { # PROGRAM [FOLDER]
  results=$mine/${2:+$2/}$1.json
  [ -f "$results" ] || no "there is no $results yet; run $bin/$1 with --out=$mine${2:+/$2} and your options"
}

# The check runs PROGRAM itself, into a folder of its own, whatever the program's own
# claims come to.
run () { # PROGRAM [OPTION...]
  program=$1
  shift
  results=$mine/check/$program.json
  # Whatever a run of the reader's own has made of $mine/capacity.json.
  mkdir -p "$mine/check" || could_not "$mine cannot be written"
  "$bin/step01_calibrate" --quiet --out="$mine/check" >/dev/null 2>&1
  rm -f "$results"
  "$bin/$program" --quiet --out="$mine/check" "$@" >/dev/null 2>&1
  [ $? -lt 2 ] && [ -f "$results" ] || could_not "$program did not run"
}

holds () { # EXPRESSION
  "$bin/book" --results="$results" "$1"
  case $? in
    0) return 0 ;;
    1) return 1 ;;
    *) could_not "$results could not be judged" ;;
  esac
}

that () { # WHAT EXPRESSION
  holds "$2" || no "$1"
}

# The reader's prediction, a plain number in out/mine/STEP.NUMBER.
guess () { # WHAT
  [ -f "$mine/$step.$number" ] || no "write your prediction first: echo NUMBER >$mine/$step.$number"
  guess=$(cat "$mine/$step.$number")
  case $guess in
    '' | *[!0-9.]* | *.*.*) no "'$guess' is no number" ;;
  esac
}

# The prediction, held against what is so.
close_to () { # EXPRESSION TOLERANCE
  holds "$guess >= $1 - $2" || no "$guess is too low"
  holds "$guess <= $1 + $2" || no "$guess is too high"
}

set -- step"$step"_*/exercises.sh
[ -f "$1" ] || could_not "there are no exercises for step $step; ask for one like this: make exercise-03.1"
[ -x "$bin/book" ] || could_not "$bin/book is not built; \`make build\` builds it"
[ -f "$mine/capacity.json" ] || "$bin/step01_calibrate" --quiet --out="$mine" || could_not "step 1 did not run"
. "./$1"
command -v "exercise_$number" >/dev/null || could_not "step $step has no exercise $number"
"exercise_$number"
echo "yes: exercise $step.$number is done"
