#!/usr/bin/env bash
# The twins of what must not compile: all files of a folder compile without -DEXPECT_FAILURE.
# usage: compile_ok.sh <folder> <compiler and flags...>
# They are one translation unit, each in a namespace of its own below the headers of all: almost all that a file costs is headers.
# That a file includes what it uses shows in compile_fail.sh, which compiles it alone.
set -euo pipefail
folder=$1; shift
sources=("$folder"/*.cpp)
{
  sed -n 's/^#include <.*/&/p' "${sources[@]}" | sort -u
  for source in "${sources[@]}"; do
    name=${source##*/}
    printf 'namespace of_%s {\n#line 1 "%s"\n' "${name%.cpp}" "$source"
    sed 's/^#include <.*//' "$source"
    printf '}\n'
  done
} | "$@" -fsyntax-only -x c++ -
echo "${#sources[@]} files compile"
