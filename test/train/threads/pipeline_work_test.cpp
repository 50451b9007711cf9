// SPDX-License-Identifier: BSL-1.0
// The gradients of a whole pipeline, in double, against finite differences.
#include <ipuflow/train/threads/pipeline_work.hpp>

#include "forked_network.hpp"

#include <ipuflow/run/threads/crew.hpp>
#include <ipuflow/train/model.hpp>
#include <ipuflow/train/threads/session_plan.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

namespace pipeline_work_test {

using namespace ipuflow;

namespace {

constexpr std::size_t samples = 3, count = 8;

/// Gives made-up images and labels; adds up the losses of all samples.
struct sample_host final : train::impl::pass_host<double> {
  std::vector<double> losses = std::vector<double>(2 * count);  // of each of up to two branches

  void load(std::size_t, const nn::host_stage<double>& stage, const nn::stage_memory& memory, std::size_t m) override {
    auto* const images = reinterpret_cast<nn::lanes<double>*>(stage.value_of(0, memory));
    auto* const labels = reinterpret_cast<nn::lanes<std::uint8_t>*>(stage.value_of(1, memory));
    for (std::size_t i = 0; i < samples; ++i) {
      for (std::size_t e = 0; e < 36; ++e) {
        images[e].set(i, 4 * static_cast<double>(nn::random_unit(m * samples + i, e)) - 2);
      }
      labels[0].set(i, static_cast<std::uint8_t>((m + i) % 4));
    }
  }
  void store(std::size_t, const nn::host_stage<double>& stage, const nn::stage_memory& memory, std::size_t m) override {
    const auto& code = stage.code();
    const auto* const loss =
        reinterpret_cast<const nn::lanes<double>*>(stage.value_of(code.plan.leaving[1], memory));
    for (std::size_t i = 0; i < samples; ++i) losses[m * 2 + code.leaves_at[1] / 2] += loss[0][i];
  }
};

template <class P, class T>
struct machine {
  explicit machine(const T& t)
      : timetable{t},
        o{.micro_batch = samples},
        work{train::impl::network_of<P, double>, train::impl::work_shape_of(train::impl::seat_table_of<P>, t, o), train::impl::stashes_of(t), host},
        crew{2} {}

  /// The mean loss of all samples.
  double operator()(const train::model<double>& m) {
    std::vector<double> state = m.state;
    const std::vector<train::impl::parameter_view<double>> views(1, {m.values.data(), state.data()});
    work.begin(train::impl::pass_context_of(timetable, o, 1), views);
    std::fill(host.losses.begin(), host.losses.end(), 0.0);
    run::execute(timetable, work, crew);
    double sum = 0;
    for (const double l : host.losses) sum += l;
    return sum / (samples * count);
  }
  std::vector<float> gradients(std::size_t stage, std::size_t size) const {
    std::vector<float> found(size);
    work.gradients(stage, 0, found);
    return found;
  }

  T timetable;
  train::options o;
  sample_host host;
  train::impl::pipeline_work<double> work;
  run::crew crew;
};

/// Compares every few parameters of each stage.
template <class P, class T>
void check_gradients(const P& network, const T& timetable) {
  machine<P, T> run{timetable};
  auto m = train::initial_model<double>(network, 5);
  constexpr auto& offsets = train::impl::offsets_of<P>;
  for (std::size_t stage = 0; stage < P::stage_count; ++stage) {
    run(m);
    const auto found = run.gradients(stage, offsets.values[stage + 1] - offsets.values[stage]);
    for (std::size_t i = 0; i < found.size(); i += 1 + found.size() / 12) {
      double& value = m.values[offsets.values[stage] + i];
      const double before = value, step = 1e-6;
      value = before + step;
      const double above = run(m);
      value = before - step;
      const double below = run(m);
      value = before;
      const double expected = (above - below) / (2 * step);
      CAPTURE(stage);
      CAPTURE(i);
      CHECK(static_cast<double>(found[i]) == doctest::Approx(expected).epsilon(1e-4).scale(1e-2));
    }
  }
}

}  // namespace

TEST_CASE("gradients through four stages with whole backward passes") {
  check_gradients(test::small_network, schedule::one_f_one_b(test::small_network, micro_batches<count>));
}

TEST_CASE("with backward passes in two halves") {
  check_gradients(test::small_network, schedule::zb1p(schedule::setup_of(test::small_network, count)));
}

TEST_CASE("with forwards recomputed") {
  check_gradients(test::small_network, schedule::grouped(test::small_network, micro_batches<count>,
                                                         {.recompute = schedule::recomputation::automatic}));
}

TEST_CASE("through concurrent branches, whole and recomputed segment by segment") {
  constexpr auto timetable = schedule::grouped(test::forked_network, micro_batches<count>);
  check_gradients(test::forked_network, timetable);
  check_gradients(test::forked_network,
                  schedule::sequential(test::forked_network, micro_batches<count>, schedule::recomputation::automatic));
}

TEST_CASE("through concurrent branches at both ends, on IPUs of their own and all on one") {
  check_gradients(test::forked_ends, schedule::sequential(test::forked_ends, micro_batches<count>));
  check_gradients(test::forked_ends, schedule::zb1p(schedule::setup{2, 1, count}));
}

}  // namespace pipeline_work_test
