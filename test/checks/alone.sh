#!/usr/bin/env bash
# Every header compiles when it is included alone.   usage: alone.sh <source dir> <processes> <compiler and flags...>
# A header that includes all that stands before it in a file anyway is alone there, too: what it sees are its own includes. So
# headers are compiled in chains, each link including all links before it; <...> of others count as included by name.
set -euo pipefail
root=$1 processes=$2; shift 2
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
(cd "$root/include" && find ipuflow -name '*.hpp' | sort) >"$scratch/headers"
if ! echo '#include <mpi.h>' | "$@" -fsyntax-only -x c++ - 2>/dev/null; then sed -i '/^ipuflow\/mpi/d' "$scratch/headers"; fi # without an MPI there is nothing to see

# A chain goes from the largest header that has none yet down to ever smaller ones.
(cd "$root/include" && xargs grep -oHE '^#include <[^>]+>' <"$scratch/headers") | sed -E 's/:#include <(.*)>/ \1/' | awk -v scratch="$scratch" '
  function close_over(header, top,   parts, n, i) { # all that `top` includes, itself too
    if ((top, header) in has) return
    has[top, header] = 1; size[top]++
    n = split(includes[header], parts, " ")
    for (i = 1; i <= n; i++) close_over(parts[i], top)
  }
  function is_within(small, large,   pair, i, n, parts) {
    n = split(all[small], parts, " ")
    for (i = 1; i <= n; i++) if (!((large, parts[i]) in has)) return 0
    return 1
  }
  FILENAME == "-" { includes[$1] = includes[$1] " " $2; next }
  { headers[++count] = $1 }
  END {
    for (h = 1; h <= count; h++) close_over(headers[h], headers[h])
    for (pair in has) { split(pair, two, SUBSEP); all[two[1]] = all[two[1]] " " two[2] }
    for (i = 2; i <= count; i++) { # by size, the largest first
      h = headers[i]
      for (j = i - 1; j > 0 && size[headers[j]] < size[h]; j--) headers[j + 1] = headers[j]
      headers[j + 1] = h
    }
    for (i = 1; i <= count; i++) {
      if (headers[i] in done) continue
      last = headers[i]; chain = "#include <" last ">\n"
      for (j = i + 1; j <= count; j++)
        if (!(headers[j] in done) && is_within(headers[j], last)) {
          last = headers[j]; done[last] = 1; chain = "#include <" last ">\n" chain
        }
      printf "%s", chain >(scratch "/" ++chains ".cpp"); close(scratch "/" chains ".cpp")
    }
  }' - "$scratch/headers"

mapfile -t chains < <(ls -v "$scratch"/*.cpp)
printf '%s\0' "${chains[@]}" | xargs -0 -n 1 -P "$processes" "$@" -fsyntax-only
[[ $(cat "${chains[@]}" | sort -u | wc -l) == $(wc -l <"$scratch/headers") ]] || { echo "a header is in no chain"; exit 1; }
echo "$(wc -l <"$scratch/headers") headers in ${#chains[@]} files"
