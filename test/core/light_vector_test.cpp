// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/core/light_vector.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <random>
#include <ranges>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace light_vector_test {

using ipuflow::light_vector;

static_assert(std::ranges::contiguous_range<light_vector<int>>);
static_assert(std::is_nothrow_move_constructible_v<light_vector<std::string>> && std::is_nothrow_move_assignable_v<light_vector<std::string>>);
static_assert(sizeof(light_vector<char>) == 3 * sizeof(void*));
static_assert(light_vector<int>{}.empty());
static_assert(std::is_convertible_v<light_vector<int>, std::vector<int>> && !std::is_convertible_v<light_vector<int>&, std::vector<int>>);  // a copy might dangle
static_assert(std::is_convertible_v<std::vector<int>, light_vector<int>> && !std::is_convertible_v<std::vector<int>&, light_vector<int>>);
static_assert(!std::is_convertible_v<light_vector<int>, std::vector<long>> && !std::is_convertible_v<std::vector<long>, light_vector<int>>);
static_assert(std::is_convertible_v<light_vector<int>, std::span<const int>>);
static_assert(std::is_same_v<decltype(light_vector(3u, std::string{})), light_vector<std::string>>);

struct tree {  // of itself, incomplete inside
  int value = 0;
  light_vector<tree> below{};
  friend bool operator==(const tree&, const tree&) = default;
};

/// Counts what lives, and throws when it is told to.
struct counted {
  explicit counted(int v) : value{v} { made(); }
  counted(const counted& other) : value{other.value} { made(); }
  counted(counted&& other) noexcept : value{std::exchange(other.value, -1)} { ++alive; }
  counted& operator=(const counted&) = default;
  counted& operator=(counted&& other) noexcept {
    value = std::exchange(other.value, -1);
    return *this;
  }
  ~counted() { --alive; }
  friend bool operator==(const counted&, const counted&) = default;

  static void made() {
    if (until_throw >= 0 && until_throw-- == 0) throw std::runtime_error{"as told"};
    ++alive;
  }
  int value;
  static inline int alive = 0;
  static inline int until_throw = -1;
};

struct alignas(64) line {
  int value = 7;
};

template <class T, class Make>
void walk_beside_std(std::uint32_t seed, Make make) {
  std::mt19937 draw(seed);
  light_vector<T> light;
  std::vector<T> plain;
  int next = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::size_t place = plain.empty() ? 0 : draw() % (plain.size() + 1);
    const auto at = [&](auto& v) { return v.begin() + static_cast<std::ptrdiff_t>(place); };
    switch (draw() % 14) {
      case 0: case 1: case 2: case 3: {
        const T value = make(next++);
        light.push_back(value);
        plain.push_back(value);
        break;
      }
      case 4: CHECK(*light.insert(at(light), make(next)) == *plain.insert(at(plain), make(next))); ++next; break;
      case 5:
        light.insert(at(light), {make(next), make(next)});
        plain.insert(at(plain), {make(next), make(next)});
        break;
      case 6: {
        const std::array<T, 3> more{make(next), make(next + 1), make(next + 2)};
        light.insert(at(light), more.begin(), more.end());
        plain.insert(at(plain), more.begin(), more.end());
        break;
      }
      case 7:
        if (place < plain.size()) light.erase(at(light)), plain.erase(at(plain));
        break;
      case 8: {
        const std::size_t last = place + (plain.size() - place) / 3;
        light.erase(at(light), light.begin() + static_cast<std::ptrdiff_t>(last));
        plain.erase(at(plain), plain.begin() + static_cast<std::ptrdiff_t>(last));
        break;
      }
      case 9: light.resize(place, make(1)), plain.resize(place, make(1)); break;
      case 10: light.resize(place + 5, make(2)), plain.resize(place + 5, make(2)); break;
      case 11: light.reserve(2 * place), plain.reserve(2 * place); break;
      case 12: {
        const auto odd = [&](const T& v) { return v == make(1) || v == make(2); };
        CHECK(erase_if(light, odd) == std::erase_if(plain, odd));
        break;
      }
      default:
        if (draw() % 8 == 0) light.shrink_to_fit(), light.assign(place % 50, make(3)), plain.assign(place % 50, make(3));
        else if (!plain.empty()) light.pop_back(), plain.pop_back();
    }
    REQUIRE(light.size() == plain.size());
    REQUIRE(light.size() <= light.capacity());
    REQUIRE(light == plain);
  }
}

TEST_CASE("any order of changes leaves what it leaves in std::vector") {
  for (std::uint32_t seed = 0; seed < 8; ++seed) {
    walk_beside_std<int>(seed, [](int i) { return i; });
    walk_beside_std<std::string>(seed, [](int i) { return std::string(static_cast<std::size_t>(i % 40), 'a') + std::to_string(i); });
    walk_beside_std<counted>(seed, [](int i) { return counted(i); });
  }
  CHECK(counted::alive == 0);
}

