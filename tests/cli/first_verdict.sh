#!/usr/bin/env bash
# first_verdict.sh ASSAY ASSAY_FIRST: the program of the first verdict prints what `assay gate --quick` does. How many cases
# are judged within the time that some properties have, and what follows from that, may differ.
set -euo pipefail
assay=$1 first=$2

table() { sed -nE '/^  property /,/^$/s/^(  [a-z-]+ +[a-z]+) .*  ([^ ].*)$/\1 \2/p' "$work/$1"; }
rest() { grep -E '^(assay gate|given:|  given|note:)|properties failed' "$work/$1" | sed -E 's/ in [0-9.]+ s$//'; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$assay" gate --quick >"$work/whole" 2>&1
"$first" --quick >"$work/first" 2>&1
(($(table whole | wc -l) > 20 && $(rest whole | wc -l) >= 3)) || { echo "a table is expected" && cat "$work/whole" && exit 1; }
for part in table rest; do diff <("$part" whole) <("$part" first) || { echo "FAILED: $part" && exit 1; }; done

status=0
"$first" --filter loss >"$work/refused" 2>&1 || status=$?
((status == 2)) && grep -q "'--filter': expected --quick or nothing" "$work/refused" || { cat "$work/refused" && exit 1; }
echo passed
