// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/train/safetensors.hpp>

#include "made_file.hpp"
#include "small_network.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace safetensors_test {

using namespace ipuflow;

namespace {

constexpr auto two_tensors = single_stage(input<float, 2>, block<"b">(nn::linear<1>));

std::string file_text(const std::string& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

std::string with_header(std::string_view header, std::string_view numbers) {
  std::string all(8, '\0');
  const std::uint64_t length = header.size();
  std::memcpy(all.data(), &length, 8);
  return all += std::string{header} + std::string{numbers};
}

const std::string_view sound =
    "{\"b[0] weights\":{\"shape\":[1,2],\"dtype\":\"F32\",\"data_offsets\":[0,8]},"
    "\"b[0] biases\":{\"dtype\":\"F16\",\"shape\":[1],\"data_offsets\":[8,10]}} ";
const std::string_view ten{"\x00\x00\x80\x3f\x00\x00\x00\xc0\x00\x38", 10};  // 1, -2, and half a half

std::string refused(std::string_view bytes) {
  const test::made_file file{"weights.safetensors", bytes};
  train::model<> m{{7, 7, 7}, {}};
  const std::string said =
      test::sentence_of<rejected<train::weights_fault>>(file.path(), [&] { train::load_safetensors(two_tensors, m, file.path()); });
  if (!said.empty()) CHECK(m == train::model<>{{7, 7, 7}, {}});
  return said;
}
std::string refused_header(std::string_view header, std::size_t bytes = 10) { return refused(with_header(header, ten.substr(0, bytes))); }

}  // namespace

TEST_CASE("what is saved is loaded, bit for bit, with the running state") {
  const test::made_file file{"round.safetensors", ""};
  train::model<> m = train::initial_model(test::small_network, 3);
  for (std::size_t i = 0; i < m.state.size(); ++i) m.state[i] = static_cast<float>(i) + 0.25f;
  save_safetensors(test::small_network, m, file.path());
  train::model<> read = train::initial_model(test::small_network, 4);
  load_safetensors(test::small_network, read, file.path());
  CHECK(read == m);
  train::model<double> wide = train::initial_model<double>(test::small_network, 4);
  load_safetensors(test::small_network, wide, file.path());
  CHECK(wide.values[5] == static_cast<double>(m.values[5]));
}

TEST_CASE("the file is what the format says, to the byte") {
  const test::made_file file{"format.safetensors", ""};
  save_safetensors(two_tensors, train::model<>{{1, -2, 0.5f}, {}}, file.path());
  const std::string text = file_text(file.path());
  const std::string header =
      "{\"__metadata__\":{\"format\":\"pt\"},\"b[0] weights\":{\"dtype\":\"F32\",\"shape\":[1,2],\"data_offsets\":[0,8]},"
      "\"b[0] biases\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[8,12]}}";
  std::uint64_t length = 0;
  std::memcpy(&length, text.data(), 8);
  CHECK(length % 8 == 0);
  CHECK(text.substr(8, header.size()) == header);
  CHECK(text.size() == 8 + length + 12);
  CHECK(train::impl::json_string("a\"\\\n") == "\"a\\\"\\\\\\u000a\"");
}

TEST_CASE("files of others are read: any order, halves, escapes, metadata") {
  const test::made_file file{"other.safetensors", with_header(sound, ten)};
  train::model<> m{{0, 0, 0}, {}};
  load_safetensors(two_tensors, m, file.path());
  CHECK(m.values == std::vector<float>{1, -2, 0.5f});
  CHECK(refused_header("{\"__metadata__\" : {\"a\":\"\\u000a\\n\"},\n\"\\u0062[0] biases\":{\"dtype\":\"F16\",\"shape\":[1],\"data_offsets\":[8,10]},"
                       "\"b[0] weights\":{\"dtype\":\"F32\",\"shape\":[1,2],\"data_offsets\":[0,8]}}").empty());
}

TEST_CASE("what does not fit the network is refused, and the model stays as it was") {
  CHECK(refused_header("{\"b[0] weights\":{\"dtype\":\"F32\",\"shape\":[1,2],\"data_offsets\":[0,8]}}", 8) ==
        "ipuflow: there is no tensor 'b[0] biases' in 'f', its first is 'b[0] weights'; load it into the network that it was saved from, "
        "or rename its tensors");
  CHECK(refused_header("{\"more\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}", 8) ==
        "ipuflow: 'f' has a tensor 'more' that the network has not; load it into the network that it was saved from");
  CHECK(refused_header("{\"b[0] weights\":{\"dtype\":\"F32\",\"shape\":[2,1],\"data_offsets\":[0,8]}}", 8) ==
        "ipuflow: tensor 'b[0] weights' of 'f' has the shape [2, 1] but the network wants [1, 2]; load it into a network with layers of "
        "the same sizes");
  CHECK(refused_header("{\"b[0] weights\":{\"dtype\":\"BF16\",\"shape\":[1,2],\"data_offsets\":[0,4]}}") ==
        "ipuflow: tensor 'b[0] weights' of 'f' is of BF16; weights are read from halves, floats and doubles, so convert it");
}

TEST_CASE("what is no sound file is refused with what was found") {
  CHECK(refused("") == "ipuflow: 'f' has 0 bytes but the header of a safetensors file ends at byte 8; it is cut off, or another kind of file");
  CHECK(refused(std::string(8, '\xff')).find("ends at byte 18446744073709551615") != std::string::npos);
  CHECK(refused_header("{\"b[0] weights\":1}") ==
        "ipuflow: the header of 'f' cannot be read from character 16 on, '1}'; the safetensors file is damaged, get it anew");
  CHECK(refused_header("{\"b[0] weights\":{\"dtype\":\"F32\",\"shape\":[1,2],\"data_offsets\":[4,12]}}") ==
        "ipuflow: tensor 'b[0] weights' of 'f' is said to end at byte 12 of 10 or not to be as large as its shape; the safetensors file is "
        "damaged, get it anew");
  for (const char* place : {"[0,7]", "[8,0]", "[0,9]", "[18446744073709551608,0]"}) {
    CHECK(refused_header("{\"b[0] weights\":{\"dtype\":\"F32\",\"shape\":[1,2],\"data_offsets\":" + std::string{place} + "}}").find("is said to end") !=
          std::string::npos);
  }
  CHECK(refused_header("{\"x\":{\"dtype\":\"F32\",\"shape\":[4294967296,4294967296,4],\"data_offsets\":[0,0]}}").find("is said to end") !=
        std::string::npos);
  for (const char* text : {"", "{", "[]", "{\"x", "{\"\\", "{\"\\u00", "{\"\\u0100\":1}", "{\"x\":{}}", "{} x", "{\"x\":{\"dtype\":\"F32\",\"shape\":[1}}",
                           "{\"x\":{\"dtype\":\"F32\",\"shape\":[99999999999999999999]}}", "{\"__metadata__\":1}",
                           "{\"x\":{\"dtype\":\"F32\",\"data_offsets\":[0,4]}}", "{\"x\":{\"dtype\":\"F32\",\"shape\":[02]}}", "{\"x\ny\":1}"}) {
    CHECK(refused_header(text).find("cannot be read from character") != std::string::npos);
  }
  CHECK(refused_header(std::string{sound} + '\0').find("cannot be read from character") != std::string::npos);
  CHECK(refused_header(std::string(100'000, '[')).find("cannot be read from character 0 on") != std::string::npos);
}

TEST_CASE("every key is there once, and every byte is of one tensor") {
  const std::string_view biases = "\"b[0] biases\":{\"dtype\":\"F16\",\"shape\":[1],\"data_offsets\":[8,10]}";
  const auto with = [&](std::string_view weights) { return "{" + std::string{weights} + "," + std::string{biases} + "}"; };
  CHECK(refused_header(with(biases)) == "ipuflow: 'f' has 'b[0] biases' twice; the file is damaged, get it anew");
  CHECK(refused_header(with("\"b[0] weights\":{\"dtype\":\"F32\",\"shape\":[1,2],\"shape\":[1,2],\"data_offsets\":[0,8]}")).find("'shape' twice") !=
        std::string::npos);
  CHECK(refused_header(with("\"__metadata__\":{\"a\":\"1\",\"a\":\"2\"}")).find("'a' twice") != std::string::npos);
  CHECK(refused_header(with("\"b[0] weights\":{\"dtype\":\"F16\",\"shape\":[1,2],\"data_offsets\":[0,4]}")) ==
        "ipuflow: a tensor of 'f' ends at byte 4 but what is next begins at byte 8; the safetensors file is damaged, get it anew");
  CHECK(refused_header(with("\"b[0] weights\":{\"dtype\":\"F32\",\"shape\":[1,2],\"data_offsets\":[2,10]}")).find("ends at byte 0 but") !=
        std::string::npos);  // they overlap
  CHECK(refused_header(with("\"b[0] weights\":{\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[0,8]}"), 10).find("the shape [1] but") !=
        std::string::npos);
  CHECK(refused(with_header(sound, std::string{ten} + "more")) ==
        "ipuflow: a tensor of 'f' ends at byte 10 but what is next begins at byte 14; the safetensors file is damaged, get it anew");
}

TEST_CASE("a file of which a byte has changed is read or refused, never more") {
  const std::string whole = with_header(sound, ten);
  std::size_t refusals = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (const int by : {1, 2, 0x40, 0xff}) {
      std::string changed = whole;
      changed[i] = static_cast<char>(changed[i] ^ by);
      train::model<> m{{7, 7, 7}, {}};
      try {
        train::impl::fill_from(m, train::impl::weight_table::of(two_tensors),
                               train::impl::read_safetensors({reinterpret_cast<const std::uint8_t*>(changed.data()), changed.size()}, "f"), "f");
      } catch (const rejected<train::weights_fault>& wrong) {
        ++refusals;
        CHECK(std::string_view{wrong.what()}.starts_with("ipuflow: "));
        CHECK(m.values[0] == 7);
      }
    }
  }
  CHECK(refusals > 3 * sound.size());
}

}  // namespace safetensors_test
