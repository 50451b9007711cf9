#!/usr/bin/env bash
# What including and compiling costs.   usage: compile_budget.sh <budgets> <source dir> <record> <column> <compiler and flags...>
# Every row of the budgets is a module header (`graph.hpp`, several joined by `+`) or a user's file with its flags, and what each
# compiler may take for it: user time as a ratio to `#include <ranges>` alone, checked for syntax by the same compiler in the same
# seconds, run in turn with it. Of several such ratios the least counts; more are taken where one is above its limit, since a busy
# machine makes single ones too large. A row with a number of megabytes gives the compiler no more address space than that.
# The first ratio within its limit ends a row; RUNS=3 takes at least three, for a table to quote.
set -euo pipefail
budgets=$1 root=$2 record=$3 column=$4; shift 4
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
TIMEFORMAT=%3U
within() { # megabytes or -, command
  local kilobytes=unlimited
  [[ $1 == - ]] || kilobytes=$(($1 * 1024))
  shift
  (ulimit -v "$kilobytes"; exec "$@")
}
seconds() { { time within "$@" 2>"$scratch/errors" || touch "$scratch/failed"; } 2>&1; }

echo '#include <ranges>' >"$scratch/ranges.cpp"
status=0
{
  printf '%-44s %8s %8s\n' "user time / that of <ranges>" "is" "may be"
  while read -r what gnu clang megabytes flags; do
    [[ $what == '#'* || -z $what ]] && continue
    limit=$gnu; [[ $column == clang ]] && limit=$clang
    if [[ $what == *.cpp ]]; then file=$root/$what
    else file=$scratch/headers.cpp; printf '#include <ipuflow/%s>\n' ${what//+/ } >"$file"; fi
    read -ra flags <<<"${flags:--fsyntax-only}"
    best=1000000
    for run in 1 2 3 4 5 6 7 8; do
      unit=$(seconds - "$@" -fsyntax-only "$scratch/ranges.cpp")
      time=$(seconds "$megabytes" "$@" "${flags[@]}" "$file" -o /dev/null)
      [[ ! -e $scratch/failed ]] || { echo "$what, within $megabytes MB:"; cat "$scratch/errors"; exit 1; }
      best=$(awk "BEGIN { ratio = $time / ($unit + 0.001); print ratio < $best ? ratio : $best }")
      awk "BEGIN { exit !($best <= $limit && $run >= ${RUNS:-1}) }" && break
    done
    awk -v is="$best" -v limit="$limit" -v what="$what ${flags[*]}" \
      'BEGIN { printf "%-44s %8.2f %8s\n", what, is, limit; exit is > limit }' || status=1
  done <"$budgets"
  exit $status
} | tee "$record"
