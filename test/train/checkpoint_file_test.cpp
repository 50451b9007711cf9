// SPDX-License-Identifier: BSL-1.0
// A checkpoint is read as it was written, or not at all: every cut and every change is seen.
#include <ipuflow/train/checkpoint_file.hpp>

#include <doctest/doctest.h>

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

namespace checkpoint_file_test {

using namespace ipuflow;

namespace {

/// A file in a folder of this test's own, gone afterwards.
struct scratch_file {
  std::filesystem::path folder = std::filesystem::temp_directory_path() / ("ipuflow_checkpoint_" + std::to_string(std::random_device{}()));
  std::string path = (folder / "one").string();

  scratch_file() { std::filesystem::create_directories(folder); }
  ~scratch_file() { std::filesystem::remove_all(folder); }

  std::vector<char> read() const {
    std::ifstream in{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
  }
  void write(const std::vector<char>& bytes) const {
    std::ofstream{path, std::ios::binary}.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
};

train::checkpoint<> some() {
  train::checkpoint<> c;
  c.state.learned = {{1, -2.5f, 3e-9f, 4, 5}, {0.5f, 6}};
  c.state.optimiser = type_text{"train::adamw"};
  for (int i = 0; i < 43; ++i) c.state.optimiser_numbers.push_back(static_cast<std::byte>(i * 7));
  c.state.seed = 9;
  c.state.steps = 10;
  c.state.updates = 11;
  c.state.micro_batches = 12;
  c.state.loss_factor = 1.5f;
  c.state.good_updates = 13;
  c.state.skipped_updates = 14;
  c.place = {15, 16};
  return c;
}

/// The sentence of a refusal.
template <class Number = float>
std::string refusal(const std::string& path) {
  try {
    (void)train::load_checkpoint<Number>(path);
  } catch (const rejected<train::checkpoint_fault>& wrong) {
    return wrong.what();
  }
  return {};
}

}  // namespace

TEST_CASE("what is read is what was written, in every field") {
  const scratch_file file;
  save(some(), file.path);
  CHECK(train::load_checkpoint(file.path) == some());
  train::checkpoint<double> other;
  other.state.learned.values = {1.25};
  save(other, file.path);
  CHECK(train::load_checkpoint<double>(file.path) == other);
  save(train::checkpoint<>{}, file.path);
  CHECK(train::load_checkpoint(file.path) == train::checkpoint<>{});
}

TEST_CASE("a file that is cut anywhere, goes on, or has any byte changed is refused") {
  const scratch_file file;
  save(some(), file.path);
  const std::vector<char> all = file.read();
  for (std::size_t cut = 0; cut < all.size(); ++cut) {
    file.write({all.begin(), all.begin() + static_cast<std::ptrdiff_t>(cut)});
    CHECK(!refusal(file.path).empty());
  }
  std::vector<char> longer = all;
  longer.push_back(0);
  file.write(longer);
  CHECK(refusal(file.path).find(" bytes and should have ") != std::string::npos);
  for (std::size_t at = 0; at < all.size(); ++at) {
    for (const int change : {1, 0x80, 0xff}) {
      std::vector<char> changed = all;
      changed[at] = static_cast<char>(changed[at] ^ change);
      file.write(changed);
      CHECK(!refusal(file.path).empty());
    }
  }
  file.write(all);
  CHECK(refusal(file.path).empty());
}

TEST_CASE("lengths that no file fills take no memory") {
  const scratch_file file;
  save(some(), file.path);
  const std::vector<char> all = file.read();
  std::mt19937_64 random{3};
  for (int tries = 0; tries < 2000; ++tries) {
    std::vector<char> wild = all;
    for (std::size_t word = 0; word < 5; ++word) {
      const std::uint64_t length = random() >> (random() % 64);
      if (random() % 2 == 0) std::memcpy(wild.data() + 32 + 8 * word, &length, 8);
    }
    file.write(wild);
    if (wild != all) CHECK(!refusal(file.path).empty());
  }
}

TEST_CASE("each refusal says what is wrong") {
  using enum train::checkpoint_wrong;
  CHECK(sentence(train::checkpoint_fault{cannot_read, 5, 0, fixed_string<200>{"one"}}).view() ==
        "ipuflow: cannot read the checkpoint one, the system says error 5; check its disk");
  const scratch_file file;
  const std::string at = file.path;
  CHECK(refusal(at) == "ipuflow: cannot open the checkpoint " + at + ", the system says error 2; check its path");
  CHECK(refusal(file.folder.string()) == "ipuflow: " + file.folder.string() + " is a directory, a device or a pipe; give the path of a checkpoint");
  file.write({'n', 'o'});
  CHECK(refusal(at) == "ipuflow: " + at + " is no checkpoint; it does not begin with ipuflowc");
  save(some(), at);
  CHECK(refusal<double>(at) ==
        "ipuflow: the checkpoint " + at + " has numbers of 4 bytes but the session has numbers of 8; train on in the same precision");
  std::vector<char> bytes = file.read();
  bytes[8] = 2;
  file.write(bytes);
  CHECK(refusal(at) == "ipuflow: the checkpoint " + at + " is of version 2 but this library reads version 1; read it with the library that wrote it");
  bytes[8] = 1;
  bytes.back() ^= 1;
  file.write(bytes);
  CHECK(refusal(at).find("ipuflow: the checkpoint " + at + " has changed since it was written: its checksum is ") == 0);
  CHECK(refusal(at).find("; take the one before it") != std::string::npos);
  bytes.pop_back();
  file.write(bytes);
  CHECK(refusal(at) == "ipuflow: the checkpoint " + at + " has " + std::to_string(bytes.size()) + " bytes and should have " + std::to_string(bytes.size() + 1) +
                           "; take the one before it");
  save(some(), at);
  const std::vector<char> good = file.read();
  const std::size_t words_at = 32, name_at = words_at + 14 * 8, factor_at = words_at + 9 * 8;
  for (const std::size_t changed : {name_at + 3, factor_at + 5}) {  // with a sum that is right
    bytes = good;
    bytes[changed] = bytes[changed] == 0 ? 1 : 0;
    std::uint64_t sum = 1;
    std::size_t from = words_at;
    for (const std::size_t part : {name_at - words_at, std::size_t{12}, std::size_t{20}, std::size_t{8}, std::size_t{43}}) {
      sum = train::impl::checked_sum(bytes.data() + from, part, sum);
      from += part;
    }
    CHECK(from == bytes.size());
    std::memcpy(bytes.data() + 24, &sum, sizeof sum);
    file.write(bytes);
    CHECK(refusal(at) ==
          "ipuflow: the checkpoint " + at + " has an optimiser's name, a size of numbers or a scale of the loss that no session writes; take the one before it");
  }
  for (int bit = 0; bit < 64; ++bit) {  // no one bit makes numbers of floats those of another session
    bytes = good;
    bytes[words_at + static_cast<std::size_t>(bit / 8)] = static_cast<char>(bytes[words_at + static_cast<std::size_t>(bit / 8)] ^ (1 << (bit % 8)));
    file.write(bytes);
    CHECK(refusal(at).find("; take the one before it") != std::string::npos);
  }
  const std::string nowhere = (file.folder / "none" / "one").string();
  try {
    save(some(), nowhere);
    FAIL("nothing can be written there");
  } catch (const rejected<train::checkpoint_fault>& wrong) {
    CHECK(std::string{wrong.what()} == "ipuflow: cannot write the checkpoint " + nowhere + ", the system says error 2; check its path and the room on its disk");
  }
}

}  // namespace checkpoint_file_test
