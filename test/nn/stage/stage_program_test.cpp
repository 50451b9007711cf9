// SPDX-License-Identifier: BSL-1.0
#include "layer_check.hpp"
#include "stage_pipelines.hpp"
#include "stage_runner.hpp"

#include <ipuflow/graph/describe.hpp>
#include <ipuflow/graph/regroup.hpp>
#include <ipuflow/nn/layers/activation.hpp>
#include <ipuflow/nn/layers/checkpoint.hpp>
#include <ipuflow/nn/layers/conv2d.hpp>
#include <ipuflow/nn/layers/dropout.hpp>
#include <ipuflow/nn/layers/flatten.hpp>
#include <ipuflow/nn/layers/linear.hpp>
#include <ipuflow/nn/layers/loss.hpp>
#include <ipuflow/nn/layers/norm.hpp>
#include <ipuflow/nn/layers/pool.hpp>
#include <ipuflow/nn/layers/residual.hpp>

#include <algorithm>
#include <cstring>

namespace stage_program_test {

using namespace nn_test;

namespace {

/// Checkpoints at the beginning, in the middle and at the end of stages; values that go past them and leave.
constexpr auto marked =
    pipeline(input<float, 1, 8, 8>, per_sample<"label", std::uint8_t>,
             stage(block<"A">(nn::conv2d<3, 3>, nn::relu, nn::checkpoint, nn::conv2d<3, 3>, nn::batch_norm, nn::tanh,
                              nn::checkpoint, nn::conv2d<4, 2>, nn::relu)),
             stage(block<"B">(nn::checkpoint, nn::flatten, nn::linear<9>, nn::tanh, keep<"skip">, nn::dropout<0.25>,
                              keep<"far">, nn::relu, nn::checkpoint, nn::linear<9>, nn::tanh, use<"skip">(nn::add),
                              use<"far">(nn::add), nn::checkpoint)),
             stage(block<"C">(use<"far">(nn::add), nn::linear<5>, nn::checkpoint, use<"label">(nn::cross_entropy))));

/// What the branches keep and what entered the stage leave it by name, too.
constexpr auto forked = pipeline(
    input<float, 5>, per_sample<"goal", tensor<float, 3>>, stage(block<"in">(nn::linear<3>, nn::tanh, keep<"in">)),
    concurrent(stage(block<"left">(nn::linear<3>, keep<"l">, nn::relu, nn::linear<3>)).ipu<1>(),
               stage(block<"right">(keep<"r">, nn::dropout<0.25>, nn::linear<3>)).ipu<2>()),
    stage(block<"out">(nn::add, use<"r">(nn::add), use<"in">(nn::add), nn::tanh)).ipu<3>(),
    stage(block<"end">(use<"l">(nn::add), use<"goal">(nn::mean_squared_error))).ipu<3>());

/// A value and its double, each times the same learned number.
struct twice_t {};
constexpr twice_t twice{};
constexpr std::tuple<tensor<float, 3>, tensor<float, 3>> output_of(twice_t, tensor<float, 3>) { return {}; }
constexpr nn::layer_facts facts(twice_t, tensor<float, 3>) { return {.parameters = 1}; }

template <class T>
constexpr void initialise_layer(twice_t, tensor<float, 3>, std::uint64_t, T* values, T*) {
  values[0] = static_cast<T>(0.75);
}
template <class T, class S>
void forward(twice_t, nn::forward_pass<T, nn::in<S>, nn::out<S, S>> pass) {
  const auto [x] = pass.in;
  const auto [y, more] = pass.out;
  for (std::size_t i = 0; i < x.size(); ++i) {
    y[i] = pass.parameters[0] * x[i];
    more[i] = y[i] + y[i];
  }
}
template <class T, class S>
void backward_inputs(twice_t, nn::inputs_pass<T, nn::in<S>, nn::out<S, S>> pass) {
  const auto [d_y, d_more] = pass.d_out;
  const auto [d_x] = pass.d_in;
  for (std::size_t i = 0; i < d_x.size(); ++i) d_x[i] = pass.parameters[0] * (d_y[i] + d_more[i] + d_more[i]);
}
template <class T, class S>
void backward_weights(twice_t, nn::weights_pass<T, nn::in<S>, nn::out<S, S>> pass) {
  const auto [x] = pass.in;
  const auto [d_y, d_more] = pass.d_out;
  nn::lanes<T> total{};
  for (std::size_t i = 0; i < x.size(); ++i) total += x[i] * (d_y[i] + d_more[i] + d_more[i]);
  nn::add_to(pass.d_parameters[0], sum(total));
}

/// Makes whole numbers, through which no gradient goes back, and what turns back to the first value.
struct count_t {};
constexpr count_t count{};
constexpr tensor<std::uint8_t, 3> output_of(count_t, tensor<float, 3>, tensor<float, 3>) { return {}; }
constexpr nn::layer_facts facts(count_t, tensor<float, 3>, tensor<float, 3>) { return {}; }
template <class T, class S, class Y>
void forward(count_t, nn::forward_pass<T, nn::in<S, S>, nn::out<Y>> pass) {
  clear(get<0>(pass.out));
}
struct instead_t {};
constexpr instead_t instead{};
constexpr tensor<float, 3> output_of(instead_t, tensor<std::uint8_t, 3>, tensor<float, 3>) { return {}; }
constexpr nn::layer_facts facts(instead_t, tensor<std::uint8_t, 3>, tensor<float, 3>) { return {}; }
template <class T, class Numbers, class S>
void forward(instead_t, nn::forward_pass<T, nn::in<Numbers, S>, nn::out<S>> pass) {
  const auto [numbers, x] = pass.in;
  std::copy_n(x.data, x.size(), get<0>(pass.out).data);
}
template <class T, class Numbers, class S>
void backward_inputs(instead_t, nn::inputs_pass<T, nn::in<Numbers, S>, nn::out<S>> pass) {
  const auto [d_y] = pass.d_out;
  std::copy_n(d_y.data, d_y.size(), get<0>(pass.d_in).data);
}

/// Of the two values that a layer makes, only one is learned from: a first layer, and one behind another.
constexpr auto half_used = pipeline(input<float, 3>, per_sample<"goal", tensor<float, 3>>,
                                    stage(block<"A">(twice, keep<"y", "more">, count, use<"y">(instead))),
                                    stage(block<"B">(nn::linear<3>, twice, keep<"a", "b">, count, use<"b">(instead))),
                                    stage(block<"C">(use<"goal">(nn::mean_squared_error))));

template <class P, class T>
void feed(pipeline_run<P, T>& run) {
  auto& first = run.template stage<0>();
  const auto fill = [&](auto view, std::uint64_t stream) {
    using element = typename decltype(view)::lane_type::value_type;
    for (std::size_t s = 0; s < run.samples; ++s) {
      for (std::size_t e = 0; e < view.elements; ++e) {
        const double value = noise(stream, s * view.elements + e);
        auto& lanes = view.group(s / nn::lane_count)[e];
        if constexpr (std::is_integral_v<element>) {
          lanes.set(s % nn::lane_count, static_cast<element>(1 + value * value * 3));
        } else {
          lanes.set(s % nn::lane_count, nn::number<element>(value));
        }
      }
    }
  };
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (fill(first.program.template input<I>(first.memory), I), ...);
  }(std::make_index_sequence<nn::stage_program<P, 0, T>::plan.entering>{});
}

template <class P, class T>
double loss(pipeline_run<P, T>& run) {
  run.forward();
  auto& end = run.template stage<pipeline_run<P, T>::last>();
  const auto of_sample = end.program.template output<1>(end.memory);
  double sum = 0;
  for (std::size_t s = 0; s < run.samples; ++s)
    sum += static_cast<double>(of_sample.data[s / nn::lane_count][s % nn::lane_count]);
  return sum;
}

template <class P, class T, class Visit>
void each_stage(pipeline_run<P, T>& run, Visit visit) {
  std::apply([&](auto&... stage) { (visit(stage), ...); }, run.stages);
}

template <class P>
void check_weights(const P&, std::size_t stride, bool split = false) {
  pipeline_run<P> run{nn::lane_count + 2};
  feed(run);
  run.forward();
  each_stage(run, [](auto& stage) { stage.spoil_gradients(); });
  run.backward(split);
  each_stage(run, [&](auto& stage) {
    for (std::size_t i = 0; i < stage.values.size(); i += stride) {
      const double before = stage.values[i], step = 1e-5;
      stage.values[i] = before + step;
      const double above = loss(run);
      stage.values[i] = before - step;
      const double below = loss(run);
      stage.values[i] = before;
      CHECK(stage.d_values[i] == doctest::Approx((above - below) / (2 * step)).epsilon(1e-5).scale(1));
    }
  });
}

/// All gradients and outputs, whatever the stages.
template <class T = double, class P>
std::vector<double> numbers(const P&, bool split) {
  pipeline_run<P, T> run{nn::lane_count + 2};
  feed(run);
  std::vector<double> all{loss(run)};
  run.backward(split);
  each_stage(run, [&](auto& stage) { all.insert(all.end(), stage.d_values.begin(), stage.d_values.end()); });
  return all;
}

}  // namespace

