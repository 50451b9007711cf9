#!/usr/bin/env bash
# Includes only point down: the module table of docs/architecture.md, checked.   usage: layering.sh <source dir>
# Also which packages a module may include, the spelling of our own includes, that umbrellas hold only includes, that what
# consumes a timetable knows no generator by name, and that feed's two halves do not know each other.
set -euo pipefail
cd "$1/include"

declare -A below=(
  [core]="" [graph]="core" [schedule]="core" [queue]="core" [ipu]="core"
  [plan]="core graph schedule ipu" [nn]="core graph ipu plan" [feed]="core queue"
  [run]="core graph schedule queue feed ipu plan"
  [train]="core graph schedule queue ipu nn feed plan run" [report]="core schedule ipu plan run"
  [mpi]="core graph schedule feed run train" [zoo]="core graph nn")
declare -A packages=(
  [core]="dirent.h fcntl.h pthread.h sched.h signal.h sys/stat.h unistd.h"
  [graph]="boost/hana/" [queue]="boost/lockfree/" [feed]="range/v3/ sys/mman.h locale.h" [train]="unistd.h" [report]="sys/stat.h" [mpi]="mpi.h")
banned=" iostream boost/hana.hpp range/v3/all.hpp "

faults=0
fault() { echo "include/$1: $2"; faults=$((faults + 1)); }

allowed_package() { # module, included file
  local prefix
  for prefix in ${packages[$1]-}; do [[ $2 == "$prefix"* ]] && return 0; done
  return 1
}

while IFS=: read -r file line text; do
  at=$file:$line
  module=${file#ipuflow/}; module=${module%%/*}; module=${module%.hpp}
  if [[ ! $text =~ ^[[:space:]]*#[[:space:]]*include[[:space:]]*\<([^\>]+)\> ]]; then
    fault "$at" "includes are written <...>, ours <ipuflow/...>: $text"; continue
  fi
  included=${BASH_REMATCH[1]}
  if [[ $banned == *" $included "* ]]; then
    fault "$at" "<$included> is not for headers; include the single header that is needed"
  elif [[ $included == ipuflow/*/* ]]; then
    target=${included#ipuflow/}; target=${target%%/*}
    [[ -f $included ]] || fault "$at" "<$included> does not exist"
    if [[ $included == ipuflow/schedule/generators/* && $file == ipuflow/schedule/* && $file != ipuflow/schedule/generators/* ]]; then
      fault "$at" "<$included> is a generator; what reads a timetable knows none of them"
    fi
    if [[ $file == ipuflow/feed/device/* && $included == ipuflow/feed/* && $included != ipuflow/feed/device/* &&
          " ipuflow/feed/batching.hpp ipuflow/feed/dataset.hpp ipuflow/feed/held_range.hpp " != *" $included "* ]]; then
      fault "$at" "the device's half of feed knows of datasets only what one is, not <$included>"
    elif [[ $file == ipuflow/feed/* && $file != ipuflow/feed/device/* && $included == ipuflow/feed/device/* ]]; then
      fault "$at" "datasets and loaders know nothing of infeeds and outfeeds, so not <$included>"
    fi
    if [[ $module == chips ]]; then continue # the second back end of all modules
    elif [[ $module == ipuflow ]]; then # and what they leave out, so that all is there
      [[ $included == ipuflow/*/feeds.hpp ]] ||
        fault "$at" "ipuflow.hpp includes module umbrellas, and the feeds that they leave out"
    elif [[ $target != "$module" && " ${below[$module]-} " != *" $target "* ]]; then
      fault "$at" "module '$module' may include '${below[$module]-}', not '$target'"
    fi
  elif [[ $included == ipuflow/* ]]; then
    [[ $file == ipuflow/ipuflow.hpp || $file == ipuflow/chips.hpp ]] || fault "$at" "<$included> is an umbrella; include the header that is needed"
  elif [[ ! $included =~ ^[a-z_0-9]+$ ]]; then
    allowed_package "$module" "$included" || fault "$at" "module '$module' may not include <$included>"
  fi
done < <(grep -rnE --include='*.hpp' '^[[:space:]]*#[[:space:]]*include' ipuflow || true)

# A chip does not train: words of training belong to nn and train.
while IFS=: read -r file line text; do
  fault "$file:$line" "'ipu' has no word of training: $text"
done < <(grep -rnEi '\b(train|trains|trained|training|optimiser|cross_entropy|learn|learned|learning|epochs?)\b' --include='*.hpp' ipuflow/ipu || true)

for directory in ipuflow/*/; do
  [[ -d $directory ]] || continue
  module=$(basename "$directory"); umbrella=ipuflow/$module.hpp
  [[ -v below[$module] ]] || fault "$directory" "'$module' is not in the module table"
  [[ -f $umbrella ]] || { fault "$umbrella" "every module has an umbrella header"; continue; }
  [[ $module == mpi || $module == zoo ]] || grep -q "^#include <$umbrella>" ipuflow/ipuflow.hpp ipuflow/chips.hpp 2>/dev/null ||
    fault ipuflow/ipuflow.hpp "the umbrella of all does not include <$umbrella>"
done
for umbrella in ipuflow/*.hpp; do
  [[ -f $umbrella ]] || continue
  module=$(basename "$umbrella" .hpp)
  [[ $module == ipuflow || $module == chips || -d ipuflow/$module ]] || fault "$umbrella" "an umbrella without its directory ipuflow/$module/"
  while IFS=: read -r line text; do
    fault "$umbrella:$line" "an umbrella holds only includes: $text"
  done < <(grep -nvE '^(//.*|#pragma once|#include <[^>]+>.*|)$' "$umbrella" || true)
done
if grep -qsE '<ipuflow/(mpi|zoo)' ipuflow/ipuflow.hpp; then fault ipuflow/ipuflow.hpp "mpi and zoo are not in the umbrella"; fi
((faults == 0)) || { echo "$faults layering faults"; exit 1; }
