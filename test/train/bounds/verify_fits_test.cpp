// SPDX-License-Identifier: BSL-1.0
// The law: what a training takes on the fullest tile of each chip, counted as a whole, is at most the bound, for networks of each kind of
// layer, schedules, precisions and sizes. And a bound is of use: the tutorial's network is proved to fit, one that is too large is not.
#include <ipuflow/chips.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>
#include <ipuflow/train/bounds/verify_fits.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>

namespace verify_fits_test {

using namespace ipuflow;

using halves = train::precision<float, half, half>;
using floats = train::precision<float>;

constexpr auto mnist = pipeline(input<half, 1, 28, 28>, per_sample<"label", std::uint8_t>,
    stage(block<"B1">(nn::conv2d<10, 5>, nn::max_pool<2>, nn::relu)).ipu<0>(),
    stage(block<"B2">(nn::conv2d<20, 5>, nn::max_pool<2>, nn::relu),
          block<"B3">(nn::flatten, nn::linear<256>, nn::relu),
          block<"B4">(nn::linear<10>, use<"label">(nn::cross_entropy))).ipu<1>());
constexpr auto dense = pipeline(input<float, 300>, per_sample<"label", std::uint8_t>,
    stage(block<"D1">(nn::linear<512>, nn::gelu)).ipu<0>(),
    stage(block<"D2">(nn::linear<128>, nn::layer_norm, nn::tanh), block<"D3">(nn::linear<10>, use<"label">(nn::cross_entropy))).ipu<1>());
constexpr auto residual = pipeline(input<half, 3, 16, 16>, per_sample<"label", std::uint8_t>,
    stage(block<"R0">(nn::conv2d<16, 3, 1, 1>, nn::batch_norm, nn::relu)).ipu<0>(),
    stage(block<"R1">(keep<"x">, nn::conv2d<16, 3, 1, 1>, nn::relu, nn::conv2d<16, 3, 1, 1>, use<"x">(nn::add), nn::relu)).ipu<1>(),
    stage(block<"R2">(nn::conv2d<32, 3, 2, 1>, nn::relu, nn::average_pool<2>),
          block<"R3">(nn::flatten, nn::dropout<0.5>, nn::linear<10>, use<"label">(nn::cross_entropy))).ipu<2>());
constexpr auto feed_forward = pipeline(input<half, 16, 64>, per_sample<"label", std::uint8_t>,
    stage(block<"M1">(keep<"x">, nn::layer_norm, nn::linear<128>, nn::gelu, nn::linear<64>, use<"x">(nn::add))).ipu<0>(),
    stage(block<"M2">(keep<"x">, nn::layer_norm, nn::linear<128>, nn::gelu, nn::linear<64>, use<"x">(nn::add)),
          block<"M3">(nn::flatten, nn::linear<10>, use<"label">(nn::cross_entropy))).ipu<1>());

constexpr auto odd = pipeline(input<half, 33, 65>, per_sample<"to", tensor<half, 33, 65>>,
    stage(block<"O1">(keep<"x">, nn::linear<129>, nn::gelu, nn::linear<65>, nn::dropout<0.1>, use<"x">(nn::add), nn::layer_norm)).ipu<0>(),
    stage(block<"O2">(nn::linear<65>, use<"to">(nn::mean_squared_error))).ipu<1>());

constexpr auto language = pipeline(input<std::uint16_t, 21>, per_sample<"segment", tensor<std::uint8_t, 21>>, per_sample<"next", tensor<std::uint16_t, 21>>,
    stage(block<"embed">(nn::embedding<301, 36, half>, use<"segment">(nn::add_embedding<2>), nn::position_embedding_up_to<40>, nn::layer_norm)).ipu<0>(),
    stage(repeat<2>(block<"layer">(nn::checkpoint, keep<"x">, nn::linear<108>, use<"segment">(nn::attention<3>), nn::linear<36>, use<"x">(nn::add), nn::layer_norm,
                                   keep<"y">, nn::linear<72>, nn::gelu, nn::linear<36>, use<"y">(nn::add), nn::layer_norm))).ipu<1>(),
    stage(block<"head">(nn::linear<301>, use<"next">(nn::cross_entropy))).ipu<2>());
constexpr auto vision = pipeline(input<std::uint8_t, 3, 20, 20>, per_sample<"label", std::uint8_t>,
    stage(block<"embed">(nn::cast<half>, nn::normalise<0.5, 0.5>, nn::conv2d<24, 4, 4>, nn::squeeze_excite<"channels", 24, 4>(), nn::to_sequence,
                         nn::class_token, nn::position_embedding)).ipu<0>(),
    stage(block<"layer">(keep<"x">, nn::linear<72>, keep<"qkv">, nn::attention_scores<2>, nn::causal_mask, nn::attention_shares, nn::dropout<0.1>,
                         use<"qkv">(nn::weighted_values), nn::linear<24>, use<"x">(nn::add), nn::swap_axes, nn::softmax, nn::swap_axes),
          block<"head">(nn::position<0>, nn::linear<10>, use<"label">(nn::cross_entropy))).ipu<1>());

template <class Precision, class P, class T, class Optimiser>
void check(const std::string& name, const P& network, const T& timetable, const Optimiser& optimiser, std::initializer_list<std::size_t> samples) {
  for (const std::size_t micro_batch : samples) {
    const auto bounds = train::memory_bounds<Precision>(network, timetable, optimiser, {.micro_batch = micro_batch});
    const train::session session(network, timetable, optimiser, train::options{.micro_batch = micro_batch, .check_loss = false}, on::chips{.allow_out_of_memory = true}, Precision{});
    const ipu::memory_report counted = session.cost().chips.memory;
    for (std::size_t chip = 0; chip < timetable.where.ipus; ++chip) {
      std::uint64_t most = 0;
      for (std::size_t t = 0; t < ipu::mk2.tiles; ++t) most = std::max<std::uint64_t>(most, counted.tiles[chip * ipu::mk2.tiles + t].total());
      const double ratio = static_cast<double>(bounds[chip].total()) / static_cast<double>(most);
      MESSAGE(name, ", ", micro_batch, " samples, chip ", chip, ": counted ", most, ", bound ", bounds[chip].total(), ", ", ratio);
      CHECK(most <= bounds[chip].total());
      CHECK(ratio < 3);
    }
  }
}

TEST_CASE("no tile takes more than the bound: convolutions") {
  check<halves>("MNIST", mnist, schedule::one_f_one_b(training(mnist), micro_batches<8>), train::sgd{.momentum = 0.9f}, {1, 64, 1024});
  check<halves>("residual", residual, schedule::one_f_one_b(training(residual), micro_batches<8>), train::sgd{}, {4, 32});
}

TEST_CASE("no tile takes more than the bound: schedules") {
  check<floats>("MNIST, GPipe", mnist, schedule::gpipe(training(mnist), micro_batches<6>), train::adam{}, {16});
  check<floats>("MNIST, grouped", mnist, schedule::grouped(training(mnist), micro_batches<8>), train::sgd{}, {16});
}

TEST_CASE("no tile takes more than the bound: products") {
  check<floats>("dense", dense, schedule::one_f_one_b(training(dense), micro_batches<8>), train::adam{}, {1, 16, 256});
  check<halves>("feed-forward", feed_forward, schedule::one_f_one_b(training(feed_forward), micro_batches<8>), train::adam{}, {1, 16});
  check<floats>("odd", odd, schedule::gpipe(training(odd), micro_batches<5>), train::adam{}, {17});  // 51 parts of rows, whose sums are on one tile
}

TEST_CASE("no tile takes more than the bound: tables, attention and sequences, with checkpoints or without") {
  const auto again = schedule::grouped(training(language), micro_batches<6>, {.recompute = schedule::recomputation::and_backpropagate});
  check<halves>("language", language, schedule::one_f_one_b(training(language), micro_batches<4>), train::adam{}, {1, 7, 64});
  check<halves>("language, made again", language, again, train::adam{}, {1, 16});
  check<halves>("vision", vision, schedule::one_f_one_b(training(vision), micro_batches<4>), train::adam{}, {1, 7, 64});
}

constexpr auto step = schedule::one_f_one_b(training(mnist), micro_batches<16>);

TEST_CASE("the tutorial's network is proved to fit with room, one that is too large is not") {
  static_assert(accept<train::verify_fits<halves>(mnist, step, train::sgd{}, {.micro_batch = 64})>());
  CHECK(!train::verify_fits<halves>(mnist, step, train::sgd{}, {.micro_batch = 2048, .headroom = 0.5}));
  const train::bound_fault large = train::verify_fits<halves>(mnist, step, train::sgd{}, {.micro_batch = 16'384});
  CHECK(large.kind == train::bound_wrong::not_proved);
  CHECK(large.where.chip == 0);
  CHECK(large.where.largest == plan::memory_use::activations);
  CHECK(large.limit == 607'027);
  CHECK(large.got > large.limit);
}

TEST_CASE("headroom, state and depth count") {
  const auto with = [](auto optimiser, train::bound_options o) { return train::memory_bounds<halves>(mnist, step, optimiser, o)[0]; };
  using plan::memory_use;
  const train::chip_bound one = with(train::sgd{}, {.micro_batch = 64}), two = with(train::adam{}, {.micro_batch = 64});
  CHECK(two[memory_use::optimiser_state] == 2 * one[memory_use::optimiser_state]);
  const auto deep = train::memory_bounds<halves>(mnist, schedule::gpipe(training(mnist), micro_batches<16>), train::sgd{}, {.micro_batch = 64})[0];
  CHECK(deep[memory_use::stash] == 15 * one[memory_use::stash]);
  CHECK(train::verify_fits<halves>(mnist, step, train::sgd{}, {.micro_batch = 64, .headroom = 0.99}).kind == train::bound_wrong::not_proved);
  for (const double none : {-0.01, 1.5, std::numeric_limits<double>::quiet_NaN()}) {
    CHECK_THROWS_AS((void)train::verify_fits<halves>(mnist, step, train::sgd{}, {.headroom = none}), rejected<arithmetic_fault>);
    CHECK_THROWS_AS((void)train::verify_fits<halves>(mnist, step, train::sgd{}, {.memory_proportion = none}), rejected<arithmetic_fault>);
  }
}

TEST_CASE("a chip that is none is said, by the sentence for its figure") {
  ipu::architecture chips[] = {ipu::mk2, ipu::mk2, ipu::mk2, ipu::mk2, ipu::mk2, {}};
  chips[0].tiles = 0;
  chips[1].workers = 0;
  chips[2].exchange_width = 0;
  chips[3].tile_memory = {};
  chips[4].half_half = {};
  for (const ipu::architecture& chip : chips) {
    const train::bound_fault found = train::verify_fits<halves>(mnist, step, train::sgd{}, {.chip = chip});
    CHECK(found.kind == train::bound_wrong::chip);
    CHECK(sentence(found).view() == sentence(ipu::verify(chip)).view());
  }
}

TEST_CASE("operations of each chip may take memory of their own") {
  const auto bounds = [](const train::bound_options& o) { return train::memory_bounds<halves>(mnist, step, train::sgd{}, o); };
  const auto both = bounds({.micro_batch = 1024, .memory_proportion = {0.02, 0.6}});
  const auto least = bounds({.micro_batch = 1024, .memory_proportion = 0.02}), most = bounds({.micro_batch = 1024, .memory_proportion = 0.6});
  CHECK(both[0] == least[0]);
  CHECK(both[1] == most[1]);
  CHECK(!(least == most));
  const train::bound_fault wrong = train::verify_fits<halves>(mnist, step, train::sgd{}, {.memory_proportion = {0.1, 0.2, 0.3}});
  CHECK(wrong.kind == train::bound_wrong::proportions);
  CHECK(sentence(wrong).view() == "ipuflow: memory_proportion has 3 numbers for a replica of 2 chips; give one for all, or one for each of at most 64");
}

constexpr auto wide = pipeline(input<half, 4096>, per_sample<"label", std::uint8_t>, stage(block<"A">(nn::linear<4096>, nn::relu)).ipu<0>(),
    stage(block<"B">(nn::linear<4096>, use<"label">(nn::cross_entropy))).ipu<1>());

TEST_CASE("layers of thousands are proved within the steps that compilers take") {
  static_assert(accept<train::verify_fits<halves>(wide, schedule::one_f_one_b(training(wide), micro_batches<8>), train::sgd{}, {.micro_batch = 1})>());
}

constexpr auto gpt = pipeline(input<std::uint8_t, 128>, per_sample<"next", tensor<std::uint8_t, 128>>,
    split<4>(block<"embed">(nn::embedding<96, 192, half>, nn::position_embedding),
             repeat<6>(block<"layer">(keep<"x">, nn::layer_norm, nn::linear<576>, nn::causal_attention<6>, nn::linear<192>, use<"x">(nn::add),
                                      keep<"y">, nn::layer_norm, nn::linear<768>, nn::gelu, nn::linear<192>, use<"y">(nn::add))),
             block<"head">(nn::layer_norm, nn::linear<96>, use<"next">(nn::cross_entropy))));

TEST_CASE("a language model is proved within these steps, too") {
  static_assert(accept<train::verify_fits<halves>(gpt, schedule::one_f_one_b(training(gpt), micro_batches<8>), train::adamw{}, {.micro_batch = 8})>());
}

template <class E, std::size_t Words, std::size_t Positions, std::size_t Features>
constexpr auto tied_gpt = pipeline(input<std::uint16_t, Positions>, per_sample<"next", tensor<std::uint16_t, Positions>>,
    stage(block<"embed">(nn::embedding<Words, Features, E>, nn::position_embedding)).template ipu<0>(),
    stage(block<"layer">(keep<"x">, nn::layer_norm, nn::linear<3 * Features>, nn::causal_attention<4>, nn::linear<Features>, use<"x">(nn::add)),
          block<"head">(nn::layer_norm, nn::tied<"embed[0]">(nn::linear<Words>), use<"next">(nn::cross_entropy))).template ipu<1>());
template <class E, std::size_t Words>
constexpr auto tied_thrice = pipeline(input<std::uint16_t, 10>, per_sample<"next", tensor<std::uint16_t, 10>>,
    stage(block<"embed">(nn::embedding<Words, 60, E>), block<"middle">(nn::tied<"embed[0]">(nn::linear<Words>), nn::relu)).template ipu<0>(),
    stage(block<"last">(nn::linear<60>), block<"head">(nn::tied<"embed[0]">(nn::linear<Words>), use<"next">(nn::cross_entropy))).template ipu<1>());
constexpr auto tied_linear = pipeline(input<half, 33, 65>, per_sample<"to", tensor<half, 33, 65>>,
    stage(block<"a">(nn::linear<130>, nn::gelu, nn::linear<65>), block<"b">(nn::tied<"a[0]">(nn::linear<130>), nn::relu)).ipu<0>(),
    stage(block<"c">(nn::linear<65>, use<"to">(nn::mean_squared_error))).ipu<1>());

TEST_CASE("no tile takes more than the bound: weights that layers share") {
  constexpr auto& small = tied_gpt<half, 97, 32, 64>;
  constexpr auto& large = tied_gpt<half, 8000, 64, 128>;
  const auto again = schedule::grouped(training(small), micro_batches<8>, {.recompute = schedule::recomputation::and_backpropagate});
  check<halves>("tied", small, again, train::adam{}, {1, 16});
  check<halves>("tied, 8,000 words", large, schedule::one_f_one_b(training(large), micro_batches<4>), train::adam{}, {1, 8});
  check<floats>("tied thrice", tied_thrice<float, 501>, schedule::one_f_one_b(training(tied_thrice<float, 501>), micro_batches<4>), train::sgd{}, {1, 7, 64});
  check<halves>("tied linear", tied_linear, schedule::one_f_one_b(training(tied_linear), micro_batches<4>), train::adam{}, {5, 17, 64});
  static_assert(accept<train::verify_fits<halves>(small, schedule::one_f_one_b(training(small), micro_batches<4>), train::adamw{}, {.micro_batch = 8})>());
}

constexpr auto apart = place<3, 1>(mnist);

TEST_CASE("chips are those of the timetable, whatever their numbers") {
  constexpr auto timetable = schedule::one_f_one_b(training(apart), micro_batches<16>);
  static_assert(accept<train::verify_fits<halves>(apart, timetable, train::sgd{}, {.micro_batch = 64})>());
  const auto bounds = train::memory_bounds<halves>(apart, timetable, train::sgd{}, {.micro_batch = 64});
  const auto near = train::memory_bounds<halves>(mnist, step, train::sgd{}, {.micro_batch = 64});
  CHECK(bounds[0].chip == 1);
  CHECK(bounds[0].by_use == near[1].by_use);
  CHECK(bounds[1].chip == 3);
  CHECK(bounds[1].by_use == near[0].by_use);
  CHECK(train::verify_fits<halves>(apart, timetable, train::sgd{}, {.micro_batch = 16'384}).where.chip == 1);
}

constexpr auto branched = pipeline(input<float, 64>, per_sample<"label", std::uint8_t>,
    concurrent(stage(block<"A">(nn::linear<10>)).ipu<0>(), stage(block<"B">(nn::linear<4096>, nn::linear<10>)).ipu<1>()),
    stage(block<"C">(nn::add, use<"label">(nn::cross_entropy))).ipu<2>());

TEST_CASE("concurrent branches on chips of their own are refused, on one chip they are bounded") {
  const auto wrong = train::verify_fits(branched, schedule::one_f_one_b(training(branched), micro_batches<4>), train::sgd{});
  CHECK(wrong.kind == train::bound_wrong::crossed);
  CHECK(wrong.where.stage == 0);
  CHECK(!train::verify_fits(branched, schedule::one_f_one_b(training(dense), micro_batches<4>), train::sgd{}));
}

TEST_CASE("what a session refuses is not proved to fit") {
  const auto other = train::verify_fits(mnist, schedule::one_f_one_b(training(residual), micro_batches<4>), train::sgd{});
  CHECK(sentence(other).view() == "ipuflow: the timetable is for 3 stages but the pipeline has 2; make the timetable for this pipeline");
  const auto none = train::verify_fits<halves>(mnist, step, train::sgd{}, {.micro_batch = 0});
  CHECK(sentence(none).view() == "ipuflow: a micro-batch of 0 samples feeds nothing; give micro_batch at least 1");
}

struct own {};
template <class X>
constexpr X output_of(own, X) {
  return {};
}
template <class X>
constexpr nn::layer_facts facts(own, X) {
  return {};
}
template <class T, class X, class Y>
void forward(own, nn::forward_pass<T, nn::in<X>, nn::out<Y>>) {}
template <class T, class X, class Y>
void backward_inputs(own, nn::inputs_pass<T, nn::in<X>, nn::out<Y>>) {}

constexpr auto with_own = pipeline(input<half, 64>, stage(block<"A">(nn::linear<32>)).ipu<0>(), stage(block<"B">(own{}, nn::linear<8>)).ipu<1>());

TEST_CASE("a layer without a bound is named with its stage") {
  const train::bound_fault found = train::verify_fits(with_own, schedule::one_f_one_b(training(with_own), micro_batches<4>), train::sgd{});
  CHECK(found.kind == train::bound_wrong::layer_unknown);
  CHECK(found.where.stage == 1);
  CHECK(found.where.layer.view().find("own") != found.where.layer.view().npos);
}

}  // namespace verify_fits_test
