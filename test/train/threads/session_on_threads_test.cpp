// SPDX-License-Identifier: BSL-1.0
// What sessions learn is tested in test/train/session*_test.cpp; here, that one type serves any pipeline and schedule.
#include <ipuflow/train/threads/session_on_threads.hpp>

#include "forked_network.hpp"
#include "small_network.hpp"

#include <ipuflow/schedule/verify.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <type_traits>

namespace session_on_threads_test {

using namespace ipuflow;
using precision = train::precision<>;

namespace {

template <class P, class T>
std::unique_ptr<train::impl::session_on_threads<precision>> made(const P& pipeline, const T& t, const train::sgd& rule,
                                                           const std::shared_ptr<train::model<>>& learned) {
  const train::options o{.micro_batch = 2, .replicas = 2};
  (void)pipeline;
  return std::make_unique<train::impl::session_on_threads<precision>>(train::impl::session_on_threads<precision>::parts{
      .code = train::impl::network_of<P, float>,
      .tensors = train::impl::tensors_of(train::impl::layout_of<P>),
      .timetable = t,
      .wrong = schedule::verify(t),
      .asked = o,
      .learned = learned,
      .rule = train::impl::optimiser_code_of<float>(rule),
      .where = on::threads{.count = 2}});
}

}  // namespace

TEST_CASE("Two pipelines and two schedules, one type of session") {
  const auto closed = schedule::grouped(test::small_network, micro_batches<8>);
  const auto written = schedule::tabulate(schedule::sequential(test::forked_network, micro_batches<12>));
  const train::sgd rule{.rate = 0.1f};
  const auto small = std::make_shared<train::model<>>(train::initial_model(test::small_network, 1));
  const auto forked = std::make_shared<train::model<>>(train::initial_model(test::forked_network, 1));
  CHECK(made(test::small_network, closed, rule, small)->samples_per_step() == 2 * 8 * 2);
  CHECK(made(test::forked_network, written, rule, forked)->samples_per_step() == 2 * 12 * 2);
  CHECK_THROWS_WITH(made(test::small_network, closed, rule, forked), doctest::Contains("share models between sessions"));
}

}  // namespace session_on_threads_test
