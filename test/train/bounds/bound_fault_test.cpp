// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/train/bounds/bound_fault.hpp>

#include <doctest/doctest.h>

namespace bound_fault_test {

using namespace ipuflow;
using train::bound_fault;
using train::bound_wrong;

TEST_CASE("the sentences name the chip, what is largest, and by how much") {
  CHECK(sentence(bound_fault{}).empty());
  CHECK(sentence(bound_fault{bound_wrong::not_proved, 700'000, 607'027, {.chip = 1, .largest = plan::memory_use::activations, .largest_bytes = 400'000}}).view() ==
        "ipuflow: it is not proved that chip 1 has enough memory: its fullest tile takes at most 700000 bytes and may have 607027, 92973 too "
        "few; most are activations, at most 400000: train::planner counts what it takes");
  CHECK(sentence(bound_fault{bound_wrong::code_region, 140'000, 131'072, {.chip = 0, .largest = plan::memory_use::exchange_code}}).view() ==
        "ipuflow: it is not proved that the code of chip 0 has room: a tile takes at most 140000 bytes of code but its region has 131072; most "
        "is exchange code: cut the network into more stages");
  CHECK(sentence(bound_fault{.kind = bound_wrong::layer_unknown, .where = {.stage = 2, .layer = type_text{"my_layer"}}}).view() ==
        "ipuflow: it is not known what my_layer of stage 2 takes on a tile; give it bound_on_tiles(layer, in, out, question), or count the network "
        "with train::planner");
  CHECK(sentence(bound_fault{.kind = bound_wrong::crossed, .where = {.stage = 1}}).view() ==
        "ipuflow: memory is not bounded where a stage is on two chips, as stage 1 is; count the step with train::session");
}

}  // namespace bound_fault_test