TEST_CASE("The gradient of a pipeline's loss for every weight, stage by stage") { check_weights(small, 3); }

TEST_CASE("Gradients meet where a value is read twice, kept for a later stage or taken by two branches") {
  check_weights(residual, 1);
  check_weights(branched, 1);
}

TEST_CASE("Where only one of a layer's values is learned from, the gradient of the other is zero") {
  check_weights(half_used, 1);
  check_weights(half_used, 1, true);
}

TEST_CASE("Splitting the backward pass changes nothing, bit for bit") {
  CHECK(numbers(small, true) == numbers(small, false));
  CHECK(numbers(residual, true) == numbers(residual, false));
  CHECK(numbers(branched, true) == numbers(branched, false));
}

TEST_CASE("Recomputed, as a whole or segment by segment, gradients are the same, bit for bit") {
  using network = std::remove_const_t<decltype(marked)>;
  static_assert(nn::planned<network, 0, double>.segments == 3 && nn::planned<network, 1, double>.segments == 4);
  static_assert(nn::planned<network, 1, double>.exit_is_read_later);
  const auto found = [](bool by_segment, auto again) {
    pipeline_run<network> run{nn::lane_count + 2, by_segment};
    feed(run);
    std::vector<double> all{loss(run)};
    run.backward_with([&](auto& stage) {
      stage.forget();
      again(stage, run.context);
    });
    each_stage(run, [&](auto& stage) { all.insert(all.end(), stage.d_values.begin(), stage.d_values.end()); });
    return all;
  };
  const auto expected = numbers(marked, false);
  CHECK(found(true, [](auto& stage, const nn::context& c) {
          stage.program.backward_by_segment(stage.memory, stage.parameters(), c, stage.d_values.data());
        }) == expected);
  CHECK(found(false, [](auto& stage, const nn::context& c) {
          stage.program.recompute(stage.memory, stage.parameters(), c);
          stage.program.backward(stage.memory, stage.parameters(), c, stage.d_values.data());
        }) == expected);
}

