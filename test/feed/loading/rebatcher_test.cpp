// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/loading/rebatcher.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
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

TEST_CASE("a step that cannot be put together takes nothing from the samples behind it") {
  static constexpr const element_kind* texts[] = {&kind_of<std::string>, &kind_of<int>};
  for (const std::size_t step : {2u, 3u, 4u, 5u}) {
    const auto pool = std::make_shared<slot_pool>(texts);
    rebatcher join{step, pool};
    std::size_t fetched = 0;
    const auto fetch = [&]() -> leased_slot {  // six samples, of which the last three are wider
      if (fetched == 2) return {};
      slot& s = pool->take();
      s.size = 3;
      s.prepare(s.size, std::array<std::size_t, 2>{1, 1 + fetched++});
      for (std::size_t i = 0; i < s.size; ++i) static_cast<std::string*>(s[0].data())[i] = "a text that is not short";
      return {&s, lend(pool, s)};
    };
    std::size_t whole = 0, wrong = 0;
    for (bool more = true; more;) {
      try {
        const leased_slot s = join.next(fetch);
        more = static_cast<bool>(s);
        for (std::size_t i = 0; more && i < s.at->size; ++i, ++whole) {
          CHECK(static_cast<std::string*>((*s.at)[0].data())[i] == "a text that is not short");
        }
      } catch (const ipuflow::rejected<slot_fault>&) {
        ++wrong;
      }
    }
    CHECK(wrong == (step == 3 ? 0 : 1));
    CHECK(whole == (step == 3 ? 6 : 3 + 3 / step * step));
  }
}

TEST_CASE("samples that were moved from, when the move of another one threw, are not handed out") {
  struct fragile {
    int value = 0;
    fragile() = default;
    fragile& operator=(fragile&& other) {
      if (other.value == 2) throw std::runtime_error{"fragile"};
      value = std::exchange(other.value, -1);
      return *this;
    }
  };
  static constexpr const element_kind* kinds[] = {&kind_of<fragile>};
  const auto pool = std::make_shared<slot_pool>(kinds);
  rebatcher join{4, pool};
  int made = 0;
  const auto fetch = [&] {
    slot& s = pool->take();
    s.size = 3;
    s.prepare(s.size, std::array<std::size_t, 1>{1});
    for (std::size_t i = 0; i < s.size; ++i) static_cast<fragile*>(s[0].data())[i].value = made++;
    return leased_slot{&s, lend(pool, s)};
  };
  CHECK_THROWS_WITH((void)join.next(fetch), "fragile");
  const leased_slot s = join.next(fetch);
  for (int i = 0; i < 4; ++i) CHECK(static_cast<fragile*>((*s.at)[0].data())[i].value == 3 + i);
}

}  // namespace rebatcher_test
