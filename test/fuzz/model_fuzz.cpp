// SPDX-License-Identifier: BSL-1.0
// libFuzzer against the reader of model files: a file is refused with a sentence and the model stays as it was, or the
// model is what the file holds, and saving it gives the file again. Half of the mutations mend the checksum, so that what
// lies behind it is reached.
#include "memory_file.hpp"

#include <ipuflow/train/model_file.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>

using namespace ipuflow;

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

constexpr std::size_t head = 40;  // "ipuflow1", then four words: bytes of a number, values, state, checksum

using fuzz::expect;
using fuzz::memory_file;

template <class Number>
void read(const std::string& path, std::span<const std::uint8_t> bytes) {
  train::model<Number> model{std::vector<Number>(3, Number(7)), std::vector<Number>(2, Number(7))};
  const train::model<Number> before = model;
  try {
    load(model, path);
  } catch (const error& wrong) {
    expect(std::string_view{wrong.what()}.starts_with("ipuflow: "));
    expect(std::memcmp(model.values.data(), before.values.data(), 3 * sizeof(Number)) == 0);
    expect(std::memcmp(model.state.data(), before.state.data(), 2 * sizeof(Number)) == 0);
    return;
  }
  expect(bytes.size() == head + 5 * sizeof(Number));
  expect(std::memcmp(model.values.data(), bytes.data() + head, 3 * sizeof(Number)) == 0);
  expect(std::memcmp(model.state.data(), bytes.data() + head + 3 * sizeof(Number), 2 * sizeof(Number)) == 0);
  const std::string copy = "/dev/shm/ipuflow_model_fuzz." + std::to_string(::getpid());  // where a sync takes no time
  save(model, copy);
  std::ifstream in{copy, std::ios::binary};
  const std::string again{std::istreambuf_iterator<char>{in}, {}};
  std::filesystem::remove(copy);
  expect(again.size() == bytes.size() && std::memcmp(again.data(), bytes.data(), again.size()) == 0);
}

}  // namespace

namespace {

/// What no bytes of a file lead to.
bool expect_refusals() {
  train::model<> model{{1, 2, 3}, {4, 5}};
  fuzz::expect_refused_paths([&](const std::string& path) { load(model, path); });
  fuzz::expect_refused_paths([&](const std::string& path) { save(model, path); });
  train::check_can_save("/dev/shm/ipuflow_model_fuzz");
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  [[maybe_unused]] static const bool once = expect_refusals();
  const std::span<const std::uint8_t> bytes{data, size};
  const memory_file file{bytes};
  read<float>(file.path(), bytes);
  read<double>(file.path(), bytes);
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned int seed) {
  const std::size_t made = LLVMFuzzerMutate(data, size, most);
  if (seed % 2 != 0 || made < head) return made;
  std::uint64_t sum = 0xcbf29ce484222325u;  // FNV-1a, transcribed anew
  for (std::size_t i = head; i < made; ++i) sum = (sum ^ data[i]) * 0x100000001b3u;
  std::memcpy(data + 32, &sum, sizeof sum);
  return made;
}
