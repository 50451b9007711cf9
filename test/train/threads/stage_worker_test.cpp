// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/train/threads/stage_worker.hpp>

#include "small_network.hpp"

#include <ipuflow/train/model.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

namespace stage_worker_test {

using namespace ipuflow;
using run::attempt;

namespace {

using network = std::remove_cvref_t<decltype(test::small_network)>;

constexpr const auto& code = train::impl::network_of<network, float>;

struct no_host final : train::impl::pass_host<float> {
  std::size_t loaded = 0;
  void load(std::size_t, const nn::host_stage<float>&, const nn::stage_memory&, std::size_t) override { ++loaded; }
  void store(std::size_t, const nn::host_stage<float>&, const nn::stage_memory&, std::size_t) override {}
};

}  // namespace

TEST_CASE("a stage waits before it touches anything, and goes on when its neighbours are ready") {
  const train::impl::stash keep{.in_flight = 2};
  train::impl::stage_worker<float> first{code, 0, 4, 3, keep, true};
  train::impl::stage_worker<float> second{code, 1, 4, 3, keep, true};
  const auto link = first.make_link(keep, true);
  const auto after = second.make_link(keep, true);
  first.connect({}, {link.get()});
  second.connect({link.get()}, {after.get()});
  auto m = train::initial_model(test::small_network, 1);
  const nn::parameters<float> p{m.values.data(), m.state.data()};
  const train::impl::pass_context c{};
  no_host host;

  CHECK(second.forward(0, p, c, host, 0) == attempt::wait);  // nothing has come
  CHECK(first.forward(0, p, c, host, 0) == attempt::done);
  CHECK(first.forward(1, p, c, host, 0) == attempt::done);
  CHECK(first.forward(2, p, c, host, 0) == attempt::wait);  // the link is full
  CHECK(host.loaded == 2);
  CHECK(first.backward(0, p, c) == attempt::wait);
  CHECK(second.forward(0, p, c, host, 0) == attempt::done);
  CHECK(link->forward.readable() == 1);
  first.clear();
  link->clear();
  CHECK(first.forward(0, p, c, host, 0) == attempt::done);  // as if nothing had been
}

TEST_CASE("stashes are as large as what is in flight, and smaller where activations are recomputed") {
  const auto bytes = [](const train::impl::stash& keep) {
    return train::impl::stage_worker<float>{code, 1, 8, 8, keep, true}.stash_bytes();
  };
  const std::size_t one = bytes({.in_flight = 1});
  CHECK(bytes({.in_flight = 5}) == 5 * one);
  CHECK(bytes({.in_flight = 5, .recomputed = 1}) < 5 * one);
  CHECK(train::impl::stage_worker<float>{code, 1, 8, 8, {}, false}.stash_bytes() < one);
}

TEST_CASE("gradients begin at zero, and are at hand where they are floats that nothing else adds up") {
  train::impl::stage_worker<float> worker{code, 3, 4, 1, {}, true};
  std::array<float, 5> to{1, 2, 3, 4, 5};
  worker.gradients({}, 0, to);
  CHECK(to == std::array<float, 5>{});
  REQUIRE(worker.gradients_at_hand({}, 1) != nullptr);
  CHECK(*worker.gradients_at_hand({}, 1) == 0.0f);
  CHECK(worker.gradients_at_hand({.one_by_one = true}, 1) == nullptr);
}

}  // namespace stage_worker_test
