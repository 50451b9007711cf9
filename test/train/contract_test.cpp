// SPDX-License-Identifier: BSL-1.0
// The optimisers and batches of the library keep the contract; what lacks a part of it is named in the sentence.
#include <ipuflow/feed/sample_batch.hpp>
#include <ipuflow/graph/describe.hpp>
#include <ipuflow/nn/layers/activation.hpp>
#include <ipuflow/schedule/generators/grouped.hpp>
#include <ipuflow/train/contract.hpp>
#include <ipuflow/train/optimisers/adam.hpp>
#include <ipuflow/train/optimisers/lamb.hpp>
#include <ipuflow/train/optimisers/sgd.hpp>
#include <ipuflow/train/precision.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace contract_test {

using namespace ipuflow;
using train::contract_wrong;

namespace {

struct no_states {
  using state_type = float;
  void update(std::span<float>, std::span<const float>, std::span<float>, std::size_t) const {}
};
struct no_update {
  using state_type = float;
  static constexpr std::size_t states = 1;
};
struct changes_itself {  // its figures, which replicas share
  using state_type = float;
  static constexpr std::size_t states = 0;
  void update(std::span<float>, std::span<const float>, std::span<float>, std::size_t) {}
};
struct verifies_const : train::sgd {
  train::figure_fault verify() const { return {}; }
};
struct verifies_changing : train::sgd {
  train::figure_fault verify() { return {}; }
};
struct verifies_by_bool : train::sgd {
  bool verify() const { return true; }
};
/// Remembers a half and a float, as many as it says.
template <std::size_t States>
struct two_kinds {
  using state_type = train::mixed_state<half, float>;
  static constexpr std::size_t states = States;
  void update(std::span<float>, std::span<const float>, const train::mixed_state<half, float>&, std::size_t) const {}
};
struct no_columns {
  std::size_t size() const { return 4; }
};
struct no_size {
  std::tuple<feed::column_view<float>> columns() const { return {}; }
};

static_assert(!train::impl::verify_optimiser<train::sgd, float>() && !train::impl::verify_optimiser<train::adamw, float>() &&
              !train::impl::verify_optimiser<train::lamb, double>());
static_assert(train::impl::verify_optimiser<no_states, float>().kind == contract_wrong::optimiser);
static_assert(train::impl::verify_optimiser<no_update, float>().kind == contract_wrong::optimiser);
static_assert(train::impl::verify_optimiser<changes_itself, float>().kind == contract_wrong::optimiser);
static_assert(!train::impl::verify_optimiser<verifies_const, float>());
static_assert(train::impl::verify_optimiser<verifies_changing, float>().kind == contract_wrong::not_verified);
static_assert(train::impl::verify_optimiser<verifies_by_bool, float>().kind == contract_wrong::not_verified);
static_assert(train::impl::verify_optimiser<train::rule_groups<verifies_by_bool, 1>, float>().kind == contract_wrong::not_verified);
static_assert(!train::impl::verify_optimiser<two_kinds<2>, float>());
static_assert(train::impl::verify_optimiser<two_kinds<1>, float>().kind == contract_wrong::optimiser);
static_assert(!train::impl::verify_optimiser<train::rule_groups<train::lamb, 2>, float>());
static_assert(train::impl::verify_optimiser<int, float>().kind == contract_wrong::optimiser);

constexpr auto one_value = single_stage(input<float, 2>, block<"a">(nn::relu));
constexpr auto two_values = single_stage(input<float, 2>, per_sample<"class", int>, block<"a">(nn::relu));
using one = decltype(one_value);
using two = decltype(two_values);
using batch = feed::sample_batch<std::span<const float>, int>;
static_assert(!train::impl::verify_samples<two, batch>());
static_assert(train::impl::verify_samples<one, batch>().kind == contract_wrong::columns);
static_assert(train::impl::verify_samples<one, batch>().got == 2 && train::impl::verify_samples<one, batch>().limit == 1);
static_assert(train::impl::verify_samples<one, no_columns>().kind == contract_wrong::samples);
static_assert(train::impl::verify_samples<one, no_size>().kind == contract_wrong::samples);
static_assert(train::impl::verify_samples<one, std::vector<float>>().kind == contract_wrong::samples);

using timetable = decltype(schedule::grouped(two_values, micro_batches<4>));
template <class Precision>
constexpr auto of_precision = train::impl::verify_parts<two, timetable, train::sgd, Precision>().kind;
static_assert(of_precision<train::precision<>> == contract_wrong::nothing);
static_assert(of_precision<train::precision<half, float>> == contract_wrong::nothing);
static_assert(of_precision<train::precision<int>> == contract_wrong::precision);
static_assert(of_precision<half> == contract_wrong::precision);
static_assert(train::impl::verify_parts<int, timetable, train::sgd, train::precision<>>().kind == contract_wrong::pipeline);
static_assert(train::impl::verify_parts<two, int, train::sgd, train::precision<>>().kind == contract_wrong::timetable);
static_assert(train::impl::verify_parts<two, timetable, int, train::precision<>>().kind == contract_wrong::optimiser);

}  // namespace

TEST_CASE("the sentence names the type") {
  CHECK(std::string{message(train::impl::verify_optimiser<int, float>()).view()} ==
        "ipuflow: int is no optimiser; give it state_type, states and update(values, gradients, state, step) const");
  const auto said = [](contract_wrong kind) {
    return std::string{message(train::contract_fault{kind, 1, 2, type_text{std::string_view{"X"}}}).view()};
  };
  CHECK(said(contract_wrong::samples) ==
        "ipuflow: X holds no samples for a step; give a feed::sample_batch, or what has size() and columns()");
  CHECK(said(contract_wrong::columns) ==
        "ipuflow: X has 1 column but a sample of this pipeline has 2 values; give a column for each input and each "
        "value per sample");
  CHECK(said(contract_wrong::pipeline) == "ipuflow: X is no pipeline; make one with pipeline() or single_stage()");
  CHECK(said(contract_wrong::timetable) ==
        "ipuflow: X is no timetable; let a generator make one, as schedule::grouped(network, micro_batches<8>) does");
  CHECK(said(contract_wrong::not_verified) ==
        "ipuflow: the verify() of X cannot look at its figures; write train::figure_fault verify() const");
  CHECK(said(contract_wrong::not_in_parts) ==
        "ipuflow: X looks at whole tensors, of which a tile has a part; give it sums_type, prepare and finish, as train::lamb has");
  CHECK(said(contract_wrong::halves) ==
        "ipuflow: prepare and finish of X are none that tiles can call; write sums_type, an array of real numbers, "
        "prepare(std::span<const float>, gradients, state, step) const and finish as train::lamb has them");
  CHECK(said(contract_wrong::precision) ==
        "ipuflow: X is no precision to compute in; write train::precision<float>, or one of double or half");
}

}  // namespace contract_test