TEST_CASE("Segment by segment, what is kept is as large as the largest segment; what is stored is there either way") {
  constexpr auto& plan = nn::planned<std::remove_const_t<decltype(marked)>, 0, float>;
  constexpr auto whole = nn::layout_of(plan, 16), by_segment = nn::layout_of(plan, 16, true);
  constexpr auto of = [](const auto& layout, nn::area where) { return layout.bytes_of_values(where).value; };
  std::size_t in_segment[3]{};
  for (const nn::slot_plan& slot : plan.slots) {
    if (slot.where == nn::area::kept) in_segment[slot.segment] += nn::bytes_for(slot, 16);
  }
  CHECK(in_segment[1] > 0);
  CHECK(of(by_segment, nn::area::kept) == std::max({in_segment[0], in_segment[1], in_segment[2]}));
  CHECK(of(whole, nn::area::kept) == in_segment[0] + in_segment[1] + in_segment[2]);
  CHECK(of(by_segment, nn::area::stored) == of(whole, nn::area::stored));
  CHECK(of(whole, nn::area::stored) > 0);
}

TEST_CASE("Branches on their own give together what the stage gives") {
  using network = std::remove_const_t<decltype(forked)>;
  pipeline_run<network> run{nn::lane_count + 2};
  feed(run);
  run.forward();
  auto& whole = run.stage<1>();
  std::vector<std::byte> came_back(whole.program.layout().bytes_of_gradients(nn::area::exit).value);
  nn::lanes<double> went_back{};
  std::byte* const exit = whole.memory.gradient(nn::area::exit);
  run.backward_with([&](auto& stage) {
    if (static_cast<void*>(&stage) == &whole) std::copy_n(exit, came_back.size(), came_back.data());
    stage.program.backward(stage.memory, stage.parameters(), run.context, stage.d_values.data());
    if (static_cast<void*>(&stage) == &whole) went_back = whole.program.template gradient<0>(whole.memory).data[0];
  });
  std::copy(came_back.begin(), came_back.end(), exit);  // a backward pass adds to what came back
  std::vector<double> d_values;
  std::vector<std::size_t> positions;
  nn::lanes<double> back[2]{};
  [&]<std::size_t... B>(std::index_sequence<B...>) {
    const auto check = [&]<std::size_t Branch>(std::integral_constant<std::size_t, Branch>) {
      running_stage<network, double, 1, Branch> one{run.samples, false};
      using program_type = typename decltype(one)::program_type;
      constexpr auto& at = program_type::leaves_at;
      positions.insert(positions.end(), at.begin(), at.end());
      one.memory.value(nn::area::entry) = whole.memory.value(nn::area::entry);
      one.program.forward(one.memory, one.parameters(), run.context);
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        const auto same = [&](auto made, auto expected) {
          CHECK(std::memcmp(made.data, expected.data, made.groups * made.elements * sizeof(*made.data)) == 0);
        };
        (same(one.program.template output<I>(one.memory), whole.program.template output<at[I]>(whole.memory)), ...);
        const auto give = [](auto to, auto from) { std::copy_n(from.data, to.groups * to.elements, to.data); };
        ((program_type::plan.slots[program_type::plan.leaving[I]].travels_back
              ? give(one.program.template gradient<program_type::plan.leaving[I]>(one.memory),
                     whole.program.template gradient<decltype(whole.program)::plan.leaving[at[I]]>(whole.memory))
              : void()),
         ...);
      }(std::make_index_sequence<at.size()>{});
      one.program.backward(one.memory, one.parameters(), run.context, one.d_values.data());
      d_values.insert(d_values.end(), one.d_values.begin(), one.d_values.end());
      back[Branch] = one.program.template gradient<0>(one.memory).data[0];
    };
    (check(std::integral_constant<std::size_t, B>{}), ...);
  }(std::make_index_sequence<2>{});
  CHECK(d_values == whole.d_values);
  std::sort(positions.begin(), positions.end());
  for (std::size_t i = 0; i < positions.size(); ++i) CHECK(positions[i] == i);
  CHECK(positions.size() == std::tuple_size_v<stage_output<network, 1>>);
  for (std::size_t l = 0; l < nn::lane_count; ++l) {
    CHECK(back[0][l] + back[1][l] == doctest::Approx(went_back[l]));
  }
}

