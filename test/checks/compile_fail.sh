#!/usr/bin/env bash
# A file that must not compile, and must say why at once.
# usage: compile_fail.sh <source> <record> <header with a precompiled form, or -> <compiler and flags...>
# With -DEXPECT_FAILURE, and the flags of its line `// flags: <flags>` if it has one, the compiler must fail, every `// expect: <regex>` line of the source must match inside the first error,
# and the first error must be at most 12 lines. A sentence of the library's in the line of the error stands at its beginning. The first error is everything from the start of the output up to the context
# lines ("In file included from", "In instantiation of", "required from") of the second `error: `; its notes are part of it.
# The precompiled header saves most of the time. It is used where the code of the file begins with the same lines: so a file sees
# no header that it does not ask for, and the first error is the same, but for a line that clang adds, of line 1 of the source, and
# one of g++ where it does not take the precompiled form, but the header as it is.
set -euo pipefail
source=$1 record=$2 precompiled=$3; shift 3
limit=12
fault() { echo "$source:1: $1"; echo "--- first error, $lines lines:"; echo "$first"; exit 1; }

lines=0 first= flags=() expected=() code= added=-
while IFS= read -r line || [[ -n $line ]]; do
  case $line in
    '// flags: '*) read -ra flags <<<"${line#// flags: }" ;;
    '// expect: '*) expected+=("${line#// expect: }") ;;
    '' | //*) ;;
    *) code+=$line$'\n' ;;
  esac
done <"$source"
if [[ $precompiled != - && ${#flags[@]} == 0 && $code == "$(<"$precompiled")"$'\n'* ]]; then
  flags=(-include "$precompiled") added="In file included from $source:1:"
fi

if output=$(LC_ALL=C "$@" "${flags[@]}" -fsyntax-only -DEXPECT_FAILURE "$source" 2>&1); then fault "compiles with -DEXPECT_FAILURE"; fi
first=$(awk -v added="$added" '
  /: (fatal )?error: / { if (++errors == 2) exit; held = "" }
  /^[0-9]+ errors? generated\.$/ || $0 == added || added != "-" && /^ +from <command-line>:$/ { next }
  errors == 1 && /^In file included from|^ +from |: (In|At) .*:$|:   (recursively )?required / { held = held $0 "\n"; next }
  { printf "%s%s\n", held, $0; held = "" }' <<<"$output")
mapfile -t parts <<<"$first"
lines=${#parts[@]}

((${#expected[@]} > 0)) || fault "has no line \`// expect: <regex>\`"
for regex in "${expected[@]}"; do
  grep -qE -- "$regex" <<<"$first" || fault "the first error does not match: $regex"
done
for line in "${parts[@]}"; do
  [[ $line =~ :\ (fatal\ )?error:\  ]] || continue
  if [[ $line =~ ^.*:\ (fatal\ )?error:\ (.*)\"ipuflow:\ .*$ ]]; then
    before=${BASH_REMATCH[2]}
    ((${#before} <= 90)) || fault "the sentence stands behind ${#before} characters of its line: $before"
  fi
  break
done
[[ -d ${record%/*} ]] || mkdir -p "${record%/*}"
echo "$lines lines" >"$record"
((lines <= limit)) || fault "the first error has $lines lines; at most $limit"
echo "first error: $lines lines"
