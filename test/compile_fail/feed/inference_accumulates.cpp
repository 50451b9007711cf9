// SPDX-License-Identifier: BSL-1.0
// expect: ipuflow: inference updates no weights but accumulates 8 micro-batches; set accumulation to 1 and use more device_iterations
#include <ipuflow/feed/batching.hpp>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
constexpr bool inference = true;
#else
constexpr bool inference = false;
#endif

constexpr feed::batch_sizes sizes{.micro_batch = 4, .accumulation = 8, .inference = inference};
static_assert(accept<feed::verify_batching(sizes)>());
