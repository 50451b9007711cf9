// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/core/per_stage.hpp>
#include <ipuflow/train/threads/exchange.hpp>

#include "forked_network.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

namespace exchange_test {

using namespace ipuflow;

namespace {

using forked = std::remove_cvref_t<decltype(test::forked_network)>;

constexpr auto of_halves = pipeline(
    input<half, 6>, per_sample<"goal", tensor<half, 6>>, stage(block<"in">(nn::linear<6>)).ipu<0>(),
    concurrent(stage(block<"left">(nn::linear<6>)).ipu<1>(), stage(block<"right">(nn::linear<6>)).ipu<2>()),
    stage(block<"out">(nn::add, use<"goal">(nn::mean_squared_error))).ipu<3>());

constexpr std::size_t samples = nn::lane_count + 1;

/// A branch with memory for one micro-batch, and no numbers yet.
template <std::size_t Seat, class Network = forked>
struct branch {
  using program_type = train::impl::seat_program<Network, Seat>;
  program_type program{samples};
  train::impl::exchange<float> ends{train::impl::network_of<Network, float>, Seat, program.layout(), true};
  train::impl::memory_block entry{program.layout().bytes_of_values(nn::area::entry).value};
  train::impl::memory_block exit{program.layout().bytes_of_values(nn::area::exit).value};
  train::impl::memory_block exit_gradient{program.layout().bytes_of_gradients(nn::area::exit).value};
  nn::stage_memory memory;

  branch() {
    memory.value(nn::area::entry) = entry.data();
    memory.value(nn::area::exit) = exit.data();
    memory.gradient(nn::area::exit) = exit_gradient.data();
  }
  auto make_link() const { return std::make_unique<train::impl::link>(1, 1, ends.exit_gradient_bytes()); }
};

template <class View>
void set_all(View view, float value) {
  for (std::size_t i = 0; i < view.groups * view.elements; ++i) {
    for (std::size_t l = 0; l < nn::lane_count; ++l) view.data[i].set(l, value);
  }
}

template <class View>
bool all(View view, float value) {
  bool same = true;
  for (std::size_t i = 0; i < view.groups * view.elements; ++i) {
    for (std::size_t l = 0; l < nn::lane_count; ++l) same = same && view.data[i][l] == value;
  }
  return same;
}

/// Stage 1 with three branches and stage 2 with two of them: six links.
struct two_stages {
  branch<1> left;
  branch<2> middle;
  branch<3> right;
  branch<4> two;
  branch<5> one;
  std::vector<std::unique_ptr<train::impl::link>> links;

