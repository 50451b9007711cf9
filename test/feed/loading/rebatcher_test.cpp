// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/loading/rebatcher.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace rebatcher_test {

using namespace ipuflow::feed;
using namespace ipuflow::feed::impl;

namespace {

constexpr const element_kind* ints[] = {&kind_of<int>};

int* numbers_of(const leased_slot& s) { return static_cast<int*>((*s.at)[0].data()); }

/// Slots with the numbers 0, 1, 2 ... in them, as many in each as `sizes` says.
class counting {
 public:
  explicit counting(std::vector<std::size_t> sizes) : sizes_{std::move(sizes)} {}

  leased_slot operator()() {
    if (fetched == sizes_.size()) return {};
    slot& s = pool_->take();
    leased_slot filled{&s, lend(pool_, s)};
    s.size = sizes_[fetched++];
    s.prepare(s.size, std::array<std::size_t, 1>{1});
    for (std::size_t i = 0; i < s.size; ++i) numbers_of(filled)[i] = static_cast<int>(samples++);
    return filled;
  }

  std::size_t fetched = 0;
  std::size_t samples = 0;

 private:
  std::shared_ptr<slot_pool> pool_ = std::make_shared<slot_pool>(ints);
  std::vector<std::size_t> sizes_;
};

}  // namespace

TEST_CASE("slots of any sizes become steps of one size, only the last of which may be short") {
  const std::vector<std::vector<std::size_t>> cuts{
      {50}, {1, 49}, {3, 3, 3, 3}, {4, 4, 1, 4, 4}, {20, 1, 1, 1, 20}, {9000, 1, 5000}, {}};
  for (const auto& sizes : cuts) {
    for (const std::size_t step : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 9u, 10u, 11u, 6000u}) {
      rebatcher join{step, std::make_shared<slot_pool>(ints)};
      counting fetch{sizes};
      std::size_t at = 0;
      bool right = true;
      while (const leased_slot s = join.next([&] { return fetch(); })) {
        for (std::size_t i = 0; i < s.at->size; ++i) right = right && numbers_of(s)[i] == static_cast<int>(at++);
        CHECK((s.at->size == step || (fetch.fetched == sizes.size() && at == fetch.samples)));
      }
      CHECK(right);
      CHECK(at == fetch.samples);
    }
  }
}

TEST_CASE("a slot that is a whole step is passed on as it is, and what is left can be forgotten") {
  counting fetch{{10, 10}};
  rebatcher join{10, std::make_shared<slot_pool>(ints)};
  slot* fetched = nullptr;
  CHECK(join.next([&] {
              leased_slot s = fetch();
              fetched = s.at;
              return s;
            }).at == fetched);
  rebatcher small{3, std::make_shared<slot_pool>(ints)};
  CHECK(small.next([&] { return fetch(); }).at->size == 3);
  small.clear();
  CHECK(!small.next([] { return leased_slot{}; }));
}

}  // namespace rebatcher_test