TEST_CASE("made of others, and others of it") {
  const std::vector<int> plain{3, 1, 2};
  const light_vector<int> light(plain);
  CHECK(light == plain);
  CHECK(plain == light);
  const std::vector<int> back = light_vector<int>(light);
  CHECK(back == plain);
  CHECK(light_vector<int>(std::span{plain}) == light_vector<int>{3, 1, 2});
  CHECK(light_vector<int>(std::array{3, 1, 2}) == light);
  CHECK(light_vector<int>(plain.rbegin(), plain.rend()) == light_vector<int>{2, 1, 3});
  std::istringstream words{"4 5 6"};
  CHECK(light_vector<int>(std::istream_iterator<int>{words}, std::istream_iterator<int>{}) == light_vector<int>{4, 5, 6});
  CHECK(light_vector<int>(3) == light_vector<int>{0, 0, 0});
  CHECK(light_vector<int>(2, 9) == light_vector<int>{9, 9});
  CHECK(light_vector<std::string>(2) == light_vector<std::string>{"", ""});
  light_vector<int> taken = light;
  light_vector<int> of = std::move(taken);
  CHECK(taken.empty());
  CHECK(taken.data() == nullptr);
  CHECK(of == light);
  taken = of;
  of = light_vector<int>{1};
  taken.swap(of);
  CHECK(taken == light_vector<int>{1});
  CHECK(of == light);
  of = *&of;
  CHECK(of == light);
  std::ranges::sort(of);
  CHECK(of == light_vector<int>{1, 2, 3});
}

TEST_CASE("order is that of words in a dictionary") {
  const light_vector<light_vector<int>> sorted{{}, {1}, {1, 2}, {1, 2, 0}, {1, 3}, {2}};
  for (std::size_t i = 0; i < sorted.size(); ++i)
    for (std::size_t j = 0; j < sorted.size(); ++j) {
      CHECK((sorted[i] < sorted[j]) == (i < j));
      CHECK((sorted[i] == sorted[j]) == (i == j));
      CHECK((std::tuple(1, sorted[i]) <=> std::tuple(1, sorted[j])) == (i <=> j));
    }
}

TEST_CASE("elements that only move, elements that do not, elements of itself, elements on a line") {
  light_vector<std::unique_ptr<int>> owners;
  for (int i = 0; i < 20; ++i) owners.push_back(std::make_unique<int>(i));
  owners.erase(owners.begin() + 3);
  CHECK(*owners[3] == 4);
  CHECK(*owners.back() == 19);
  const std::vector<std::unique_ptr<int>> handed_on = std::move(owners);
  CHECK(*handed_on.back() == 19);
  struct fixed {
    fixed() = default;
    fixed(fixed&&) = delete;
    int value = 5;
  };
  CHECK(light_vector<fixed>(4)[3].value == 5);
  tree root{1, {{2, {{3}}}, {4}}};
  const tree same = root;
  root.below.push_back(root);  // a copy of what it is in
  CHECK(root.below.back() == same);
  light_vector<line> lines(3);
  lines.push_back({8});
  for (const line& l : lines) CHECK(reinterpret_cast<std::uintptr_t>(&l) % alignof(line) == 0);
  CHECK(lines[2].value == 7);
}

TEST_CASE("an element of its own is taken before the room moves") {
  light_vector<std::string> words{std::string(40, 'x')};
  for (int i = 0; i < 20; ++i) words.push_back(words.front());
  words.resize(100, words.front());
  words.insert(words.begin(), words.back());
  for (const std::string& w : words) CHECK(w == std::string(40, 'x'));
}

TEST_CASE("where a constructor throws, nothing is lost") {
  {
    light_vector<counted> kept;
    for (int i = 0; i < 7; ++i) kept.emplace_back(i);
    const light_vector<counted> before = kept;
    const auto throws_at = [&](int when, auto&& act) {
      counted::until_throw = when;
      CHECK_THROWS_AS(act(), std::runtime_error);
      counted::until_throw = -1;
      CHECK(counted::alive == static_cast<int>(kept.size() + before.size()));
    };
    for (int when = 0; when < 7; ++when) throws_at(when, [&] { light_vector<counted> copy = kept; });
    for (int when = 0; when < 7; ++when) throws_at(when, [&] { kept = before; });
    kept = before;
    for (int when = 0; when < 2; ++when) throws_at(when, [&] { light_vector<counted>(5, counted(1)); });
    kept.shrink_to_fit();
    throws_at(0, [&] { kept.emplace_back(1); });
    CHECK(kept == before);
    for (const std::size_t most : {static_cast<std::size_t>(-1), static_cast<std::size_t>(-1) / sizeof(counted) + 2})  // would wrap round
      CHECK_THROWS_AS(kept.reserve(most), std::bad_alloc);
    CHECK(kept == before);
  }
  CHECK(counted::alive == 0);
}

}  // namespace light_vector_test
