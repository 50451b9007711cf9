// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/core/per_stage.hpp>
#include <ipuflow/train/npz_weights.hpp>

#include "made_file.hpp"
#include "small_network.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>

namespace npz_weights_test {

using namespace ipuflow;

TEST_CASE("what is saved is loaded, bit for bit, with the running state, and is what any reader of .npz finds") {
  const test::made_file file{"round.npz", ""};
  train::model<> m = train::initial_model(test::small_network, 3);
  for (std::size_t i = 0; i < m.state.size(); ++i) m.state[i] = static_cast<float>(i) + 0.25f;
  save_npz(test::small_network, m, file.path());
  train::model<> read = train::initial_model(test::small_network, 4);
  load_npz(test::small_network, read, file.path());
  CHECK(read == m);

  const feed::npz arrays{file.path()};
  CHECK(arrays.names()[0] == "a[0] weights");
  CHECK(arrays.header("a[0] weights").extents == per_stage(3, 1, 3, 3));
  const auto filters = arrays.array<float, 1, 3, 3>("a[0] weights");
  CHECK(filters.size() == 3);
  CHECK(filters[2][8] == m.values[26]);
  CHECK(reinterpret_cast<std::uintptr_t>(filters[0].data()) % 64 == 0);  // mapped where it is
  CHECK(arrays.array<float>("a[0] biases")[1] == m.values[28]);
}

TEST_CASE("doubles are saved as doubles, and read into floats") {
  const test::made_file file{"double.npz", ""};
  const train::model<double> m = train::initial_model<double>(test::small_network, 3);
  save_npz(test::small_network, m, file.path());
  CHECK(feed::npz{file.path()}.header("d[0] weights").element_text() == fixed_string{"<f8"});
  train::model<> read = train::initial_model(test::small_network, 4);
  load_npz(test::small_network, read, file.path());
  CHECK(read.values[10] == static_cast<float>(m.values[10]));
}

TEST_CASE("another network's weights are refused, and the model stays as it was") {
  constexpr auto one = single_stage(input<float, 2>, block<"b">(nn::linear<1>));
  constexpr auto wider = single_stage(input<float, 3>, block<"b">(nn::linear<1>));
  const test::made_file file{"other.npz", ""};
  save_npz(one, train::model<>{{1, 2, 3}, {}}, file.path());
  train::model<> m{{7, 7, 7, 7}, {}};
  const auto said = test::sentence_of<rejected<train::weights_fault>>(file.path(), [&] { load_npz(wider, m, file.path()); });
  CHECK(said.find("tensor 'b[0] weights' of 'f' has the shape [1, 2] but the network wants [1, 3]") != std::string::npos);
  CHECK(m.values[3] == 7);
  CHECK_THROWS_AS(save_npz(wider, train::model<>{{1, 2, 3}, {}}, file.path()), rejected<train::model_fault>);
  CHECK_THROWS_AS(save_npz(one, train::model<>{{1, 2, 3}, {}}, "/no/such/folder/w.npz"), rejected<train::model_file_fault>);
}

TEST_CASE("an array that the network has not is refused before it is unpacked, and one that is there twice") {
  constexpr auto one = single_stage(input<float, 2>, block<"b">(nn::linear<1>));
  const test::made_file file{"names.npz", ""};
  save_npz(one, train::model<>{{1, 2, 3}, {}}, file.path());
  std::ifstream in{file.path(), std::ios::binary};
  std::string bytes{std::istreambuf_iterator<char>{in}, {}};
  bytes.replace(bytes.rfind("b[0] weights"), 12, "b[0] weighty");  // in the directory
  bytes[bytes.find("NUMPY") + 80] ^= 1;                            // if it were unpacked, it would be refused for its checksum
  const test::made_file changed{"changed.npz", bytes};
  train::model<> m{{7, 7, 7}, {}};
  const auto said = test::sentence_of<rejected<train::weights_fault>>(changed.path(), [&] { load_npz(one, m, changed.path()); });
  CHECK(said.find("'f' has a tensor 'b[0] weighty' that the network has not") != std::string::npos);
  CHECK(m.values[2] == 7);
}

TEST_CASE("an archive with an array twice is refused") {
  constexpr auto one = single_stage(input<float, 1>, block<"b">(nn::linear<1>));
  const test::made_file file{"twice.npz", ""};
  {
    train::impl::zip_writer twice{file.path()};
    const float number = 1;
    for (const char* name : {"b[0] weights.npy", "b[0] biases.npy", "b[0] weights.npy"}) {
      train::named_tensor t;
      for (std::size_t axis = 0; axis < (name[5] == 'w' ? 2u : 1u); ++axis) t.extents.push_back(1);
      twice.add(name, train::impl::npy_header_of<float>(t), &number, sizeof number);
    }
    twice.keep();
  }
  train::model<> m{{7, 7}, {}};
  const auto said = test::sentence_of<rejected<train::weights_fault>>(file.path(), [&] { load_npz(one, m, file.path()); });
  CHECK(said == "ipuflow: 'f' has 'b[0] weights' twice; the file is damaged, get it anew");
  CHECK(m.values[0] == 7);
}

}  // namespace npz_weights_test
