// SPDX-License-Identifier: BSL-1.0
// What counts as an op, what it is told to give, and what applying it gives.
#include <ipuflow/core/tensor.hpp>
#include <ipuflow/graph/op.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace op_test {

using namespace ipuflow;
using namespace ipuflow::impl;

namespace {

struct doubled {};
template <class E, std::size_t N>
constexpr tensor<E, 2 * N> output_of(doubled, tensor<E, N>) {
  return {};
}

struct overloaded {
  constexpr int operator()(int x) const { return x + 1; }
  constexpr double operator()(double x) const { return x / 2; }
  constexpr std::tuple<int, double> operator()(int x, double y) const { return {x, y}; }
};

struct account {
  int balance = 0;
  constexpr int after(int paid) const { return balance + paid; }
  constexpr int quietly() const noexcept { return balance; }
  constexpr account& spend() {
    --balance;
    return *this;
  }
};

constexpr int plus_one(int x) { return x + 1; }
constexpr int no_throw(int x, double) noexcept { return x; }
inline void take(std::unique_ptr<int>) {}
constexpr int look(const std::string& s) { return static_cast<int>(s.size()); }
inline void change(int& x) { ++x; }
using box = std::unique_ptr<int>;

static_assert(op_for<decltype(&plus_one), int> && op_for<decltype(&plus_one), short>);
static_assert(!op_for<decltype(&plus_one), std::string> && !op_for<decltype(&plus_one)> && !op_for<decltype(&plus_one), int, int>);
static_assert(op_for<overloaded, int> && op_for<overloaded, double> && op_for<overloaded, int, double>);
static_assert(op_for<decltype(&take), box> && !op_for<decltype(&take), const box&>, "what a branch sees, it cannot take");
static_assert(!op_for<decltype(&change), int>, "values flow, so there is nothing to change");
static_assert(layer_for<doubled, tensor<float, 3>> && !layer_for<doubled, tensor<float, 3, 3>> && !layer_for<doubled, int>);
static_assert(op_for<decltype(&account::after), account, int> && !op_for<decltype(&account::after), account>);

template <class Op, class... In>
using of = result_of<Op, In...>;
static_assert(std::is_same_v<of<overloaded, int>, values<int>> && std::is_same_v<of<overloaded, double>, values<double>>);
static_assert(std::is_same_v<of<overloaded, int, double>, values<int, double>>, "a std::tuple is several values");
static_assert(std::is_same_v<of<decltype(&take), box>, values<>>, "void is none");
static_assert(std::is_same_v<of<doubled, tensor<half, 4>>, values<tensor<half, 8>>>);
static_assert(std::is_same_v<of<decltype(&account::quietly), account>, values<int>>);
static_assert(std::is_same_v<spread_t<const std::tuple<int&, const double>&>, values<int, double>>);
static_assert(std::is_same_v<spread_t<std::tuple<>>, values<>>);
static_assert(std::is_same_v<spread_t<std::pair<int, int>>, values<std::pair<int, int>>>, "a pair is one value");

static_assert(is_given<int> && is_given<void> && is_given<const int&> && is_given<box> && is_given<std::tuple<box, int&>>);
static_assert(!is_given<const box&> && !is_given<box&> && !is_given<std::tuple<int, box&>>);

template <class Op>
using declared = typename arguments<Op>::type;
static_assert(std::is_same_v<declared<decltype(&plus_one)>, values<int>>);
static_assert(std::is_same_v<declared<decltype(&no_throw)>, values<int, double>>);
static_assert(std::is_same_v<declared<decltype(&change)>, values<int&>>, "as it is declared");
static_assert(std::is_same_v<declared<decltype(&account::after)>, values<account, int>>, "the object comes first");
static_assert(std::is_same_v<declared<decltype(&account::quietly)>, values<account>>);
constexpr auto two = [](int, char) {};
constexpr auto none = []() noexcept {};
constexpr auto any = [](auto) {};
constexpr auto counting = [n = 0](int) mutable { return n++; };
static_assert(std::is_same_v<declared<std::remove_const_t<decltype(two)>>, values<int, char>>);
static_assert(std::is_same_v<declared<std::remove_const_t<decltype(none)>>, values<>>);
static_assert(std::is_void_v<declared<overloaded>> && std::is_void_v<declared<doubled>>);
static_assert(std::is_void_v<declared<std::remove_const_t<decltype(any)>>>);
static_assert(is_mutable<std::remove_const_t<decltype(counting)>>);
static_assert(!is_mutable<std::remove_const_t<decltype(two)>> && !is_mutable<overloaded> && !is_mutable<doubled>);

static_assert(signature_text<overloaded>() == type_name<overloaded>());
static_assert(names_of(values<int, double, tensor<float, 2>>{}) == fixed_string{"int, double, tensor<float, 2>"});
static_assert(names_of(values<>{}).empty());

static_assert(call(overloaded{}, 4) == 5 && call(overloaded{}, 4.0) == 2.0 && call(&plus_one, 4) == 5);
static_assert(call(&account::after, account{3}, 4) == 7 && call(&account::quietly, account{3}) == 3);
static_assert(call(&account::balance, account{3}) == 3 && op_for<decltype(&account::balance), account>);
static_assert(std::is_same_v<of<decltype(&account::balance), account>, values<int>>);
static_assert(std::is_same_v<declared<decltype(&account::balance)>, values<account>>);
static_assert(!op_for<decltype(&account::spend), const account&> && op_for<decltype(&account::spend), account>);
static_assert(call(doubled{}, tensor<float, 5>{}) == tensor<float, 10>{});

}  // namespace

TEST_CASE("applying an op is calling it") {
  for (int x = -100; x < 100; ++x) {
    CHECK(call(&plus_one, x) == x + 1);
    CHECK(call(overloaded{}, x) == overloaded{}(x));
    CHECK(call(&account::after, account{x}, 2 * x) == 3 * x);
    CHECK(call([x](int y) { return x * y; }, 3) == 3 * x);
  }
  CHECK(call(&look, std::string("four")) == 4);
  CHECK(call(&no_throw, 4, 2.0) == 4);
  int changed = 1;
  call(&change, changed);
  CHECK(changed == 2);
}

TEST_CASE("a signature tells what an op takes, where that is known") {
  CHECK(signature_text<decltype(&plus_one)>().view().find(", which takes (int)") != std::string_view::npos);
  CHECK(signature_text<std::remove_const_t<decltype(counting)>>().view().find("mutable") != std::string_view::npos);
}

TEST_CASE("what can only be moved is moved in and out") {
  const auto pass = [](box b) { return b; };
  box b = std::make_unique<int>(5);
  const int* at = b.get();
  b = call(pass, std::move(b));
  CHECK(b.get() == at);
  call(&take, std::move(b));
  CHECK(b == nullptr);
}

TEST_CASE("an op that throws lets its exception through") {
  CHECK_THROWS_AS(call([](int x) { return x > 0 ? throw x : x; }, 1), int);
  CHECK(call([](int x) { return x > 0 ? throw x : x; }, 0) == 0);
}

}  // namespace op_test
