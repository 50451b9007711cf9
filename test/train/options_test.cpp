// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/train/options.hpp>

#include <doctest/doctest.h>

#include <limits>

namespace options_test {

using namespace ipuflow;
using train::session_wrong;

static_assert(!train::impl::verify_step(80, 80, false));
static_assert(!train::impl::verify_step(79, 80, true));
static_assert(train::impl::verify_step(79, 80, false) == train::session_fault{session_wrong::part_of_step, 79, 80});
static_assert(train::impl::verify_step(81, 80, true) == train::session_fault{session_wrong::samples, 81, 80});
static_assert(train::impl::verify_step(0, 80, true).kind == session_wrong::samples);

constexpr float none = std::numeric_limits<float>::quiet_NaN();
constexpr float endless = std::numeric_limits<float>::infinity();
static_assert(!train::impl::verify_figures({}));
static_assert(!train::impl::verify_figures({.inputs = train::scaling::of_pixels(0.1307f, 0.3081f), .scale = {.factor = 0.5f}}));
static_assert(train::impl::verify_figures({.scale = {.factor = 0}}).kind == session_wrong::loss_factor);
static_assert(train::impl::verify_figures({.scale = {.factor = none}}).kind == session_wrong::loss_factor);
static_assert(train::impl::verify_figures({.scale = {.automatic = true, .patience = 0}}) ==
              train::session_fault{session_wrong::loss_patience, 0, 1});
static_assert(!train::impl::verify_figures({.scale = {.patience = 0}}) && !train::impl::verify_figures({.scale = {.automatic = true, .patience = 1}}));
static_assert(train::impl::verify_figures({.scale = {.factor = endless}}).kind == session_wrong::loss_factor);
static_assert(train::impl::verify_figures({.inputs = {.scale = none}}).kind == session_wrong::input_scaling);
static_assert(train::impl::verify_figures({.inputs = {.shift = endless}}).kind == session_wrong::input_scaling);

static_assert(!train::impl::verify_figures({.max_grad_norm = 1}) && !train::impl::verify_figures({.max_grad_norm = endless}));
static_assert(train::impl::verify_figures({.max_grad_norm = 0}).kind == session_wrong::grad_norm);
static_assert(train::impl::verify_figures({.max_grad_norm = -1}).kind == session_wrong::grad_norm);
static_assert(train::impl::verify_figures({.max_grad_norm = none}).kind == session_wrong::grad_norm);

TEST_CASE("Options as they come are those of a session that trains") {
  CHECK_FALSE(train::impl::verify_figures({}));
  CHECK_FALSE(train::impl::verify_sharding({}));
  CHECK(train::impl::verify_sharding({.shard_optimiser = true}).kind == session_wrong::one_replica);
  CHECK(train::impl::verify_sharding({.shard_at_least = 4}) == train::session_fault{session_wrong::nothing_sharded, 4, 0});
}

}  // namespace options_test
