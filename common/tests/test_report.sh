#!/bin/sh
# The report, the comparison of the two clocks, the summary and the archive: made of
# true results, of broken ones and of strangers'; and the page as a browser shows it.
bin=${BIN:-build/bin}
export G_DEBUG=fatal-criticals # a complaint of GLib is a fault of ours
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
out=$scratch/out
page=$out/index.html
steps='step01_calibrate step02_queue step03_no_limits step04_bounded_line step05_slowdown
  step07_retries step08_leak step09_sweep retry_storm tune_wait'
n=0

say () { # STATUS WHAT
  n=$((n + 1))
  [ "$1" -eq 0 ] && echo "ok $n - $2" || echo "not ok $n - $2"
}

skip () { # WHAT WHY
  n=$((n + 1))
  echo "ok $n - $1 # SKIP $2"
}

edit () { # FILE SED-COMMAND...: in its place
  edited=$1
  shift
  sed "$@" "$edited" >"$scratch/edited" && mv "$scratch/edited" "$edited"
}

has () { # TEXT: on the page
  grep -qF -e "$1" "$page"
}

fresh () { # as after the virtual runs, in $out
  rm -rf "$out"
  cp -R "$scratch/virtual" "$out"
}

# As if measured on the real clock. What a machine adds is made up here, so that
# the test takes no time and knows what it must find.
pretend_real () { # LATENESS_US
  mkdir -p "$out/real"
  for measured in $steps; do
    sed -e 's/"clock": "virtual"/"clock": "real"/' \
      -e 's/"settings"/"machine": { "kernel": "Testix 1.0", "processor": "a <fast> one", "cores": 2 },\n  "settings"/' \
      "$scratch/virtual/$measured.json" >"$out/real/$measured.json"
  done
  edit "$out/real/step04_bounded_line.json" "s/\"peak_line\": [0-9]*/&, \"lateness_p99_us\": $1/"
}

mkdir "$scratch/virtual"
for program in $steps; do
  "$bin/$program" --quiet --out="$scratch/virtual" >/dev/null || echo "# $program failed" >&2
  chart=$(ls "$program/chart.gp" step*/"$program.gp" 2>/dev/null)
  if [ -f "$chart" ] && command -v gnuplot >/dev/null; then
    sh common/make/plot.sh "$scratch/virtual/$program.svg" "$scratch/virtual/$program" "$chart" 2>/dev/null
  fi
done

# --- The page -----------------------------------------------------------------------

fresh
"$bin/report" "$out" >"$scratch/said"
[ $? -eq 0 ] && grep -q "index.html" "$scratch/said"
say $? 'the page is written, and the program says where'

missing=
for program in $steps; do
  grep -q "<section id=\"$program\"" "$page" && grep -q "<a href=\"#$program\">" "$page" || missing="$missing $program"
  [ ! -f "$out/$program.svg" ] || grep -q "<svg role=\"img\" aria-labelledby=\"$program-title\"" "$page" ||
    missing="$missing $program.svg"
done
[ -z "$missing" ]
say $? "every step has its section, its line in the contents and its chart$missing"

