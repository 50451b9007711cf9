#!/usr/bin/env bash
# The top level holds exactly these entries, and dot-files.   usage: top_level.sh <source dir>
set -euo pipefail
cd "$1"
wanted="CMakeLists.txt CMakePresets.json LICENSE README.md bench docs examples include test"
if [[ -e .git ]] && files=$(git ls-files 2>/dev/null); then entries=$(cut -d/ -f1 <<<"$files"); else entries=$(ls -A); fi
faults=$(diff <(printf '%s\n' $wanted | LC_ALL=C sort) <(grep -v '^\.' <<<"$entries" | LC_ALL=C sort -u) |
         sed -nE 's/^< (.*)/\1:0: missing at the top level/p; s/^> (.*)/\1:0: does not belong at the top level/p') || true
[[ -z $faults ]] || { echo "$faults"; exit 1; }
