#!/usr/bin/env bash
# Grows the corpus of each fuzzer for some seconds, keeps the smallest set of inputs that reaches as much, and prints
# how many lines of the reader's headers it reaches.   usage: grow.sh <source dir> <work dir> <seconds> [fuzzer...]
# The inputs of before, and those found, are in <work dir>/<fuzzer>/grown; the smallest set in <work dir>/<fuzzer>/smallest.
# Needs clang-19 and llvm-19; no part of the tests.
set -euo pipefail
source=$(realpath "$1") work=$(realpath -m "$2") seconds=$3; shift 3
declare -A headers=(
  [reader_fuzz]="feed/sources/idx feed/sources/cifar10 feed/sources/mapped_file"
  [csv_fuzz]="feed/sources/csv feed/sources/csv_cells feed/sources/csv_scanner"
  [arrays_fuzz]="feed/sources/npy feed/sources/npy_header feed/sources/npz feed/sources/archive feed/sources/inflate train/npz_weights"
  [model_fuzz]="train/model_file core/plain_file"
  [checkpoint_fuzz]="train/checkpoint_file"
  [safetensors_fuzz]="train/safetensors train/weight_table"
  [schedule_fuzz]="schedule/lowering/csv schedule/lowering/csv_read"
  [costs_fuzz]="schedule/analysis/measured_costs"
  [chain_fuzz]="examples/pipeline_planner/chain"
)
(($# > 0)) || set -- $(printf '%s\n' "${!headers[@]}" | sort)
build=(clang++-19 -std=c++20 -O1 -g1 -I"$source/include" -I"$source/test" -I"$source/examples")

for name in "$@"; do
  here=$work/$name
  mkdir -p "$here/grown"
  cp -n "$source/test/fuzz/corpus/$name/"* "$here/grown/"
  if ((seconds > 0)); then
    "${build[@]}" -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined "$source/test/fuzz/$name.cpp" -o "$here/fuzzer"
    (cd "$here"; ulimit -t "$((seconds + 60))"; ./fuzzer -max_total_time="$seconds" -print_final_stats=1 -rss_limit_mb=2048 grown 2>"$here/said") || { tail -40 "$here/said"; exit 1; }
  fi
  "${build[@]}" -fsanitize=fuzzer -fprofile-instr-generate -fcoverage-mapping "$source/test/fuzz/$name.cpp" -o "$here/measured"
  rm -rf "$here/smallest"; mkdir "$here/smallest"
  LLVM_PROFILE_FILE=/dev/null "$here/measured" -merge=1 -use_counters=0 "$here/smallest" "$here/grown" 2>/dev/null
  (cd "$here"; LLVM_PROFILE_FILE=$here/raw ./measured -runs=0 smallest 2>/dev/null)
  llvm-profdata-19 merge -o "$here/profile" "$here/raw"
  files=()
  for h in ${headers[$name]}; do [[ $h == examples/* ]] && files+=("$source/$h.hpp") || files+=("$source/include/ipuflow/$h.hpp"); done
  llvm-cov-19 export -summary-only "$here/measured" -instr-profile="$here/profile" "${files[@]}" |
    python3 -c '
import json, sys
of = json.load(sys.stdin)["data"][0]
files = [(f["filename"].split("/ipuflow/")[-1].split("/examples/")[-1], f["summary"]["lines"]) for f in of["files"]]
total = [sum(s[k] for _, s in files) for k in ("covered", "count")]
print("%s: %d of %d lines (%.1f %%)" % (sys.argv[1], *total, 100 * total[0] / total[1]))
for name, s in files: print("  %-34s %4d of %4d lines (%.1f %%)" % (name, s["covered"], s["count"], s["percent"]))
' "$name"
  if ((seconds > 0)); then
    printf '  %s inputs in %s s, %s in the smallest set, %s MB at most\n' "$(sed -n 's/^stat::number_of_executed_units: *//p' "$here/said")" "$seconds" \
      "$(ls "$here/smallest" | wc -l)" "$(sed -n 's/^stat::peak_rss_mb: *//p' "$here/said")"
  fi
done
