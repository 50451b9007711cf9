// SPDX-License-Identifier: BSL-1.0
// Files that earlier versions wrote are read by this one, every number of them. test/old_files has a folder of each version that
// changed a format; all hold what stands here. The files of this version are written to the folder `next` by
//   train_test --no-skip --test-case="the files of this version are written"
#include <ipuflow/train/checkpoint_file.hpp>
#include <ipuflow/train/model_file.hpp>
#include <ipuflow/train/npz_weights.hpp>
#include <ipuflow/train/safetensors.hpp>

#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace old_files_test {

using namespace ipuflow;

namespace {

constexpr auto network = single_stage(input<float, 2>, block<"b">(nn::linear<1>, nn::batch_norm));

template <class Number>
train::model<Number> written() {
  return {{1, Number(-2.5), Number(3e-9), Number(0.1), Number(-0.0)}, {Number(0.5), Number(6)}};
}

train::checkpoint<float> written_checkpoint() {
  train::checkpoint<float> c;
  c.state.learned = written<float>();
  c.state.optimiser = type_text{std::string_view{"adamw"}};
  for (std::size_t i = 0; i < 40; ++i) c.state.optimiser_numbers.push_back(static_cast<std::byte>(3 * i));
  c.state.seed = 0xfedcba9876543210u;
  c.state.steps = 12;
  c.state.updates = 11;
  c.state.micro_batches = 96;
  c.state.loss_factor = 1024;
  c.state.good_updates = 5;
  c.state.skipped_updates = 2;
  c.place = {.pass = 3, .samples = 40};
  return c;
}

/// Equal to the last bit: -0 is not 0.
template <class Number>
bool same(const train::model<Number>& a, const train::model<Number>& b) {
  const auto signs = [](Number x, Number y) { return x == y && std::signbit(x) == std::signbit(y); };
  return std::ranges::equal(a.values, b.values, signs) && std::ranges::equal(a.state, b.state, signs);
}

template <class Number>
train::model<Number> other() {
  return {std::vector<Number>(5, 9), std::vector<Number>(2, 9)};
}

/// The folders of all versions.
std::vector<std::string> folders() {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator{IPUFLOW_OLD_FILES}) {
    if (entry.is_directory() && entry.path().filename() != "next") found.push_back(entry.path().string() + "/");
  }
  return found;
}

template <class Number>
void models_are_read(const std::string& folder, const std::string& number) {
  CAPTURE(folder);
  auto m = other<Number>();
  load(m, folder + number + ".model");
  CHECK(same(m, written<Number>()));
  m = other<Number>();
  train::load_safetensors(network, m, folder + number + ".safetensors");
  CHECK(same(m, written<Number>()));
  m = other<Number>();
  load_npz(network, m, folder + number + ".npz");
  CHECK(same(m, written<Number>()));
}

}  // namespace

TEST_CASE("models and weights of every version are read, in both precisions") {
  const std::string first = IPUFLOW_OLD_FILES "/0.1/";
  REQUIRE(std::ranges::count(folders(), first) == 1);
  for (const std::string& folder : folders()) {
    models_are_read<float>(folder, "float");
    models_are_read<double>(folder, "double");
  }
}

TEST_CASE("a checkpoint of every version is read, with the session's numbers and its place in the data") {
  for (const std::string& folder : folders()) {
    CAPTURE(folder);
    const auto c = train::load_checkpoint<float>(folder + "float.checkpoint");
    CHECK(c == written_checkpoint());
    CHECK(same(c.state.learned, written<float>()));
  }
}

TEST_CASE("the files of this version are written" * doctest::skip()) {
  const std::string folder = IPUFLOW_OLD_FILES "/next/";
  std::filesystem::create_directory(folder);
  const auto write = [&](const auto& m, const std::string& number) {
    save(m, folder + number + ".model");
    train::save_safetensors(network, m, folder + number + ".safetensors");
    save_npz(network, m, folder + number + ".npz");
  };
  write(written<float>(), "float");
  write(written<double>(), "double");
  save(written_checkpoint(), folder + "float.checkpoint");
}

}  // namespace old_files_test
