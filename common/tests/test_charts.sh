#!/bin/sh
# Every chart: drawn without a complaint at the usual settings and at others, well
# formed, the same bytes again, columns found by their names, a missing one refused,
# no claim that the run does not bear out, and 80 x 24 letters in the terminal.
temporary=$(mktemp -d) || exit 1
trap 'umount "$temporary/disk" 2>/dev/null; rm -rf "$temporary"' EXIT
number=0

report () { # WHAT STATUS
  number=$((number + 1))
  [ "$2" -eq 0 ] && echo "ok $number - $1" || echo "not ok $number - $1"
}

if ! command -v gnuplot >/dev/null; then
  echo '1..0 # SKIP gnuplot is not here'
  exit 0
fi
case $BIN in
  */asan/*)
    echo '1..0 # SKIP the charts of the first build are drawn: no build gives other results'
    exit 0
    ;;
esac

chart () { # PROGRAM: the file that draws it
  case $1 in
    step*) echo "$1/chart.gp" ;;
    *) echo step*/"$1.gp" ;;
  esac
}

draw () { # FOLDER PROGRAM KIND: 1 when it fails or anything is complained of
  sh common/make/plot.sh "$1/$2.$3" "$1/$2" "$(chart "$2")" >"$temporary/said" 2>&1 && [ ! -s "$temporary/said" ] && return
  sed 's/^/# /' "$temporary/said"
  return 1
}

finding () { # FOLDER PROGRAM: what its chart says
  sed -n 's,.*<title>\(.*\)</title>.*,\1,p' "$1/$2.svg"
}

is_well_formed () { # IMAGE
  case $1 in
    *.png) [ "$(od -An -tx1 -N8 "$1" | tr -d ' \n')" = 89504e470d0a1a0a ] && tail -c 12 "$1" | grep -q IEND ;;
    *) if command -v xmllint >/dev/null; then xmllint --noout "$1"; else tail -n 3 "$1" | grep -q '</svg>'; fi ;;
  esac
}

run () { # FOLDER PROGRAM [OPTION...]: its results; whether its checks hold is not asked here
  to=$1
  program=$2
  shift 2
  "$BIN/$program" --quiet --out="$to" "$@" >/dev/null 2>&1
  [ $? -le 1 ]
}

# What comes from a real network is taken from these files instead.
fixtures () { # FOLDER
  cat >"$1/step06_http.csv" <<'END'
policy,offered,goodput_rps,steady_goodput_rps,ok,shed,timeout,error,p50_ms,p99_ms,work,wasted,peak_line,first_503_retry_after,first_503_body,refusal_log_lines
no limits,840,29.6,0.0,148,0,692,0,522.6,996.4,476,328,440,,,0
cap 42 + wait limit 0.3 s,840,84.8,80.0,424,416,0,0,347.0,350.5,424,0,42,1,"{""error"":""overloaded"",""reason"":""line_full""}",0
"no limits, hang-ups noticed",840,29.6,0.0,0,0,692,148,,,476,328,168,,,0
END
  cat >"$1/step06_http.json" <<'END'
{
  "settings": { "client_timeout_s": 1.0, "capacity_rps": 84.0 },
  "rows": [
    { "policy": "no limits", "offered": 840 },
    { "policy": "cap 42 + wait limit 0.3 s", "offered": 840 },
    { "policy": "no limits, hang-ups noticed", "offered": 840 }
  ]
}
END
  cat >"$1/flat.csv" <<'END'
multiple,offered_rps,steady_goodput_rps,health_max_ms,lateness_p99_us
1,80.0,80.0,0.72,95.2
20,1600.0,80.5,5.8,2235.5
500,40000.0,81.0,6.0,45.3
END
  echo '{ "settings": { "capacity_rps": 80.0, "health_within_s": 0.05 } }' >"$1/flat.json"
  cat >"$1/loadtest.csv" <<'END'
multiple,offered_rps,goodput_rps,steady_goodput_rps,valid
0.5,40.0,40.0,40.0,true
1.0,80.0,80.0,80.0,true
4.0,320.0,20.0,0.0,true
END
  echo '{ "settings": { "capacity_rps": 80.3 } }' >"$1/loadtest.json"
}

