// SPDX-License-Identifier: BSL-1.0
#include "optimiser_reference.hpp"

#include <ipuflow/ipu/engine/engine.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/train/chips/host.hpp>
#include <ipuflow/train/chips/update.hpp>
#include <ipuflow/train/optimisers/adam.hpp>
#include <ipuflow/train/optimisers/lamb.hpp>
#include <ipuflow/train/optimisers/lars.hpp>
#include <ipuflow/train/optimisers/rmsprop.hpp>
#include <ipuflow/train/optimisers/sgd.hpp>

#include <cmath>

namespace update_test {

using namespace ipuflow;

namespace {

ipu::architecture few_tiles() {
  ipu::architecture chip = ipu::mk2;
  chip.tiles = 24;
  return chip;
}

/// What tells one test of an update from another.
struct update_case {
  std::size_t replicas = 1;
  bool shards = false;
  bool offloads = false;
  float factor = 1;
  train::rounding how = train::rounding::nearest;
  bool halves = false;  // what gradients were added up in
};

constexpr std::size_t sizes[] = {700, 1, 37};

template <class Parameter>
std::vector<float> numbers(std::uint64_t stream, std::size_t count) {
  std::vector<float> made(count);
  for (std::size_t i = 0; i < count; ++i) made[i] = static_cast<float>(Parameter{test::made_up_number(stream, i)});
  return made;
}

std::vector<float> gradients(const update_case& c, std::uint64_t stream, std::size_t count) {
  return c.halves ? numbers<half>(stream, count) : numbers<float>(stream, count);
}

/// The same updates by the optimiser's own function, tensor by tensor.
template <class Parameter, class Optimiser>
std::vector<float> on_host(const Optimiser& optimiser, const update_case& c, std::size_t updates) {
  std::vector<float> all;
  std::size_t first = 1000;
  for (std::size_t t = 0; t < std::size(sizes); ++t) {
    std::vector<float> values = numbers<Parameter>(t, sizes[t]);
    test::remembered<Optimiser> state{sizes[t]};
    for (std::size_t u = 1; u <= updates; ++u) {
      std::vector<float> gradient(sizes[t]);
      for (std::size_t r = 0; r < c.replicas; ++r) {
        const std::vector<float> more = gradients(c, 100 * u + 10 * t + r, sizes[t]);
        for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] += more[i];
      }
      for (float& g : gradient) g = c.halves ? static_cast<float>(half{g}) : g;  // their sum, too
      for (float& g : gradient) g /= c.factor;
      optimiser.update(std::span{values}, std::span<const float>{gradient}, state.view(), u);
      train::impl::round_to<Parameter>(light_span{values}, c.how, nn::random_bits(9, u), first);
    }
    first += sizes[t];
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

template <class Parameter, class Optimiser>
std::vector<float> on_tiles(const Optimiser& optimiser, const update_case& c, std::size_t updates) {
  ipu::graph g{few_tiles()};
  const auto type = ipu::element_type_of<Parameter>();
  plan::lowered stage;
  std::size_t first = 0;
  for (const std::size_t n : sizes) {
    const ipu::mapping map = nn::spread(g, type, n, {.first_tile = 1});
    stage.parameters.push_back({g.add_variable(ipu::name_from("p"), type, n, map),
                                g.add_variable(ipu::name_from("g"), c.halves ? ipu::element_type::f16 : ipu::element_type::f32, n, map), first});
    first += n;
  }
  train::impl::update_rule<Optimiser> rule{ipuflow::shared<Optimiser>{optimiser}, c.factor, c.how, 9};
  const train::impl::chips_update_options o{{.first_tile = 1}, c.replicas, c.shards, c.offloads, 1000};
  const train::impl::chips_update made = train::impl::update_lowering<Optimiser>{g, o, rule}(stage);
  for (std::size_t t = 0; t < std::size(sizes); ++t) {
    const bool cut = c.shards && sizes[t] >= c.replicas;
    CHECK(made.gradients[t].sums == (cut ? train::impl::gradient_sums_on::each_its_own : train::impl::gradient_sums_on::each_all));
    CHECK(made.gradients[t].is_raw == cut);
  }
  const ipu::chip_system all = ipu::pod(few_tiles(), c.replicas);
  ipu::engine e(all, g, made.program, {.replicas = c.replicas, .checked = true});
  const auto as_parameters = [](const std::vector<float>& values) {
    std::vector<Parameter> made_so;
    for (const float x : values) made_so.push_back(Parameter{x});
    return made_so;
  };
  for (std::size_t r = 0; r < c.replicas; ++r) {
    e.write(made.updates, std::vector<std::int32_t>{0}, r);
    for (const ipu::variable_id s : made.state)
      train::impl::write_numbers(e, g, s, std::vector<float>(g[s].elements()), r);
    for (std::size_t t = 0; t < std::size(sizes); ++t) {
      const std::vector<float> values = numbers<Parameter>(t, sizes[t]);
      e.write(stage.parameters[t].value, as_parameters(values), r);
      for (const train::impl::parameter_shard& s : made.shards) {
        if (s.parameter != t) continue;
        const std::size_t each = g[s.value].elements();
        std::vector<float> mine(each);
        for (std::size_t i = 0; i < each && r * each + i < sizes[t]; ++i) mine[i] = values[r * each + i];
        e.write(s.value, as_parameters(mine), r);
      }
    }
  }
  for (std::size_t u = 1; u <= updates; ++u) {
    for (std::size_t r = 0; r < c.replicas; ++r) {
      for (std::size_t t = 0; t < std::size(sizes); ++t)
        train::impl::write_numbers(e, g, stage.parameters[t].gradient, gradients(c, 100 * u + 10 * t + r, sizes[t]), r);
    }
    const ipu::profile seen = e.run();
    CHECK(seen == ipu::cost(all, g, made.program, {.replicas = c.replicas}));
  }
  std::vector<float> values;
  for (const plan::trained_tensor& t : stage.parameters) {
    const std::vector<Parameter> here = e.read<Parameter>(t.value);
    for (std::size_t r = 1; r < c.replicas; ++r) CHECK(e.read<Parameter>(t.value, r) == here);
    for (const Parameter x : here) values.push_back(static_cast<float>(x));
  }
  return values;
}

double farthest(const std::vector<float>& a, const std::vector<float>& b) {
  double most = a.size() == b.size() ? 0 : INFINITY;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::fmax(most, std::fabs(static_cast<double>(a[i] - b[i])));
  return most;
}

using mixed_adamw = train::basic_adam<train::decay::decoupled, half, float>;

const update_case cases[] = {{},
                             {.replicas = 2},
                             {.replicas = 3, .shards = true},
                             {.offloads = true},
                             {.replicas = 2, .shards = true, .offloads = true, .factor = 64},
                             {.factor = 64, .halves = true},
                             {.replicas = 2, .halves = true},
                             {.replicas = 3, .shards = true, .halves = true}};

/// An optimiser that remembers nothing.
struct plain_descent {
  using state_type = float;
  static constexpr std::size_t states = 0;

  template <class Parameter>
  void update(std::span<Parameter> parameters, std::span<const float> gradients, std::span<float>, std::size_t) const {
    for (std::size_t i = 0; i < parameters.size(); ++i)
      parameters[i] = static_cast<Parameter>(static_cast<float>(parameters[i]) - 0.5f * gradients[i]);
  }
};

/// One that is written for floats alone.
struct descent_of_floats {
  using state_type = float;
  static constexpr std::size_t states = 1;

  void update(std::span<float> parameters, std::span<const float> gradients, std::span<float> state, std::size_t step) const {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      state[i] = 0.9f * state[i] + gradients[i];
      parameters[i] -= 0.1f * state[i] / static_cast<float>(step);  // more than one rounding, if it were done in halves
      parameters[i] *= 0.999f;
    }
  }
};

/// Along its gradient by one length, in halves of an update for floats alone, of which it does not say that tensors have to be whole.
struct of_one_length {
  using state_type = float;
  using sums_type = std::array<float, 1>;
  static constexpr std::size_t states = 0;