  two_stages() {
    const auto behind = [&](auto& from) {
      links.push_back(from.make_link());
      links.push_back(from.make_link());
      from.ends.connect({nullptr}, {links[links.size() - 2].get(), links[links.size() - 1].get()});
    };
    behind(left), behind(middle), behind(right);
    two.ends.connect({links[0].get(), links[2].get(), links[4].get()}, {nullptr});
    one.ends.connect({links[1].get(), links[3].get(), links[5].get()}, {nullptr});
  }
};

}  // namespace

TEST_CASE("what enters is what all branches before give, in the order of stage_output") {
  two_stages all_of;
  auto& [left, middle, right, two, one, links] = all_of;
  // Left gives its flow, the label, what was kept early, and what it kept: places 0, 3, 4 and 5.
  CHECK(decltype(left.program)::leaves_at == per_stage(0, 3, 4, 5));
  CHECK(decltype(middle.program)::leaves_at == per_stage(1));
  CHECK(decltype(right.program)::leaves_at == per_stage(2, 6));
  set_all(left.program.output<0>(left.memory), 1);
  set_all(left.program.output<2>(left.memory), 4);
  set_all(left.program.output<3>(left.memory), 5);
  set_all(middle.program.output<0>(middle.memory), 2);
  set_all(right.program.output<0>(right.memory), 3);
  set_all(right.program.output<1>(right.memory), 6);
  left.ends.send(left.exit.data(), 0);
  right.ends.send(right.exit.data(), 0);
  CHECK_FALSE(two.ends.has_come());
  CHECK_FALSE(left.ends.has_room());
  middle.ends.send(middle.exit.data(), 0);
  for (const bool first : {true, false}) {
    const auto receive = [&](auto& to) {
      CHECK(to.ends.has_come());
      to.ends.receive(to.entry.data());
      CHECK(all(to.program.template input<0>(to.memory), 1));
      CHECK(all(to.program.template input<1>(to.memory), 2));
      CHECK(all(to.program.template input<2>(to.memory), 3));
      CHECK(all(to.program.template input<4>(to.memory), 4));
      CHECK(all(to.program.template input<5>(to.memory), 5));
      CHECK(all(to.program.template input<6>(to.memory), 6));
    };
    first ? receive(two) : receive(one);
    CHECK(left.ends.has_room() == !first);  // what left is free when all have read it
  }
}

TEST_CASE("gradients come back to the branch that gave the value, added up in the order of the branches") {
  two_stages all_of;
  auto& [left, middle, right, two, one, links] = all_of;
  const auto send = [](auto& from, float scale) {
    CHECK(from.ends.gradients_have_room());
    from.memory.gradient(nn::area::entry) = from.ends.gradients_to_send();
    set_all(from.program.template gradient<0>(from.memory), 1 * scale);
    set_all(from.program.template gradient<1>(from.memory), 2 * scale);
    set_all(from.program.template gradient<2>(from.memory), 3 * scale);
    set_all(from.program.template gradient<5>(from.memory), 5 * scale);
    from.ends.send_gradients(0);
  };
  send(one, 1e8f);  // the second branch is the first to be ready
  CHECK_FALSE(left.ends.gradients_have_come());
  send(two, 1);
  const auto check = [](auto& to, auto flow, float expected) {
    CHECK(to.ends.gradients_have_come());
    to.ends.receive_gradients(to.exit_gradient.data());
    CHECK(all(to.program.template gradient<decltype(flow)::value>(to.memory), expected));
    CHECK_FALSE(to.ends.gradients_have_come());
  };
  const auto flow_of = []<class Program>(const Program&) {
    return std::integral_constant<std::size_t, Program::plan.leaving[0]>{};
  };
  check(left, flow_of(left.program), 1.0f + 1e8f);
  CHECK(all(left.program.gradient<decltype(left.program)::plan.leaving[3]>(left.memory), 5.0f + 5e8f));
  check(middle, flow_of(middle.program), 2.0f + 2e8f);
  check(right, flow_of(right.program), 3.0f + 3e8f);
  CHECK(two.ends.gradients_have_room());
}

TEST_CASE("three gradients of one value are added in the order of the branches, whichever comes first") {
  branch<0> in;
  branch<1> left;
  branch<2> middle;
  branch<3> right;
  std::vector<std::unique_ptr<train::impl::link>> links;
  for (int i = 0; i < 3; ++i) links.push_back(in.make_link());
  in.ends.connect({}, {links[0].get(), links[1].get(), links[2].get()});
  left.ends.connect({links[0].get()}, {});
  middle.ends.connect({links[1].get()}, {});
  right.ends.connect({links[2].get()}, {});
  const auto send = [](auto& from, float value) {
    from.memory.gradient(nn::area::entry) = from.ends.gradients_to_send();
    set_all(from.program.template gradient<0>(from.memory), value);
    from.ends.send_gradients(0);
  };
  send(right, 1);
  send(middle, -1e8f);
  send(left, 1e8f);
  in.ends.receive_gradients(in.exit_gradient.data());
  CHECK(all(in.program.gradient<decltype(in.program)::plan.leaving[0]>(in.memory), 1));  // (1e8 - 1e8) + 1
}

TEST_CASE("what comes back to a value of halves from several branches adds up to halves") {
  using network = std::remove_cvref_t<decltype(of_halves)>;
  branch<0, network> in;
  branch<1, network> left;
  branch<2, network> right;
  const auto first = in.make_link(), second = in.make_link();
  in.ends.connect({}, {first.get(), second.get()});
  left.ends.connect({first.get()}, {});
  right.ends.connect({second.get()}, {});
  const auto send = [](auto& from, float value) {
    from.memory.gradient(nn::area::entry) = from.ends.gradients_to_send();
    set_all(from.program.template gradient<0>(from.memory), value);
    from.ends.send_gradients(0);
  };
  send(left, 1);
  send(right, 0x1p-12f);
  in.ends.receive_gradients(in.exit_gradient.data());
  CHECK(all(in.program.gradient<decltype(in.program)::plan.leaving[0]>(in.memory), 1));  // 1 + 1 / 4096 is no half
}

}  // namespace exchange_test