reversed () { # FROM TO: the same tables, the last column first
  mkdir "$2"
  cp "$1"/*.json "$2"
  for table in "$1"/*.csv; do
    awk '{
      n = 0; field = ""; quoted = 0
      for (i = 1; i <= length($0); i++) {
        c = substr($0, i, 1)
        if (c == "\"") quoted = !quoted
        if (c == "," && !quoted) { fields[++n] = field; field = "" } else field = field c
      }
      printf "%s", field
      for (i = n; i >= 1; i--) printf ",%s", fields[i]
      print ""
    }' "$table" >"$2/$(basename "$table")"
  done
}

steps='step01_calibrate step02_queue step03_no_limits step04_bounded_line step05_slowdown
  step07_retries retry_storm step08_leak step09_sweep tune_wait'
usual=$temporary/usual
mkdir "$usual"
for program in $steps; do
  run "$usual" "$program" || report "$program runs" 1
done
fixtures "$usual"
reversed "$usual" "$temporary/reversed"

all=
for program in $steps step06_http flat loadtest; do
  [ -f "$(chart "$program")" ] && all="$all $program"
done

for program in $all; do
  failed=0
  for kind in svg png; do
    image=$usual/$program.$kind
    draw "$usual" "$program" $kind && is_well_formed "$image" && mv "$image" "$image.first" &&
      draw "$usual" "$program" $kind && cmp "$image" "$image.first" || failed=1
  done
  report "$program: SVG and PNG are well formed, and the same when drawn again" $failed

  draw "$temporary/reversed" "$program" svg && cmp "$usual/$program.svg" "$temporary/reversed/$program.svg"
  report "$program: the order of the columns does not matter" $?

  mkdir -p "$temporary/renamed"
  cp "$usual/$program.json" "$temporary/renamed"
  for table in "$usual/$program"*.csv; do
    sed '1y/abcdefghijklmnopqrstuvwxyz/bcdefghijklmnopqrstuvwxyza/' "$table" >"$temporary/renamed/$(basename "$table")"
  done
  ! draw "$temporary/renamed" "$program" svg >/dev/null && [ ! -f "$temporary/renamed/$program.svg" ]
  report "$program: no chart where the columns are not there" $?

  sh common/make/plot.sh - "$usual/$program" "$(chart "$program")" >"$temporary/text" 2>"$temporary/said"
  [ ! -s "$temporary/said" ] && LC_ALL=C awk '
    length($0) > 80 || /[^ -~]/ { print "# " $0; bad = 1 }
    END { exit bad || NR < 20 || NR > 25 }' "$temporary/text"
  report "$program: 80 columns, 24 rows and plain letters in the terminal" $?
done

cat "$usual"/*.svg | grep -o "id=[\"'][^\"']*" | sort | uniq -d >"$temporary/twice"
[ ! -s "$temporary/twice" ] && [ "$(cat "$usual"/*.svg | grep -c "id=[\"']")" -gt 0 ]
report 'no two charts share an id, so that they can stand in one page' $?

at () { # NAME OPTION...: every step's chart at other settings
  folder=$temporary/$1
  shift
  mkdir "$folder"
  failed=0
  for program in $all; do
    case $program in
      step02_queue | step06_http | step08_leak | flat | loadtest) continue ;;
      step01_calibrate) run "$folder" "$program" $(printf '%s\n' "$@" | grep -v -e --client -e --duration) ;;
      *) run "$folder" "$program" "$@" ;;
    esac
    draw "$folder" "$program" svg && is_well_formed "$folder/$program.svg" || failed=1
  done
  report "every step's chart with $*" $failed
}

at one-slot --service-time=83ms --slots=1
at ticking --timer-tick=16.075ms
at many-slots --slots=100 --service-time=5ms
at hopeless --slots=2 --service-time=2s
at brief --duration=1s
at patient --client-timeout=100s

# PROGRAM WORDS: the chart says so at the usual settings, and not where nobody has to give up.
claims () {
  finding "$usual" "$1" | grep -q "$2" && [ -n "$(finding "$temporary/patient" "$1")" ] &&
    ! finding "$temporary/patient" "$1" | grep -q "$2"
  report "$1: the chart says '$2' only where the run does" $?
}

claims step03_no_limits 'nobody is answered'
claims step04_bounded_line 'wastes no work'
claims step05_slowdown 'does not bound the wait'
claims retry_storm 'keep the service down'
claims step09_sweep 'falls off a cliff'
! finding "$temporary/brief" step09_sweep | grep -q 'falls off a cliff'
report 'step09_sweep: no cliff where no steady goodput was measured' $?
finding "$temporary/ticking" step01_calibrate | grep -q 'below what one expects'
report 'step01_calibrate: with a timer tick the capacity is below what one expects' $?

late () { # NAME CHANGE WORDS: what the load test's chart says when rows are not valid
  mkdir "$temporary/$1"
  cp "$usual/loadtest.json" "$temporary/$1"
  sed "$2" "$usual/loadtest.csv" >"$temporary/$1/loadtest.csv"
  draw "$temporary/$1" loadtest svg && finding "$temporary/$1" loadtest | grep -q "$3"
  report "loadtest: the chart says '$3'" $?
}
late all-valid '' 'falls off a cliff'
late one-late '$s/true/false/' 'kept up with 2 of 3 loads'
late all-late 's/true/false/' 'could not keep up'

mkdir "$temporary/disk"
if mount -t tmpfs -o size=8k tmpfs "$temporary/disk" 2>/dev/null; then
  failed=0
  for kind in svg png; do
    sh common/make/plot.sh "$temporary/disk/step09_sweep.$kind" "$usual/step09_sweep" step09_sweep/chart.gp 2>/dev/null &&
      failed=1
  done
  [ $failed -eq 0 ] && [ -z "$(ls "$temporary/disk")" ]
  report 'on a full disk: no chart rather than half of one' $?
else
  number=$((number + 1))
  echo "ok $number - on a full disk # SKIP no file system may be mounted here"
fi

echo "1..$number"
