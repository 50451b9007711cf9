#!/usr/bin/env bash
# The cheap half of a mutation run: all drawn changes of a module go into its headers at once, each behind a switch (switch.hpp), all
# tests of the module are compiled with them as one program, and the program is run once for each change. What a run notices is
# added to the results. mutants.sh, which calls this, compiles the others alone: constants, and what only `constexpr` code reads.
#   usage: switched.sh <source dir> <work dir> <seconds> <compiler...>      <work dir> has drawn.txt and results.txt of mutants.sh
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$1" && pwd) work=$(cd "$2" && pwd) seconds=$3; shift 3
headers=$root/include/ipuflow results=$work/results.txt
compile=("$@" -O1 -w -Wno-narrowing -pthread "-DIPUFLOW_EXAMPLE_DATA=\"$root/examples/data\"" -include "$here/switch.hpp")

# Lines of sites.txt: number, header, line, column, length, what, replacement, id. What is in the results is not tried again.
sites_of() { # module
  grep "^$1/" "$work/drawn.txt" | awk -F'\t' -v OFS='\t' -v results="$results" '
    BEGIN { while ((getline row < results) > 0) { split(row, f, "\t"); tried[f[1]] = 1 } }
    $5 != "logic" && !($7 in tried) { print ++n, $0 }' >"$1.txt" || true
}

# Puts the switches in, and takes out those that do not compile, by the lines that the compiler names.
program_of() { # module: leaves the program in $1.run
  local module=$1 header bad
  find "$root/test/$module" -name '*_test.cpp' | sort | sed 's|.*|#include "&"|' >"$module.cpp"
  for _ in 1 2 3 4 5 6; do
    rm -rf with; mkdir with
    for header in $(cut -f2 "$module.txt" | sort -u); do
      mkdir -p "with/ipuflow/$(dirname "$header")"
      awk -F'\t' -v OFS='\t' -v h="$header" '$2 == h { print $1, $3, $4, $5, $6, $7 }' "$module.txt" >sites.txt
      awk -f "$here/switched.awk" sites.txt "$headers/$header" >"with/ipuflow/$header"
    done
    if "${compile[@]}" -Iwith -I"$root/include" -I"$root/test" -I"$root/test/$module" -I"$root/examples" "$module.cpp" main.o \
      -o "$module.run" 2>"$module.errors"; then return; fi
    bad=$(grep -oE 'with/ipuflow/[a-z0-9_/]+\.hpp:[0-9]+' "$module.errors" | sed 's|with/ipuflow/||' | sort -u)
    [[ -n $bad ]] || break
    awk -F'\t' -v bad="$bad" 'BEGIN { split(bad, b, "\n"); for (i in b) out[b[i]] = 1 } !(($2 ":" $3) in out)' "$module.txt" >kept.txt
    mv kept.txt "$module.txt"
  done
  echo "the switches of $module do not compile; see $work/$module.errors"; return 1
}

cd "$work"
for module in $(cut -d/ -f1 drawn.txt | sort -u); do
  sites_of "$module"
  [[ -s $module.txt ]] && program_of "$module" || continue
  began=$SECONDS
  (exec >/dev/null 2>&1; "./$module.run" --minimal) || { echo "the tests of $module fail with no switch on"; continue; }
  limit=$((seconds + 3 * (SECONDS - began)))
  while IFS=$'\t' read -r number header line _ _ _ replacement id; do
    began=$SECONDS status=0
    (ulimit -v 8000000; exec >/dev/null 2>&1; IPUFLOW_MUTANT=$number timeout "$limit" "./$module.run" --minimal --abort-after=1) || status=$?
    ((status)) || continue
    printf '%s\tnoticed\tswitched\t%s\t%s\n' "$id" "$((SECONDS - began))" "$replacement" >>"$results"
    printf 'noticed    %4ss  %s:%s  %s\n' "$((SECONDS - began))" "$header" "$line" "$replacement"
  done <"$module.txt"
done
