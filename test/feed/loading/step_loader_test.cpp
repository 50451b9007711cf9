// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/load.hpp>
#include <ipuflow/feed/loading/step_loader.hpp>

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <ranges>
#include <stdexcept>
#include <vector>

namespace step_loader_test {

using ipuflow::make_owner;
using namespace ipuflow::feed;
using namespace ipuflow::feed::impl;

namespace {

constexpr const element_kind* ints[] = {&kind_of<int>};

/// One share whose steps have these sizes, as a source that does not know its end.
class sizes_source final : public step_source {
 public:
  explicit sizes_source(std::vector<std::size_t> sizes) : step_source{false}, sizes_{std::move(sizes)} {}
  [[nodiscard]] bool repeatable() const override { return true; }
  [[nodiscard]] std::size_t steps() const override { return sizes_.size(); }
  bool open(slot& s, std::size_t step) override {
    s.first = step;
    return step < sizes_.size();
  }
  void fill(slot& s, interval, const std::atomic<bool>&) override {
    s.size = sizes_[s.first];
    s.prepare(s.size, std::array<std::size_t, 1>{1});
  }

 private:
  std::vector<std::size_t> sizes_;
};

std::vector<std::size_t> pass(step_loader<>& l) {
  std::vector<std::size_t> sizes;
  l.restart();
  while (const leased_slot s = l.next()) sizes.push_back(s.at->size);
  return sizes;
}

}  // namespace

TEST_CASE("short steps are left out and counted, kept, or put together") {
  using sizes = std::vector<std::size_t>;
  const sizes given{4, 1, 4, 2};
  step_loader<> dropping{make_owner<sizes_source>(given), ints, 4, {}};
  step_loader<> keeping{make_owner<sizes_source>(given), ints, 4, {.last = tail::kept}};
  step_loader<> joining{make_owner<sizes_source>(given), ints, 4, {.mode = loading::async_rebatched}};
  for (int epoch = 0; epoch < 3; ++epoch) {
    CHECK(pass(dropping) == sizes{4, 4});
    CHECK(dropping.dropped() == 3);
    CHECK(pass(keeping) == given);
    CHECK(keeping.dropped() == 0);
    CHECK(pass(joining) == sizes{4, 4});
    CHECK(joining.dropped() == 3);
  }
}

TEST_CASE("a pass that gives nothing says why") {
  step_loader<> empty{make_owner<sizes_source>(std::vector<std::size_t>{}), ints, 4, {}};
  CHECK_THROWS_AS((void)pass(empty), ipuflow::rejected<dataset_fault>);
  step_loader<> all_tail{make_owner<sizes_source>(std::vector<std::size_t>{3}), ints, 4, {}};
  CHECK_THROWS_AS((void)pass(all_tail), ipuflow::rejected<batching_fault>);
}

TEST_CASE("a pass of which nothing is left behind an error has said why") {
  auto odd = std::views::iota(0, 10) | std::views::filter([](int i) { return i % 2 == 1; });  // without an index
  for (const int wrong : {1, 7}) {
    auto some = odd | std::views::transform([wrong](int i) { return i < wrong ? i : throw std::runtime_error{"bad"}; });
    auto steps = load(some, 5);
    for (int pass = 0; pass < 2; ++pass) {
      steps.restart();
      CHECK_THROWS_AS((void)steps.next(), sample_error);
      CHECK_FALSE(steps.next());  // neither empty nor all tail
    }
  }
}

}  // namespace step_loader_test
