#!/usr/bin/env bash
# A training that is killed at random moments, again and again, ends with the weights of one that was not.
# usage: kill_and_resume.sh <the example resume> [kills, 10]
# Each round takes a folder of its own and kills (SIGKILL) twice before it lets the program end.
set -euo pipefail
program=$1 kills=${2:-10}
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
passes=60
started=$(date +%s%N)
"$program" "$scratch/whole" $passes >"$scratch/wanted"
took=$((($(date +%s%N) - started) / 1000000)) # milliseconds
wanted=$(tail -n 1 "$scratch/wanted")
killed=0 resumed=0 rounds=0
while ((killed < kills)); do
  ((++rounds))
  ((rounds <= 20 * kills)) || { echo "it ends before it can be killed"; exit 1; }
  folder=$scratch/round-$rounds
  for turn in 1 2; do
    "$program" "$folder" $passes >"$scratch/said" 2>&1 &
    child=$!
    sleep "$(printf '0.%03d' $((RANDOM % (took < 900 ? took + 20 : 900))))"
    kill -KILL $child 2>/dev/null && ((++killed)) || true
    wait $child 2>/dev/null || true
    grep -q '^goes on' "$scratch/said" && ((++resumed)) || true
  done
  "$program" "$folder" $passes >"$scratch/said"
  grep -q '^goes on' "$scratch/said" && ((++resumed)) || true
  [[ $(tail -n 1 "$scratch/said") == "$wanted" ]] || { echo "wanted: $wanted"; cat "$scratch/said"; exit 1; }
  left=$(find "$folder" -name '*.new' | wc -l)
  ((left == 0)) || { echo "$left files that were half written are left"; exit 1; }
  rm -rf "$folder"
done
echo "$killed kills in $rounds rounds, $resumed times gone on; $wanted each time"
