// SPDX-License-Identifier: BSL-1.0
// What each reader allocates, as its page says: some bytes for each byte of its file and a little besides, whatever a header claims. Small files that claim
// much, and files that are as dense as their format allows.
#include "injection.hpp"

#include <pipeline_planner/chain.hpp>

#include <ipuflow/feed.hpp>
#include <ipuflow/feed/sources/csv.hpp>
#include <ipuflow/feed/sources/npy.hpp>
#include <ipuflow/feed/sources/npz.hpp>
#include <ipuflow/feed/sources/zip.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/schedule/analysis/measured_costs.hpp>
#include <ipuflow/train/checkpoint_file.hpp>
#include <ipuflow/train/model_file.hpp>
#include <ipuflow/train/npz_weights.hpp>
#include <ipuflow/train/safetensors.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace trust_limits_test {

using namespace ipuflow;
namespace fs = std::filesystem;

struct scratch_folder {
  fs::path path = fs::temp_directory_path() / ("ipuflow_limits_" + std::to_string(std::random_device{}()));

  scratch_folder() { fs::create_directories(path); }
  ~scratch_folder() { fs::remove_all(path); }
  [[nodiscard]] std::string file(const char* name, std::string_view bytes) const {
    std::ofstream{path / name, std::ios::binary} << bytes;
    return (path / name).string();
  }
};

/// A number as files have it, the lowest byte first, or the highest.
std::string little(std::uint64_t n, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += static_cast<char>(n >> 8 * i & 0xff);
  return text;
}
std::string big(std::uint64_t n, std::size_t count) {
  const std::string text = little(n, count);
  return {text.rbegin(), text.rend()};
}
std::string repeated(std::string_view piece, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += piece;
  return text;
}

constexpr std::size_t beside = 32 << 10;  // of any file: names, sentences, the first room of containers
constexpr std::uint64_t huge = std::uint64_t{1} << 60;

/// Reads each file, which may be refused, and holds the reader to its bytes for a byte of the file.
void held_to(const char* reader, std::size_t bytes_each, const std::vector<std::string>& files, const std::function<void(const std::string&)>& read) {
  double most = 0;
  for (std::size_t i = 0; i < files.size(); ++i) {
    CAPTURE(std::string{reader});
    CAPTURE(i);
    CAPTURE(files[i].size());
    bool refused = false;
    trust::measure();
    try {
      read(files[i]);
    } catch (const std::exception&) {
      refused = true;
    }
    const std::size_t took = trust::most_bytes();
    CAPTURE(refused);
    CHECK(took <= bytes_each * files[i].size() + beside);
    if (files[i].size() > beside) most = std::max(most, static_cast<double>(took) / static_cast<double>(files[i].size()));
  }
  std::printf("%-28s at most %6zu bytes for a byte of the file; %8.1f seen\n", reader, bytes_each, most);
}

TEST_CASE("datasets that are mapped take nothing for what they claim or have") {
  const scratch_folder folder;
  const std::string labels = std::string("\0\0\x08\x01", 4) + big(2, 4) + "ab";
  std::vector<std::string> images;
  for (const std::uint64_t rows : {std::uint64_t{2}, std::uint64_t{0xffffffff}, std::uint64_t{0x80000000}}) images.push_back(std::string("\0\0\x08\x03", 4) + big(rows, 4) + big(rows, 4) + big(rows, 4) + "abcd");
  images.push_back(std::string("\0\0\x08\xff", 4) + repeated(big(0xffffffff, 4), 255));
  images.push_back(std::string("\0\0\x08\x03", 4) + big(1000, 4) + big(10, 4) + big(100, 4) + std::string(1000000, 'x'));
  held_to("IDX", 0, images, [&](const std::string& bytes) { (void)feed::idx(folder.file("images", bytes), folder.file("labels", labels)); });
  held_to("CIFAR-10", 0, {"", "x", std::string(3073 * 300, '\1'), std::string(3073 * 300 + 1, '\1')}, [&](const std::string& bytes) { (void)feed::cifar10(folder.file("cifar", bytes)); });
}

