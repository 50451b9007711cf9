// SPDX-License-Identifier: BSL-1.0
// On tiles, too, recomputation by segment frees memory: what is live is what a closed form says, and the bits stay.
#include "chips_check.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace on_chips_checkpoints_test {

using namespace ipuflow;
using schedule::recomputation;

namespace {

constexpr std::size_t width = 64;
constexpr std::size_t batch = 64;
constexpr std::size_t value = width * batch * sizeof(float);  // bytes of what a layer makes

/// Eight layers, the value in the middle stored.
constexpr auto deep = single_stage(input<float, width>, per_sample<"label", std::uint8_t>,
    block<"all">(nn::linear<width>, nn::tanh, nn::linear<width>, nn::tanh, nn::linear<width>, nn::tanh, nn::linear<width>, nn::tanh,
                 nn::checkpoint,
                 nn::linear<width>, nn::tanh, nn::linear<width>, nn::tanh, nn::linear<width>, nn::tanh, nn::linear<width>, nn::tanh,
                 nn::linear<10>, use<"label">(nn::cross_entropy)));

constexpr auto two = pipeline(input<float, width>, per_sample<"label", std::uint8_t>,
    stage(block<"a">(nn::linear<width>, nn::dropout<0.5>, nn::tanh, nn::linear<width>, nn::tanh, nn::checkpoint,
                     nn::linear<width>, nn::tanh, nn::linear<width>, nn::tanh)).ipu<0>(),
    stage(block<"b">(nn::linear<width>, nn::tanh, nn::checkpoint, nn::linear<width>, nn::dropout<0.5>, nn::tanh, nn::linear<10>,
                     use<"label">(nn::cross_entropy))).ipu<1>());

train::options options_of(std::size_t samples) { return {.micro_batch = samples, .inputs = {.scale = 1.0f}}; }

template <class P, class T>
run::chips_profile counted(const P& pipeline, const T& timetable, const schedule::stage_set& again = {}) {
  train::options o = options_of(batch);
  o.recompute = again;
  const train::session s{pipeline, timetable, train::sgd{}, o, on::chips{.synthetic = true}};
  return s.cost();
}

std::uint64_t most_live(const run::chips_profile& p) {
  const auto& live = p.chips.memory.live_by_step;
  return *std::max_element(live.begin(), live.end());
}
std::uint64_t on_fullest(const run::chips_profile& p) {
  const auto& live = p.chips.memory.fullest_by_step;
  return *std::max_element(live.begin(), live.end());
}
std::uint64_t stashed(const run::chips_profile& p, std::size_t chip) {
  std::uint64_t sum = 0;
  for (const ipu::variable_memory& v : p.chips.memory.variables) {
    if (v.chip == chip && v.name.view().starts_with("stash of ")) sum += v.size;
  }
  return sum;
}

/// The model after two steps on some numbers.
template <class P, class T>
train::model<float> learned(const P& pipeline, const T& timetable, const schedule::stage_set& again = {}) {
  train::options o = options_of(4);
  o.recompute = again;
  train::session s{pipeline, timetable, train::sgd{.rate = 0.1f}, o,
                   on::chips{.system = test::small_system(timetable.where.ipus)}};
  std::vector<float> inputs(s.samples_per_step() * width);
  std::vector<std::uint8_t> labels(s.samples_per_step());
  for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i] = nn::random_unit(3, i) - 0.5f;
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<std::uint8_t>(nn::random_bits(4, i) % 10);
  struct {
    std::tuple<feed::column_view<std::span<const float>>, feed::column_view<std::uint8_t>> all;
    std::size_t count;
    std::size_t size() const { return count; }
    const auto& columns() const { return all; }
  } const samples{{{inputs.data(), labels.size(), width}, {labels.data(), labels.size()}}, labels.size()};
  for (int step = 0; step < 2; ++step) s(samples);
  return *s.parameters();
}

}  // namespace

TEST_CASE("One chip: of eight values one is stored and four live at a time, for at most one more forward") {
  const run::chips_profile kept = counted(deep, schedule::sharded(deep, micro_batches<4>));
  const run::chips_profile again = counted(deep, schedule::sharded(deep, micro_batches<4>, recomputation::and_backpropagate));
  CHECK(most_live(kept) - most_live(again) == (8 - (1 + 4)) * value);
  CHECK(on_fullest(again) <= on_fullest(kept));  // whose peak may be within a product, which both have
  std::uint64_t forwards = 0;
  for (const run::label_total& l : kept.totals()) {
    if (l.what.work == run::chips_work::pass && l.what.pass == schedule::pass::forward) forwards += l.busy.value;
  }
  CHECK(again.chips.total.value - kept.chips.total.value <= forwards);
}

TEST_CASE("In a pipeline as many micro-batches as are in flight have what entered and the checkpoint, and no more") {
  const auto none = schedule::grouped(two, micro_batches<12>);
  const auto within = schedule::grouped(two, micro_batches<12>, {.recompute = recomputation::and_backpropagate});
  const auto before = schedule::grouped(two, micro_batches<12>, {.recompute = recomputation::then_backpropagate});
  const std::size_t number = sizeof(std::int32_t);  // of the micro-batch, for dropout
  const std::size_t depth = schedule::fifo_depths(none)[0];
  REQUIRE(depth > 0);
  // What entered, what dropout saw is not read again, three values of tanh and the one that leaves: linear reads its input.
  CHECK(stashed(counted(two, none), 0) == depth * (1 + 4) * value + depth * number);
  CHECK(stashed(counted(two, within), 0) == depth * (1 + 1) * value + depth * number);
  const std::size_t entries = schedule::fifo_depths(before, schedule::until::recompute)[0];
  CHECK(stashed(counted(two, before), 0) == entries * 1 * value + entries * number);
}

TEST_CASE("A session's own stages recompute under schedules that say nothing of it, as if they did") {
  const auto grouped = schedule::grouped(two, micro_batches<12>);
  const auto within = schedule::grouped(two, micro_batches<12>, {.recompute = recomputation::and_backpropagate});
  CHECK(counted(two, grouped, schedule::all_stages).chips.total == counted(two, within).chips.total);
  const auto t = schedule::one_f_one_b(two, micro_batches<12>);
  const std::uint64_t kept = stashed(counted(two, t), 0), again = stashed(counted(two, t, {0}), 0);
  const std::size_t depth = schedule::fifo_depths(t)[0];
  CHECK(kept - again == depth * 3 * value);
  CHECK(stashed(counted(two, t, {1}), 0) == kept);
  CHECK(learned(two, t) == learned(two, t, {0}));
  CHECK(learned(two, t) == learned(two, t, schedule::all_stages));
  const auto last_waits = schedule::gpipe(two, micro_batches<12>);
  CHECK(stashed(counted(two, last_waits, {1}), 1) < stashed(counted(two, last_waits), 1));
  CHECK(learned(two, last_waits) == learned(two, last_waits, {1}));
}

TEST_CASE("The bits are those of values that are kept, masks of dropout too") {
  CHECK(learned(deep, schedule::sharded(deep, micro_batches<4>)) ==
        learned(deep, schedule::sharded(deep, micro_batches<4>, recomputation::and_backpropagate)));
  const auto kept = learned(two, schedule::grouped(two, micro_batches<8>));
  CHECK(kept == learned(two, schedule::grouped(two, micro_batches<8>, {.recompute = recomputation::and_backpropagate})));
  CHECK(kept == learned(two, schedule::grouped(two, micro_batches<8>, {.recompute = recomputation::then_backpropagate})));
}

}  // namespace on_chips_checkpoints_test
