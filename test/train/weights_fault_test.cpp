// SPDX-License-Identifier: BSL-1.0
// The sentences that files deserve are in safetensors_test.cpp and npz_weights_test.cpp.
#include <ipuflow/train/weights_fault.hpp>

#include <doctest/doctest.h>

namespace weights_fault_test {

using namespace ipuflow;

static_assert(message(train::weights_fault{}).empty());

TEST_CASE("what no test has the memory for has a sentence, too") {
  const train::weights_fault f{train::weights_wrong::too_large, 5000000000, 0, {feed::file_name{"f"}, {}, {}, {}}};
  CHECK(message(f) ==
        fixed_string{"ipuflow: the weights for 'f' take 5000000000 bytes or are too many tensors, a .npz file holds less than 4 GiB and "
                     "65535 arrays; save them with save_safetensors"});
}

}  // namespace weights_fault_test