  sums_type prepare(std::span<const float>, std::span<const float> gradients, std::span<float>, std::size_t) const {
    sums_type squares{};
    for (const float g : gradients) squares[0] += g * g;
    return squares;
  }
  void finish(std::span<float> parameters, std::span<const float> gradients, std::span<float>, std::size_t, const sums_type& squares) const {
    for (std::size_t i = 0; i < parameters.size(); ++i) parameters[i] -= 0.5f * gradients[i] / std::sqrt(squares[0]);
  }
  void update(std::span<float> parameters, std::span<const float> gradients, std::span<float> state, std::size_t step) const {
    finish(parameters, gradients, state, step, prepare(parameters, gradients, state, step));
  }
};

}  // namespace

TEST_CASE_TEMPLATE("Updates on tiles are the optimiser's, bit for bit, wherever its state is and whoever has it",
                   Optimiser, train::sgd, train::adam, train::adamw, mixed_adamw, train::rmsprop) {
  Optimiser o;
  o.rate = 0.05f;
  for (const update_case& c : cases) CHECK(on_tiles<float>(o, c, 3) == on_host<float>(o, c, 3));
  for (const update_case& c : cases) CHECK(on_tiles<half>(o, c, 3) == on_host<half>(o, c, 3));
}

TEST_CASE("An optimiser that looks at whole tensors gets sums over all tiles and parts") {
  const train::lamb o{.rate = 0.05f};
  for (const update_case& c : cases) CHECK(farthest(on_tiles<float>(o, c, 4), on_host<float>(o, c, 4)) < 1e-5);
  const train::basic_lamb<float, half> mixed{.rate = 0.05f};
  for (const update_case& c : cases) CHECK(farthest(on_tiles<float>(mixed, c, 4), on_host<float>(mixed, c, 4)) < 1e-4);
}

TEST_CASE("One that wants the gradients once more behind the sums gets them, scaled back and of all replicas") {
  const train::lars o{.rate = 5.0f, .weight_decay = 0.01f, .trust = 0.01f};
  for (const update_case& c : cases) CHECK(farthest(on_tiles<float>(o, c, 4), on_host<float>(o, c, 4)) < 1e-5);
  for (const update_case& c : cases) CHECK(farthest(on_tiles<half>(o, c, 4), on_host<half>(o, c, 4)) < 2e-3);
}

TEST_CASE("An optimiser without state has no state variables") {
  CHECK(on_tiles<float>(plain_descent{}, {}, 2) == on_host<float>(plain_descent{}, {}, 2));
}

TEST_CASE("An optimiser for floats alone updates parameters of half, which it is given as floats") {
  for (const update_case& c : cases) CHECK(on_tiles<float>(descent_of_floats{}, c, 3) == on_host<float>(descent_of_floats{}, c, 3));
  for (const update_case& c : cases) CHECK(on_tiles<half>(descent_of_floats{}, c, 3) == on_host<half>(descent_of_floats{}, c, 3));
  for (const update_case& c : cases) CHECK(farthest(on_tiles<half>(of_one_length{}, c, 3), on_host<half>(of_one_length{}, c, 3)) < 2e-3);
}

TEST_CASE("Halves are rounded at random with the random numbers of the host") {
  const update_case c{.how = train::rounding::stochastic};
  CHECK(on_tiles<half>(train::adamw{}, c, 4) == on_host<half>(train::adamw{}, c, 4));
}

TEST_CASE("Without bias correction the first updates are those of means that begin at zero, on tiles too") {
  const train::adamw adam{.rate = 0.05f, .bias_correction = false};
  CHECK(on_tiles<float>(adam, {.replicas = 2}, 3) == on_host<float>(adam, {.replicas = 2}, 3));
  const train::lamb lamb{.rate = 0.05f, .bias_correction = false};
  CHECK(farthest(on_tiles<float>(lamb, {}, 3), on_host<float>(lamb, {}, 3)) < 1e-5);
}

TEST_CASE("State in streaming memory takes no room when it is not used, and cycles when it is") {
  const auto profile = [](bool offloads) {
    ipu::graph g{few_tiles()};
    const ipu::mapping map = nn::spread(g, ipu::element_type::f32, 20'000, {});
    plan::lowered stage;
    stage.parameters.push_back({g.add_variable(ipu::name_from("p"), ipu::element_type::f32, 20'000, map),
                                g.add_variable(ipu::name_from("g"), ipu::element_type::f32, 20'000, map), 0});
    const train::impl::chips_update_options o{.offloads = offloads};
    const auto made = train::impl::update_lowering<train::adamw>{g, o, {ipuflow::shared{train::adamw{}}}}(stage);
    return ipu::cost(ipu::pod(few_tiles(), 1), g, made.program);
  };
  const ipu::profile here = profile(false), away = profile(true);
  CHECK(away.total > here.total);
  std::size_t state = 0;
  for (const ipu::tile_memory& t : here.memory.tiles) state += t[ipu::memory_category::always_live];
  for (const ipu::tile_memory& t : away.memory.tiles) state -= t[ipu::memory_category::always_live];
  CHECK(state == 2 * 20'000 * sizeof(float));
}

TEST_CASE("Running state is the mean over replicas, also of a stage that trains nothing") {
  for (const bool trains : {false, true}) {
    ipu::graph g{few_tiles()};
    const auto add = [&](const char* name) {
      return g.add_variable(ipu::name_from(name), ipu::element_type::f32, 50, nn::spread(g, ipu::element_type::f32, 50, {}));
    };
    plan::lowered stage;
    if (trains) stage.parameters.push_back({add("p"), add("g"), 0});
    stage.state.push_back({add("s"), 0});
    const train::impl::chips_update_options o{.replicas = 3};
    const auto made = train::impl::update_lowering<train::sgd>{g, o, {ipuflow::shared{train::sgd{}}}}(stage);
    ipu::engine e(ipu::pod(few_tiles(), 3), g, made.program, {.replicas = 3, .checked = true});
    for (std::size_t r = 0; r < 3; ++r) {
      for (std::size_t v = 0; v < g.variables().size(); ++v) {
        const ipu::variable& of = g.variables()[v];
        if (of.type() == ipu::element_type::f32 && of.always_live())
          e.write(ipu::variable_id{v}, std::vector<float>(of.elements()), r);
      }
      e.write(made.updates, std::vector<std::int32_t>{0}, r);
      e.write(stage.state[0].value, std::vector<float>(50, static_cast<float>(3 * r)), r);
    }
    (void)e.run();
    for (std::size_t r = 0; r < 3; ++r) {
      for (const float x : e.read<float>(stage.state[0].value, r)) CHECK(x == doctest::Approx(3));
    }
  }
}

}  // namespace update_test