std::string npy(std::string_view descr, std::string_view shape, std::string_view data, std::size_t padded = 0) {
  std::string header = "{'descr': '" + std::string{descr} + "', 'fortran_order': False, 'shape': (" + std::string{shape} + "), }";
  header += std::string(padded, ' ') + "\n";
  return std::string("\x93NUMPY\x02\0", 8) + little(header.size(), 4) + header + std::string{data};
}
const std::vector<std::string>& arrays() {
  static const std::vector<std::string> all{
      npy("<f4", "1152921504606846976, 2", ""), npy("<f4", "1152921504606846976,", "abcd"), npy("<f4", "0, 1152921504606846976", ""), npy("<f4", "1, 1, 1152921504606846976", "abcd"),
      npy("<f4", repeated("1, ", 100000), "abcd"), npy("<f4", repeated("4294967296, ", 30), "abcd"), npy(repeated("x", 100000), "1,", "abcd"), npy("<f4", "1,", "abcd", 1000000),
      std::string("\x93NUMPY\x02\0", 8) + little(0xffffffff, 4) + "{}", npy("<f4", "250000,", std::string(1000000, '\0')), npy("|u1", "1000000,", std::string(1000000, '\0'))};
  return all;
}

TEST_CASE("NumPy's arrays") {
  const scratch_folder folder;
  held_to(".npy, mapped", 0, {arrays().begin(), arrays().begin() + 4}, [&](const std::string& bytes) { (void)feed::npy<float>(folder.file("array", bytes)); });
  held_to(".npy", 16, arrays(), [&](const std::string& bytes) { (void)feed::npy<float>(folder.file("array", bytes)); });
  held_to(".npy, read whole", 16, arrays(), [&](const std::string& bytes) { (void)feed::read_npy<float>(folder.file("array", bytes)); });
}

/// An archive of one entry that is stored, or said to be packed, with the size that is claimed of it.
std::string archive(std::uint64_t method, std::string_view packed, std::uint64_t size, std::uint64_t entries = 1) {
  const std::string sizes = little(0, 4) + little(packed.size(), 4) + little(size, 4) + little(5, 2) + little(0, 2);
  const std::string local = little(0x04034b50, 4) + little(20, 2) + little(0, 2) + little(method, 2) + little(0, 4) + sizes + "x.npy" + std::string{packed};
  const std::string directory = little(0x02014b50, 4) + little(20, 2) + little(20, 2) + little(0, 2) + little(method, 2) + little(0, 4) + sizes + little(0, 2) + little(0, 2) + little(0, 2) +
                                little(0, 4) + little(0, 4) + "x.npy";
  return local + directory + little(0x06054b50, 4) + little(0, 4) + little(entries, 2) + little(entries, 2) + little(directory.size(), 4) + little(local.size(), 4) + little(0, 2);
}

/// A packed zero, and then that many times 258 more of them.
std::string zeros(std::size_t times) {
  std::string packed;
  unsigned bits = 0, count = 0;
  const auto put = [&](unsigned code, unsigned length) {  // the highest bit first
    while (length-- > 0) {
      bits |= (code >> length & 1) << count;
      if (++count < 8) continue;
      packed += static_cast<char>(bits);
      bits = count = 0;
    }
  };
  put(0b110, 3), put(0b00110000, 8);
  for (; times > 0; --times) put(0b11000101, 8), put(0, 5);
  put(0, 7), put(0, 7);
  return packed;
}

TEST_CASE("archives") {
  const scratch_folder folder;
  const std::string few(100, 'x');
  std::string empty_entries;  // a directory of nothing but names of no letters
  for (int i = 0; i < 20000; ++i) empty_entries += little(0x02014b50, 4) + std::string(42, '\0');
  empty_entries += little(0x06054b50, 4) + little(0, 4) + little(20000, 2) + little(20000, 2) + little(empty_entries.size(), 4) + little(0, 4) + little(0, 2);
  held_to(".npz, its names", 16, {archive(0, few, 100), archive(0, few, 0xfffffffe), archive(8, few, 0xfffffffe), archive(8, few, 100, 0xfffe), empty_entries},
          [&](const std::string& bytes) { (void)feed::npz{folder.file("archive", bytes)}.names(); });
  // What was packed may be 1032 times larger, and no header makes it more.
  std::vector<std::string> packed{archive(8, few, 0xfffffffe), archive(8, few, 103200), archive(8, std::string(1000, 'x'), 1032000), archive(0, few, 0xfffffffe), archive(8, zeros(30000), 1 + 30000 * 258)};
  for (const std::string& array : arrays()) packed.push_back(archive(0, array, array.size()));
  held_to(".npz", 1032, packed, [&](const std::string& bytes) { (void)feed::npz{folder.file("archive", bytes)}.read<float>("x"); });
}

