#!/usr/bin/env bash
# A training whose processes are killed at random moments, and begun again by another number of processes each time, ends with the
# weights of one process that was not: so each sample was seen once a pass.
# usage: kill_and_resume.sh <shared_training> <kills> <command that starts processes, without their number...>
set -uo pipefail
program=$1 kills=$2; shift 2
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
passes=${PASSES:-100}
wanted=$("$program" train "$scratch/whole" "$passes" | tail -n 1)
killed=0 resumed=0 rounds=0
while ((killed < kills)); do
  ((++rounds))
  ((rounds <= 20 * kills)) || { echo "it ends before it can be killed"; exit 1; }
  folder=$scratch/round-$rounds
  for turn in 1 2 3; do
    count=$((RANDOM % 6 + 1))
    timeout -k 1 60 "$@" "$count" "$program" train "$folder" "$passes" >"$scratch/said" 2>&1 &
    child=$!
    sleep "$(printf '%d.%03d' $((RANDOM % 2)) $((400 + RANDOM % 600)))"
    mapfile -t processes < <(pgrep -f "^$program train $folder ")
    if ((${#processes[@]} > 0)); then
      kill -KILL "${processes[RANDOM % ${#processes[@]}]}" 2>/dev/null && ((++killed))
    fi
    wait $child 2>/dev/null
    grep -q '^goes on' "$scratch/said" && ((++resumed))
    for ((i = 0; i < 50; ++i)); do pgrep -f "^$program train $folder " >/dev/null || break; sleep 0.1; done # at most 5 s
    ((i < 50)) || { echo "a process is left"; exit 1; }
  done
  "$@" $((RANDOM % 6 + 1)) "$program" train "$folder" "$passes" >"$scratch/said" 2>&1
  grep -q '^goes on' "$scratch/said" && ((++resumed))
  [[ $(tail -n 1 "$scratch/said") == "$wanted" ]] || { echo "wanted: $wanted"; cat "$scratch/said"; exit 1; }
  rm -rf "$folder"
  [[ -z ${PROGRESS-} ]] || echo "$killed kills, $resumed times gone on"
done
echo "$killed kills in $rounds rounds, $resumed times gone on; $wanted each time"