TEST_CASE("Grouping blocks into other stages changes nothing, bit for bit: weights, masks and sums stay") {
  constexpr auto halves = regroup(small, stage<"B1", "B2">().ipu<0>(), stage<"B3", "B4">().ipu<1>());
  CHECK(numbers(halves, true) == numbers(small, false));
  constexpr auto uneven = regroup(residual, stage<"A">().ipu<0>(), stage<"B", "C", "D">().ipu<1>());
  CHECK(numbers(uneven, false) == numbers(residual, true));
}

TEST_CASE("A sum of gradients that are halves is a half, so stages may be cut between what is added up") {
  constexpr auto apart = pipeline(input<half, 6>, per_sample<"label", std::uint8_t>,
                                  stage(block<"A">(nn::linear<6>, keep<"x">, nn::tanh, keep<"y">)),
                                  stage(block<"B">(nn::linear<6>, use<"x">(nn::add), use<"y">(nn::add))),
                                  stage(block<"C">(nn::gelu, use<"x">(nn::add), nn::tanh, use<"x">(nn::add), nn::linear<4>)),
                                  stage(block<"D">(use<"label">(nn::cross_entropy))));
  constexpr auto together = regroup(apart, stage<"A", "B", "C", "D">().ipu<0>());
  CHECK(numbers<float>(together, false) == numbers<float>(apart, false));
  CHECK(numbers<double>(together, true) == numbers<double>(apart, false));
}

