#!/usr/bin/env bash
# One process fails, in each of the ways there are: all end, soon, with a sentence that names it, and none is left.
# usage: failures.sh <shared_training> <command that starts processes...>
# How long each takes is printed; a machine that is busy may take longer, so that is held to a number only where IPUFLOW_FAILURE_MS is one
# (6500: the 1.5 s limit of the program and 5 s for an MPI to notice and to end), and otherwise nothing may hang for a minute.
set -uo pipefail
program=$1; shift
said=$(mktemp); trap 'rm -f "$said"' EXIT
faults=0
fails() { # failure, words that are said; the rest of the command is in `start`
  local begun took status=0
  begun=$(date +%s%N)
  timeout -k 1 60 "${start[@]}" "$program" "$1" 1 100000 >"$said" 2>&1 || status=$?
  took=$((($(date +%s%N) - begun) / 1000000))
  echo "$1: $took ms, status $status: $(grep -m 1 -E "$2" "$said")"
  grep -qE "$2" "$said" || { echo "  is not said: $2"; head -5 "$said"; faults=1; }
  ((status != 0 && took < ${IPUFLOW_FAILURE_MS:-60000})) || { echo "  status $status after $took ms"; faults=1; }
  sleep 0.2
  ! pgrep -f "^$program $1 1" >/dev/null || { echo "  a process is left"; faults=1; }
}
start=("$@")
fails throw '^process 1 of [0-9]+ on .* failed first: the cat is on the keyboard'
fails loss '^process [0-9]+ of [0-9]+ on .* failed first: ipuflow: .*(loss|stage)'
fails seed '^process [0-9]+ of [0-9]+ on .* failed first: ipuflow: process 1 on .* has begun something else than process 0: seed is 7 instead of 42'
fails rate '^process [0-9]+ of [0-9]+ on .* failed first: ipuflow: process 1 has other weights than process 0 after update 1; '
fails network 'has begun something else than process 0: the network'
fails return 'failed first: ipuflow: process 1 on .* has ended, and this one still waits for it'
fails absent 'failed first: ipuflow: process 1 on .* has ended, and this one still waits for it'
fails stop 'failed first: ipuflow: process 1 on .* has not answered within the limit of 1500 ms'
fails begin '(abort|Abort|ABORT|signal 6)'
fails exit '(process|rank|PROCESS|exit).*'
fails kill '([Kk]illed|signal 9|KILLED)'
exit $faults
