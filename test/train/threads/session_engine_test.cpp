// SPDX-License-Identifier: BSL-1.0
// What sessions learn is tested in test/train/session*_test.cpp; here, that the engine is there for a precision that
// nothing has compiled yet.
#include <ipuflow/train/threads/session_engine.hpp>

#include "small_network.hpp"

#include <ipuflow/schedule/verify.hpp>

#include <doctest/doctest.h>

#include <memory>

namespace session_engine_test {

using namespace ipuflow;
using precision = train::precision<float, double>;

TEST_CASE("A session in an unusual precision") {
  const auto timetable = schedule::grouped(test::small_network, micro_batches<8>);
  const auto learned = std::make_shared<train::model<double>>(train::initial_model<double>(test::small_network, 1));
  const train::sgd rule{.rate = 0.1f};
  const train::options o{.micro_batch = 2};
  using P = std::remove_cvref_t<decltype(test::small_network)>;
  const train::impl::session_on_threads<precision> session{{.code = train::impl::network_of<P, float>,
                                                      .tensors = train::impl::tensors_of(train::impl::layout_of<P>),
                                                      .timetable = timetable,
                                                      .wrong = schedule::verify(timetable),
                                                      .asked = o,
                                                      .learned = learned,
                                                      .rule = train::impl::optimiser_code_of<double>(rule),
                                                      .where = on::threads{.count = 1}}};
  CHECK(session.samples_per_step() == 2 * 8);
  CHECK(session.threads() == 1);
  CHECK(session.parameters() == learned);
}

}  // namespace session_engine_test
