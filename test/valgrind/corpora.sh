#!/usr/bin/env bash
# Reads the corpus of every fuzzer under valgrind, which sees memory that is read before it was written; sanitizers of addresses do
# not.   usage: corpora.sh <source dir> <compiler and flags...>
set -euo pipefail
root=$1; shift
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
cat >"$scratch/main.cpp" <<'EOF'
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t*, std::size_t size, std::size_t) { return size; }  // for mutators, never called

int main(int count, char** paths) {
  for (int i = 1; i < count; ++i) {
    std::ifstream file{paths[i], std::ios::binary};
    const std::vector<char> bytes{std::istreambuf_iterator<char>{file}, {}};
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  }
  std::printf("%d inputs", count - 1);
}
EOF
status=0
for corpus in "$root"/test/fuzz/corpus/*; do
  name=$(basename "$corpus")
  "$@" -I"$root/include" -I"$root/examples" -O1 -g1 "$scratch/main.cpp" "$root/test/fuzz/$name.cpp" -pthread -o "$scratch/$name"
  said=$(valgrind --quiet --error-exitcode=9 --leak-check=full --log-file="$scratch/log" "$scratch/$name" "$corpus"/*) ||
    { cat "$scratch/log"; status=1; }
  echo "$name: $said, $(grep -c ' at 0x' "$scratch/log" || true) findings"
done
exit $status
