// SPDX-License-Identifier: BSL-1.0
// libFuzzer against the reader of checkpoints: a file is refused with a sentence, or saving what was read gives the file again. Half of
// the mutations mend the lengths and the checksum, so that what lies behind them is reached.
#include "memory_file.hpp"

#include <ipuflow/train/checkpoint_file.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

using namespace ipuflow;

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

// "ipuflowc", then three words: version, bytes behind the head, checksum. Behind it 14 words, of which the second to the fifth are
// how many values, numbers of state, bytes of the optimiser and of its name follow.
constexpr std::size_t head = 32, numbers = 14 * 8;

using fuzz::expect;

template <class Number>
bool reads(const std::string& path, std::span<const std::uint8_t> bytes) {
  try {
    const train::checkpoint<Number> read = train::load_checkpoint<Number>(path);
    const std::string copy = "/dev/shm/ipuflow_checkpoint_fuzz." + std::to_string(::getpid());  // where a sync takes no time
    save(read, copy);
    std::ifstream in{copy, std::ios::binary};
    const std::vector<char> again{std::istreambuf_iterator<char>{in}, {}};
    std::filesystem::remove(copy);
    expect(again.size() == bytes.size() && std::memcmp(again.data(), bytes.data(), again.size()) == 0);
    return true;
  } catch (const error& wrong) {
    expect(std::string_view{wrong.what()}.starts_with("ipuflow: "));
    return false;
  }
}

/// The checksum of a part, transcribed anew.
std::uint64_t sum_of(const std::uint8_t* data, std::size_t size, std::uint64_t before) {
  std::uint64_t sums[4];
  for (std::uint64_t i = 0; i < 4; ++i) sums[i] = before + i;
  for (std::size_t at = 0; at <= size / 32 * 32; at += 32) {
    std::uint8_t block[32]{};
    std::copy_n(data + at, std::min<std::size_t>(32, size - at), block);
    for (std::size_t i = 0; i < 4; ++i) {
      std::uint64_t word = 0;
      std::memcpy(&word, block + 8 * i, 8);
      sums[i] = std::rotl(sums[i] ^ word, 29) * 0x9e3779b97f4a7c15u;
    }
  }
  std::uint64_t all = size;
  for (const std::uint64_t s : sums) all = std::rotl(all ^ s, 31) * 0x9e3779b97f4a7c15u;
  return all;
}

}  // namespace

namespace {

/// What no bytes of a file lead to.
bool expect_refusals() {
  fuzz::expect_refused_paths([](const std::string& path) { (void)train::load_checkpoint(path); });
  fuzz::expect_refused_paths([](const std::string& path) { save(train::checkpoint<>{}, path == "/" ? "/no/such/folder/" : path); });
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  [[maybe_unused]] static const bool once = expect_refusals();
  const std::span<const std::uint8_t> bytes{data, size};
  const fuzz::memory_file file{bytes};
  const bool floats = reads<float>(file.path(), bytes), doubles = reads<double>(file.path(), bytes);
  expect(!(floats && doubles));
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned int seed) {
  const std::size_t made = LLVMFuzzerMutate(data, size, most);
  if (seed % 2 != 0 || made < head + numbers) return made;
  std::uint64_t word[14];
  std::memcpy(word, data + head, sizeof word);
  // What is there is dealt to the name, then to values, numbers of state and the optimiser's bytes.
  const std::size_t number = word[0] == 8 ? 8 : 4;
  std::size_t left = made - head - numbers;
  const auto take = [&](std::uint64_t& count, std::size_t each) {
    count = std::min<std::uint64_t>(count, left / each);
    left -= count * each;
  };
  take(word[4], 1);
  take(word[1], number);
  take(word[2], number);
  word[3] = left;
  word[0] = number;
  std::memcpy(data + head, word, sizeof word);
  const std::uint64_t behind = made - head;
  std::memcpy(data + 16, &behind, 8);
  std::uint64_t sum = sum_of(data + head, numbers, 1);
  const std::uint8_t* part = data + head + numbers;
  for (const std::size_t bytes : {word[4], word[1] * number, word[2] * number, word[3]}) {
    sum = sum_of(part, bytes, sum);
    part += bytes;
  }
  std::memcpy(data + 24, &sum, 8);
  return made;
}
