#!/usr/bin/env bash
# Which numbers and guards do the tests hold? Changes one at a time in a copy of its header, compiles the nearest tests against it
# and runs them; a change that no test notices survives, and is listed. switched.sh goes first: one program for all changes of a module.
#   usage: mutants.sh [--count N] [--seed N] [--in DIR]... [--tests N] [--seconds N] [--allow PERCENT] <source dir> <work dir> <compiler...>
#     --count    changes to try, drawn with the seed, as many of each header as of any other; 0: all of them     (300, seed 1)
#     --in       folder or header below include/ipuflow to change                        (ipu, nn and schedule)
#     --tests    test files to try for each: the header's own, those that include it, those of the headers that include it    (6)
#     --seconds  for each test to compile, and again to run; one that takes longer has noticed                               (60)
#     --allow    percentage that may survive                                                                                  (3)
# Results are added to <work dir>/results.txt, one line each, and what is there is not tried again: a run can be stopped and resumed.
# A change that does not compile counts as noticed if a static_assert or constant expression fails, and does not count otherwise.
# equivalent.txt, beside this script, lists changes that no test can notice, each with its reason; they do not count either.
set -euo pipefail
count=300 seed=1 tests=6 seconds=60 allow=3 where=()
while [[ ${1-} == --* ]]; do
  case $1 in
    --count) count=$2 ;; --seed) seed=$2 ;; --in) where+=("$2") ;; --tests) tests=$2 ;; --seconds) seconds=$2 ;;
    --allow) allow=$2 ;; *) echo "no such option: $1"; exit 2 ;;
  esac
  shift 2
