// SPDX-License-Identifier: BSL-1.0
// expect: ipuflow: inference updates no weights but accumulates 8 micro-batches; set accumulation to 1 and use more device_iterations
#include <ipuflow/feed/batching.hpp>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
constexpr mode run_for = mode::inference;
#else
constexpr mode run_for = mode::training;
#endif

constexpr feed::batch_sizes sizes{.micro_batch = 4, .accumulation = 8, .run_for = run_for};
static_assert(accept<feed::verify(sizes)>());
