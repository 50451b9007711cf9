// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/program/ids.hpp>

#include <doctest/doctest.h>

#include <type_traits>

namespace ids_test {

using namespace ipuflow::ipu;

/// How many of the types an id may be handed over as, itself among them.
template <class Id, class... Other>
constexpr int taken_as = (0 + ... + std::is_convertible_v<Id, Other>);
template <class Id>
constexpr int kinds = taken_as<Id, variable_id, compute_set_id, function_id, stream_id, remote_id, ring_id>;

TEST_CASE_TEMPLATE("No id stands for a thing of another kind, or is made of a number by accident", Id, variable_id, compute_set_id,
                   function_id, stream_id, remote_id, ring_id) {
  CHECK(kinds<Id> == 1);
  CHECK_FALSE(std::is_convertible_v<std::size_t, Id>);
  CHECK(Id{}.index == 0);
}

}  // namespace ids_test
