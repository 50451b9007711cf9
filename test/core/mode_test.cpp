// SPDX-License-Identifier: BSL-1.0
// Words that stand beside a description: they keep it, and say what it is run for.
#include <ipuflow/core/mode.hpp>

#include <doctest/doctest.h>

#include <type_traits>

using namespace ipuflow;

namespace {

struct description {
  int number = 0;
};

static_assert(training(description{3}).described.number == 3 && training(description{}).run_for == mode::training);
static_assert(inference(description{4}).described.number == 4 && inference(description{}).run_for == mode::inference);
static_assert(with_mode<description>{}.run_for == mode::training, "a pipeline without either word is trained");
static_assert(micro_batches<16>.count == 16);
static_assert(!std::is_same_v<decltype(micro_batches<16>), decltype(micro_batches<8>)>, "the count is part of the type");

}  // namespace

TEST_CASE("what is described is kept as it is") {
  for (int n = 0; n < 5; ++n) {
    CHECK(training(description{n}).described.number == n);
    CHECK(inference(description{n}).described.number == n);
  }
}
