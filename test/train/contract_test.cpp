// SPDX-License-Identifier: BSL-1.0
// The optimisers and batches of the library keep the contract; what lacks a part of it is named in the sentence.
#include <ipuflow/feed/sample_batch.hpp>
#include <ipuflow/train/contract.hpp>
#include <ipuflow/train/optimisers/adam.hpp>
#include <ipuflow/train/optimisers/lamb.hpp>
#include <ipuflow/train/optimisers/sgd.hpp>

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
struct no_columns {
  std::size_t size() const { return 4; }
};
struct no_size {
  std::tuple<feed::column_view<float>> columns() const { return {}; }
};

static_assert(!train::verify_optimiser<train::sgd, float>() && !train::verify_optimiser<train::adamw, float>() &&
              !train::verify_optimiser<train::lamb, double>());
static_assert(train::verify_optimiser<no_states, float>().kind == contract_wrong::optimiser);
static_assert(train::verify_optimiser<no_update, float>().kind == contract_wrong::optimiser);
static_assert(train::verify_optimiser<int, float>().kind == contract_wrong::optimiser);

static_assert(!train::verify_samples<feed::sample_batch<std::span<const float>, int>>());
static_assert(train::verify_samples<no_columns>().kind == contract_wrong::samples);
static_assert(train::verify_samples<no_size>().kind == contract_wrong::samples);
static_assert(train::verify_samples<std::vector<float>>().kind == contract_wrong::samples);

}  // namespace

TEST_CASE("the sentence names the type") {
  CHECK(std::string{message(train::verify_optimiser<int, float>()).view()} ==
        "ipuflow: int is no optimiser; give it state_type, states and update(values, gradients, state, step)");
  CHECK(std::string{message(train::verify_samples<double>()).view()} ==
        "ipuflow: double holds no samples for a step; give a feed::sample_batch, or what has size() and columns()");
}

}  // namespace contract_test
