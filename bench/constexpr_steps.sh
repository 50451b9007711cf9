#!/usr/bin/env bash
# How much of a compiler's allowance it takes to prove a schedule in a constant expression.
#   usage: constexpr_steps.sh <clang++> <include dir> <IPUs> <micro-batches> <schedule>...
# Prints clang's steps, to 3 %, of the 1,048,576 that it has by default (-fconstexpr-steps), for each schedule: an object of
# ipuflow/schedule/generators, by its name in C++ (one_f_one_b). A schedule that does not allow these micro-batches gets the next number that it does.
set -euo pipefail
(($# >= 5)) || { sed -n 's/^# *usage: /usage: /p' "$0" >&2; exit 2; }
compiler=$1 include=$2 ipus=$3 count=$4; shift 4
source=$(mktemp --suffix=.cpp); trap 'rm -f "$source"' EXIT

enough() { "$compiler" -std=c++20 -fsyntax-only -fconstexpr-steps="$1" -I"$include" "$source" 2>/dev/null; }

for name in "$@"; do
  cat >"$source" <<END
#include <ipuflow/schedule.hpp>
using namespace ipuflow::schedule;
constexpr setup asked{.ipus = $ipus, .micro_batches = $count};
constexpr schedule_fault refused = $name(asked).refused;
constexpr bool more = refused.kind == schedule_wrong::not_a_multiple;
static_assert(ipuflow::accept<verify($name({.ipus = $ipus, .micro_batches = more ? refused.limit : $count}))>());
END
  if ! enough $((1 << 28)); then # no number of steps is enough: it is not proved, or no schedule
    echo "$name: no proof in $((1 << 28)) steps; the compiler says:" >&2
    "$compiler" -std=c++20 -fsyntax-only -fconstexpr-steps=$((1 << 28)) -I"$include" "$source" 2>&1 | grep -m 1 error >&2 || true
    exit 1
  fi
  few=256 many=512
  until enough $many; do
    few=$many; many=$((2 * many))
  done
  while ((many - few > many / 32)); do
    middle=$(((few + many) / 2))
    if enough $middle; then many=$middle; else few=$middle; fi
  done
  printf '%-20s %4d IPUs %8d micro-batches %9d steps\n' "$name" "$ipus" "$count" "$many"
done
