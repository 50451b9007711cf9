// SPDX-License-Identifier: BSL-1.0
#include <validation/training.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <string>

namespace training_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace validation;

TEST_CASE(
    "what is said of transfers and training runs holds: fitted rows are met, slots of BERT-L within 12 %, the others "
    "within a quarter") {
  std::size_t fitted = 0;
  for (const auto& rows : {transfer_rows(), training_rows()}) {
    for (const validation_row& r : rows) {
      const bool slot = r.id == "T1" || r.id == "T3" || r.id == "T4";
      const double limit = r.from == basis::fitted ? 0.001 : slot ? 0.12 : 0.25;
      CHECK_MESSAGE(std::abs(r.error()) <= limit, std::string(r.what), " ", r.measured, " ", r.predicted);
      if (r.from == basis::fitted) ++fitted;
    }
  }
  CHECK(fitted == 3);  // the chip's host rate, the call of a step, streaming memory
}

TEST_CASE("what is not simulated shows: the host of the MNIST run, and the exchange code of replicas") {
  const validation_row digits = hosted_rows().front();
  CHECK(digits.predicted > 5 * digits.measured);  // far too fast, and said to be
  for (const validation_row& r : replica_rows()) {
    CHECK(r.error() < 0);
    CHECK(r.error() > -0.2);
  }
}

}  // namespace training_test
