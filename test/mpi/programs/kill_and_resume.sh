#!/usr/bin/env bash
# A training is begun by a random number of processes, one of which is killed at a random moment, and begun again by another number, until
# it comes to its end: with the weights of one process that was not killed, so each sample was seen once a pass. Again and again, until so
# many processes have been killed.
# usage: kill_and_resume.sh <shared_training> <kills> <command that starts processes, without their number...>
set -uo pipefail
program=$1 kills=$2; shift 2
export OMPI_MCA_odls_base_sigkill_timeout=0 # seconds that OpenMPI's starter gives the others before it ends them, too
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
passes=${PASSES:-100}
wanted=$("$program" train "$scratch/whole" "$passes" | tail -n 1)
begun=$SECONDS killed=0 resumed=0 trainings=0 starts=0
while ((killed < kills)); do
  folder=$scratch/training-$((++trainings))
  for ((ended = 0; ended == 0;)); do
    ((++starts <= 20 * kills + 20)) || { echo "it ends before it can be killed, or never"; exit 1; }
    timeout -k 1 60 "$@" $((RANDOM % 6 + 1)) "$program" train "$folder" "$passes" >"$scratch/said" 2>&1 &
    child=$!
    moment=$((RANDOM % 1200 + 200)) # thousandths of a second
    sleep "$((moment / 1000)).$(printf %03d $((moment % 1000)))"
    mapfile -t processes < <(pgrep -f "^$program train $folder ")
    if ((killed < kills && ${#processes[@]} > 0)); then
      kill -KILL "${processes[RANDOM % ${#processes[@]}]}" 2>/dev/null && ((++killed))
    fi
    wait $child 2>/dev/null && ended=1
    grep -q '^goes on' "$scratch/said" && ((++resumed))
    for ((i = 0; i < 250; ++i)); do pgrep -f "^$program train $folder " >/dev/null || break; sleep 0.02; done # at most 5 s
    ((i < 250)) || { echo "a process is left"; exit 1; }
  done
  [[ $(tail -n 1 "$scratch/said") == "$wanted" ]] || { echo "wanted: $wanted"; cat "$scratch/said"; exit 1; }
  rm -rf "$folder"
  [[ -z ${PROGRESS-} ]] || echo "$killed kills, $resumed times gone on, $((SECONDS - begun)) s"
done
echo "$killed kills in $trainings trainings, $resumed times gone on in $starts starts, $((SECONDS - begun)) s; $wanted each time"