done
((${#where[@]})) || where=(ipu nn schedule)
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$1" && pwd); mkdir -p "$2"; work=$(cd "$2" && pwd); shift 2
compile=("$@" -O0 -w -pthread "-DIPUFLOW_EXAMPLE_DATA=\"$root/examples/data\"")
headers=$root/include/ipuflow results=$work/results.txt
touch "$results"

# --- which tests are near a header ---------------------------------------------------------------------------------------------
own_test() { local name=${1%.hpp}; [[ ! -e $root/test/${name}_test.cpp ]] || echo "test/${name}_test.cpp"; }
tests_of() { # header
  {
    own_test "$1"
    (cd "$root" && grep -rlF "#include <ipuflow/$1>" test --include=*_test.cpp | sort) || true
    (cd "$headers" && grep -rlF "#include <ipuflow/$1>" . --include=*.hpp | sort) | while read -r user; do own_test "${user#./}"; done
    for umbrella in "${1%%/*}" "$(dirname "$1")"; do (cd "$root" && ls "test/$umbrella"/*_test.cpp 2>/dev/null) || true; done
  } | awk '!seen[$0]++' | head -"$tests"
}

# --- one change ----------------------------------------------------------------------------------------------------------------
[[ -e $work/main.o && $work/main.o -nt $root/test/doctest_main.cpp ]] ||
  "${compile[@]}" -c "$root/test/doctest_main.cpp" -o "$work/main.o"

# Compiles and runs a test, against the changed header if $changed is that folder: passed, failed, slow, or refused by the compiler.
outcome_of() { # test
  local status=0 module=${1#test/}; module=${module%%/*}
  timeout "$seconds" "${compile[@]}" ${changed:+-I"$changed"} -I"$root/include" -I"$root/test" -I"$root/test/$module" \
    -I"$root/examples" "$root/$1" "$work/main.o" -o "$work/test" 2>"$work/errors" || status=$?
  ((status != 124)) || { echo slow; return; }
  ((status == 0)) || { echo refused; return; }
  (exec >/dev/null 2>&1; cd "$work" && timeout "$seconds" ./test --minimal) || status=$?
  case $status in 0) echo passed ;; 124) echo slow ;; *) echo failed ;; esac
}

# A test that notices something must pass when nothing is changed; found out once for each.
declare -A passes
sound() { # test
  [[ -v passes[$1] ]] || passes[$1]=$(changed='' outcome_of "$1")
  [[ ${passes[$1]} == passed ]] || { echo "$1 is ${passes[$1]} with nothing changed, and notices nothing"; return 1; }
}

asserted='static assertion|static_assert|constant expression|ipuflow: |overflow in constant'
verdict_of() { # header: sets `verdict` and `by`
  local outcome test
  verdict=survived by="no test is near"
  for test in $(tests_of "$1"); do
    by=$test outcome=$(changed=$work/changed outcome_of "$test")
    [[ $outcome != passed ]] || continue
    if [[ $outcome == refused ]] && ! grep -qE "$asserted" "$work/errors"; then verdict=invalid; return; fi
    if sound "$test"; then verdict=noticed; return; fi
  done
}

# Lines of equivalent.txt are `header: changed line # reason`.
declare -A equivalent
while IFS= read -r line; do
  [[ -z $line || $line == '#'* ]] || { key=${line%% #*}; equivalent[${key//[[:space:]]/}]=1; }
done <"$here/equivalent.txt"

# --- which of them: each header in turn, in an order that only the seed decides -------------------------------------------------
for folder in "${where[@]}"; do (cd "$headers" && find "$folder" -name '*.hpp'); done | sort | while read -r header; do
  awk -f "$here/sites.awk" "$headers/$header" | sed "s|^|$header\t|"
done | awk -v seed="$seed" 'BEGIN { x = seed * 2654435 % 2147483646 + 1 } { x = x * 16807 % 2147483647; printf "%.0f\t%s\n", x, $0 }' |
  sort -n | awk -F'\t' -v OFS='\t' '{ print ++turn[$2], $0 }' | sort -n -s -k1,1 | cut -f3- >"$work/all.txt"
((count == 0)) && cp "$work/all.txt" "$work/chosen.txt" || head -"$count" "$work/all.txt" >"$work/chosen.txt"

# The last field is what the results call it: place and the line as it was.
while IFS=$'\t' read -r header line column length what replacement; do
  id="$header:$line:$column $what $(sed -n "${line}p" "$headers/$header" | cksum | cut -d' ' -f1)"
  printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$header" "$line" "$column" "$length" "$what" "$replacement" "$id"
done <"$work/chosen.txt" >"$work/drawn.txt"

"$here/switched.sh" "$root" "$work" "$seconds" "$@"

# --- one at a time: what no run noticed, what has no switch ---------------------------------------------------------------------
while IFS=$'\t' read -r header line column length what replacement id; do
  ! grep -qF "$id"$'\t' "$results" || continue
  original=$(sed -n "${line}p" "$headers/$header")
  changed=${original:0:column-1}$replacement${original:column-1+length}
  key="$header:$changed"; key=${key//[[:space:]]/}
  began=$SECONDS
  if [[ -v equivalent[$key] ]]; then
    verdict=equivalent by=-
  else
    rm -rf "$work/changed"; mkdir -p "$work/changed/ipuflow/$(dirname "$header")"
    awk -v line="$line" 'NR == FNR { text = $0; next } FNR == line { print text; next } { print }' \
      <(printf '%s\n' "$changed") "$headers/$header" >"$work/changed/ipuflow/$header"
    verdict_of "$header"
  fi
  printf '%s\t%s\t%s\t%s\t%s\n' "$id" "$verdict" "$by" "$((SECONDS - began))" "$changed" >>"$results"
  printf '%-10s %4ss  %s:%s  %s\n' "$verdict" "$((SECONDS - began))" "$header" "$line" "$(sed 's/^ *//' <<<"$changed")"
done <"$work/drawn.txt"

# --- what came of it, over all that was ever tried in this folder --------------------------------------------------------------
awk -F'\t' -v allow="$allow" '
  { split($1, id, "/"); n[id[1], $2]++; modules[id[1]] = 1; all[$2]++ }
  $2 == "survived" { left = left "\n  " $1 "\n    " $5 }
  END {
    printf "\n%-10s %8s %9s %11s %8s\n", "module", "noticed", "survived", "equivalent", "invalid"
    for (m in modules) printf "%-10s %8d %9d %11d %8d\n", m, n[m, "noticed"], n[m, "survived"], n[m, "equivalent"], n[m, "invalid"]
    counted = all["noticed"] + all["survived"]; share = counted ? 100 * all["survived"] / counted : 0
    printf "%d of %d survived, %.1f %%; %s %% may%s\n", all["survived"], counted, share, allow, left
    exit share > allow
  }' "$results"
