// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/train/threads/copy_state.hpp>

#include <ipuflow/core/half.hpp>

#include <doctest/doctest.h>

#include <vector>

namespace copy_state_test {

using namespace ipuflow;

TEST_CASE("parameters of the model's own type are read in place, others through a copy of their type") {
  const train::model<> m{{1.0001f, 2}, {}};
  train::impl::copy_state<float, float> same{m, 1};
  same.read(m);
  CHECK(same.views()[0].values == m.values.data());
  train::impl::copy_state<half, float> narrow{m, 1};
  narrow.read(m);
  CHECK(static_cast<float>(narrow.views()[0].values[0]) == 1);
  CHECK(static_cast<float>(narrow.views()[0].values[1]) == 2);
}

TEST_CASE("parameters that hold fewer bits than the model are read as they hold them, unless the model was rounded") {
  const train::model<> m{{1.0001f, 2}, {}};
  train::impl::copy_state<float, float, half> used{m, 1};
  used.read(m);
  CHECK(used.views()[0].values[0] == 1);
  CHECK(m.values[0] == 1.0001f);
  train::impl::copy_state<float, float, half> trained{m, 1, true};
  trained.read(m);
  CHECK(trained.views()[0].values == m.values.data());
  const train::model<double> wide{{1 + 1e-12}, {}};
  train::impl::copy_state<double, double, float> narrow{wide, 1};
  narrow.read(wide);
  CHECK(narrow.views()[0].values[0] == 1);
}

TEST_CASE("each copy begins with the model's state; afterwards the model has their mean") {
  train::model<> m{{}, {1, 2}};
  train::impl::copy_state<float, float> state{m, 3};
  state.read(m);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(state.views()[i].state[1] == 2);
    state.views()[i].state[0] = static_cast<float>(3 * i);
  }
  state.write_state(m);
  CHECK(m.state == std::vector<float>{3, 2});
  state.read(m);
  CHECK(state.views()[2].state[0] == 3);
}

}  // namespace copy_state_test
