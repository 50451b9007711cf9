// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/run/streams/actions.hpp>

#include <doctest/doctest.h>

#include <array>
#include <list>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace actions_test {

using namespace ipuflow;
using run::impl::op_action;

struct entry {
  std::string text;
  [[nodiscard]] std::size_t size() const { return text.size(); }
};

// What each op gives, and of which items it can be given.
int twice(int n) { return 2 * n; }
void forget(int) {}
using move_only = std::unique_ptr<int>;

static_assert(op_action<int (*)(int), int>::gives_one && !op_action<int (*)(int), int>::ends);
static_assert(std::is_same_v<op_action<std::string entry::*, entry>::out, std::string>);
static_assert(std::is_same_v<op_action<std::size_t (entry::*)() const, entry>::out, std::size_t>);
static_assert(!op_action<int (*)(int), std::string>::fits);
static_assert(!op_action<void (*)(int), int>::fits);
static_assert(!op_action<int (*)(int&), int>::fits);  // an item is given away, so nothing can be left in it
static_assert(!op_action<int (*)(move_only), const move_only&>::fits);
static_assert(op_action<run::impl::filter_t<bool (*)(const move_only&)>, move_only>::fits);
static_assert(!op_action<run::impl::filter_t<bool (*)(move_only)>, move_only>::fits);
static_assert(!op_action<run::impl::filter_t<void (*)(int)>, int>::fits);
static_assert(std::is_same_v<op_action<run::impl::filter_map_t<const entry* (*)(int)>, int>::out, entry>);
static_assert(!op_action<run::impl::filter_map_t<int (*)(int)>, int>::fits);
static_assert(std::is_same_v<op_action<run::impl::flat_map_t<std::list<entry> (*)(int)>, int>::out, entry>);
static_assert(std::is_same_v<op_action<run::impl::flat_map_t<std::vector<bool> (*)(int)>, int>::out, bool>);  // no reference into it
static_assert(!op_action<run::impl::flat_map_t<int (*)(int)>, int>::fits);
static_assert(!op_action<move_only& (*)(int), int>::fits && op_action<move_only && (*)(int), int>::fits);  // lent, given away
static_assert(!op_action<run::impl::filter_map_t<move_only* (*)(int)>, int>::fits);
static_assert(op_action<run::impl::filter_map_t<std::optional<move_only> (*)(int)>, int>::fits);
static_assert(!op_action<run::impl::flat_map_t<std::list<move_only>& (*)(int)>, int>::fits);
static_assert(!op_action<run::impl::flat_map_t<std::span<move_only> (*)(int)>, int>::fits);
static_assert(std::is_same_v<op_action<run::impl::batch_t, move_only>::out, std::vector<move_only>>);
static_assert(op_action<run::impl::batch_t, int>::ends);

template <class Op, class In>
auto taken(Op& op, std::vector<In> items) {
  op_action<Op, In> act{op};
  std::vector<typename op_action<Op, In>::out> all;
  const auto give = [&](typename op_action<Op, In>::out&& made) { all.push_back(std::move(made)); };
  for (In& item : items) act.take(std::move(item), give);
  if constexpr (op_action<Op, In>::ends) act.finish(give);
  return all;
}

TEST_CASE("a tuple is taken whole or as its values") {
  auto sum = [](int a, int b) { return a + b; };
  CHECK(taken(sum, std::vector<std::tuple<int, int>>{{1, 2}, {3, 4}}) == std::vector{3, 7});
  auto whole = [](const std::tuple<int, int>& both) { return std::get<0>(both); };
  CHECK(taken(whole, std::vector<std::tuple<int, int>>{{1, 2}, {3, 4}}) == std::vector{1, 3});
  auto ordered = run::filter([](int a, int b) { return a < b; });
  CHECK(taken(ordered, std::vector<std::tuple<int, int>>{{1, 2}, {4, 3}}).size() == 1);
}

/// As feed::sample_batch: a tuple and more.
struct measured : std::tuple<int, int> {
  using std::tuple<int, int>::tuple;
  [[nodiscard]] int width() const { return std::get<1>(*this) - std::get<0>(*this); }
};

TEST_CASE("what derives from a tuple is taken whole, or as the values of that; a generic callable is asked for it alone") {
  auto width = [](const auto& m) { return m.width(); };
  CHECK(taken(width, std::vector<measured>{{1, 4}, {2, 2}}) == std::vector{3, 0});
  auto wide = run::filter([](const auto& m) { return m.width() > 0; });
  CHECK(taken(wide, std::vector<measured>{{1, 4}, {2, 2}}).size() == 1);
  auto sum = [](int a, int b) { return a + b; };
  CHECK(taken(sum, std::vector<measured>{{1, 4}}) == std::vector{5});
}

TEST_CASE("elements of a container that was made for the item are moved, those of a view are copied") {
  std::vector<std::string> words{"a word too long for the small string", "another one that is too long for it"};
  auto view = run::flat_map([&](int) { return std::span{words}; });
  CHECK(taken(view, std::vector{1}) == words);
  CHECK(words[0].size() == 36);
  auto whole = run::flat_map([&](int) -> std::vector<std::string>& { return words; });
  CHECK(taken(whole, std::vector{1}) == words);
  CHECK(words[0].size() == 36);
  auto made = run::flat_map([](int n) {
    std::vector<move_only> all;
    for (int i = 0; i < n; ++i) all.push_back(std::make_unique<int>(i));
    return all;
  });
  CHECK(taken(made, std::vector{2, 0, 3}).size() == 5);
  struct line {
    std::vector<move_only> words;
  };
  auto part = run::flat_map(&line::words);
  std::vector<line> lines(2);
  for (line& l : lines) l.words.push_back(std::make_unique<int>(1));
  CHECK(taken(part, std::move(lines)).size() == 2);
  auto pair = run::flat_map([](int) { return std::array{std::make_unique<int>(1), std::make_unique<int>(2)}; });
  CHECK(taken(pair, std::vector{1, 2}).size() == 4);
  auto read = run::flat_map([](int n) { return std::views::iota(0, n) | std::views::transform([](int i) { return std::make_unique<int>(i); }); });
  CHECK(taken(read, std::vector{3}).size() == 3);  // each is made as it is read
}

TEST_CASE("a batch gives what is left at the end, once") {
  auto three = run::batch(3);
  CHECK(taken(three, std::vector{1, 2, 3, 4}) == std::vector<std::vector<int>>{{1, 2, 3}, {4}});
  CHECK(taken(three, std::vector{1, 2, 3}) == std::vector<std::vector<int>>{{1, 2, 3}});
  CHECK(taken(three, std::vector<int>{}).empty());
}

TEST_CASE("expand gives as often as it likes, and once more at the end") {
  auto up_to = run::expand<int>([](int n, auto give) { for (int i = 0; i < n; ++i) give(i); }, [](auto give) { give(-1); });
  CHECK(taken(up_to, std::vector{2, 0, 1}) == std::vector{0, 1, 0, -1});
  const auto counts = [](int n, auto& give) { for (int i = 0; i < n; ++i) give(i); };
  auto by_reference = run::expand<int>(counts, [](auto& give) { give(-1); });
  CHECK(taken(by_reference, std::vector{2, 0, 1}) == std::vector{0, 1, 0, -1});
}

}  // namespace actions_test
