#!/usr/bin/env bash
# What a user's file costs to compile.   usage: compile_budget.sh <limit in s, or none> <source> <record> <compiler and flags...>
# User CPU time of the source and of an empty file at -O0, interleaved, the least of seven runs each; the difference is the cost.
set -euo pipefail
limit=$1 source=$2 record=$3; shift 3
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
: >"$scratch/empty.cpp"
TIMEFORMAT=%3U
seconds() { { time "$@" 2>"$scratch/errors" || { cat "$scratch/errors" >"$scratch/failed"; }; } 2>&1; }

for _ in 1 2 3 4 5 6 7; do
  for file in "$source" "$scratch/empty.cpp"; do
    seconds "$@" -O0 -c "$file" -o "$scratch/object.o" >>"$scratch/$(basename "$file").times"
    [[ ! -e $scratch/failed ]] || { cat "$scratch/failed"; exit 1; }
  done
done
least() { LC_ALL=C sort -n "$scratch/$(basename "$1").times" | head -n 1; }
awk -v file="$(least "$source")" -v empty="$(least "$scratch/empty.cpp")" -v limit="$limit" -v name="$(basename "$source")" 'BEGIN {
  printf "%s %.3f s, an empty file %.3f s, difference %.3f s (limit %s)\n", name, file, empty, file - empty, limit
  exit limit != "none" && file - empty > limit }' | tee "$record"