TEST_CASE("tables") {
  const scratch_folder folder;
  std::string wide, distinct;
  for (int i = 0; i < 2000; ++i) wide += (i == 0 ? "a" : ",a");
  for (int i = 0; i < 200000; ++i) distinct += std::to_string(i) + "\n";
  const std::vector<std::string> numbers{"x\n" + repeated("1\n", 500000), "x\n" + std::string(1000000, '\n'), "x\n" + repeated("\"1\"\n", 100000), repeated("x", 1000000)};
  held_to("CSV, floats", 24, numbers, [&](const std::string& bytes) { (void)feed::csv<float>(folder.file("table", bytes)); });
  held_to("CSV, doubles", 24, numbers, [&](const std::string& bytes) { (void)feed::csv<double>(folder.file("table", bytes)); });
  // A first line that is wide, and behind it lines that are empty, or short, or none.
  held_to("CSV, 2000 columns", 200, {std::string(1999, ',') + "\n1", wide + "\n" + std::string(1000000, '\n'), wide + "\n" + repeated("1\n", 500000), wide + "\n" + repeated(repeated("1,", 1999) + "1\n", 100), wide, wide + "\n1"},
          [&](const std::string& bytes) { (void)feed::csv<std::array<float, 2000>>(folder.file("table", bytes)); });
  held_to("CSV, words", 72, {"x\n" + repeated("a\n", 500000), "x\n" + repeated("0123456789abcdef\n", 50000), "x\n" + distinct, "x\n" + repeated("\"\"\n", 300000)}, [&](const std::string& bytes) { (void)feed::csv<std::string>(folder.file("table", bytes)); });
  held_to("CSV, classes", 72, {"x\n" + repeated("a\n", 500000), "x\n" + distinct}, [&](const std::string& bytes) { (void)feed::csv<feed::label<std::uint32_t>>(folder.file("table", bytes)); });
}

constexpr auto one_layer = single_stage(input<float, 2>, block<"b">(nn::linear<1>));

std::string safetensors(const std::string& header, std::string_view data = "") { return little(header.size(), 8) + header + std::string{data}; }

