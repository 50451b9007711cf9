// SPDX-License-Identifier: BSL-1.0
// Networks that are fed with bytes, which stay bytes up to the layer that makes them real.
#include "chips_check.hpp"

#include <ipuflow/feed/column.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <tuple>
#include <vector>

namespace on_chips_bytes_test {

using namespace ipuflow;

namespace {

constexpr auto label = per_sample<"label", std::uint8_t>;

/// The same network behind bytes and behind floats: a checkpoint is the layer that computes nothing, and keeps the others
/// where they are, so that they begin with the same weights.
template <class Element, class First>
constexpr auto fed_with(First first) {
  return pipeline(input<Element, 1, 6, 6>, label, block<"a">(first, nn::conv2d<3, 3>, nn::relu),
                  block<"b">(nn::flatten, nn::linear<4>, use<"label">(nn::cross_entropy)));
}
constexpr auto of_bytes = fed_with<std::uint8_t>(nn::normalise<0.4, 0.3>);
constexpr auto of_floats = fed_with<float>(nn::checkpoint);

/// Bytes go through the first stage.
constexpr auto bytes_between = pipeline(input<std::uint8_t, 1, 6, 6>, label, block<"a">(nn::flatten),
                                        block<"b">(nn::cast<float>, nn::layer_norm, nn::linear<9>, nn::relu),
                                        block<"c">(nn::linear<4>, use<"label">(nn::cross_entropy)));
/// Halves are made of them, and they are kept beside for later.
constexpr auto bytes_kept = pipeline(
    input<std::uint8_t, 1, 6, 6>, label, block<"a">(keep<"raw">, nn::normalise<0.4, 0.3>, nn::cast<half>, nn::conv2d<1, 3, 1, 1>, nn::relu),
    block<"b">(nn::cast<float>, nn::tanh), block<"c">(keep<"seen">, nn::relu),
    block<"d">(use<"seen">(nn::add), nn::flatten, nn::linear<4>, use<"label">(nn::cross_entropy)));

train::options plain(std::size_t micro_batch = 5) {
  train::options o = test::small_options(micro_batch);
  o.inputs = {};
  o.outputs = feed::output_mode::all;
  return o;
}

const schedule::table& two_stages() {
  static const schedule::table t = schedule::tabulate(schedule::grouped(of_bytes, micro_batches<4>));
  return t;
}

template <class A, class B>
void check_equal(A& a, B& b) {
  for (std::size_t step = 0; step < 3; ++step) {
    const test::made_up samples{a.samples_per_step(), 7 + 2 * step};
    const auto& of_a = a(samples);
    const auto& of_b = b(samples);
    for (std::size_t c = 0; c < of_a.size(); ++c) CHECK(of_a[c].values == of_b[c].values);
    CHECK(a.parameters()->values == b.parameters()->values);
  }
}

}  // namespace

TEST_CASE("A network fed with bytes gives, bit for bit, what one of floats gives with scaled inputs: on threads and on chips") {
  train::options scaled = plain();
  scaled.inputs = test::small_options().inputs;
  const train::adamw rule{.rate = 1e-2f};
  train::session bytes{of_bytes, two_stages(), rule, plain()};
  train::session floats{of_floats, two_stages(), rule, scaled};
  check_equal(bytes, floats);
  const on::chips two{.system = test::small_system(2), .checked = true};
  train::session byte_chips{of_bytes, two_stages(), rule, plain(), two};
  train::session float_chips{of_floats, two_stages(), rule, scaled, two};
  check_equal(byte_chips, float_chips);
}

TEST_CASE("Bytes cross the host's link and the links between chips as bytes") {
  const on::chips two{.system = test::small_system(3)};
  const train::session bytes_session{of_bytes, two_stages(), train::sgd{}, plain(), two};
  const train::session floats{of_floats, two_stages(), train::sgd{}, plain(), two};
  const std::size_t samples = bytes_session.samples_per_step(), labels = samples * 4;
  const std::uint64_t of_floats_in = floats.cost().chips.chips[0].moved.host_in, of_bytes_in = bytes_session.cost().chips.chips[0].moved.host_in;
  CHECK(of_bytes_in == samples * 36 + labels);
  CHECK(of_floats_in == samples * 36 * 4 + labels);
  const ipu::graph& g = bytes_session.program().graph();
  CHECK(g[bytes_session.program().part(0).entry[0]].size() == ipuflow::bytes{5 * 36});
  CHECK(floats.program().graph()[floats.program().part(0).entry[0]].size() == ipuflow::bytes{5 * 36 * 4});

  const train::session between{bytes_between, schedule::grouped(bytes_between, micro_batches<6>), train::sgd{}, plain(), two};
  const std::size_t there = between.samples_per_step();
  CHECK(between.cost().chips.chips[1].moved.chip_in == there * (36 + 4) + there * 9 * 4);  // and the gradient of what it gives
}

TEST_CASE("Bytes that flow or are kept between stages are trained on like any other input, with every order of passes") {
  const auto o = plain(3);
  test::check_on_chips(bytes_between, schedule::grouped(bytes_between, micro_batches<6>), o);
  test::check_on_chips(bytes_between, schedule::one_f_one_b(bytes_between, micro_batches<6>), o);
  test::check_on_chips(bytes_between, schedule::zb1p(bytes_between, micro_batches<6>), o);
  test::check_on_chips(bytes_kept, schedule::grouped(bytes_kept, micro_batches<8>), o, {}, 5e-3);
  test::check_on_chips(of_bytes, schedule::grouped(of_bytes, micro_batches<8>, {.recompute = schedule::recomputation::automatic}), o);
  test::check_on_chips(bytes_between, schedule::grouped(bytes_between, micro_batches<6>, {.recompute = schedule::recomputation::then_backpropagate}), o);
}

TEST_CASE("Inference is fed with bytes, too") {
  const auto run = schedule::inference(of_bytes, micro_batches<4>);
  const auto model = std::make_shared<train::model<>>(train::initial_model(of_bytes, 4));
  auto host = train::inference(of_bytes, run, model, plain());
  auto chips = train::inference(of_bytes, run, model, plain(), on::chips{.system = test::small_system(2), .checked = true});
  const test::made_up samples{host.samples_per_step()};
  const auto& wanted = host(samples);
  const auto& got = chips(samples);
  for (std::size_t c = 0; c < wanted.size(); ++c) CHECK(test::farthest(got[c].values, wanted[c].values) < 1e-5);
}

namespace {

/// Samples of ints, of which the pipeline wants bytes.
struct ints {
  std::vector<int> pixels = std::vector<int>(2 * 36, 255);
  std::vector<std::int64_t> labels{0, 3};

  std::size_t size() const { return 2; }
  auto columns() const {
    return std::tuple{feed::column_view<std::span<const int>>{pixels.data(), 2, 36}, feed::column_view<std::int64_t>{labels.data(), 2}};
  }
};

}  // namespace

TEST_CASE("A whole number that chips have no room for is refused and not cut, as on threads; the session goes on") {
  train::session chips{of_bytes, schedule::sequential(of_bytes, micro_batches<1>), train::sgd{}, {.micro_batch = 2},
                       on::chips{.system = test::small_system(2)}};
  ints samples;
  samples.pixels[36] = 256;
  const auto refused_with = [&](train::session_fault wanted) {
    try {
      chips(samples);
    } catch (const rejected<train::session_fault>& no) {
      return no.found() == wanted;
    }
    return false;
  };
  CHECK(refused_with({train::session_wrong::number_cut, 1, 8}));
  samples.pixels[36] = 255;
  samples.labels[0] = (std::int64_t{1} << 32) + 1;
  CHECK(refused_with({train::session_wrong::number_cut, 0, 32}));
  samples.labels[0] = 1;
  chips(samples);
  CHECK(chips.updates() == 1);
}

}  // namespace on_chips_bytes_test