TEST_CASE("Tensors of halves hold halves wherever a layer ends, forward and back, and the numbers are about the same") {
  constexpr auto coarse =
      pipeline(input<half, 6>, per_sample<"label", std::uint8_t>, stage(block<"A">(nn::linear<8>, nn::tanh)),
               stage(block<"B">(nn::linear<5>, use<"label">(nn::cross_entropy))));
  constexpr auto fine =
      pipeline(input<float, 6>, per_sample<"label", std::uint8_t>, stage(block<"A">(nn::linear<8>, nn::tanh)),
               stage(block<"B">(nn::linear<5>, use<"label">(nn::cross_entropy))));
  pipeline_run<std::remove_const_t<decltype(coarse)>, float> halves{3};
  pipeline_run<std::remove_const_t<decltype(fine)>, float> floats{3};
  feed(halves);
  feed(floats);
  const double exact = loss(floats);
  CHECK(loss(halves) == doctest::Approx(exact).epsilon(1e-2));
  CHECK(loss(halves) != exact);
  halves.backward(true);
  auto& first = halves.stage<0>();
  const auto leaves = first.program.output<0>(first.memory);
  const auto back = first.program.gradient<decltype(first.program)::plan.leaving[0]>(first.memory);
  for (std::size_t e = 0; e < 8; ++e) {
    CHECK(static_cast<float>(half{leaves.data[e][1]}) == leaves.data[e][1]);
    CHECK(static_cast<float>(half{back.data[e][1]}) == back.data[e][1]);
  }

  pipeline_run<std::remove_const_t<decltype(coarse)>, half> all_half{3};  // partial sums are halves too
  feed(all_half);
  CHECK(loss(all_half) == doctest::Approx(exact).epsilon(3e-2));
}

TEST_CASE("A layer that is run group by group knows which group it has: masks of samples differ") {
  constexpr auto drops = single_stage(input<float, 40>, block<"A">(nn::dropout<0.5>));
  pipeline_run<std::remove_const_t<decltype(drops)>, float> run{nn::lane_count + 1};
  auto& stage = run.stage<0>();
  const auto in = stage.program.input<0>(stage.memory), out = stage.program.output<0>(stage.memory);
  for (std::size_t i = 0; i < 2 * 40; ++i) in.data[i] = nn::lanes<float>::all(1);
  run.forward();
  std::size_t different = 0;
  for (std::size_t e = 0; e < 40; ++e) different += out.group(0)[e][0] != out.group(1)[e][0];
  CHECK(different > 5);
}

}  // namespace stage_program_test
