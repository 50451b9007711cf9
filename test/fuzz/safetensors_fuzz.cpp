// SPDX-License-Identifier: BSL-1.0
// libFuzzer against the reader of safetensors: a file is refused with a sentence and the model stays as it was, or its header is what
// the strict parser of the tests reads, too, each number of the model is the one that it names, and saving the model gives a file of the same
// numbers. Mutations know the format: names, types, shapes and offsets change, and the header keeps its length, so that what lies
// behind it is reached.
#include "../made_file.hpp"
#include "../report/json.hpp"
#include "memory_file.hpp"

#include <ipuflow/graph/describe.hpp>
#include <ipuflow/train/safetensors.hpp>
#include <ipuflow/train/tensors.hpp>
#include <ipuflow/zoo/resnet.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

using namespace ipuflow;

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

constexpr auto network = single_stage(
    input<float, 3, 4, 4>, zoo::resnet<zoo::resnet_sizes{.counts = {1}, .has_bottlenecks = false, .planes = 1}, 2, zoo::stem::small_images>);

using fuzz::expect;
using fuzz::memory_file;

std::uint64_t length_in(std::span<const std::uint8_t> bytes) {
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  return length;
}

template <class Stored>
bool are_stored(std::span<const float> values, const std::uint8_t* at) {
  return std::all_of(values.begin(), values.end(), [&](float value) {
    Stored one{};
    std::memcpy(&one, at, sizeof one);
    at += sizeof one;
    const auto read = static_cast<float>(one);
    return std::memcmp(&read, &value, sizeof value) == 0 || (read != read && value != value);
  });
}

/// The numbers of a model are those that the header names, which together are all bytes behind it.
void expect_stored(const train::model<>& model, std::span<const std::uint8_t> bytes) {
  const std::span<const std::uint8_t> numbers = bytes.subspan(8 + length_in(bytes));
  const json::value header = json::parsed({reinterpret_cast<const char*>(bytes.data()) + 8, length_in(bytes)});
  std::vector<bool> used(numbers.size());
  const auto check = [&](const train::named_tensor& t, std::span<const float> all) {
    const json::value& stored = header[t.name];
    expect(stored.members.size() == 3 && stored["shape"].items.size() == t.extents.size());
    for (std::size_t i = 0; i < t.extents.size(); ++i) expect(stored["shape"].items[i].number == static_cast<double>(t.extents[i]));
    const auto begin = static_cast<std::size_t>(stored["data_offsets"].items.at(0).number);
    const auto end = static_cast<std::size_t>(stored["data_offsets"].items.at(1).number);
    const std::size_t each = (end - begin) / t.count;
    expect(stored["data_offsets"].items.size() == 2 && end <= numbers.size() && end - begin == each * t.count);
    for (std::size_t i = begin; i < end; ++i) {
      expect(!used[i]);
      used[i] = true;
    }
    const std::string& type = stored["dtype"].text;
    const std::span<const float> mine = all.subspan(t.first, t.count);
    if (type == "F16") return expect(each == 2 && are_stored<half>(mine, numbers.data() + begin));
    if (type == "F32") return expect(each == 4 && are_stored<float>(mine, numbers.data() + begin));
    expect(type == "F64" && each == 8 && are_stored<double>(mine, numbers.data() + begin));
  };
  std::size_t tensors = 0;
  for (const train::named_tensor& t : train::named_tensors(network)) check(t, model.values), ++tensors;
  for (const train::named_tensor& t : train::named_state(network)) check(t, model.state), ++tensors;
  expect(header.members.size() == tensors + (header.find("__metadata__") == nullptr ? 0 : 1));
  expect(std::find(used.begin(), used.end(), false) == used.end());
}

/// A saved model is the same when it is read.
void expect_saved(const train::model<>& model) {
  static const test::made_file saved{"fuzzed.safetensors", ""};
  save_safetensors(network, model, saved.path());
  train::model<> read = train::initial_model(network, 2);
  load_safetensors(network, read, saved.path());
  expect(std::memcmp(read.values.data(), model.values.data(), model.values.size() * sizeof(float)) == 0);
  expect(std::memcmp(read.state.data(), model.state.data(), model.state.size() * sizeof(float)) == 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const train::model<> before = train::initial_model(network, 1);
  const std::span<const std::uint8_t> bytes{data, size};
  const memory_file file{bytes};
  train::model<> model = before;
  try {
    load_safetensors(network, model, file.path());
  } catch (const error& wrong) {
    expect(std::string_view{wrong.what()}.starts_with("ipuflow: "));
    expect(model == before);
    return 0;
  }
  expect_stored(model, bytes);
  expect_saved(model);
  return 0;
}

namespace {

/// A header that is changed in one place, as a file may be damaged or made up.
class changed_header {
 public:
  changed_header(std::string text, unsigned int seed) : text_{std::move(text)}, seed_{seed} {}

  std::string made() {
    switch (next() % 7) {
      case 0:
        return with_word("0123456789", {"0", "1", "8", "007", "4294967296", "9223372036854775807", "18446744073709551615",
                                        "18446744073709551616", "-1", "1e2", "0.5", ""});
      case 1:
        return with_word("F1234568B", {"F16", "F32", "F64", "BF16", "I32", "BOOL", ""});
      case 2:
        return with_copy();
      case 3:
        return inserted(std::string(next() % 5000, "[{\""[next() % 3]));
      case 4:
        return inserted(pick({"\\u0041", "\\u00e9", "\\n", "\"", "\\", std::string_view{"\0", 1}, "\xff", "null", ",", "}", " "}));
      case 5:
        return text_.erase(place(), next() % 40);
      default:
        return with_word("abcdefghijklmnopqrstuvwxyz_", {"dtype", "shape", "data_offsets", "__metadata__", "weights", "biases", "format", ""});
    }
  }

 private:
  std::size_t next() { return static_cast<std::size_t>(nn::random_bits(seed_, at_++) >> 8); }
  std::size_t place() { return text_.empty() ? 0 : next() % text_.size(); }
  std::string_view pick(std::initializer_list<std::string_view> words) { return *(words.begin() + next() % words.size()); }
  std::string inserted(std::string_view more) { return text_.insert(place(), more); }

  /// One of the runs of these characters becomes one of the words.
  std::string with_word(std::string_view characters, std::initializer_list<std::string_view> words) {
    const std::size_t begin = std::min(text_.find_first_of(characters, place()), text_.size());
    const std::size_t end = std::min(text_.find_first_not_of(characters, begin), text_.size());
    return text_.replace(begin, end - begin, pick(words));
  }
  /// A tensor stands there twice.
  std::string with_copy() {
    const std::size_t begin = std::min(text_.find(",\"", place()), text_.size());
    const std::size_t end = std::min(text_.find('}', begin), text_.size());
    return text_.insert(begin, text_.substr(begin, end == text_.size() ? 0 : end + 1 - begin));
  }

  std::string text_;
  unsigned int seed_;
  std::uint64_t at_ = 0;
};

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned int seed) {
  if (seed % 4 == 0 || size < 8 || length_in({data, size}) > size - 8) return LLVMFuzzerMutate(data, size, most);
  const std::size_t length = length_in({data, size});
  const std::string numbers(data + 8 + length, data + size);
  const std::string header = changed_header{{data + 8, data + 8 + length}, seed}.made();
  const std::string all = header + numbers;
  if (8 + all.size() > most) return size;
  const std::uint64_t now = header.size();
  std::memcpy(data, &now, sizeof now);
  std::memcpy(data + 8, all.data(), all.size());
  return 8 + all.size();
}
