#!/usr/bin/env bash
# Compiles and runs the tests on another release of Debian, in a folder: with its compiler and its versions of what the tests need.
# As root, with debootstrap. What compilers say of wrong programs, and checks of the tree, are left to those that
# the project has chosen.
# usage: other_release.sh <release> <folder> [arguments of ctest...]
set -euo pipefail
release=$1 folder=$(realpath -m "$2"); shift 2
here=$(cd "$(dirname "$0")/../.." && pwd)
packages=g++,git,cmake,ninja-build,ccache,libboost-dev,librange-v3-dev,libeigen3-dev,doctest-dev,libbenchmark-dev,libcli11-dev
[[ -x $folder/usr/bin/g++ ]] || debootstrap --include=$packages "$release" "$folder"
mountpoint -q "$folder/proc" || mount --bind /proc "$folder/proc"
trap 'umount "$folder/proc"' EXIT
rm -rf "$folder/ipuflow"
git clone -q "$here" "$folder/ipuflow"
chroot "$folder" bash -euc 'cd /ipuflow; c++ --version | head -1
  cmake --preset test && cmake --build --preset test -- -k 0 && ctest --preset test -LE "compile_fail|check" "$@"' _ "$@"
