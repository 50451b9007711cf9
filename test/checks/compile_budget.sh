#!/usr/bin/env bash
# What including and compiling costs.   usage: compile_budget.sh <budgets> <source dir> <record> <column> <compiler and flags...>
# Every row of the budgets is a module header (`graph.hpp`, several joined by `+`) or a user's file with its flags, and what each
# compiler may take for it: user time as a ratio to `#include <ranges>` alone, checked for syntax by the same compiler in the same
# seconds, run in turn with it. Of several such ratios the least counts; more are taken where one is above its limit, since a busy
# machine makes single ones too large. A row with a number of megabytes gives the compiler no more address space than that.
# The first ratio within its limit ends a row. Two rows are measured at a time, and one that is above its limit beside another is
# measured again alone; RUNS=3 takes at least three ratios of each row alone, for a table to quote.
set -euo pipefail
budgets=$1 root=$2 record=$3 column=$4; shift 4
compiler=("$@")
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
TIMEFORMAT=%3U
within() { # megabytes or -, command
  local kilobytes=unlimited
  [[ $1 == - ]] || kilobytes=$(($1 * 1024))
  shift
  (ulimit -v "$kilobytes"; exec "$@")
}
seconds() { { time within "$@" 2>"$here/errors" || touch "$here/failed"; } 2>&1; } # `here`: the folder of a row

echo '#include <ranges>' >"$scratch/ranges.cpp"
mapfile -t rows < <(grep -vE '^ *(#|$)' "$budgets")
measure() { # row: leaves its line of the table, and a file `above` or `failed` if it is not as it should be
  local here=$scratch/$1 what gnu clang megabytes flags limit file best run unit time
  mkdir -p "$here"; rm -f "$here/above"
  read -r what gnu clang megabytes flags <<<"${rows[$1]}"
  limit=$gnu; [[ $column == clang ]] && limit=$clang
  if [[ $what == *.cpp ]]; then file=$root/$what
  else file=$here/headers.cpp; printf '#include <ipuflow/%s>\n' ${what//+/ } >"$file"; fi
  read -ra flags <<<"${flags:--fsyntax-only}"
  best=1000000
  for run in 1 2 3 4 5 6 7 8; do
    unit=$(seconds - "${compiler[@]}" -fsyntax-only "$scratch/ranges.cpp")
    time=$(seconds "$megabytes" "${compiler[@]}" "${flags[@]}" "$file" -o /dev/null)
    if [[ -e $here/failed ]]; then { echo "$what, within $megabytes MB:"; cat "$here/errors"; } >"$here/line"; return; fi
    best=$(awk "BEGIN { ratio = $time / ($unit + 0.001); print ratio < $best ? ratio : $best }")
    awk "BEGIN { exit !($best <= $limit && $run >= ${RUNS:-1}) }" && break
  done
  awk -v is="$best" -v limit="$limit" -v what="$what ${flags[*]}" \
    'BEGIN { printf "%-44s %8.2f %8s\n", what, is, limit; exit is > limit }' >"$here/line" || touch "$here/above"
}
at_once=2
((${RUNS:-1} == 1)) || at_once=1
for ((worker = 0; worker < at_once; worker++)); do
  for row in "${!rows[@]}"; do
    if mkdir "$scratch/taken.$row" 2>/dev/null; then measure "$row"; fi
  done &
done
wait

status=0
{
  printf '%-44s %8s %8s\n' "user time / that of <ranges>" "is" "may be"
  for row in "${!rows[@]}"; do
    if ((at_once > 1)) && [[ -e $scratch/$row/above ]]; then measure "$row"; fi
    cat "$scratch/$row/line"
    [[ ! -e $scratch/$row/above && ! -e $scratch/$row/failed ]] || status=1
  done
  exit $status
} | tee "$record"
