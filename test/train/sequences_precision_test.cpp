// SPDX-License-Identifier: BSL-1.0
// A language model with data in halves, parameters in halves, and arithmetic in halves.
#include "chips_check.hpp"
#include "small_gpt.hpp"

#include <ipuflow/train/evaluation.hpp>
#include <ipuflow/train/threads/session_engine.hpp>  // of halves, which ipuflow::compiled has not

#include <cmath>
#include <cstddef>
#include <vector>

namespace sequences_precision_test {

using namespace ipuflow;

namespace {

template <class Number>
constexpr auto& network = test::small_gpt_in<Number>;

/// The losses of 20 updates.
template <class Number, class Precision = train::precision<>, class Where = on::threads>
std::vector<double> losses_of(train::options o, Where where = {}) {
  const schedule::table t = schedule::tabulate(schedule::one_f_one_b(network<Number>, micro_batches<4>));
  train::session session{network<Number>, t, train::adamw{.rate = 1e-2f}, o, Precision{}, where};
  std::vector<double> losses;
  for (std::size_t update = 0; update < 20; ++update) {
    losses.push_back(static_cast<double>(train::mean_of(session(test::made_up_texts{session.samples_per_step(), 7 + update}).back())));
  }
  return losses;
}

/// Halves are used, and lose no more than this part of each loss.
void check_near(const std::vector<double>& halves, const std::vector<double>& floats) {
  double most = 0;
  for (std::size_t i = 0; i < floats.size(); ++i) most = std::fmax(most, std::fabs(halves[i] - floats[i]) / floats[i]);
  CHECK(most > 1e-5);
  CHECK(most < 4e-3);
}

train::options scaled(train::rounding how = train::rounding::nearest) {
  train::options o{.micro_batch = 4};
  o.outputs = feed::output_mode::all;
  o.scale = {.factor = 1024, .automatic = true};
  o.parameters = how;
  return o;
}

using half_parameters = train::precision<float, half>;
using half_sums = train::precision<float, half, half>;
using half_arithmetic = train::precision<half, float>;
using all_halves = train::precision<half, half, half>;

const std::vector<double>& exact() {
  static const std::vector<double> losses = losses_of<float>(scaled());
  return losses;
}

}  // namespace

TEST_CASE("floats learn which token is next") { CHECK(exact().back() < 0.5 * exact().front()); }

TEST_CASE("halves learn what floats learn, in data, parameters, sums of gradients and arithmetic") {
  check_near(losses_of<half>(scaled()), exact());
  check_near(losses_of<half, half_parameters>(scaled()), exact());
  check_near(losses_of<half, half_parameters>(scaled(train::rounding::stochastic)), exact());
  check_near(losses_of<half, half_sums>(scaled(train::rounding::stochastic)), exact());
  check_near(losses_of<half, half_arithmetic>(scaled()), exact());
  check_near(losses_of<half, all_halves>(scaled(train::rounding::stochastic)), exact());
}

TEST_CASE("on chips, too") {
  const on::chips chips{.system = test::small_system(4)};
  check_near(losses_of<half>(scaled(), chips), exact());
  check_near(losses_of<half, half_parameters>(scaled(train::rounding::stochastic), chips), exact());
  check_near(losses_of<half, half_sums>(scaled(train::rounding::stochastic), chips), exact());
}

}  // namespace sequences_precision_test
