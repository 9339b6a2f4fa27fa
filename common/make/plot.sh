#!/bin/sh
# plot.sh IMAGE DATA CHART: draws CHART (a chart.gp) from the files DATA.csv,
# DATA_by_second.csv, ... into IMAGE (.svg or .png), or in the terminal for "-".
#
# gnuplot loads common/plot/style.gp first, then the chart; both find the strings
# `data` (the common start of the data files' names) and `device` (svg, png, dumb).
image=$1
data=$2
chart=$3
style=$(dirname "$0")/../plot/style.gp

# The charts are in UTF-8 whatever the reader's locale is; where there is none of its
# own, gnuplot complains.
if locale -a 2>/dev/null | grep -qix 'c\.utf-\{0,1\}8'; then
  LC_ALL=C.UTF-8
  export LC_ALL
fi

if ! command -v gnuplot >/dev/null; then
  echo "gnuplot is not here, so there are no charts; \`make deps\` installs it" >&2
  exit 2
fi
if [ ! -f "$data.csv" ]; then
  echo "no chart for $data: $data.csv is not there" >&2
  exit 2
fi

case $image in
  -)
    columns=80
    rows=24
    device=dumb
    if [ -t 1 ]; then
      columns=$(tput cols 2>/dev/null || echo 80)
      device=colour
    fi
    # The form feed before a chart would clear some terminals.
    gnuplot -e "data='$data'; device='$device'; columns=$columns; rows=$rows" "$style" "$chart" | tr -d '\f'
    exit
    ;;
esac

part=$image.$$.part # two makes may run at once
trap 'rm -f "$part" "$part.err" "$part.named"' EXIT
finding=$(gnuplot -e "data='$data'; device='${image##*.}'; set output '$part'" "$style" "$chart" \
  -e 'set print "-"; print exists("finding") ? finding : data' 2>"$part.err")
status=$?
cat "$part.err" >&2
# To gnuplot a column that is not there is worth a warning only; the chart is wrong all the same.
if [ $status -ne 0 ] || grep -qE 'no column|No valid data points' "$part.err"; then
  echo "$chart: no chart drawn into $image" >&2
  exit 1
fi

# Several charts may stand in one page, but gnuplot gives the parts of all of them the
# same ids; and it shows its commands as titles, where the finding belongs.
if [ "${image##*.}" = svg ]; then
  name=$(basename "$data")
  finding=$(printf '%s\n' "$finding" | sed 's/&/\&amp;/g; s/</\&lt;/g; s/[\\&,]/\\&/g')
  sed -E "s,id=(['\"])(gp|gnuplot_canvas|textbox|greybox),id=\1$name-\2,; s,(href='#)gp,\1$name-gp,
    s,url\(#,&$name-,; s,(<g id=\"[^\"]*\" >)<title>.*</title>,\1,
    s,<title>$name</title>,<title>$finding</title>," "$part" >"$part.named" && mv "$part.named" "$part" || exit 2
fi

# gnuplot does not mind a full disk: a chart is one only up to its last byte.
case $image in
  *.svg) whole='</svg>' ;;
  *) whole=IEND ;;
esac
if ! tail -c 12 "$part" | LC_ALL=C grep -aq "$whole"; then
  echo "$image: could not be written whole" >&2
  exit 2
fi
mv "$part" "$image"