claims=$(cat "$out"/*.json | grep -c '"claim"')
[ "$claims" -gt 20 ] && [ "$(grep -c '<li><b class="good">PASS</b>' "$page")" -eq "$claims" ]
say $? 'every check is there'

ok=$(sed -n 's/.*"timeout": \([0-9]*\).*/\1/p' "$out/step03_no_limits.json")
has "$ok of 827 clients give up"
say $? 'a finding has its figures from the run'

edit "$out/step03_no_limits.json" "s/\"timeout\": $ok/\"timeout\": 4711/"
"$bin/report" "$out" >/dev/null && has '4711 of 827 clients give up' && ! has "$ok of 827 clients"
say $? 'and others from another run'

edit "$out/step03_no_limits.json" '0,/"holds": true/s//"holds": false/'
"$bin/report" "$out" >/dev/null && has '<b class="bad">FAIL</b>' && ! has '4711 of 827 clients' &&
  has 'This run does not show what it should'
say $? 'a run whose check does not hold says so, and claims nothing'

[ "$(grep -c '<table>' "$page")" -gt 20 ] && [ "$(grep -c '<table>' "$page")" -eq "$(grep -c '<caption>' "$page")" ] &&
  ! grep -q '<th>' "$page" && [ "$(grep -c '<h1>' "$page")" -eq 1 ] && grep -q 'class="skip" href="#results"' "$page"
say $? 'tables have captions and scopes, and there is a way past the contents'

! grep -qiE '<script|<link|<img|<iframe|@import|src=|url\((https?:|//|"|data:)' "$page" &&
  ! grep -oE '(href|action)="[^"]*"' "$page" | grep -qv 'href="#' && has "default-src 'none'"
say $? 'the page asks for nothing from outside itself'

[ -z "$(grep -oE ' id="[^"]*"' "$page" | sort | uniq -d)" ]
say $? 'no id is there twice'

lines=$(wc -l <"$scratch/virtual/step02_queue_timeline.csv")
[ "$lines" -gt 10 ] && [ "$(sed -n '/step02_queue_timeline.csv<\/caption/,/<\/table/p' "$page" | grep -c '^<tr>\|<thead>')" -eq "$lines" ]
say $? 'the data behind a chart are there whole'

cp "$page" "$scratch/once"
"$bin/report" "$out" >/dev/null && cmp -s "$page" "$scratch/once"
say $? 'the same results give the same page'

# --- Texts are texts ------------------------------------------------------------------

fresh
evil='<script>alert(1)<\/script> \&amp; \\"both\\" \x27quotes\x27'
edit "$out/step04_bounded_line.json" "s/\"policy\": \"line[^\"]*\"/\"policy\": \"$evil\"/"
edit "$out/step04_bounded_line.csv" 's/^line[^,]*/"<img src=x>, ""so"" \&"/'
edit "$out/step04_bounded_line.json" 's/"claim": "/&<b>@sections@<\/b> /'
"$bin/report" "$out" >/dev/null && ! has '<script>' && ! has '<img' && ! has '<b>@' &&
  has '&lt;script&gt;alert(1)&lt;/script&gt; &amp;amp; &quot;both&quot; &apos;quotes&apos;' &&
  has '&lt;img src=x&gt;, &quot;so&quot; &amp;</td>' && has '&lt;b&gt;@sections@&lt;/b&gt;'
say $? 'a label with <, &, quotes and marks stays a label'

cat >"$out/step02_queue.svg" <<'END'
<?xml version="1.0"?>
<svg width="9" height="9" viewBox="0 0 9 9" xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" onload="alert(1)">
<title>other</title><style>body { display: none }</style><script>alert(2)</script>
<defs><circle id="dot" r="1"/></defs><use xlink:href="#dot"/><use href="http://example.org/a.svg#b"/>
<rect fill="url(#dot)" stroke="url(http://example.org/)" onclick="alert(3)"/><text>a &lt; b &amp; c</text></svg>
END
"$bin/report" "$out" >/dev/null && ! grep -qE 'alert\([123]\)<|onload|onclick|example.org|display: none }<' "$page" &&
  has 'xlink:href="#step02_queue-dot"' && has '<circle id="step02_queue-dot"' && has 'fill="url(#step02_queue-dot)"' &&
  has '<text>a &lt; b &amp; c</text>'
say $? 'a chart brings its drawing, nothing that runs, styles or loads'

# --- What is not as it should be ------------------------------------------------------

refused () { # WHAT PATH [PROGRAM]: exit 2, a sentence with the path, what was there stays
  echo old >"$page"
  find "$out" | sort >"$scratch/before"
  "$bin/${3:-report}" "$out" >"$scratch/said" 2>"$scratch/complaint"
  [ $? -eq 2 ] && [ "$(wc -l <"$scratch/complaint")" -eq 1 ] && grep -qF "$2" "$scratch/complaint" &&
    [ "$(cat "$page")" = old ] && find "$out" | sort | cmp -s - "$scratch/before" && [ ! -s "$scratch/said" ]
  status=$?
  [ $status -eq 0 ] || sed 's/^/# /' "$scratch/complaint"
  say $status "${3:-report}: $1"
}

broken () { # WHAT FILE CONTENT
  fresh
  printf "$3" >"$out/$2"
  refused "$1" "$out/$2"
}

for program in report compare summary; do
  fresh
  pretend_real 100
  rm "$out/step05_slowdown.json"
  refused 'a missing result is named' "$out/step05_slowdown.json" $program
  fresh
  pretend_real 100
  edit "$out/step05_slowdown.json" '8,$d'
  refused 'so is one that ends in the middle' "$out/step05_slowdown.json" $program
  fresh
  pretend_real 100
  edit "$out/real/step09_sweep.json" 's/"rows"/"lines"/'
  refused 'so is one of the real clock that has no rows' "$out/real/step09_sweep.json" $program
done
broken 'an empty file' step07_retries.json ''
broken 'a list' step07_retries.json '[1, 2]'
broken 'the result of another program' step07_retries.json '{"program": "step06", "rows": []}'
broken 'rows that are numbers' step07_retries.json '{"program": "step07_retries", "rows": [1]}'
broken 'a row without a figure' step07_retries.json '{"program": "step07_retries", "rows": [{}]}'
broken 'a check without a verdict' step07_retries.json \
  '{"program": "step07_retries", "settings": {}, "rows": [], "checks": [{"claim": "a", "detail": "b"}]}'
broken 'settings that are a text' step07_retries.json '{"program": "step07_retries", "rows": [], "settings": "none"}'
broken 'bytes that are no text' step07_retries.json '{"program": "\\377", "rows": []}'
broken "a stranger's JSON file" shopping.json '{"milk": 2}'
broken 'a table with a short line' step07_retries.csv 'a,b\n1\n'
broken 'a table with an open quote' step07_retries.csv 'a,b\n"1,2\n'
broken 'an empty table' step07_retries.csv ''
broken 'a chart that ends in the middle' step02_queue.svg '<svg viewBox="0 0 1 1"><g>'
broken 'a chart that is a page' step02_queue.svg '<html></html>'

fresh
rm -rf "$page"
mkdir "$page"
"$bin/report" "$out" 2>"$scratch/complaint" >/dev/null
[ $? -eq 2 ] && grep -qF "$page" "$scratch/complaint" && [ "$(ls -A "$out" | grep -c index.html)" -eq 1 ]
say $? 'a page that cannot be written is named, and leaves nothing beside it'

for program in report compare summary; do
  "$bin/$program" >/dev/null 2>"$scratch/none"
  none=$?
  "$bin/$program" --nonsense "$out" >/dev/null 2>"$scratch/nonsense"
  [ $? -eq 2 ] && [ $none -eq 2 ] && grep -q "^usage: $program" "$scratch/none" && grep -q "^usage: $program" "$scratch/nonsense"
  say $? "$program: no folder, or an unknown option, is refused"
done

fresh
pretend_real 100
if [ -e /dev/full ]; then
  full=0
  for program in report compare summary; do
    "$bin/$program" "$out" >/dev/full 2>"$scratch/complaint"
    [ $? -eq 2 ] && grep -q 'standard output' "$scratch/complaint" || full=1
  done
  say $full 'a full standard output is an error'
else
  skip 'a full standard output is an error' 'no /dev/full here'
fi

# --- What there may be besides --------------------------------------------------------

fresh
cat >"$out/blocking.json" <<'END'
{ "program": "blocking", "version": "1.0", "settings": {}, "errors": { "refused": 3, "reset": 1 },
  "rows": [ { "system": "M/M/4/4", "simulated": 0.31, "theory": 0.3107 } ],
  "checks": [ { "claim": "within", "holds": null, "detail": "-" } ] }
END
"$bin/report" "$out" >/dev/null && has '<section id="blocking"' && has '>M/M/4/4</th>' && has '>errors: refused 3 · reset 1</p>' && has '>SKIP</b>within'
say $? 'any result in the common form has a section'

has 'not run' && has 'Not among these results. Step 6' && ! has 'id="loadtest"'
say $? 'what was not run is said to be so where it belongs to the course'

cat >"$out/step06_http.json" <<'END'
{ "program": "step06_http", "version": "1.0", "clock": "real", "settings": { "slots": 4 },
  "rows": [ { "policy": "no limits", "offered": 840, "goodput_rps": 29.6, "ok": 166, "wasted": 328,
              "first_503": { "retry_after": null, "body": "{\"error\":1}" } } ] }
END
"$bin/report" "$out" >/dev/null && has 'retry after: -, body: {&quot;error&quot;:1}' && has '<th scope="col" class="number">the article</th>' &&
  has '<td class="number">29.6</td><td class="number">33.2</td><td class="number change">-10.8 %</td>' &&
  has '<td class="number">166</td><td class="number">166</td><td class="number change">same</td>'
say $? 'step 6 stands beside what the article measured over HTTP'

fresh
pretend_real 1234
edit "$out/real/step03_no_limits.json" 's/"wasted": 328/"wasted": 344/'
"$bin/report" "$out" >/dev/null && has '<td class="number">344</td><td class="number change">+4.9 %</td>' && has '>real against virtual</th>' &&
  has 'Testix 1.0, processor: a &lt;fast&gt; one, cores: 2' && has '99 % of the arrivals within 1.23 ms' && ! has '>the article</th>'
say $? 'the real clock stands beside the virtual one, with its machine and its lateness'

pretend_real 10001
edit "$out/real/step03_no_limits.json" 's/"duration_s": 5.0/"duration_s": 4.0/'
"$bin/report" "$out" >/dev/null && has 'This run is not valid' &&
  has "$out/real/step03_no_limits.json was run with other settings (duration_s), so it is not compared here."
say $? 'a run with a late generator is not valid, one with other settings not compared'

mkdir "$out/article"
for program in $steps; do "$bin/$program" --quiet --timer-tick=16.075ms --out="$out/article" >/dev/null; done
"$bin/report" "$out" >/dev/null && has '>tick against the article</th>' && has 'virtual, tick 16.075 ms</th>' &&
  has '<td class="number">256</td><td class="number">256</td><td class="number change">same</td>'
say $? "the article's own figures stand beside ours with its timer tick"

for tick in null '[]' '"slow"'; do
  edit "$out/article/step03_no_limits.json" "s/\"timer_tick_s\": [^,}]*/\"timer_tick_s\": $tick/"
  "$bin/report" "$out" >/dev/null && has 'virtual, tick 0 ms</th>' || break
done
say $? 'a tick that is no number is none'

# --- Two clocks -----------------------------------------------------------------------

fresh
pretend_real 100
"$bin/compare" "$out" >"$scratch/said" && grep -Eq '^([0-9]+) of \1 figures agree' "$scratch/said" &&
  [ "$(grep -c ' yes$' "$scratch/said")" -gt 40 ] && grep -q '"holds": true' "$out/compare.json" &&
  [ "$(wc -l <"$out/compare.csv")" -eq $(($(grep -c ' yes$' "$scratch/said") + 1)) ]
say $? 'compare: what is the same agrees'

"$bin/report" "$out" >/dev/null && has '<section id="compare"' && has 'Two clocks side by side</h2>'
say $? 'and the report shows it'

edit "$out/real/step03_no_limits.json" 's/"wasted": 328/"wasted": 345/'
"$bin/compare" "$out" >"$scratch/said"
[ $? -eq 1 ] && grep -q 'the farthest apart is step 3, wasted: +5.2 %' "$scratch/said" && [ "$(grep -c ' no$' "$scratch/said")" -eq 1 ] &&
  grep -q '"holds": false' "$out/compare.json"
say $? 'compare: one figure that is 5.2 % off is found and named'

edit "$out/real/step03_no_limits.json" 's/"wasted": 345/"wasted": null/'
"$bin/compare" "$out" >"$scratch/said"
[ $? -eq 1 ] && grep -q 'the farthest apart is step 3, wasted$' "$scratch/said" && grep -q ',328,,,false$' "$out/compare.csv"
say $? 'compare: a figure that one clock lacks does not agree'

fresh
pretend_real 10001
"$bin/compare" "$out" >"$scratch/said" && grep -q 'late on the real clock: step 4$' "$scratch/said" && ! grep -q '^step 4' "$scratch/said"
say $? 'compare: a run whose generator was late is left out, and that is said'

edit "$out/real/step07_retries.json" 's/"duration_s": 6.0/"duration_s": 5.0/'
refused 'other settings are not compared' 'duration_s' compare

if command -v gnuplot >/dev/null; then
  fresh
  pretend_real 100
  sh common/make/compared.sh --print "$out" "$bin/compare" >/dev/null 2>"$scratch/complaint" &&
    grep -q 'all [0-9]* figures agree' "$out/compare.svg" && [ -s "$out/compare.png" ] && [ ! -s "$scratch/complaint" ]
  say $? 'compare: the chart says what the table does'

  rm "$out/real/step02_queue.json"
  sh common/make/compared.sh "$out" "$bin/compare" && [ -z "$(ls "$out" | grep compare)" ]
  say $? 'compare: what is old does not stay beside results that cannot be compared'
else
  skip 'compare: the chart' 'gnuplot is not here'
fi

# --- The line for a shared sheet ------------------------------------------------------

fresh
pretend_real 100
"$bin/summary" "$out" >"$scratch/said" && [ "$(wc -l <"$scratch/said")" -eq 21 ] && [ "$(grep -c ',virtual,' "$scratch/said")" -eq 10 ] &&
  grep -q '^step 3,real,.*,wasted,328,' "$scratch/said" && head -n 1 "$scratch/said" | grep -q '^step,clock,version,'
say $? 'summary: a header, then a line for each step and clock'

# Quoted fields aside, every line has as many commas.
[ "$(sed 's/"[^"]*"//g' "$scratch/said" | awk -F, '{ print NF }' | sort -u | wc -l)" -eq 1 ] && ! grep -qE "$(uname -r)|$out" "$scratch/said"
say $? 'summary: all lines have the same columns, and nothing tells the machine'

# --- The colours, as they are named ---------------------------------------------------

awk '
  function channel (hex, at,    v) {
    v = (index ("0123456789abcdef", substr (hex, at, 1)) - 1) * 16 + index ("0123456789abcdef", substr (hex, at + 1, 1)) - 1
    v /= 255
    return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ^ 2.4
  }
  function light (hex) { return 0.2126 * channel (hex, 2) + 0.7152 * channel (hex, 4) + 0.0722 * channel (hex, 6) }
  function contrast (a, b) { return a > b ? (a + 0.05) / (b + 0.05) : (b + 0.05) / (a + 0.05) }
  /:root \{/ { scheme++ }
  /--[a-z]+: #/ { sub (":", "", $1); sub (";", "", $2); colour[scheme, substr ($1, 3)] = $2; named[substr ($1, 3)] }
  END {
    for (s = 1; s <= scheme; s++)
      for (text in named)
        for (behind in named)
          if ((behind == "paper" || behind == "panel") && text !~ /^(paper|panel|line)$/) {
            pairs++
            if (contrast (light (colour[s, text]), light (colour[s, behind])) < 4.5) {
              print "# scheme " s ": " text " on " behind
              faint++
            }
          }
    exit scheme == 3 && pairs == 36 && !faint ? 0 : 1
  }' common/report/page.css
say $? 'every text colour stands out 4.5 : 1 on both grounds, in light, in dark and on paper'

# --- In a browser ---------------------------------------------------------------------

look () { # FILE SCHEME: what the browser makes of it on standard output
  profile=$(mktemp -d "$scratch/profile.XXXXXX")
  dark=
  [ "$2" = light ] || dark=--blink-settings=preferredColorScheme=0
  # The proxy does not exist: whatever asks for the network gets an error.
  "$(dirname "$bin")/within" 60 "$browser" --headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking \
    --disable-dev-shm-usage --proxy-server=127.0.0.1:9 --user-data-dir="$profile" --enable-logging=stderr $dark \
    --window-size=1700,1000 --virtual-time-budget=3000 --dump-dom "file://$1" 2>"$scratch/console"
}

# The browser makes no window as narrow as a phone, so the page stands in a frame.
probe () { # FILE WIDTH SCHEME: what the probe says of it
  cat >"$scratch/frame.html" <<END
<!DOCTYPE html><html><meta name="color-scheme" content="light dark">
<script>addEventListener('message', e => { document.documentElement.dataset.said = e.data; });</script>
<iframe src="file://$1" style="border: 0; width: $2px; height: 900px"></iframe></html>
END
  look "$scratch/frame.html" "$3" | sed -n 's/.*data-said="\([^"]*\)".*/\1/p'
}

with_probe () { # PAGE; the probe may run in this copy only, which drops the ban on scripts
  sed -e '/Content-Security-Policy/d' -e '/^<\/head>/,$d' "$1"
  echo '<script>'
  cat common/tests/page-probe.js
  echo '</script>'
  sed -n '/^<\/head>/,$p' "$1"
}

browser=$(command -v chromium || command -v chromium-browser)
if [ -n "$browser" ]; then
  fresh
  pretend_real 100
  edit "$out/real/step03_no_limits.json" 's/"wasted": 328/"wasted": 345/'
  edit "$out/step05_slowdown.json" '0,/"holds": true/s//"holds": false/; s/"holds": true/"holds": null/'
  sh common/make/compared.sh "$out" "$bin/compare" 2>/dev/null
  "$bin/report" "$out" >/dev/null
  look "$page" light >"$scratch/dom"
  ! grep -q 'CONSOLE' "$scratch/console" && [ "$(grep -c '<section id=' "$scratch/dom")" -ge 11 ]
  say $? 'the browser reads the page without a word on its console'

  with_probe "$page" >"$scratch/probed.html"
  for width in 360 490 800 1250 1600; do
    for scheme in light dark; do
      said=$(probe "$scratch/probed.html" $width $scheme)
      [ "$said" = "$width $scheme: none" ]
      status=$?
      [ $status -eq 0 ] || echo "# $said"
      say $status "at $width pixels, $scheme: nothing cut off, nothing faint, every link leads somewhere"
    done
  done

  # The probe can tell: this page has a fault of every kind.
  faults='<p style="width: 2000px">wide<\/p><p style="color: #999999; background: #ffffff">faint<\/p><h5>deep<\/h5>'
  faults=$faults'<a href="#nowhere">lost<\/a><p id="results">twice<\/p><script>fault()<\/script>'
  faults=$faults'<div class="scroll"><table><tr><td style="min-width: 2000px">long<\/td><\/tr><\/table><\/div>'
  sed "s/<\/header>/$faults&/" "$scratch/probed.html" >"$scratch/faulty.html"
  said=$(probe "$scratch/faulty.html" 360 light)
  found=0
  for fault in 'error: ' 'cut off: ' 'moves sideways: ' 'faint: ' 'leads nowhere: ' ' wide;' 'leaves out a level' 'there twice'; do
    case $said in *"$fault"*) found=$((found + 1)) ;; esac
  done
  [ $found -eq 8 ]
  say $? 'and a page with a fault of every kind has all of them found'
else
  skip 'the page in a browser' 'chromium is not here'
fi

# --- The archive ----------------------------------------------------------------------

if git rev-parse --verify -q HEAD >/dev/null 2>&1 && [ "$bin" = build/bin ]; then
  sh common/make/dist.sh "$scratch/dist" 9.9 >/dev/null 2>&1 && mv "$scratch/dist/overload-lab-9.9.tar.gz" "$scratch/first.tar.gz" &&
    (TZ=Asia/Tokyo && export TZ && umask 077 && sh common/make/dist.sh "$scratch/dist" 9.9) >/dev/null 2>&1 &&
    cmp -s "$scratch/first.tar.gz" "$scratch/dist/overload-lab-9.9.tar.gz"
  say $? 'dist: the same commit gives the same bytes'

  tar -xzf "$scratch/first.tar.gz" -C "$scratch" && git ls-tree -r --name-only HEAD | sort >"$scratch/tracked" &&
    (cd "$scratch/overload-lab-9.9" && find . ! -type d | sed 's/^\.\///' | sort) | cmp -s - "$scratch/tracked"
  say $? 'dist: what is committed is in it, and nothing else'
else
  skip 'dist: the archive' 'made once, from a clone, by the first build'
fi

echo "1..$n"
