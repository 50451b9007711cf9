#!/usr/bin/env bash
# How much of a compiler's allowance it takes to prove a schedule in a constant expression.
#   usage: constexpr_steps.sh <clang++> <include dir> <IPUs> <micro-batches> <schedule>...
# Prints clang's steps, to 3 %, of the 1,048,576 that it has by default (-fconstexpr-steps), for each schedule: an object of
# ipuflow/schedule/generators. A schedule that does not allow these micro-batches gets the next number that it does.
set -euo pipefail
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
  few=256 many=512
  until enough $many; do
    few=$many; many=$((2 * many))
    if ((many > 1 << 27)); then break; fi
  done
  while ((many - few > many / 32)); do
    middle=$(((few + many) / 2))
    if enough $middle; then many=$middle; else few=$middle; fi
  done
  printf '%-20s %4d IPUs %8d micro-batches %9d steps\n' "$name" "$ipus" "$count" "$many"
done
