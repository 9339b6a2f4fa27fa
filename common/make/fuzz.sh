#!/bin/sh
# fuzz.sh PROGRAMS FOUND LIMIT TARGET...: runs fuzz targets from their corpora, each
# up to LIMIT (-runs=N or -max_total_time=S). Inputs that reach new code and, if any,
# the input that fails are left in FOUND; the corpus in the tree stays as it is.
# One line a target; exit status 1 when one of them failed.
programs=$1
found=$2
limit=$3
shift 3
failed=0

for target; do
  mkdir -p "$found/$target"
  # The seed makes a limit in runs do the same every time.
  "$programs/$target" -seed=7 "$limit" -timeout=10 -max_len=4096 -print_final_stats=1 \
    -artifact_prefix="$found/$target-" "$found/$target" "common/fuzz/corpus/$target" >"$found/$target.log" 2>&1
  if [ $? -eq 0 ]; then
    echo "ok $target: $(sed -n 's/^stat::number_of_executed_units: *//p' "$found/$target.log") inputs"
  else
    failed=1
    echo "not ok $target:"
    grep -vE '^(INFO|#[0-9]+|stat::)' "$found/$target.log" | head -n 30 | sed 's/^/#   /'
  fi
done
exit $failed
