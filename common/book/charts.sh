#!/bin/sh
# charts.sh [--write]: the charts that the pages show, stepNN_*/*.svg, held against what
# the results kept beside each step and the chart.gp give, or drawn anew. Those results
# are in expected/; what depends on the machine was recorded once, in recorded/.
#
# gnuplot draws the same bytes from the same data as long as its version is the same.
# Each image therefore ends with a checksum of what it was drawn from: the data, the
# chart's commands and the style. That is always compared; the bytes are compared, too,
# when gnuplot is the version that drew the image.
write=$1
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
status=0

wrong () {
  echo "$*" >&2
  status=1
}

command -v gnuplot >/dev/null || { echo 'gnuplot is not here' >&2; exit 2; }
for commands in step*/*.gp; do
  folder=$(dirname "$commands")
  name=$(basename "$commands" .gp)
  [ "$name" != chart ] || name=$folder
  data=$folder/expected/$name
  [ -f "$data.csv" ] || data=$folder/recorded/$name
  [ -f "$data.csv" ] || continue # no page shows it
  image=${commands%.gp}.svg
  sh common/make/plot.sh "$scratch/drawn.svg" "$data" "$commands" || { wrong "$commands does not draw"; continue; }
  drawn_from=$(cat "$data".csv "$data"_*.csv "$commands" common/plot/style.gp 2>/dev/null | cksum | tr ' ' '-')
  echo "<!-- drawn from $drawn_from -->" >>"$scratch/drawn.svg"
  if [ -n "$write" ]; then
    cmp -s "$scratch/drawn.svg" "$image" || cp "$scratch/drawn.svg" "$image"
  elif [ ! -f "$image" ]; then
    wrong "$image is not there; \`make book\` draws it"
  elif ! grep -q "drawn from $drawn_from" "$image"; then
    wrong "$image was drawn from other data or commands; \`make book\` draws it anew"
  elif [ "$(grep -m 1 'GNUPLOT' "$image")" = "$(grep -m 1 'GNUPLOT' "$scratch/drawn.svg")" ]; then
    cmp -s "$scratch/drawn.svg" "$image" || wrong "$image differs from what gnuplot draws"
  fi
done
exit $status
