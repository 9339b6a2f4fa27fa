#!/bin/sh
# spell.sh PAGE...: the words of the pages that aspell does not know, with the page.
# Code, links and markers are left out; the lab's own words are in common/book/words.
words=common/book/words
status=0
lists=$(mktemp -d) || exit 2
trap 'rm -rf "$lists"' EXIT

# aspell's own form: a heading, then a word a line.
{ echo 'personal_ws-1.1 en 0'; grep -v '^#' $words; } >"$lists/own"
for page in "$@"; do
  awk '/^ *```/ { code = !code; next }
       /<!--/ { marker = 1 }
       !code && !marker { gsub(/`[^`]*`/, ""); gsub(/\]\([^)]*\)/, "]"); gsub(/https?:[^ )>]*/, ""); gsub(/<[^>]*>/, ""); print }
       /-->/ { marker = 0 }' "$page" |
    aspell list --lang=en_GB --encoding=utf-8 --ignore=1 --personal="$lists/own" | sort -u >"$lists/unknown"
  [ ! -s "$lists/unknown" ] || { sed "s|^|$page: |" "$lists/unknown" >&2; status=1; }
done
exit $status