TEST_CASE("models, weights and checkpoints") {
  const scratch_folder folder;
  train::model<> model{{1, 2, 3}, {}};
  std::vector<std::string> models, checkpoints;
  for (const std::uint64_t n : {huge, huge * 4, std::uint64_t{0} - 1, std::uint64_t{1} << 30}) {
    models.push_back("ipuflow1" + little(4, 8) + little(n, 8) + little(n, 8) + little(0, 8) + "abcd");
    for (std::size_t claim = 0; claim < 4; ++claim) {
      train::impl::checkpoint_head head;
      train::impl::checkpoint_words words{};
      words.number_bytes = 4;
      std::uint64_t* const all[] = {&words.values, &words.state, &words.optimiser_bytes, &words.name};
      *all[claim] = n;
      for (const std::uint64_t bytes : {n, static_cast<std::uint64_t>(sizeof words)}) {
        head.bytes = bytes;
        checkpoints.push_back(std::string(reinterpret_cast<const char*>(&head), sizeof head) + std::string(reinterpret_cast<const char*>(&words), sizeof words));
      }
    }
  }
  models.push_back(std::string(1000000, 'i'));
  held_to("a model", 0, models, [&](const std::string& bytes) { load(model, folder.file("model", bytes)); });
  train::checkpoint<> large;
  large.state.learned.values.resize(300000);
  large.state.optimiser = type_text{"train::sgd"};
  save(large, folder.file("large", ""));
  std::ifstream in{folder.path / "large", std::ios::binary};
  checkpoints.emplace_back(std::istreambuf_iterator<char>{in}, std::istreambuf_iterator<char>{});
  checkpoints.push_back(std::string(1000000, 'i'));
  held_to("a checkpoint", 1, checkpoints, [&](const std::string& bytes) { (void)train::load_checkpoint(folder.file("checkpoint", bytes)); });

  const std::string tensor = R"("b.weight":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]})";
  std::string many = "{", distinct = "{";
  for (int i = 0; i < 20000; ++i) many += (i == 0 ? "" : ",") + std::string{R"("":{"dtype":"U8","shape":[0],"data_offsets":[0,0]})"};
  for (int i = 0; i < 20000; ++i) distinct += (i == 0 ? "\"" : ",\"") + std::to_string(i) + R"(":{"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
  const std::vector<std::string> files{
      little(huge, 8) + "{}", little(std::uint64_t{0} - 1, 8) + "{}", little(1 << 30, 8) + "{", safetensors("{" + tensor + "}", "abcdefgh"),
      safetensors(R"({"b.weight":{"dtype":"F32","shape":[1152921504606846976],"data_offsets":[0,4611686018427387904]}})"),
      safetensors(R"({"b.weight":{"dtype":"F32","shape":[0,1152921504606846976],"data_offsets":[0,0]}})"), safetensors(many + "}"), safetensors(distinct + "}"),
      safetensors(repeated("[", 1000000)), safetensors(repeated("{\"a\":", 200000)), safetensors(R"({"__metadata__":{"a":")" + std::string(1000000, 'x') + "\"}}"),
      safetensors(R"({"b.weight":{"dtype":"F32","shape":[)" + repeated("1,", 500000) + R"(1],"data_offsets":[0,4]}})", "abcd")};
  held_to("safetensors", 16, files, [&](const std::string& bytes) { train::load_safetensors(one_layer, model, folder.file("weights", bytes)); });
  std::vector<std::string> weights{archive(8, std::string(100, 'x'), 0xfffffffe), archive(8, std::string(1000, 'x'), 1032000), archive(8, zeros(30000), 1 + 30000 * 258)};
  for (const std::string& array : arrays()) weights.push_back(archive(0, array, array.size()));
  held_to("weights as .npz", 1032, weights, [&](const std::string& bytes) { train::load_npz(one_layer, model, folder.file("weights", bytes)); });
}

TEST_CASE("costs, schedules and chains") {
  const std::string most = "18446744073709551615";
  held_to("costs", 64, {repeated("1,1,1,1\n", 100000), repeated(most + ",1,1,1\n", 10), std::string(1000000, '\n'), std::string(1000000, '#'), repeated("1,", 500000), "1e60,1,1,1"},
          [](const std::string& text) { (void)schedule::read_costs(text); });
  std::string square;
  for (int i = 0; i < 300; ++i) square += repeated(",", 300) + "\n";
  std::vector<std::string> schedules{"0F0\n", most + "F0\n", "0F" + most + "\n", "1152921504606846976F1152921504606846976\n", "1000000F1000000\n", "0F1000000\n", "1000000F0\n", "0F4294967295,4294967295F0\n",
                                     std::string(1000000, '\n'), std::string(1000000, ','), square, "0F0" + repeated(",", 1000) + "\n" + repeated("\n", 1000000), repeated("0F0,", 200000)};
  std::string rows;
  for (int i = 0; i < 20000; ++i) rows += "0F" + std::to_string(i) + ",";
  schedules.push_back(rows + "\n");
  held_to("a schedule as CSV", 128, schedules, [](const std::string& text) {
    const schedule::table read = schedule::read_csv(text);
    (void)schedule::verify(read);
  });
  held_to("a chain", 48, {"chain a 1152921504606846976 1,2,3,4,5", "chain a " + most, "chain a 100000 " + repeated("1,1,1,1,1 ", 100000), repeated("#\n", 500000), "chain " + std::string(1000000, 'x') + " 1"},
          [](const std::string& text) { (void)pipeline_planner::read_chain(text); });
}

}  // namespace trust_limits_test
