#!/usr/bin/env bash
# What including and compiling costs.   usage: compile_budget.sh <budgets> <source dir> <record> <column> <compiler and flags...>
# Every row of the budgets is a module header (`graph.hpp`, several joined by `+`) or a user's file with its flags, and what each
# compiler may take for it: user time as a ratio to `#include <ranges>` alone, checked for syntax by the same compiler in the same
# minutes. Of each the least of several runs counts, in turn with <ranges>; what takes long is run once, since noise is small there.
set -euo pipefail
budgets=$1 root=$2 record=$3 column=$4; shift 4
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
TIMEFORMAT=%3U
seconds() { { time "$@" 2>"$scratch/errors" || touch "$scratch/failed"; } 2>&1; }
least() { LC_ALL=C sort -n "$1" | head -n 1; }

echo '#include <ranges>' >"$scratch/ranges.cpp"
unit() { seconds "${compiler[@]}" -fsyntax-only "$scratch/ranges.cpp" >>"$scratch/units"; }
compiler=("$@")
unit; : >"$scratch/units"
status=0
{
  printf '%-44s %8s %8s\n' "user time / that of <ranges>" "is" "may be"
  while read -r what gnu clang flags; do
    [[ $what == '#'* || -z $what ]] && continue
    limit=$gnu; [[ $column == clang ]] && limit=$clang
    if [[ $what == *.cpp ]]; then file=$root/$what
    else file=$scratch/headers.cpp; printf '#include <ipuflow/%s>\n' ${what//+/ } >"$file"; fi
    read -ra flags <<<"${flags:--fsyntax-only}"
    : >"$scratch/times"
    for run in 1 2 3; do
      unit
      seconds "${compiler[@]}" "${flags[@]}" "$file" -o /dev/null >>"$scratch/times"
      [[ ! -e $scratch/failed ]] || { cat "$scratch/errors"; exit 1; }
      awk "BEGIN { exit !($(least "$scratch/times") > 10 * $(least "$scratch/units")) }" && break
    done
    awk -v time="$(least "$scratch/times")" -v unit="$(least "$scratch/units")" -v limit="$limit" -v what="$what ${flags[*]}" \
      'BEGIN { printf "%-44s %8.2f %8s\n", what, time / unit, limit; exit time / unit > limit }' || status=1
  done <"$budgets"
  exit $status
} | tee "$record"
