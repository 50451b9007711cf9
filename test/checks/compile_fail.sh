#!/usr/bin/env bash
# A file that must not compile, and must say why at once.   usage: compile_fail.sh <source> <record> <compiler and flags...>
# With -DEXPECT_FAILURE, and the flags of its line `// flags: <flags>` if it has one, the compiler must fail, every `// expect: <regex>` line of the source must match inside the first error,
# and the first error must be at most 12 lines. A sentence of the library's in the line of the error stands at its beginning. The first error is everything from the start of the output up to the context
# lines ("In file included from", "In instantiation of", "required from") of the second `error: `; its notes are part of it.
set -euo pipefail
source=$1 record=$2; shift 2
limit=12
fault() { echo "$source:1: $1"; echo "--- first error, $lines lines:"; echo "$first"; exit 1; }

lines=0 first=
read -ra flags < <(sed -nE 's|^// flags: ||p' "$source") || true
if output=$(LC_ALL=C "$@" "${flags[@]}" -fsyntax-only -DEXPECT_FAILURE "$source" 2>&1); then fault "compiles with -DEXPECT_FAILURE"; fi
first=$(awk '
  /: (fatal )?error: / { if (++errors == 2) exit; held = "" }
  /^[0-9]+ errors? generated\.$/ { next }
  errors == 1 && /^In file included from|^ +from |: (In|At) .*:$|:   (recursively )?required / { held = held $0 "\n"; next }
  { printf "%s%s\n", held, $0; held = "" }' <<<"$output")
lines=$(wc -l <<<"$first")

mapfile -t expected < <(sed -nE 's|^// expect: ||p' "$source")
((${#expected[@]} > 0)) || fault "has no line \`// expect: <regex>\`"
for regex in "${expected[@]}"; do
  grep -qE -- "$regex" <<<"$first" || fault "the first error does not match: $regex"
done
before=$(grep -m1 -E ': (fatal )?error: ' <<<"$first" | sed -nE 's/^.*: (fatal )?error: (.*)"ipuflow: .*$/\2/p')
((${#before} <= 90)) || fault "the sentence stands behind ${#before} characters of its line: $before"
mkdir -p "$(dirname "$record")"
echo "$lines lines" >"$record"
((lines <= limit)) || fault "the first error has $lines lines; at most $limit"
echo "first error: $lines lines"
