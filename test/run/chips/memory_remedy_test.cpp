// SPDX-License-Identifier: BSL-1.0
// That what is named fits, in a session: test/train/on_chips_memory_test.cpp.
#include <ipuflow/run/chips/memory_remedy.hpp>

#include <doctest/doctest.h>

#include <string_view>

namespace memory_remedy_test {

using namespace ipuflow;
using run::kept_in;

ipu::memory_fault too_large() { return {ipu::memory_wrong::out_of_memory, 1000, 800, {}}; }

/// The remedy, if so many bytes are too many that leaving the tiles frees these.
struct needs {
  int too_many = 0;
  int optimiser_state = 0;
  int accumulators = 0;
  int activations = 0;  // of a sample
  int weights = 0;

  bool fits(const run::chips_options& o) const {
    const auto kept = [](kept_in where, int bytes) { return where == kept_in::tiles ? bytes : 0; };
    const int all = kept(o.optimiser_state, optimiser_state) + kept(o.accumulators, accumulators) +
                    kept(o.activations, activations * static_cast<int>(o.samples)) + kept(o.weights, weights);
    return all <= most();
  }
  int most() const { return optimiser_state + accumulators + activations * 16 + weights - too_many; }
  std::string_view remedy(run::chips_options used = {}) {
    used.samples = 16;
    for (const run::impl::movable& kind : run::impl::movables) {
      if (used.*kind.kept == kept_in::as_scheduled) used.*kind.kept = kept_in::tiles;
    }
    text = run::with_remedy(too_large(), used, [this](const run::chips_options& o) { return fits(o); }).where.remedy;
    return text;
  }
  fixed_string<160> text{};
};

TEST_CASE("Each kind of tensor that makes room enough is named, and the largest micro-batch that does") {
  CHECK(needs{100, 100, 50, 1, 50}.remedy() == "keep optimiser_state in streaming_memory");
  CHECK(needs{100, 100, 99, 1, 100}.remedy() == "keep optimiser_state or weights in streaming_memory");
  CHECK(needs{100, 100, 100, 10, 100}.remedy() ==
        "keep optimiser_state, accumulators, activations or weights in streaming_memory, or give a micro-batch 4 samples");
  CHECK(needs{100, 50, 40, 7, 30}.remedy() == "keep activations in streaming_memory, or give a micro-batch 1 sample");
}

TEST_CASE("Where none alone makes room, as few as do together") {
  CHECK(needs{100, 60, 60, 1, 60}.remedy() == "keep optimiser_state and accumulators in streaming_memory");
  CHECK(needs{100, 40, 40, 2, 60}.remedy() == "keep optimiser_state, accumulators and activations in streaming_memory");
  CHECK(needs{100, 26, 26, 2, 26}.remedy() == "keep optimiser_state, accumulators, activations and weights in streaming_memory");
}

TEST_CASE("What has left the tiles is not named again") {
  CHECK(needs{200, 100, 99, 1, 100}.remedy({.weights = kept_in::streaming_memory}) == "keep optimiser_state in streaming_memory");
  CHECK(needs{200, 100, 99, 1, 100}.remedy({.optimiser_state = kept_in::streaming_memory}) ==
        "keep weights in streaming_memory");
}

TEST_CASE("Where nothing makes room, the sentence says so") {
  CHECK(needs{100, 20, 20, 1, 20}.remedy() ==
        "no place of its tensors and no smaller micro-batch makes it fit, so cut it into more stages");
}

TEST_CASE("The longest remedy is not cut") {
  const auto never_alone = [](const run::chips_options& o) {
    return o.samples == 16'384 || (o.weights == kept_in::streaming_memory && o.activations == kept_in::streaming_memory);
  };
  run::chips_options used{.samples = 32'768};
  run::impl::choose_memories(used, schedule::liveness::always_live);
  CHECK(run::with_remedy(too_large(), used, never_alone).where.remedy.view() ==
        "keep optimiser_state, accumulators, activations and weights in streaming_memory, or give a micro-batch 16384 samples");
}

TEST_CASE("Code that does not fit has no such remedy") {
  const ipu::memory_fault code{ipu::memory_wrong::code_region, 1000, 800, {}};
  const auto called = [](const run::chips_options&) -> bool { throw 1; };
  CHECK(run::with_remedy(code, {}, called) == code);
}

}  // namespace memory_remedy_test
