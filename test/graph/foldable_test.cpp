// SPDX-License-Identifier: BSL-1.0
// What Hana's algorithms do with a pipeline is what they do with the tuple of its blocks.
#include <ipuflow/graph/describe.hpp>
#include <ipuflow/graph/foldable.hpp>
#include <ipuflow/graph/regroup.hpp>

#include <boost/hana/all_of.hpp>
#include <boost/hana/concept/foldable.hpp>
#include <boost/hana/concept/searchable.hpp>
#include <boost/hana/count_if.hpp>
#include <boost/hana/equal.hpp>
#include <boost/hana/fold_left.hpp>
#include <boost/hana/fold_right.hpp>
#include <boost/hana/for_each.hpp>
#include <boost/hana/none_of.hpp>
#include <boost/hana/size.hpp>
#include <boost/hana/tuple.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace foldable_test {

using namespace ipuflow;

namespace {

constexpr int plus_one(int x) { return x + 1; }
constexpr int squared(int x) { return x * x; }

constexpr auto p = pipeline(input<int>, stage(block<"B1">(plus_one), block<"B2">(squared)),
                            concurrent(block<"B3">(plus_one, squared), block<"B4">(squared)),
                            block<"B5">([](int x, int y) { return x + y; }));

static_assert(hana::Foldable<decltype(p)>::value && hana::Searchable<decltype(p)>::value);
static_assert(hana::size(p) == hana::size_c<p.block_count>);
static_assert(hana::size(pipeline(input<int>, block<"a">(plus_one), block<"b">(plus_one))) == hana::size_c<2>);

constexpr auto ops_of = [](const auto& block) { return block.op_count; };
constexpr auto add = [](std::size_t sum, const auto& block) { return sum + block.op_count; };
static_assert(hana::fold_left(p, std::size_t{0}, add) == 6);

constexpr auto has_ops = [](auto count) {
  return [count](const auto& block) { return hana::size_c<std::remove_cvref_t<decltype(block)>::op_count> == count; };
};
static_assert(hana::any_of(p, has_ops(hana::size_c<2>)) && !hana::any_of(p, has_ops(hana::size_c<3>)));
static_assert(hana::none_of(p, has_ops(hana::size_c<3>)) && !hana::all_of(p, has_ops(hana::size_c<1>)));
static_assert(hana::count_if(p, has_ops(hana::size_c<1>)) == hana::size_c<4>);

constexpr auto found = hana::find_if(p, has_ops(hana::size_c<2>));
static_assert(found->name == fixed_string{"B3"}, "the first that has two");
static_assert(hana::is_nothing(hana::find_if(p, has_ops(hana::size_c<3>))));

// The elements are the blocks themselves, not copies.
static_assert(hana::unpack(p, [](const auto& first, const auto&...) { return &first == &p[name<"B1">]; }));

template <class Foldable>
std::string spelled(const Foldable& xs, bool from_the_right = false) {
  const auto append = [](std::string text, const auto& block) { return text + block.name.data() + " "; };
  if (!from_the_right) return hana::fold_left(xs, std::string{}, append);
  return hana::fold_right(xs, std::string{}, [&](const auto& block, std::string text) { return append(text, block); });
}

}  // namespace

TEST_CASE("folds see the blocks in the order of the data, from either side") {
  CHECK(spelled(p) == "B1 B2 B3 B4 B5 ");
  CHECK(spelled(p, true) == "B5 B4 B3 B2 B1 ");
  CHECK(spelled(p) == spelled(p.blocks));
}

TEST_CASE("other stages are the same blocks") {
  CHECK(spelled(regroup<auto_stage::auto_increment>(p)) == spelled(p));
}

TEST_CASE("for_each calls once for each block") {
  std::size_t calls = 0;
  std::size_t ops = 0;
  hana::for_each(p, [&](const auto& block) {
    ++calls;
    ops += ops_of(block);
  });
  CHECK(calls == 5);
  CHECK(ops == 6);
}

TEST_CASE("blocks of a pipeline that is given away can be moved out of it") {
  auto owns = pipeline(input<int>, block<"a">([n = std::make_unique<int>(7)](int x) { return x + *n; }), block<"b">(plus_one));
  CHECK(owns(1) == 9);
  const auto blocks = hana::unpack(std::move(owns), [](auto... block) { return hana::make_tuple(std::move(block)...); });
  CHECK(hana::at_c<0>(hana::at_c<0>(blocks).ops)(1) == 8);
}

}  // namespace foldable_test
